"""Tell the user of groups around centers if groups for less generalization would keep more of the table.

A smallest largest radius says nothing about dense places: one far record decides it. That nobody can do better is
true of the radius alone, so the groups are compared, in the cost of generalization, with those of a fast method.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.partition.generalization.forest import forest, generalization_cost
from shoal.partition.generalization.mondrian import mondrian
from shoal.partition.methods.problem import Problem
from shoal.partition.result import LessGeneralized, Partition
from shoal.space.space import Space

CLEARLY = 0.9
"""The other groups are mentioned if they lose less than this share of what these groups lose."""
FOREST = 20_000
"""Up to so many rows the groups of `forest` are compared, beyond those of `mondrian`, which are made faster."""


def with_less_generalized(partition: Partition, problem: Problem, space: Space) -> Partition:
    """Return the partition with `less_generalized` set if groups for less generalization lose clearly less.

    Both losses are those of ranges, sets and nodes, which `space` measures; suppressed rows count as wholly lost.
    """
    n = len(space)
    whole = n * space.hidden_cost()
    if whole == 0:
        return partition
    if problem.only_k and n <= FOREST:
        other = forest(space, problem.k)
    else:
        other = mondrian(space, problem.k, requirements=problem.requirements, about=problem.records)
    kept = partition.labels >= 0
    here = generalization_cost(space.take(np.flatnonzero(kept)), partition.labels[kept])
    lost, lost_here = other.cost / whole, (here + (~kept).sum() * space.hidden_cost()) / whole
    if lost >= CLEARLY * lost_here:
        return partition
    found = LessGeneralized(method=other.method, lost=float(lost), lost_here=float(lost_here))
    return replace(partition, less_generalized=found)
