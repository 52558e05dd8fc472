"""The charts of the report: inline SVG, no script, no font, no network.

Before is grey and after is the one strong hue, everywhere. Every chart names itself for screen readers, explains
its marks on hover, and folds away the numbers it draws. Nothing is computed but positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from shoal.measure.result import Bar, ColumnLoss, Exposure
from shoal.report.axes import Scale, date_ticks, day_label, log_ticks, rounded_up, ticks, whole_ticks
from shoal.report.numbers import at_most, count, name, percent, plural, significant
from shoal.report.svg import (
    CHARACTER,
    WIDTH,
    Chart,
    bar,
    columns_axis,
    drawing,
    legend,
    line,
    named,
    rows_axis,
    spread,
    tag,
    text,
)

HUES = 6  # lines of the frontier that get a colour of their own in style.css
Bars = Sequence[tuple[str, float, float]]  # what a bar stands for, its share before, its share after


def distribution(column: ColumnLoss) -> Chart:
    """Before and after of one column: a wide grey bar behind a narrow coloured one."""
    shares = column.histogram
    bars = list(zip(_bins(column), shares.before, shares.after, strict=True))
    missing = shares.missing_before > 0 or shares.missing_after > 0
    if missing:
        bars.append(("missing", shares.missing_before, shares.missing_after))
    top = max((share for _, *pair in bars for share in pair), default=0.0)
    label = (
        f"{column.name}: share of rows before and after in {plural(len(bars), 'class', 'classes')}; "
        f"the highest is {percent(top)}."
    )
    if shares.edges is not None:
        svg = _columns(label, bars, shares.edges, top, dates=column.kind == "date")
    else:
        svg = _rows(label, bars, top)
    return Chart(
        title=column.name,
        label=label,
        svg=svg,
        header=("value", "before", "after"),
        rows=tuple((value, percent(before), percent(after)) for value, before, after in bars),
    )


def _bins(column: ColumnLoss) -> list[str]:
    """What each bar of the histogram stands for."""
    shares = column.histogram
    if shares.edges is not None:
        shown = day_label if column.kind == "date" else significant
        return [f"{shown(low)} to {shown(high)}" for low, high in pairwise(shares.edges)]
    values = ["missing" if value is None else value for value in shares.labels or ()]
    return values + ([f"{count(shares.n_other)} others"] if shares.n_other else [])


def _tip(value: str, before: float, after: float) -> str:
    return f"{name(value)}: before {percent(before)}, after {percent(after)}"


def _columns(label: str, bars: Bars, edges: Sequence[float], top: float, *, dates: bool) -> Markup:
    high = rounded_up(top, 4)
    y = Scale(0, high, 176, 34)
    marks = [(y(t), percent(t)) for t in ticks(0, high, 4)]
    left, beside = 8 + CHARACTER * max(len(m[1]) for m in marks), 54.0 * (len(bars) >= len(edges))
    x = Scale(edges[0], edges[-1], left, WIDTH - 10 - beside)
    places = [(x(low), x(high)) for low, high in pairwise(edges)]
    parts: list[Markup] = []
    if beside:
        places.append((WIDTH - 44, WIDTH - 14))
        parts.append(text(WIDTH - 29, 192, "missing", anchor="middle"))
    for (value, before, after), (start, end) in zip(bars, places, strict=True):
        width, tip = end - start, _tip(value, before, after)
        gap = min(1.0, width / 8)
        parts += [
            bar(start + gap, y(before), width - 2 * gap, 176 - y(before), "before", tip),
            bar(start + width * 0.3, y(after), width * 0.4, 176 - y(after), "after", tip),
        ]
    if dates:
        below = [(x(at), mark) for at, mark in date_ticks(edges[0], edges[-1])]
    else:
        below = [(x(t), significant(t)) for t in ticks(edges[0], edges[-1], 6)]
    return drawing(
        label,
        200,
        legend(left, 14, ("before", "before"), ("after", "after")),
        rows_axis(marks, left, WIDTH - 4),
        *parts,
        columns_axis(below, 176, left, WIDTH - 10 - beside),
    )


def _rows(label: str, bars: Bars, top: float) -> Markup:
    names = min(150.0, 12 + CHARACTER * max((len(value) for value, *_ in bars), default=1))
    x = Scale(0, rounded_up(top, 4), names, WIDTH - 56)
    parts: list[Markup] = []
    for i, (value, before, after) in enumerate(bars):
        y, tip = 30.0 + 24 * i, _tip(value, before, after)
        parts += [
            named(names - 8, y + 12, value, names - 8),
            bar(names, y, x(before) - names, 16, "before", tip),
            bar(names, y + 4.5, x(after) - names, 7, "after", tip),
            text(x(max(before, after)) + 6, y + 12, percent(after), class_="value"),
        ]
    height = 40.0 + 24 * len(bars)
    return drawing(
        label,
        height,
        legend(names, 14, ("before", "before"), ("after", "after")),
        line(names, 26, names, height - 10, "axis"),
        *parts,
    )


def group_sizes(sizes: Sequence[Bar], *, k: int) -> Chart:
    """How many groups have each number of people, in the bars that were counted."""
    n_groups, high = sum(b.classes for b in sizes), rounded_up(max((b.classes for b in sizes), default=1), 4)
    smallest, largest = int(min(b.low for b in sizes)), int(max(b.high for b in sizes))
    label = (
        f"{plural(n_groups, 'group')} of {count(smallest)} to {count(largest)} people; asked: at least {count(k)}."
    )
    y = Scale(0, high, 176, 34)
    marks = [(y(t), count(t)) for t in whole_ticks(0, int(high), 4)]
    left = 8 + CHARACTER * max(len(m[1]) for m in marks)
    log = largest > 20 * smallest
    # A bar spans the sizes it counts and half a person to either side, so that a single size has a width.
    x = Scale(smallest - 0.5, largest + 0.5, left, WIDTH - 10, log)
    below = log_ticks(smallest, largest) if log else whole_ticks(smallest, largest)
    parts = []
    for one in sizes:
        start, end = x(one.low - 0.5), x(one.high + 0.5)
        gap = min(1.5, (end - start) / 8)
        tip = f"{plural(one.classes, 'group')} of {_sizes(one)} people"
        parts.append(bar(start + gap, y(one.classes), end - start - 2 * gap, 176 - y(one.classes), "after", tip))
    return Chart(
        title="Group sizes",
        label=label,
        svg=drawing(
            label,
            214,
            text(left, 14, "groups"),
            rows_axis(marks, left, WIDTH - 4),
            *parts,
            columns_axis([(x(t), count(int(t))) for t in below], 176, left, WIDTH - 10),
            text((left + WIDTH) / 2, 210, "people in the group", anchor="middle"),
        ),
        header=("people in the group", "groups", "people"),
        rows=tuple((_sizes(one), count(one.classes), count(one.people)) for one in sizes),
    )


def _sizes(one: Bar) -> str:
    return count(int(one.low)) if one.low == one.high else f"{count(int(one.low))} to {count(int(one.high))}"


def risk_curve(before: Exposure, after: Exposure, *, k: int) -> Chart:
    """The share of people who can be picked out with a probability above 1 in 2, 3, ..., before and after."""
    shares = {"before": _shares(before), "after": _shares(after)}
    marks = sorted({n for curve in shares.values() for n in curve})
    # Past the point where everybody is at risk both times there is nothing more to see.
    last = next((i for i, n in enumerate(marks) if all(c.get(n) == 1 for c in shares.values())), len(marks) - 1)
    marks = marks[: max(last, 1) + 1]
    within = max((n for n in marks if n <= k), default=marks[0])
    label = (
        f"Share of people at risk by threshold. More than 1 in {within}: "
        f"{percent(shares['before'].get(within))} before, {percent(shares['after'].get(within))} after."
    )
    left = 8 + CHARACTER * 4
    x, y = Scale(marks[0], marks[-1], left + 8, WIDTH - 16, log=True), Scale(0, 1, 176, 34)
    promise, parts = x(k), []
    for when, curve in shares.items():
        points = sorted((n, share) for n, share in curve.items() if n <= marks[-1])
        path = "M" + "L".join(f"{x(n):.1f} {y(share):.1f}" for n, share in points)
        parts.append(tag("path", d=path, class_=f"curve {when}"))
        parts += [
            tag(
                "circle",
                tag("title", f"{when}: {percent(share)} at a risk above 1 in {count(n)}"),
                cx=x(n),
                cy=y(share),
                r=3.5,
                class_=when,
            )
            for n, share in points
        ]
    return Chart(
        title="People at risk, by threshold",
        label=label,
        svg=drawing(
            label,
            214,
            legend(
                left, 14, ("before", "before"), ("after", "after"), ("promise", f"promised: at most 1 in {count(k)}")
            ),
            rows_axis([(y(t), percent(t)) for t in (0, 0.25, 0.5, 0.75, 1)], left, WIDTH - 4),
            line(promise, 34, promise, 176, "promise"),
            *parts,
            columns_axis([(x(m), f"1 in {m}") for m in marks], 176, left, WIDTH - 10),
            text((left + WIDTH) / 2, 210, "can be picked out with a probability above", anchor="middle"),
        ),
        header=("probability above", "people before", "people after"),
        rows=tuple(
            (f"1 in {count(m)}", percent(shares["before"].get(m)), percent(shares["after"].get(m))) for m in marks
        ),
    )


def _shares(exposure: Exposure) -> dict[int, float]:
    """Threshold to share; nobody is at risk up to the smallest class, which need not be a threshold itself."""
    shares = {at.one_in: at.share for at in exposure.at_risk}
    return shares if exposure.smallest_class < 2 else {exposure.smallest_class: 0.0} | shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One method on the frontier: (x, y, what to say of this point)."""

    name: str
    points: tuple[tuple[float, float, str], ...]


