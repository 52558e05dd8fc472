"""Records as weighted points: equal records become one point, in an order that does not depend on the rows' order."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.radius.balls import Metric
from shoal.partition.result import Floats, Labels
from shoal.space.graph import Paths, graph_size
from shoal.space.metric import MOST_VERTICES, Precomputed, as_metric
from shoal.space.neighbors import Neighbors
from shoal.space.space import Axis, Space

LARGEST = 1e300
"""Largest width of an axis that is accepted: sums of a few such distances are still finite."""
SAFE_EXPONENT = 200
"""Widths from 2 ** -200 to 2 ** 200 can be squared and added up without scaling."""


class Points(NamedTuple):
    """Weighted points: `order` sorts the rows so that equal ones are adjacent, and each run is a point of `metric`.

    Distances in `metric` times `scale` are the distances of the input.
    """

    metric: Metric
    order: Labels
    scale: float


def n_points(points: Any, metric: str | None) -> int:
    """Return the number of records of an array, a Space, a matrix of distances or a graph."""
    if isinstance(points, Space):
        return len(points)
    return graph_size(points) if metric == "graph" else int(np.shape(points)[0])


def weighted_points(points: Any, metric: str | None, *, at_least: int, n_threads: int | None) -> Points:
    """Return the weighted points of an array (n, d), a Space, a matrix of distances or a graph.

    The rows of a matrix of distances and of a graph keep their order, each as a point of its own. Raises an
    InfeasibleError if there are fewer than `at_least` records.
    """
    if metric is not None:
        found = as_metric(points, metric, n_threads=n_threads)
        _check_rows(len(found), at_least)
        return Points(found, np.arange(len(found)), 1.0)
    space = points if isinstance(points, Space) else Space.from_points(points)
    _check_rows(len(space), at_least)
    space, scale = _scaled(space)
    order = space.canonical_order()
    rows = space.coordinates[order]
    first = np.flatnonzero(np.concatenate(([True], (rows[1:] != rows[:-1]).any(axis=1))))
    counts = np.diff(first, append=len(rows))
    distinct = replace(space, coordinates=np.ascontiguousarray(rows[first]))
    return Points(as_metric(distinct, counts=counts, n_threads=n_threads), order, scale)


class Sorted(NamedTuple):
    """Sorted records, each a point of its own: point i is the row order[i].

    Distances in `metric` times `scale` are the distances of the input.
    """

    metric: Neighbors | Precomputed
    order: Labels
    scale: float


def sorted_points(points: Any, metric: str | None, color: Labels, *, n_threads: int | None) -> Sorted:
    """Return the records sorted by coordinates, then by color; a matrix of distances and a graph keep their order."""
    if metric is not None:
        found = as_metric(points, metric, n_threads=n_threads)
        _check_colors(len(found), len(color))
        if isinstance(found, Paths):
            raise ParameterError(
                f"diverse takes graphs of at most {MOST_VERTICES} vertices; this one has {len(found)}.",
                "give points, or one part of the graph at a time.",
            )
        return Sorted(found, np.arange(len(found)), 1.0)
    space = points if isinstance(points, Space) else Space.from_points(points)
    _check_colors(len(space), len(color))
    space, scale = _scaled(space)
    order = np.lexsort((color, *space.coordinates.T[::-1])).astype(np.int64)
    return Sorted(Neighbors(space.take(order), n_threads=n_threads), order, scale)


def _check_colors(n_points: int, n_colors: int) -> None:
    """Raise a ParameterError unless there is one color per point."""
    if n_points != n_colors:
        raise ParameterError(
            f"there are {n_points} points and {n_colors} colors; each point needs one color.",
            "give as many colors as points, in the same order.",
        )


def _check_rows(n_rows: int, at_least: int) -> None:
    if n_rows < at_least:
        raise InfeasibleError.too_few_rows(n_rows, at_least)


def _scaled(space: Space) -> tuple[Space, float]:
    """Return the space divided by a power of two, and that power, so that squared distances can be computed.

    The division is exact. Spaces of moderate width are returned as they are, with the scale 1.
    """
    raw = space.coordinates
    if not raw.size:
        return space, 1.0
    with np.errstate(over="ignore"):
        spans = raw.max(axis=0) - raw.min(axis=0)
    widths = [_width(axis, float(span)) for axis, span in zip(space.axes, spans, strict=True)]
    widest = max(widths)
    if not widest <= LARGEST:
        raise ParameterError(
            "distances between these points are beyond floating-point numbers.",
            "divide the largest columns by their standard deviation first.",
        )
    exponent = math.frexp(widest)[1]
    if abs(exponent) <= SAFE_EXPONENT:
        return space, 1.0
    columns: Floats = raw.copy()
    axes: list[Axis] = []
    for j, axis in enumerate(space.axes):
        if axis.farthest is not None:
            axis = replace(
                axis,
                level_cost=_divided(axis.level_cost, exponent),
                node_cost=_divided(axis.node_cost, exponent),
                by_count=_divided(axis.by_count, exponent),
            )
        else:
            # A constant column contributes no distance, whatever its value; scaled up, the value could become
            # infinite.
            columns[:, j] = np.ldexp(raw[:, j], -exponent) if spans[j] > 0 else 0.0
        axes.append(axis)
    return replace(space, coordinates=columns, axes=tuple(axes)), math.ldexp(1.0, exponent)


def _width(axis: Axis, span: float) -> float:
    """Return the largest distance on an axis."""
    return span if axis.farthest is None else axis.farthest


def _divided(costs: Floats | None, exponent: int) -> Floats | None:
    """Return the costs divided by two to the `exponent`, None for None."""
    return None if costs is None else np.ldexp(costs, -exponent)
