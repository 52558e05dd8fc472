"""Points moved a little by chance, so that nobody can work out again the groups that k alone would have made.

Where groups miss l or t, records are exchanged between them, and who changed places with whom hangs on sensitive
values. Most methods leave nothing to chance: whoever knows everybody's quasi-identifiers could make the groups of k
alone again, see which of them were changed, and read off values of which l promises that nobody is sure
(R. Wong, A. Fu, K. Wang, J. Pei: Minimality attack in privacy preserving data publishing, VLDB 2007). So groups that
will be changed are made of points that were moved by chance first. The chance comes from the release's secret and
knows nothing of sensitive values; costs are always those of the points themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shoal.partition.methods.problem import Problem
from shoal.partition.repair.meet import exchangeable
from shoal.partition.repair.merge import shortfall_of
from shoal.partition.result import Partition
from shoal.requirements import KAnonymity, Tally
from shoal.space.space import LINE, Axis, Space

SHARE = 0.1
"""How far points are moved, as a share of each axis' standard deviation: enough to change most groups
(docs/attacks.md), and little beside the width of a group."""


def unforeseen(found: Partition, problem: Problem, solve: Callable[[Space], Partition], *, seed: int) -> Partition:
    """`found`, or where it misses l or t and records will change places, the groups of points moved by chance.

    Methods that are polished search on after an exchange and so hide it themselves; those whose groups are boxes
    only merge. A lower bound stays one: it holds for every grouping.
    """
    asked = [one for one in problem.requirements if not isinstance(one, KAnonymity)]
    if not asked or problem.choice.record.polished or not exchangeable(problem):
        return found
    if not shortfall_of(Tally.of(found.labels, problem.records), asked).any():
        return found
    other = solve(shaken(problem.space, seed=seed))
    return found.without_claim(
        "groups were made of points moved a little by chance, so that nobody can tell who changed places later",
        labels=other.labels,
        cost=problem.cost(other.labels),
        centers=None,
        radii=None,
        theorem_cost=None,
        timed_out=other.timed_out,
    )


def shaken(space: Space, *, seed: int) -> Space:
    """`space` with its lines moved by chance; where it has none, one line of chance decides between ties."""
    chance = np.random.default_rng(seed)
    moved = space.coordinates.copy()
    lines = [j for j, axis in enumerate(space.axes) if axis.kind == LINE and moved[:, j].std() > 0]
    for j in lines:
        moved[:, j] += SHARE * moved[:, j].std() * chance.standard_normal(len(moved))
    if lines:
        return replace(space, coordinates=moved)
    steps = [axis.level_cost[1] for axis in space.axes if axis.level_cost is not None]
    width = SHARE * (min(steps) if steps else 1.0)
    column = width * chance.standard_normal((len(moved), 1))
    return Space(np.hstack([moved, column]), (*space.axes, Axis("chance", LINE)), space.norm)