def frontier(lines: Sequence[Line], *, x_label: str, y_label: str, shares_across: bool = False) -> Chart:
    """Loss against k (or another price of privacy), one line per method, named at its end."""
    everything = [point for one in lines for point in one.points]
    xs, top = sorted({p[0] for p in everything}), max((p[1] for p in everything), default=0.0)
    across = percent if shares_across else significant
    label = f"{y_label} against {x_label} for {', '.join(one.name for one in lines)}; the highest is {percent(top)}."
    high = rounded_up(top)
    y = Scale(0, high, 226, 34)
    marks = [(y(t), percent(t)) for t in ticks(0, high)]
    left = 8 + CHARACTER * max(len(m[1]) for m in marks)
    aside = 14 + CHARACTER * min(16, max(len(one.name) for one in lines))
    log = xs[0] > 0 and xs[-1] / xs[0] >= 10
    x = Scale(xs[0], xs[-1], left + 10, WIDTH - aside, log)
    # Every k that was tried is worth a tick; risks are measured, so their ticks are round instead.
    below = xs if not shares_across else log_ticks(xs[0], xs[-1]) if log else ticks(xs[0], xs[-1])
    ends = spread([y(one.points[-1][1]) for one in lines], 14, 34, 226)
    parts = []
    for i, (one, end) in enumerate(zip(lines, ends, strict=True)):
        hue = f"line{i % HUES}"
        path = "M" + "L".join(f"{x(p[0]):.1f} {y(p[1]):.1f}" for p in one.points)
        parts.append(tag("path", d=path, class_=f"curve {hue}", stroke_dasharray=None if i < HUES else "5 3"))
        parts += [
            tag("circle", tag("title", f"{name(one.name)}, {p[2]}"), cx=x(p[0]), cy=y(p[1]), r=3.5, class_=hue)
            for p in one.points
        ]
        parts.append(named_at_end(x(one.points[-1][0]) + 9, end + 4, one.name, hue))
    return Chart(
        title=f"{y_label} against {x_label}".capitalize(),
        label=label,
        svg=drawing(
            label,
            264,
            text(left, 14, y_label),
            rows_axis(marks, left, WIDTH - aside + 6),
            columns_axis([(x(t), across(t)) for t in below], 226, left, WIDTH - aside + 6),
            text((left + WIDTH - aside) / 2, 260, x_label, anchor="middle"),
            *parts,
        ),
        header=("method", x_label, y_label),
        rows=tuple((one.name, across(p[0]), percent(p[1])) for one in lines for p in one.points),
    )


