"""Add random noise to the points before grouping, as a defense against the minimality attack.

If groups miss l-diversity or t-closeness, records are exchanged between them, and which records are exchanged depends
on sensitive values. Most methods are deterministic: an attacker who knows all quasi-identifiers could compute the
groups that k-anonymity alone would give, see which of them were changed, and infer sensitive values that l-diversity
is meant to hide (R. Wong, A. Fu, K. Wang, J. Pei: Minimality attack in privacy preserving data publishing, VLDB
2007). So if groups will be changed in this way, they are first made again from points with random noise, which the
attacker cannot reproduce. The noise is drawn from the secret of the release and does not depend on sensitive values.
Costs are always computed on the original points.
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
"""The standard deviation of the noise as a share of that of each axis: enough to change most groups
(docs/attacks.md), and small compared with the width of a group."""


def unforeseen(found: Partition, problem: Problem, solve: Callable[[Space], Partition], *, seed: int) -> Partition:
    """Return `found`, or groups of points with random noise if records of `found` would have to be exchanged.

    That is so if its groups miss l-diversity or t-closeness and its method allows exchanges. Methods with `polished`
    are exempt, because their random search after the exchanges hides them. The lower bound is kept, because it holds
    for every grouping.
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
    """Return `space` with random noise added to its numeric axes.

    If it has none with different values, a numeric axis of small random values is added, which breaks ties. A space
    of one number keeps its one axis, because some methods take no other.
    """
    chance = np.random.default_rng(seed)
    moved = space.coordinates.copy()
    lines = [j for j, axis in enumerate(space.axes) if axis.kind == LINE and moved[:, j].std() > 0]
    for j in lines:
        moved[:, j] += SHARE * moved[:, j].std() * chance.standard_normal(len(moved))
        if space.axes[j].counted:  # ranks stay ranks
            moved[:, j] = np.clip(np.rint(moved[:, j]), 0, space.coordinates[:, j].max())
    if lines:
        return replace(space, coordinates=moved)
    steps = [axis.level_cost[1] for axis in space.axes if axis.level_cost is not None]
    width = SHARE * (min(steps) if steps else 1.0)
    column = width * chance.standard_normal((len(moved), 1))
    if [(axis.kind, axis.counted) for axis in space.axes] == [(LINE, False)]:
        return replace(space, coordinates=moved + column)
    return Space(np.hstack([moved, column]), (*space.axes, Axis("chance", LINE)), space.norm)
