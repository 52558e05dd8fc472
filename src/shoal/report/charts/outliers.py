"""Chart of the cost of the groups by the share of outliers that may be suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from shoal.report.charts.ratios import Line, frontier
from shoal.report.charts.svg import Chart
from shoal.report.formatting import count, percent, significant


class Point(Protocol):
    """One share of records that may be suppressed, how many were, and the cost of the groups of the others."""

    @property
    def allowed(self) -> float: ...

    @property
    def n_suppressed(self) -> int: ...

    @property
    def cost(self) -> float: ...


def left_out(points: Sequence[Point], *, what: str) -> Chart:
    """Return the cost at every share, relative to the cost without suppression; `what` names the cost."""
    whole = points[0].cost
    drawn = tuple((point.allowed, point.cost / whole if whole else 0.0, _tip(point, whole)) for point in points)
    chart = frontier(
        [Line(name="cost", points=drawn)],
        x_label="share of rows that may be suppressed",
        y_label=f"{what}, relative to all rows",
        shares_across=True,
    )
    return replace(
        chart,
        title="Cost by share of suppressed rows",
        header=("may be suppressed", "suppressed", what, "relative to all rows"),
        rows=tuple(
            (
                percent(point.allowed),
                count(point.n_suppressed),
                significant(point.cost, 4),
                percent(point.cost / whole if whole else 0.0),
            )
            for point in points
        ),
    )


def _tip(point: Point, whole: float) -> str:
    share = percent(point.cost / whole if whole else 0.0)
    return f"{count(point.n_suppressed)} suppressed: {significant(point.cost, 4)}, {share} of that with all rows"
