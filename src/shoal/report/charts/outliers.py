"""What leaving out outliers buys: the cost of the groups as more of them may go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from shoal.report.charts.ratios import Line, frontier
from shoal.report.charts.svg import Chart
from shoal.report.formatting import count, percent, significant


class Point(Protocol):
    """One share of records that may be left out, how many were, and the cost of the groups of the others."""

    @property
    def allowed(self) -> float: ...

    @property
    def n_left_out(self) -> int: ...

    @property
    def cost(self) -> float: ...


def left_out(points: Sequence[Point], *, what: str) -> Chart:
    """The cost at every share, in parts of the cost with nobody left out; `what` names the cost."""
    whole = points[0].cost
    drawn = tuple((point.allowed, point.cost / whole if whole else 0.0, _told(point, whole)) for point in points)
    chart = frontier(
        [Line(name="cost", points=drawn)],
        x_label="share of rows that may be left out",
        y_label=f"{what}, of that with all rows",
        shares_across=True,
    )
    return replace(
        chart,
        title="What leaving out outliers buys",
        header=("may be left out", "left out", what, "of that with all rows"),
        rows=tuple(
            (
                percent(point.allowed),
                count(point.n_left_out),
                significant(point.cost, 4),
                percent(point.cost / whole if whole else 0.0),
            )
            for point in points
        ),
    )


def _told(point: Point, whole: float) -> str:
    share = percent(point.cost / whole if whole else 0.0)
    return f"{count(point.n_left_out)} left out: {significant(point.cost, 4)}, {share} of that with all rows"
