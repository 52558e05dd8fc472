"""Cuts of a line of weights: which ends of classes can be reached under a largest class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Ints = npt.NDArray[np.int64]


@jit
def reach_cuts(before: Ints, least: int, most: int, opens: Ints, reached: Ints) -> bool:
    """Whether the line can be cut into classes that weigh `least` to `most`; then `opens[e]` is where a class that
    ends before `e` begins.

    Expects `before` increasing from 0, the weight before each of the m + 1 places of a cut; `opens` of m + 1 and
    `reached` of m + 2 entries are overwritten. `reached[e]` counts the places before `e` at which a class can end,
    so a window of places holds one when the counts at its ends differ. O(m).
    """
    m = before.shape[0] - 1
    opens[0] = 0
    reached[0] = 0
    reached[1] = 1
    first = 0
    last = 0  # the places `first .. last - 1` begin classes of the right weight
    newest = 0  # the last place below `last` at which a class can end
    for e in range(1, m + 1):
        while before[e] - before[first] > most:
            first += 1
        while before[e] - before[last] >= least:
            if reached[last + 1] > reached[last]:
                newest = last
            last += 1
        opens[e] = -1
        if last > first and reached[last] > reached[first]:
            opens[e] = newest
        reached[e + 1] = reached[e] + (1 if opens[e] >= 0 else 0)
    return bool(opens[m] >= 0)
