"""What a published cell costs: the share of certainty that is lost (NCP), or the share of information.

A cell leaves some values open: the labels of its set, the leaves below its node, the values of its range. Of a column
with m values, a cell that leaves s > 1 of them open costs

========================  ==============================================  ==========================
`loss`                    sets and nodes                                  ranges
========================  ==============================================  ==========================
``"ncp"``                 s / m                                           width / range
``"levels"``              sets: s / m; nodes: level / number of levels    width / range
``"information"``         log s / log m                                   log s / log m
========================  ==============================================  ==========================

times the weight of the column; an exact value costs nothing, and a cell that leaves everything open costs the whole
weight. The s values of a range are those of the table (of a listed order: those of the list) between its ends.

A range "a to b or missing" costs the mean of what "a and above" and "b and below" cost; as a share of the range, that
is one half plus half of what "a to b" costs. Missing numbers alone are exact. In a set, missing is one of the m
labels. In a hierarchy it is a leaf directly below the root, so a node "or missing" costs what the root costs.

Every cost here grows with the cell, and of two cells with a value in common, their union costs at most both together:
all that docs/proofs/forest.md asks for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.space.hierarchy import Tree
from shoal.space.space import LINE, TREE, Axis, Floats, set_costs

Ends = tuple[float, float]


def information_costs(n_values: int, weight: float) -> Floats:
    """Return what a cell costs that leaves 1, 2, ..., `n_values` of that many values open: log s / log m.

    For a column of one value, of which nothing can be lost, two entries are returned nevertheless.
    """
    open_values = np.arange(1, max(n_values, 2) + 1, dtype=np.float64)
    costs: Floats = np.log(open_values) / np.log(open_values[-1]) * weight
    return costs


def axis_of_tree(tree: Tree, weight: float, name: str, loss: str) -> Axis:
    """Return the axis of a hierarchy."""
    if loss == "levels":
        return Axis(name, TREE, tree.ancestors, np.arange(tree.n_levels + 1) / tree.n_levels * weight)
    leaves = tree.sizes()
    if loss == "information":
        costs = information_costs(tree.n_leaves, weight)[leaves - 1]
    else:
        costs = np.where(leaves > 1, leaves / tree.n_leaves * weight, 0.0)
    costs[:, -1] = weight  # the root, also of a single leaf
    costs[:, 0] = 0.0
    return Axis(name, TREE, tree.ancestors, costs.max(axis=0), node_cost=costs)


def axis_of_sets(tree: Tree, weight: float, name: str, loss: str) -> Axis:
    """Return the axis of labels that are published as sets; two different labels are as far apart as their set costs.

    `tree` is flat: all labels are directly below the root.
    """
    if loss == "information":
        costs = information_costs(tree.n_leaves, weight)
    else:
        costs = set_costs(weight / max(tree.n_leaves, 2), tree.n_leaves)
    return Axis(name, TREE, tree.ancestors, np.array([0.0, costs[1]]), by_count=costs)


def ranked(numbers: Floats, name: str, weight: float, *, places: int = 0) -> list[tuple[Floats, Axis]]:
    """Return the axis of numbers by the number of values that a range leaves open; two of half the weight if some are
    missing.

    With `places`, numbers are places 0, 1, ... of an order with so many. Missing numbers stand at the last place on
    the first axis and at the first place on the second.
    """
    missing = np.isnan(numbers)
    found, inverse = np.unique(numbers[~missing], return_inverse=True)
    ranks = np.zeros(len(numbers))
    ranks[~missing] = numbers[~missing] if places else inverse
    costs = information_costs(max(places, len(found)), weight)
    if missing.all() or not missing.any():
        return [(ranks, Axis(name, LINE, by_count=costs))]
    ends = ((len(costs) - 1.0, 1), (0.0, -1))
    return [(np.where(missing, end, ranks), Axis(name, LINE, by_count=costs / 2, missing=side)) for end, side in ends]


def or_missing(
    line: Floats, missing: npt.NDArray[np.bool_], name: str, weight: float, ends: Ends
) -> list[tuple[Floats, Axis]]:
    """Return two axes of half the weight on which missing numbers stand at the upper and the lower of the `ends`.

    Their ranges add up to what a range "or missing" costs. If both ends are the same, missing is half of the weight
    away from the only number.
    """
    half, (low, high) = line / 2, (ends[0] / 2, ends[1] / 2)
    if low == high:
        low, high = low - weight / 4, high + weight / 4
    sides = ((high, 1), (low, -1))
    return [(np.where(missing, end, half), Axis(name, LINE, missing=side, weight=weight / 2)) for end, side in sides]
