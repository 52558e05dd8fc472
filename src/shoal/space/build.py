"""Building the space of the quasi-identifiers: numbers and dates on lines, labels and hierarchies in trees.

Missing is a value, and no NaN reaches a kernel. Where distances are added (norm 1), a column of numbers of which some
are missing has two axes of half its weight, and a missing number stands at the upper end of the one and at the lower
end of the other. So a range of numbers costs what it costs without missing ones, a range "or missing" costs half of
what lies above its lower end and half of what lies below its upper end, and missing numbers alone cost nothing
(docs/proofs/forest.md). For other distances a missing number is placed at the column's mean, and a second axis
separates it from every number by the column's whole weight.

Where groups will be aggregated (scale "standard"), an axis measures the information that the aggregate loses: squared
error for a mean, distance for a median, the number of differing records for a mode. Each is divided by the loss per
record if the whole table were one group, so that columns of every kind count alike; `weight` enters as its square.
Missing values are no part of a mean or median (`Axis.gaps`); what the published number of missing values loses is
measured on the second axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.errors import SchemaError
from shoal.policy import Column, Policy
from shoal.space.cell_costs import axis_of_sets, axis_of_tree, or_missing, ranked
from shoal.space.group_centers import tree_medians
from shoal.space.hierarchy import Tree, flat_tree
from shoal.space.hierarchy_sources import build_tree
from shoal.space.label_classes import Recoding
from shoal.space.space import LINE, TREE, Axis, Floats, Ints, Space

NUMBERS = ("number", "date", "place")
"""The kinds of columns whose values are placed on a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """The space of the quasi-identifiers, the trees of those with a hierarchy, and the classes of those recoded."""

    space: Space
    trees: Mapping[str, Tree]
    recodings: Mapping[str, Recoding] = field(default_factory=dict)


class GivenTree(NamedTuple):
    """The tree of a column and the leaf of every row, if they are known before; of places also `sides`.

    `sides` has the sides of the rectangle above every leaf at every level, as shares of those of all places:
    (n_leaves, n_levels + 1, 2), first of latitudes, then of longitudes.
    """

    tree: Tree
    leaves: Ints
    sides: Floats | None = None


def build_space(
    frame: pl.DataFrame,
    policy: Policy,
    *,
    norm: int,
    scale: str = "range",
    only_trees: bool = False,
    loss: str = "levels",
    strays: bool = False,
    recodings: Mapping[str, Recoding] | None = None,
    given: Mapping[str, GivenTree | None] | None = None,
) -> Built:
    """Return the space of `frame` under a resolved policy.

    `scale` is used for numbers where the policy gives none. `loss` says what a published cell costs, which
    `shoal.space.cell_costs` defines; "hidden" stands for cells that are hidden wherever a group disagrees. With
    `only_trees` labels without a hierarchy get a flat one: all values directly below the root. With `strays` values
    that a hierarchy's file lacks become leaves of their own below the root. A column in `recodings` is replaced by
    its classes, so that labels of one class are one point. For a column in `given` the tree and the leaf of every row
    are already known; None means that another column represents it.
    """
    recodings = recodings or {}
    coordinates: list[Floats] = []
    axes: list[Axis] = []
    trees: dict[str, Tree] = {}
    for name in policy.quasi:
        values, column = frame[name], policy.columns[name]
        if given is not None and name in given:
            if (known := given[name]) is not None:
                other = policy.columns[column.longitude] if column.longitude is not None else None
                axes.append(axis_of_area(known, column, name, other, loss))
                coordinates.append(known.leaves.astype(np.float64))
            continue
        if name in recodings:
            values = recodings[name].classes(values)
        if column.kind == "hierarchy" and column.hierarchy is not None:
            trees[name] = build_tree(values, column.hierarchy, strays=strays, least_level=column.least_level)
        if scale == "standard":
            found = _aggregated(values, column, trees.get(name))
        elif loss == "hidden":
            found = [_tree_axis(values, column, flat_tree(name, values), "levels")]
        elif name in trees:
            found = [_tree_axis(values, column, trees[name], loss)]
        elif only_trees:
            trees[name] = flat_tree(name, values)
            found = [_tree_axis(values, column, trees[name], "levels")]
        elif column.kind in (*NUMBERS, "ordered"):
            numbers = _numbers(values) if column.kind in NUMBERS else _order(values, column)
            if loss == "information":
                found = ranked(numbers, values.name, column.weight, places=len(column.order or ()))
            else:
                usual = scale if column.kind in NUMBERS else _places(column)
                found = _line_axes(numbers, values, column, usual, added=norm == 1)
        else:
            tree = flat_tree(name, values)
            found = [(tree.ranks(values).astype(np.float64), axis_of_sets(tree, column.weight, name, loss))]
        for points, axis in found:
            coordinates.append(points)
            axes.append(axis)
    points = np.stack(coordinates, axis=1) if coordinates else np.zeros((frame.height, 0))
    return Built(Space(np.ascontiguousarray(points), tuple(axes), norm), trees, recodings)


