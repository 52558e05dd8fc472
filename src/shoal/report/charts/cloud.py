"""Charts of single groups and of correlations: where the loss is, and which relations between columns changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shoal.report.charts.axes import Scale, log_ticks, rounded_up, ticks
from shoal.report.charts.svg import (
    WIDTH,
    Chart,
    columns_axis,
    drawing,
    legend,
    line,
    named,
    rows_axis,
    tag,
    text,
)
from shoal.report.charts.text_width import widest
from shoal.report.formatting import count, name, percent, plural, significant

if TYPE_CHECKING:
    from shoal.measure.loss_result import Correlation

MOST_PAIRS = 8  # pairs of columns that are drawn, those that changed most
MOST_CIRCLES = 2_000


def group_losses(groups: Sequence[tuple[int, float]]) -> Chart:
    """Return every group (people, share lost) as a circle, by its number of people and its loss."""
    together: dict[tuple[int, float], int] = {}
    for size, lost in groups:
        key = (size, round(lost, 2))
        together[key] = together.get(key, 0) + 1
    shown = sorted(together.items())[:: -(-len(together) // MOST_CIRCLES) or 1]
    sizes = [size for size, _ in groups]
    label = f"{plural(len(groups), 'group')} by their people and what they lost; the largest has {count(max(sizes))}."
    high = rounded_up(max((lost for _, lost in groups), default=0.0) or 0.01)
    y = Scale(0, high, 226, 34)
    marks = [(y(t), percent(t)) for t in ticks(0, high)]
    left = 8 + widest([m[1] for m in marks])
    low, largest = min(sizes), max(sizes)
    log = largest / max(1, low) >= 10
    x = Scale(low, max(largest, low + 1), left + 12, WIDTH - 16, log)
    below = log_ticks(low, largest) if log else [t for t in ticks(low, max(largest, low + 1)) if t == int(t)]
    most = max(together.values())
    circles = [
        tag(
            "circle",
            tag("title", f"{plural(number, 'group')} of {count(size)}: {percent(lost)} lost"),
            cx=x(size),
            cy=y(lost),
            r=2.0 + 5.0 * (number / most) ** 0.5,
        )
        for (size, lost), number in shown
    ]
    tenth = sorted(groups, key=lambda one: -one[1])[: max(1, len(groups) // 10)]
    return Chart(
        title="The groups by size and loss",
        label=label,
        svg=drawing(
            label,
            264,
            text(left, 14, "lost in the group"),
            rows_axis(marks, left, WIDTH - 8),
            columns_axis([(x(t), significant(t)) for t in below], 226, left, WIDTH - 8),
            text((left + WIDTH) / 2, 260, "people in the group", anchor="middle"),
            tag("g", *circles, class_="circles"),
        ),
        header=("groups", "number", "mean loss"),
        rows=(
            ("all", count(len(groups)), percent(sum(lost for _, lost in groups) / len(groups))),
            (
                "the tenth that lost most",
                count(len(tenth)),
                percent(sum(lost for _, lost in tenth) / len(tenth)),
            ),
        ),
        note="A larger circle stands for more groups at the same place.",
    )


def correlation_drift(found: Correlation) -> Chart:
    """Return the correlations of pairs of columns before and after, those that changed most first."""
    pairs = [
        (f"{name(one)}, {name(other)}", found.before[i][j], found.after[i][j])
        for i, one in enumerate(found.columns)
        for j, other in enumerate(found.columns[:i])
        if found.before[i][j] == found.before[i][j]
    ]
    pairs = [(pair, before, 0.0 if after != after else after) for pair, before, after in pairs]
    pairs = sorted(pairs, key=lambda one: (-abs(one[2] - one[1]), one[0]))[:MOST_PAIRS]
    label = "Correlations before and after: " + (
        f"that of {pairs[0][0]} went from {significant(pairs[0][1])} to {significant(pairs[0][2])}."
        if pairs
        else "there is none."
    )
    names = min(170.0, 12 + widest([pair for pair, _, _ in pairs] or [""]))
    x = Scale(-1, 1, names + 6, WIDTH - 12)
    height = 56.0 + 22 * len(pairs)
    parts = []
    for at, (pair, before, after) in enumerate(pairs):
        y = 36.0 + 22 * at
        tip = tag("title", f"{pair}: {significant(before)} before, {significant(after)} after")
        parts += [
            named(names - 4, y + 4, pair, names - 4),
            line(x(before), y, x(after), y, "axis"),
            tag("circle", tip, cx=x(before), cy=y, r=4, class_="before"),
            tag("circle", tip, cx=x(after), cy=y, r=4, class_="after"),
        ]
    return Chart(
        title="Correlations before and after",
        label=label,
        svg=drawing(
            label,
            height,
            legend(names + 6, 14, ("before", "before"), ("after", "after")),
            line(x(0), 24, x(0), height - 22, "grid"),
            *parts,
            columns_axis([(x(t), significant(t)) for t in (-1.0, -0.5, 0.0, 0.5, 1.0)], height - 22, names + 6, x(1)),
        ),
        header=("columns", "before", "after"),
        rows=tuple((pair, significant(before), significant(after)) for pair, before, after in pairs),
    )
