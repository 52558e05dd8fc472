"""Rounds of a primal-dual method for the linear program of choosing groups, given some of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]


@jit
def take_rounds(
    members: Ids,
    starts: Ints,
    costs: Floats,
    holders: Ids,
    first: Ints,
    counts: Ints,
    most: Floats,
    unit: float,
    n_rounds: int,
    dual: Floats,
    opened: Floats,
) -> None:
    """Replace `dual` and `opened` by their means over rounds of the method, which start from the given ones.

    The program maximizes the sum of counts x dual so that the duals of the members of a group do not exceed its cost,
    and no dual exceeds `most`. Group g has members[starts[g]:starts[g + 1]], possibly with repetitions; point p is in
    the groups holders[first[p]:first[p + 1]]. `opened` has one entry per group, and `unit` is the size of a dual.
    Steps are divided by the number of members of a group and of groups of a member, with which the method converges.
    """
    n, n_groups = len(dual), len(costs)
    now, ahead, is_open = dual.copy(), dual.copy(), opened.copy()
    dual[:] = 0.0
    opened[:] = 0.0
    for _ in range(n_rounds):
        for g in range(n_groups):
            excess = -costs[g]
            for at in range(starts[g], starts[g + 1]):
                excess += ahead[members[at]]
            is_open[g] = max(0.0, is_open[g] + excess / (unit * (starts[g + 1] - starts[g])))
            opened[g] += is_open[g] / n_rounds
        for p in range(n):
            load = 0.0
            for at in range(first[p], first[p + 1]):
                load += is_open[holders[at]]
            before = now[p]
            now[p] = min(most[p], before + unit * (counts[p] - load) / max(first[p + 1] - first[p], 1))
            ahead[p] = 2 * now[p] - before
            dual[p] += now[p] / n_rounds
