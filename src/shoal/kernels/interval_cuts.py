"""Cutting a sequence of weights into classes of bounded weight: whether it is possible, and where to cut."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Ints = npt.NDArray[np.int64]


@jit
def reach_cuts(before: Ints, least: int, most: int, opens: Ints, reached: Ints) -> bool:
    """Return whether a sequence of m weights can be cut into classes that each weigh `least` to `most`.

    If so, opens[e] is where the class that ends before position e begins (-1 if no class can end there); following
    it back from m gives the classes. `before` has the total weight before each of the m + 1 positions and increases
    from 0. `opens` (m + 1 entries) and `reached` (m + 2) are overwritten. reached[e] counts the positions before e at
    which a class can end; a range contains such a position if the counts at its two ends differ. O(m) time.
    """
    m = before.shape[0] - 1
    opens[0] = 0
    reached[0] = 0
    reached[1] = 1
    first = 0
    last = 0  # a class that begins at one of `first .. last - 1` and ends before e has an allowed weight
    newest = 0  # the last position below `last` at which a class can end
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
