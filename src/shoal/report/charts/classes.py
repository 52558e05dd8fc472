"""Chart of classes of labels: the number of people with a label of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.axes import Scale, rounded_up, whole_ticks
from shoal.report.charts.svg import (
    WIDTH,
    Chart,
    bar,
    columns_axis,
    drawing,
    legend,
    line,
    rows_axis,
    tag,
    text,
)
from shoal.report.charts.text_width import widest
from shoal.report.formatting import at_most, count, name, plural

if TYPE_CHECKING:
    from shoal.report.content import LabelClasses

MOST_BARS = 60  # the most classes that get a bar each
MOST_ROWS = 100


def class_sizes(found: LabelClasses) -> Chart:
    """Return people per class from the largest to the smallest, with the required and the least possible number."""
    classes = sorted(found.classes, key=lambda one: -one.people)
    largest, smallest, n = classes[0].people, classes[-1].people, len(classes)
    label = (
        f"{plural(n, 'class', 'classes')} of {plural(found.n_labels, 'label')} of {name(found.column)}, held by "
        f"{count(smallest)} to {count(largest)} people each; required: at least {count(found.least)}."
    )
    high = rounded_up(largest, 4)
    y = Scale(0, high, 176, 34)
    marks = [(y(t), count(t)) for t in whole_ticks(0, int(high), 4)]
    left = 8 + widest([mark[1] for mark in marks])
    x = Scale(0, n, left, WIDTH - 10)
    if n <= MOST_BARS:
        gap = min(1.5, (x(1) - x(0)) / 8)
        drawn = [
            bar(
                x(i) + gap,
                y(one.people),
                x(1) - x(0) - 2 * gap,
                176 - y(one.people),
                "after",
                f"{one.name or 'missing'}: {plural(one.people, 'person', 'people')}, {plural(one.labels, 'label')}",
            )
            for i, one in enumerate(classes)
        ]
    else:  # one outline, as a step function
        outline = f"M{x(0):.1f} 176"
        for i, one in enumerate(classes):
            if i == 0 or one.people != classes[i - 1].people:
                outline += f"H{x(i):.1f}V{y(one.people):.1f}"
        drawn = [tag("path", tag("title", label), d=f"{outline}H{x(n):.1f}V176Z", class_="area")]
    return Chart(
        title=f"Classes of {found.column}",
        label=label,
        svg=drawing(
            label,
            214,
            legend(left, 14, ("after", "people per class"), ("promise", f"required: {count(found.least)}")),
            rows_axis(marks, left, WIDTH - 4),
            *drawn,
            line(left, y(found.least), WIDTH - 10, y(found.least), "promise"),
            columns_axis([(x(t), count(t)) for t in whole_ticks(0, n)], 176, left, WIDTH - 10),
            text((left + WIDTH) / 2, 210, "classes, from large to small", anchor="middle"),
        ),
        header=("class", "people", "labels"),
        rows=tuple((one.name or "missing", count(one.people), count(one.labels)) for one in classes[:MOST_ROWS]),
        note=_distance(found, largest) + (f" The table shows the {MOST_ROWS} largest." if n > MOST_ROWS else ""),
    )


def _distance(found: LabelClasses, largest: int) -> str:
    if largest <= found.lower_bound:
        return "No classes that meet this have a smaller largest one."
    times = f"{largest / found.lower_bound:.3f}".rstrip("0")
    proved = f"; theorem {found.theorem} alone guarantees {at_most(found.ratio_proved)}" if found.theorem else ""
    least = count(int(found.lower_bound))
    return f"The largest class is at most {times} times the smallest possible ({least} people){proved}."
