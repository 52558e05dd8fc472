"""The charts: inside their frame, true to their numbers, with round ticks."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.measure.loss_result import Histogram
from shoal.measure.risk_result import Bar
from shoal.partition.result import SuppressionCost
from shoal.report import charts
from shoal.report.charts import Chart, Line
from shoal.report.charts.axes import Scale, date_ticks, log_ticks, rounded_up, ticks, whole_ticks
from shoal.report.charts.svg import WIDTH, spread, tag
from shoal.report.content import LabelClass, LabelClasses
from tests.report import samples

shares = st.floats(0, 1)


def rectangles(chart: Chart, class_: str) -> list[dict[str, float]]:
    found = re.findall(r"<rect ([^>]*)>(?:<title>|</rect>)", chart.svg)
    attributes = [dict(re.findall(r'([\w-]+)="([^"]*)"', one)) for one in found]
    return [{k: float(a[k]) for k in ("x", "y", "width", "height")} for a in attributes if a["class"] == class_]


def assert_framed(chart: Chart) -> None:
    box = re.search(r'viewBox="0 0 (\S+) (\S+)"', chart.svg)
    assert box
    for class_ in ("before", "after", "track", "promised"):
        for r in rectangles(chart, class_):
            assert 0 <= r["x"] <= r["x"] + r["width"] <= WIDTH + 0.2
            assert 0 <= r["y"] <= r["y"] + r["height"] <= float(box[2]) + 0.2
    assert_finite(chart)


def assert_finite(chart: Chart) -> None:
    numbers = re.findall(r' (?:x|y|x1|x2|y1|y2|cx|cy|r|d|width|height)="([^"]*)"', chart.svg)
    assert not re.search("nan|inf", " ".join(numbers))


@pytest.mark.parametrize("n", [1, 7, 60, 61, 2000])
def test_sizes_of_classes_stay_in_their_frame_and_say_how_far_they_are_from_the_best(n: int) -> None:
    some = tuple(LabelClass(f"c{i} +1", 5 + i % 4, 2) for i in range(n))
    found = LabelClasses(column="surname", n_labels=2 * n, least=5, lower_bound=5, classes=some)
    chart = charts.class_sizes(found)
    assert_framed(chart)
    assert len(chart.rows) == min(n, 100)
    assert chart.rows[0][1] == str(max(one.people for one in some))
    assert ("No classes that meet this have a smaller largest one." in chart.note) == (n == 1)
    assert len(rectangles(chart, "after")) == (n if n <= 60 else 0) + 1  # and that of the legend


@given(
    st.lists(st.tuples(shares, shares), min_size=1, max_size=12), st.floats(-1e9, 1e9), st.floats(1e-3, 1e6), shares
)
def test_a_distribution_of_numbers_stays_in_its_frame(
    pairs: list[tuple[float, float]], low: float, width: float, missing: float
) -> None:
    edges = tuple(low + width * i for i in range(len(pairs) + 1))
    before, after = zip(*pairs, strict=True)
    histogram = Histogram(edges=edges, before=before, after=after, missing_before=missing)
    chart = charts.distribution(samples.column("x", "number", 0.1, histogram))
    assert_framed(chart)
    assert len(chart.rows) == len(pairs) + (missing > 0)


@given(st.lists(st.tuples(st.text(max_size=80), shares, shares), min_size=1, max_size=12))
@example([("a label that is longer than the whole drawing is wide, " * 3, 0.5, 0.4)])
def test_a_distribution_of_labels_stays_in_its_frame(bars: list[tuple[str, float, float]]) -> None:
    labels, before, after = zip(*bars, strict=True)
    histogram = Histogram(labels=(*labels, None), n_other=3, before=(*before, 0.1, 0.2), after=(*after, 0.1, 0.2))
    chart = charts.distribution(samples.column("x", "label", 0.1, histogram))
    assert_framed(chart)
    assert [row[0] for row in chart.rows[-2:]] == ["missing", "3 others"]


def test_bars_are_as_high_as_their_shares() -> None:
    histogram = Histogram(edges=(0.0, 1.0, 2.0), before=(0.4, 0.1), after=(0.2, 0.3))
    chart = charts.distribution(samples.column("x", "number", 0.1, histogram))
    gray, blue = rectangles(chart, "before"), rectangles(chart, "after")
    heights = [
        r["height"] for r in (*[g for g in gray if g["height"] != 10], *[b for b in blue if b["height"] != 10])
    ]
    assert heights == pytest.approx([4 * heights[1], heights[1], 2 * heights[1], 3 * heights[1]], abs=0.3)


@given(
    st.lists(
        st.tuples(st.integers(1, 10**6), st.integers(1, 10**5)), min_size=1, max_size=30, unique_by=lambda b: b[0]
    )
)
def test_group_sizes_of_any_spread_stay_in_the_frame(sizes: list[tuple[int, int]]) -> None:
    bars = [Bar(low=size, high=size, classes=n, people=size * n) for size, n in sorted(sizes)]
    chart = charts.group_sizes(bars, k=2)
    assert_framed(chart)
    drawn = sum(int(n.replace(",", "")) for n in re.findall(r"<title>([\d,]+) groups? of", chart.svg))
    assert drawn == sum(n for _, n in sizes)
    assert len(rectangles(chart, "after")) <= 32
    assert len(chart.rows) == len(bars)


def test_sizes_spread_far_share_bars() -> None:
    sizes = [Bar(low=s, high=s, classes=1, people=s) for s in (5, 10, 11, 20, 21, 480)]
    chart = charts.group_sizes(sizes, k=5)
    tips = re.findall(r"<title>([^<]*) people</title>", chart.svg)
    full = [tip for tip in tips if not tip.startswith("0")]
    assert full == [
        "1 group of 5",
        "1 group of 10",
        "2 groups of 11 to 20",
        "1 group of 21 to 50",
        "1 group of 201 to 500",
    ]


def test_many_labels_are_drawn_as_twelve_rows_and_listed_in_full() -> None:
    n = 30
    names = tuple(f"v{i}" for i in range(n))
    histogram = Histogram(labels=names, before=(1 / n,) * n, after=(1 / n,) * n)
    chart = charts.distribution(samples.column("x", "label", 0.1, histogram))
    assert len(chart.rows) == n
    assert chart.svg.count('class="name"') == 12
    assert "19 others: before 63.3%, after 63.3%" in chart.svg
    assert_framed(chart)
    cut = replace(histogram, labels=names[:-1], n_other=7)
    assert "25 others: before 63.3%" in charts.distribution(samples.column("x", "label", 0.1, cut)).svg


@pytest.mark.parametrize("k", [2, 5, 7, 60, 5000])
def test_the_risk_curve_touches_nobody_up_to_the_smallest_group(k: int) -> None:
    before, after = samples.risk().before, samples.risk().after
    chart = charts.risk_curve(before, after, k=k)
    assert_framed(chart)
    assert ("1 in 5", "99.5%", "0%") in chart.rows
    assert chart.rows[-1] == ("1 in 20", "100%", "100%")
    assert f"guaranteed: at most 1 in {k:,}" in chart.svg


def test_a_smallest_group_between_thresholds_has_its_own_point() -> None:
    bars = samples.bars(((7, 100), (12, 30)))
    after = samples.exposure(bars, (0.0, 0.0, 0.0, 0.7, 1.0, 1.0, 1.0), 1 / 7, 0)
    chart = charts.risk_curve(samples.risk().before, after, k=7)
    assert ("1 in 7", "–", "0%") in chart.rows


@given(st.lists(st.lists(st.tuples(st.integers(2, 1000), shares), min_size=1, max_size=6), min_size=1, max_size=9))
def test_every_line_of_the_frontier_is_named_at_its_end(found: list[list[tuple[int, float]]]) -> None:
    lines = [
        Line(name=f"method {i}", points=tuple((float(k), loss, f"k = {k}") for k, loss in sorted(points)))
        for i, points in enumerate(found)
    ]
    chart = charts.frontier(lines, x_label="k", y_label="information lost")
    assert_finite(chart)
    ends = [float(y) for y in re.findall(r'<text class="end [^"]*" x="[^"]*" y="([^"]*)"', chart.svg)]
    assert len(ends) == len(lines)
    assert all(high - low >= 13.8 for low, high in pairwise(sorted(ends)))


def test_the_dearest_column_comes_first() -> None:
    chart = charts.loss_by_column(samples.columns())
    assert [row[0] for row in chart.rows] == ["occupation", "postcode", "admitted", "age", "sex"]
    assert "occupation lost most, 45.7%" in chart.label
    assert_framed(chart)


def test_the_distance_from_the_best_is_never_rounded_down() -> None:
    chart = charts.distance_from_best(ratio_seen=1.3001, ratio_proved=Fraction(28, 3))
    assert [row[1] for row in chart.rows] == ["1", "1.31", "9.34"]
    assert_framed(chart)
    assert len(charts.distance_from_best(ratio_seen=1.2, ratio_proved=None).rows) == 2


def test_a_map_of_three_thousand_records_stays_small() -> None:
    noise = np.random.default_rng(1)
    seen = charts.Projection(
        records=noise.normal(size=(3000, 2)),
        groups=noise.normal(size=(600, 2)),
        sizes=np.full(600, 5),
        explained=(0.5, 0.2),
    )
    chart = charts.scatter(seen)
    assert len(chart.svg) < 130_000
    assert chart.svg.count("<circle") == 600
    assert_finite(chart)


def test_text_and_attributes_are_escaped() -> None:
    made = tag("text", '<b>"', class_='a"b', stroke_width=1.0, x=None)
    assert made == '<text class="a&#34;b" stroke-width="1">&lt;b&gt;&#34;</text>\n'


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 8))
def test_ticks_are_round_even_and_within(low: float, width: float, about: int) -> None:
    high = low + width
    found = ticks(low, high, about)
    assert all(low - 1e-6 * width <= t <= high + 1e-6 * width for t in found)
    assert about / 2.6 - 1 <= len(found) <= about + 1
    steps = {round((b - a) / width, 6) for a, b in pairwise(found)}
    assert len(steps) <= 1


@given(st.floats(1e-6, 1e9))
def test_an_axis_from_zero_ends_on_a_round_number_above(top: float) -> None:
    end = rounded_up(top, 4)
    assert end >= top * (1 - 1e-9)
    assert end <= 1.5 * top + 1e-12


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_people_are_counted_in_whole_numbers(low: int, width: int) -> None:
    assert all(low <= t <= low + width or t == low for t in whole_ticks(low, low + width))


@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e6))
def test_ticks_of_a_log_axis_are_within(low: float, times: float) -> None:
    assert all(low * 0.99 <= t <= low * times * 1.01 for t in log_ticks(low, low * times))


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(1, 40_000))
def test_ticks_of_dates_are_few_and_within(start: date, days: int) -> None:
    low = float((start - date(1970, 1, 1)).days)
    found = date_ticks(low, low + days)
    assert len(found) <= 9
    assert all(low <= at <= low + days for at, _ in found)


def test_dates_are_marked_at_the_beginning_of_years_and_months() -> None:
    assert date_ticks(18_993, 20_089) == [(18993.0, "2022"), (19358.0, "2023"), (19723.0, "2024"), (20089.0, "2025")]
    assert [label for _, label in date_ticks(18_993, 19_150)][:2] == ["Jan 2022", "Feb 2022"]


def test_a_scale_without_extent_is_drawn_in_the_middle() -> None:
    assert Scale(3, 3, 0, 10)(3) == 5


@given(st.lists(st.floats(0, 100), min_size=1, max_size=7))
def test_labels_are_moved_apart_in_order(positions: list[float]) -> None:
    placed = spread(positions, 14, 0, 100)
    order = np.argsort(positions, kind="stable")
    moved = [placed[i] for i in order]
    assert all(b - a >= 14 - 1e-9 for a, b in pairwise(moved))
    assert moved[-1] <= 100


def test_the_curve_of_outliers_falls_from_the_cost_with_all_rows() -> None:
    points = [
        SuppressionCost(allowed=allowed, n_suppressed=suppressed, cost=cost)
        for allowed, suppressed, cost in ((0.0, 0, 8.0), (0.01, 3, 2.0), (0.02, 6, 1.5), (0.05, 15, 1.0))
    ]
    chart = charts.left_out(points, what="largest distance from a center")
    assert_finite(chart)
    assert chart.rows[0] == ("0%", "0", "8", "100%")
    assert chart.rows[-1] == ("5%", "15", "1", "12.5%")
    heights = [float(y) for y in re.findall(r'cy="([^"]*)"', chart.svg)]
    assert heights == sorted(heights)  # downwards on the page
    assert len(heights) == 4
    flat = [replace(point, cost=0.0) for point in points]
    assert charts.left_out(flat, what="largest distance from a center").rows[0][-1] == "0%"
