"""How often attacks succeed, with intervals, and how much the analyses of a release agree with those of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from shoal.report.charts.axes import Scale, ticks
from shoal.report.charts.svg import WIDTH, Chart, bar, columns_axis, drawing, legend, line, named, tag, text
from shoal.report.charts.text_width import widest, width_of
from shoal.report.formatting import percent

NAMES = 128.0  # room for the names of questions
WIDEST = 190.0  # the most room for the names of analyses
ROW, FIRST = 30.0, 40.0
RADIUS = 4.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: the rate on people of the table, by a naive guess, and on people who are not in the table."""

    name: str
    rate: float
    low: float
    high: float
    naive: float
    control: tuple[float, float, float] | None
    """The rate and its interval."""


def question_rates(asked: Sequence[Asked], *, note: str) -> Chart:
    """Return the share of attacks that succeed, one row per question: on people in the table and not in it."""
    left, right = NAMES + 8, WIDTH - 12
    base = FIRST + ROW * len(asked) - 6
    x = Scale(0, 1, left, right)
    parts: list[Markup] = []
    for i, one in enumerate(asked):
        y = FIRST + ROW * i + 8
        tip = f"{one.name}: {percent(one.rate)} ({percent(one.low)} to {percent(one.high)})"
        parts.append(named(NAMES, y + 4, one.name, NAMES))
        parts.append(line(x(one.naive), y - 11, x(one.naive), y + 11, "promise"))
        if one.control is not None:
            rate, low, high = one.control
            parts += _point(x, y + 6, rate, low, high, "before", f"{one.name}, not in the table: {percent(rate)}")
        parts += _point(x, y - 6 if one.control is not None else y, one.rate, one.low, one.high, "after", tip)
    known = [("after", "in the table")] + ([("before", "not in it")] if any(one.control for one in asked) else [])
    label = "Attacks that succeed: " + "; ".join(_words(one) for one in asked) + "."
    return Chart(
        title="How often attacks succeed",
        label=label,
        svg=drawing(
            label,
            base + 24,
            legend(4, 14, *known, ("promise", "by a naive guess")),
            *(line(x(t), FIRST - 12, x(t), base, "grid") for t in ticks(0, 1)),
            columns_axis([(x(t), percent(t)) for t in ticks(0, 1)], base, left, right),
            *parts,
        ),
        header=("question", "in the table", "95%", "naive", "not in it", "95%"),
        rows=tuple(
            (
                one.name,
                percent(one.rate),
                _between(one.low, one.high),
                percent(one.naive),
                "" if one.control is None else percent(one.control[0]),
                "" if one.control is None else _between(*one.control[1:]),
            )
            for one in asked
        ),
        note=note,
    )


def _point(x: Scale, y: float, rate: float, low: float, high: float, class_: str, tip: str) -> list[Markup]:
    return [
        tag("path", d=f"M{x(low):.1f} {y:.1f}H{x(high):.1f}", class_=f"curve {class_}"),
        tag("circle", tag("title", tip), cx=x(rate), cy=y, r=RADIUS, class_=class_),
    ]


def _between(low: float, high: float) -> str:
    return f"{percent(low)} to {percent(high)}"


def _words(one: Asked) -> str:
    control = "" if one.control is None else f", {percent(one.control[0])} of people who are not in the table"
    return f"{one.name} {percent(one.rate)}, {percent(one.naive)} by a naive guess{control}"


def overlaps(rows: Sequence[tuple[str, float]]) -> Chart:
    """Return how much the confidence intervals of each analysis overlap, one bar per analysis."""
    left = 8 + min(WIDEST, max((width_of(what) for what, _ in rows), default=0.0))
    x = Scale(0, 1, left, WIDTH - 10 - widest([percent(share) for _, share in rows]))
    parts: list[Markup] = []
    for i, (what, share) in enumerate(rows):
        y = 6.0 + 24 * i
        parts += [
            named(left - 8, y + 12, what, left - 8),
            bar(left, y, x(1) - left, 16, "track", what),
            bar(left, y, x(share) - left, 16, "after", f"{what}: {percent(share)}"),
            text(x(1) + 6, y + 12, percent(share), class_="value"),
        ]
    label = "Overlap of confidence intervals: " + ", ".join(f"{what} {percent(share)}" for what, share in rows) + "."
    height = 10.0 + 24 * len(rows)
    return Chart(
        title="Do analyses say the same?",
        label=label,
        svg=drawing(label, height, *parts, line(left, 2, left, height - 6, "axis")),
        header=("analysis", "overlap"),
        rows=tuple((what, percent(share)) for what, share in rows),
        note="Overlap of the confidence intervals from the release with those from the original table: 100% if both "
        "are the same, 0% if they have nothing in common.",
    )
