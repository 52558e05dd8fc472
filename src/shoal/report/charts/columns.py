"""Charts of columns: their distributions before and after, and their loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from shoal.report.charts.axes import Scale, date_ticks, day_label, rounded_up, ticks
from shoal.report.charts.svg import (
    WIDTH,
    Chart,
    bar,
    columns_axis,
    drawing,
    legend,
    line,
    named,
    rows_axis,
    text,
)
from shoal.report.charts.text_width import widest
from shoal.report.formatting import count, name, percent, plural, significant, verbatim

if TYPE_CHECKING:
    from shoal.measure.loss_result import ColumnLoss

MOST_ROWS = 12  # the most labels that are drawn one by one; the table behind the drawing has them all
Bars = Sequence[tuple[str, float, float]]  # what a bar stands for, its share before, its share after


def distribution(column: ColumnLoss) -> Chart:
    """Return the distribution of one column before and after: wide gray bars behind narrow colored ones."""
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
    if shares.edges:  # there are none if every cell is missing
        svg = _columns(label, bars, shares.edges, top, dates=column.kind == "date")
    else:
        svg = _rows(label, bars, top, shares.n_other)
    return Chart(
        title=column.name,
        label=label,
        svg=svg,
        header=("value", "before", "after"),
        rows=tuple((value, percent(before), percent(after)) for value, before, after in bars),
    )


def _bins(column: ColumnLoss) -> list[str]:
    """Return what each bar of the histogram stands for."""
    shares = column.histogram
    if shares.edges is not None:
        shown = day_label if column.kind == "date" else significant
        return [f"{shown(low)} to {shown(high)}" for low, high in pairwise(shares.edges)]
    values = ["missing" if value is None else verbatim(value) for value in shares.labels or ()]
    return values + ([f"{count(shares.n_other)} others"] if shares.n_other else [])


def _tip(value: str, before: float, after: float) -> str:
    return f"{name(value)}: before {percent(before)}, after {percent(after)}"


def _columns(label: str, bars: Bars, edges: Sequence[float], top: float, *, dates: bool) -> Markup:
    """Return vertical bars over an axis of numbers or dates."""
    high = rounded_up(top, 4)
    y = Scale(0, high, 176, 34)
    marks = [(y(t), percent(t)) for t in ticks(0, high, 4)]
    left, beside = 8 + widest([m[1] for m in marks]), 54.0 * (len(bars) >= len(edges))
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


def _rows(label: str, bars: Bars, top: float, n_other: int) -> Markup:
    """Return horizontal bars, one per label, with the rarest labels in one bar."""
    if len(bars) > MOST_ROWS:
        rest = bars[MOST_ROWS - 1 :]
        number = len(rest) + max(0, n_other - 1)  # the last of them may itself stand for several
        others = (f"{count(number)} others", sum(b for _, b, _ in rest), sum(a for *_, a in rest))
        bars = [*bars[: MOST_ROWS - 1], others]
        top = max(top, *others[1:])
    names = min(150.0, 12 + widest([name(value) for value, *_ in bars]))
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


def loss_by_column(columns: Sequence[ColumnLoss]) -> Chart:
    """Return the loss of each column (NCP), from 0 (unchanged) to 1 (nothing left), the largest first.

    The table beside it also has the information lost, and the share of cells that are still exact.
    """
    beside = {column.name: (percent(column.information), percent(column.exact)) for column in columns}
    ranked = sorted(((column.name, column.ncp) for column in columns), key=lambda pair: (-pair[1], pair[0]))
    worst = f"{ranked[0][0]} lost most, {percent(ranked[0][1])}" if ranked else "no column lost anything"
    label = f"Certainty lost (NCP) per column: {worst}."
    names = min(150.0, 12 + widest([name(column) for column, _ in ranked]))
    x = Scale(0, 1, names, WIDTH - 52)
    height = 34.0 + 24 * len(ranked)
    parts: list[Markup] = []
    for i, (column, loss) in enumerate(ranked):
        y, tip = 6.0 + 24 * i, f"{name(column)}: {percent(loss)} lost, {beside[column][1]} of the cells still exact"
        parts += [
            named(names - 8, y + 12, column, names - 8),
            bar(names, y, x(1) - names, 16, "track", tip),
            bar(names, y, x(loss) - names, 16, "after", tip),
            text(x(1) + 6, y + 12, percent(loss), class_="value"),
        ]
    below = [(x(t), percent(t)) for t in (0, 0.25, 0.5, 0.75, 1)]
    return Chart(
        title="Loss per column",
        label=label,
        svg=drawing(label, height, *parts, columns_axis(below, height - 22, names, x(1))),
        header=("column", "NCP", "information", "still exact"),
        rows=tuple((column, percent(loss), *beside[column]) for column, loss in ranked),
        note="Share of the range, labels or leaves (NCP). 0%: published unchanged; 100%: nothing is left.",
    )
