"""Charts of the distance from the best possible cost, and of the loss by requirement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from shoal.report.charts.axes import Scale, log_ticks, rounded_up, ticks
from shoal.report.charts.svg import (
    WIDTH,
    Chart,
    bar,
    columns_axis,
    drawing,
    line,
    named,
    rows_axis,
    spread,
    tag,
    text,
)
from shoal.report.charts.text_width import fitted, widest, width_of
from shoal.report.formatting import at_most, name, percent, significant

LONGEST_NAME = 110.0  # room for the name of a line at its end
HUES = 6  # the number of line colors in style.css


def distance_from_best(*, ratio_seen: float, ratio_proved: Fraction | None) -> Chart:
    """Return the cost of the release beside the lower bound and the theorem's guarantee, in multiples of the
    bound.
    """
    rows = [("lower bound", 1.0, "before"), ("this release, at most", ratio_seen, "after")]
    if ratio_proved is not None:
        rows.append(("the theorem alone", float(ratio_proved), "promised"))
    label = "Times the lower bound: " + ", ".join(f"{what} {at_most(times)}" for what, times, _ in rows) + "."
    x = Scale(
        0, max(times for _, times, _ in rows), 150, WIDTH - 8 - widest([at_most(times) for _, times, _ in rows])
    )
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a comparison: its name and its points (x, y, description)."""

    name: str
    points: tuple[tuple[float, float, str], ...]


def frontier(lines: Sequence[Line], *, x_label: str, y_label: str, shares_across: bool = False) -> Chart:
    """Return loss against k (or another measure of privacy), one line per method, with its name at the end."""
    everything = [point for one in lines for point in one.points]
    xs, top = sorted({p[0] for p in everything}), max((p[1] for p in everything), default=0.0)
    across = percent if shares_across else significant
    label = f"{y_label} against {x_label} for {', '.join(one.name for one in lines)}; the highest is {percent(top)}."
    high = rounded_up(top)
    y = Scale(0, high, 226, 34)
    marks = [(y(t), percent(t)) for t in ticks(0, high)]
    left = 8 + widest([m[1] for m in marks])
    aside = 12 + min(LONGEST_NAME, max(width_of(name(one.name), bold=True) for one in lines))
    log = xs[0] > 0 and xs[-1] / xs[0] >= 10
    x = Scale(xs[0], xs[-1], left + 10, WIDTH - aside, log)
    # every k that was tried gets a tick; risks are measured, so their ticks are round numbers instead
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
    shown = fitted(whole, LONGEST_NAME, bold=True)
    return tag("text", tag("title", whole), shown, class_=f"end {hue}", x=x, y=y)
