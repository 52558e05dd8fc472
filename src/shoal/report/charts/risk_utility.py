"""The risk-utility map: every trial of a comparison by what its release is worth and what it risks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.report.charts.axes import Scale, rounded_up, ticks
from shoal.report.charts.ratios import HUES
from shoal.report.charts.svg import WIDTH, Chart, columns_axis, drawing, rows_axis, spread, tag, text
from shoal.report.charts.text_width import fitted, widest, width_of
from shoal.report.formatting import name, percent

HEIGHT, TOP, BOTTOM = 300.0, 34.0, 262.0
LONGEST = 150.0  # room for the names beside the map


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A trial on the map: its line, its utility, its risk with an interval (or none), and its description."""

    name: str
    utility: float
    risk: float
    low: float | None
    high: float | None
    tip: str


def risk_map(placed: Sequence[Placed], *, x_label: str, y_label: str) -> Chart:
    """Return risk against utility, one point per trial with the interval of its risk; the best is below right."""
    most = max((max(one.risk, one.high or 0.0) for one in placed), default=0.0)
    top = rounded_up(min(1.0, most))
    y = Scale(0, top, BOTTOM, TOP)
    marks = [(y(t), percent(t)) for t in ticks(0, top)]
    left = 8 + widest([mark[1] for mark in marks])
    names = list(dict.fromkeys(one.name for one in placed))
    aside = 14 + min(LONGEST, max((width_of(name(one), bold=True) for one in names), default=0.0))
    least, best = min(one.utility for one in placed), max(one.utility for one in placed)
    room = max(0.01, (best - least) * 0.08)
    x = Scale(max(0.0, least - room), min(1.0, best + room), left + 10, WIDTH - aside)
    parts = []
    lines = [[one for one in placed if one.name == each] for each in names]
    ends = spread([y(some[-1].risk) for some in lines], 14, TOP, BOTTOM)
    for i, (some, end) in enumerate(zip(lines, ends, strict=True)):
        hue = f"line{i % HUES}"
        if len(some) > 1:
            path = "M" + "L".join(f"{x(one.utility):.1f} {y(one.risk):.1f}" for one in some)
            parts.append(tag("path", d=path, class_=f"curve {hue}", stroke_dasharray="2 3"))
        for one in some:
            if one.low is not None and one.high is not None:
                between = f"M{x(one.utility):.1f} {y(one.low):.1f}V{y(one.high):.1f}"
                parts.append(tag("path", d=between, class_=f"curve {hue}"))
            tip = tag("title", f"{name(one.name)}, {one.tip}")
            at = x(one.utility), y(one.risk)
            if i < HUES:
                parts.append(tag("circle", tip, cx=at[0], cy=at[1], r=4.5, class_=hue))
            else:  # the colors begin again, so the mark is another one
                parts.append(tag("rect", tip, x=at[0] - 4, y=at[1] - 4, width=8, height=8, class_=hue))
        whole = name(some[0].name)
        shown = fitted(whole, LONGEST, bold=True)
        parts.append(tag("text", tag("title", whole), shown, class_=f"end {hue}", x=WIDTH - aside + 12, y=end + 4))
    label = f"{y_label} against {x_label}: " + "; ".join(
        f"{name(one.name)}, {one.tip}: {percent(one.risk)} at {percent(one.utility)}" for one in placed
    )
    return Chart(
        title="Risk and utility",
        label=label,
        svg=drawing(
            label,
            HEIGHT,
            text(left, 14, y_label),
            rows_axis(marks, left, WIDTH - aside + 6),
            columns_axis([(x(t), percent(t)) for t in ticks(x.low, x.high)], BOTTOM, left, WIDTH - aside + 6),
            text((left + WIDTH - aside) / 2, HEIGHT - 4, x_label, anchor="middle"),
            *parts,
        ),
        header=("method", "", x_label, y_label, "95%"),
        rows=tuple(
            (
                one.name,
                one.tip,
                percent(one.utility),
                percent(one.risk),
                "" if one.low is None else f"{percent(one.low)} to {percent(one.high)}",
            )
            for one in placed
        ),
        note="Far right is useful, far down is safe. Lines join the trials of one method.",
    )