def axis_of_area(known: GivenTree, column: Column, name: str, longitude: Column | None, loss: str) -> Axis:
    """Return the axis of regions, whose sets cost as nodes do, or of places: their two columns are one axis.

    A rectangle that joins several areas costs its sides as shares of those of all places, each times the weight of
    its column; by information it costs what its areas leave open of all areas.
    """
    weight = column.weight + (longitude.weight if longitude is not None else 0.0)
    if known.sides is None or longitude is None or loss == "information":
        return axis_of_tree(known.tree, weight, name, "ncp" if loss == "levels" else loss)
    costs = known.sides @ np.array([column.weight, longitude.weight])
    costs = np.where(known.tree.sizes() > 1, costs, 0.0)
    costs[:, -1] = weight  # the root, also of a single leaf
    costs[:, 0] = 0.0
    return Axis(name, TREE, known.tree.ancestors, costs.max(axis=0), node_cost=np.ascontiguousarray(costs))


def _tree_axis(values: pl.Series, column: Column, tree: Tree, loss: str) -> tuple[Floats, Axis]:
    """Return the leaf of every row and the axis of a column with a tree."""
    return tree.ranks(values).astype(np.float64), axis_of_tree(tree, column.weight, values.name, loss)


def _places(column: Column) -> str | float:
    """Return the scale of ordered values: the steps of the order that the policy lists, else those that occur."""
    return "range" if column.order is None else float(max(len(column.order) - 1, 1))


def _aggregated(values: pl.Series, column: Column, tree: Tree | None) -> list[tuple[Floats, Axis]]:
    """Return the axes of a column on which the cost of a group is what the column's aggregate loses."""
    how = aggregate_of(column)
    if how == "mean":
        return _with_gaps(_line_axes(_numbers(values), values, column, "standard"), "counted")
    if how == "median" and tree is None:
        numbers = _numbers(values) if column.kind in NUMBERS else _order(values, column)
        axes = _line_axes(numbers, values, column, "range")
        there = axes[0][0][~np.isnan(numbers)]
        apart = np.abs(there - np.median(there)).mean() if len(there) else 0.0
        unit = column.weight**2 / apart if apart > 0 else 1.0
        scaled = [(points * unit, replace(axis, median=True)) for points, axis in axes]
        return _with_gaps(scaled, "counted" if column.kind in NUMBERS else "voted")
    flat = tree is None or how == "mode"
    tree = tree or flat_tree(values.name, values)
    leaves = tree.ranks(values)
    cost = np.arange(tree.n_levels + 1) / tree.n_levels
    cost = np.minimum(np.ceil(cost), 1.0) if flat else cost
    lost = tree_medians(leaves, np.zeros_like(leaves), 1, tree.ancestors, cost)[1][0] / max(len(leaves), 1)
    cost *= column.weight**2 / lost if lost > 0 else 1.0
    gaps = "counted" if column.kind in NUMBERS and values.null_count() else ""
    return [(leaves.astype(np.float64), Axis(values.name, TREE, tree.ancestors, cost, gaps=gaps))]