def named_at_end(x: float, y: float, label: str, hue: str) -> Markup:
    whole = name(label)
    shown = whole if len(whole) <= 16 else whole[:15] + "…"
    return tag("text", tag("title", whole), shown, class_=f"end {hue}", x=x, y=y)


def loss_by_column(columns: Sequence[ColumnLoss]) -> Chart:
    """How much each column lost, 0 (published as it was) to 1 (says nothing), the dearest first."""
    ranked = sorted(((column.name, column.ncp) for column in columns), key=lambda pair: (-pair[1], pair[0]))
    worst = f"{ranked[0][0]} lost most, {percent(ranked[0][1])}" if ranked else "no column lost anything"
    label = f"Information lost per column: {worst}."
    names = min(150.0, 12 + CHARACTER * max((len(c) for c, _ in ranked), default=1))
    x = Scale(0, 1, names, WIDTH - 52)
    height = 34.0 + 24 * len(ranked)
    parts: list[Markup] = []
    for i, (column, loss) in enumerate(ranked):
        y, tip = 6.0 + 24 * i, f"{name(column)}: {percent(loss)} lost"
        parts += [
            named(names - 8, y + 12, column, names - 8),
            bar(names, y, x(1) - names, 16, "track", tip),
            bar(names, y, x(loss) - names, 16, "after", tip),
            text(x(1) + 6, y + 12, percent(loss), class_="value"),
        ]
    below = [(x(t), percent(t)) for t in (0, 0.25, 0.5, 0.75, 1)]
    return Chart(
        title="Lost per column",
        label=label,
        svg=drawing(label, height, *parts, columns_axis(below, height - 22, names, x(1))),
        header=("column", "lost"),
        rows=tuple((column, percent(loss)) for column, loss in ranked),
        note="0% is published as it was, 100% says nothing any more.",
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Projection:
    """Records and groups on the two directions in which the records differ most."""

    records: npt.NDArray[np.float64]
    groups: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.int64]
    explained: tuple[float, float]