def _with_gaps(axes: list[tuple[Floats, Axis]], gaps: str) -> list[tuple[Floats, Axis]]:
    """Return the axis of a mean or median as one with gaps if a second axis says which values are missing."""
    if len(axes) == 1:
        return axes
    (points, axis), beside = axes
    return [(points, replace(axis, gaps=gaps)), beside]


def aggregate_of(column: Column) -> str:
    """Return the aggregate that is published for a group: mean, median (of an order or a hierarchy) or mode."""
    usual = "mean" if column.kind in NUMBERS else "median" if column.kind in ("ordered", "hierarchy") else "mode"
    asked = column.aggregate or usual
    return usual if asked == "mean" else asked


def _line_axes(
    numbers: Floats, values: pl.Series, column: Column, scale: str | float, *, added: bool = False
) -> list[tuple[Floats, Axis]]:
    """Return the axis of numbers, scaled and weighted, and a second axis if some of them are missing.

    `added` says that the distances on the axes are added, so that ranges and not squared errors are minimized.
    """
    missing = np.isnan(numbers)
    there = numbers[~missing]
    chosen = column.scale or scale
    # numbers are centered first, so that a large offset costs no digits
    middle = float(there.min() / 2 + there.max() / 2) if len(there) else 0.0
    centered = np.where(missing, 0.0, numbers - middle)
    unit = _unit(centered[~missing], chosen)
    if not np.isfinite(max(unit, _unit(centered[~missing], "range"))):
        raise SchemaError.endless_range(values.name)
    line = centered / unit * column.weight if unit > 0 else np.zeros(len(centered))
    if added and missing.any() and not missing.all():
        ends = float(line[~missing].min()), float(line[~missing].max())
        if column.order is not None:  # the first and the last place of the order, whether or not they occur
            first, last = (np.array([0.0, len(column.order) - 1.0]) - middle) / unit * column.weight
            ends = float(first), float(last)
        return or_missing(line, missing, values.name, column.weight, ends)
    line[missing] = line[~missing].mean() if len(there) else 0.0
    axes = [(line, Axis(values.name, LINE, weight=column.weight))]
    if missing.any() and not missing.all():
        # a missing value is as far from every number as the two ends of the column are from each other
        apart = max(float(np.ptp(line)), column.weight)
        axes.append((np.where(missing, apart, 0.0), Axis(values.name, LINE)))
    return axes


def _unit(centered: Floats, scale: str | float) -> float:
    """Return the number that a column is divided by: 0 if it is constant, infinite if its range exceeds floating
    point.
    """
    if not isinstance(scale, str):
        return float(scale)
    largest = float(np.abs(centered).max(initial=0.0))
    if largest == 0:
        return 0.0
    # squares of very large or very small numbers would leave the floating-point range
    relative = centered / largest
    with np.errstate(over="ignore"):
        return float(np.multiply(largest, np.ptp(relative) if scale == "range" else relative.std()))


def _numbers(values: pl.Series) -> Floats:
    """Return numbers as they are, dates as days, and times as days with fractions; missing is NaN."""
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.epoch("us").cast(pl.Float64).to_numpy() / 86_400e6
    if values.dtype == pl.Date:
        values = values.to_physical()
    return values.cast(pl.Float64).to_numpy().astype(np.float64)


def _order(values: pl.Series, column: Column) -> Floats:
    """Return ranks in the order that the policy lists, otherwise in the order of the column's type."""
    if column.order is None:
        return (values.rank("dense") - 1).cast(pl.Float64).to_numpy().astype(np.float64)
    codes = {label: float(place) for place, label in enumerate(column.order)}
    return values.cast(pl.String).replace_strict(codes, return_dtype=pl.Float64).to_numpy().astype(np.float64)