def scatter(seen: Projection) -> Chart:
    """Records as grey dots, what is published of each group as a circle whose area is its number of people."""
    n_records, n_groups = len(seen.records), len(seen.groups)
    label = f"Map of {plural(n_records, 'record')} (before) and {plural(n_groups, 'group')} (after)."
    everything = np.vstack([seen.records, seen.groups])
    low, high = everything.min(axis=0), everything.max(axis=0)
    span = float(max(*(high - low), 1e-12))
    height = float(np.clip((WIDTH - 24) * (high - low)[1] / span, 160, 320)) + 44
    x = Scale(float(low[0]), float(high[0]), 14, WIDTH - 14)
    y = Scale(float(low[1]), float(high[1]), height - 14, 34)
    dots = "".join(f"M{x(a):.1f} {y(b):.1f}h0" for a, b in seen.records.tolist())
    reach = max(2.0, min(9.0, 150 / max(1, n_groups) ** 0.5))
    largest = float(seen.sizes.max(initial=1))
    circles = [
        tag(
            "circle",
            tag("title", plural(size, "person", "people")),
            cx=x(a),
            cy=y(b),
            r=max(1.5, reach * (size / largest) ** 0.5),
        )
        for (a, b), size in zip(seen.groups.tolist(), seen.sizes.tolist(), strict=True)
    ]
    return Chart(
        title="The groups, drawn in the plane",
        label=label,
        svg=drawing(
            label,
            height,
            legend(14, 14, ("before", "records"), ("after", "groups, area by people")),
            tag("path", d=dots, class_="dots"),
            tag("g", *circles, class_="circles"),
        ),
        header=("direction", "differences it shows"),
        rows=tuple((which, percent(s)) for which, s in zip(("across", "up"), seen.explained, strict=True)),
        note=f"The two directions show {percent(sum(seen.explained))} of the differences between records.",
    )


def distance_from_best(*, ratio_seen: float, ratio_proved: Fraction | None) -> Chart:
    """The release beside the bound that nobody can beat and what the theorem promises, all in times the bound."""
    rows = [("nobody can go below", 1.0, "before"), ("this release, at most", ratio_seen, "after")]
    if ratio_proved is not None:
        rows.append(("the theorem alone", float(ratio_proved), "promised"))
    label = "Times the lower bound: " + ", ".join(f"{what} {at_most(times)}" for what, times, _ in rows) + "."
    x = Scale(0, max(times for _, times, _ in rows), 150, WIDTH - 56)
    parts: list[Markup] = []
    for i, (what, times, class_) in enumerate(rows):
        y = 6.0 + 28 * i
        parts += [
            named(142, y + 13, what, 142),
            bar(150, y, x(times) - 150, 18, class_, f"{what}: {at_most(times)}"),
            text(x(times) + 6, y + 13, at_most(times), class_="value"),
        ]
    height = 12.0 + 28 * len(rows)
    return Chart(
        title="Cost, as a multiple of the lower bound",
        label=label,
        svg=drawing(label, height, *parts, line(150, 2, 150, height - 8, "axis")),
        header=("", "times the lower bound"),
        rows=tuple((what, at_most(times)) for what, times, _ in rows),
    )
