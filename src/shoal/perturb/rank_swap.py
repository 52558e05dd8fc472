"""Rank swapping: values change places with values of nearby ranks.

Guarantee   The published values are the same multiset as before, and every value moves by at most `window` ranks, in
            an order of the values in which ties are broken by chance (PERTURB-2, docs/proofs/perturbation.md).

References  Moore: Controlled data-swapping techniques for masking public use microdata sets, 1996.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


def swapped(ranks: Ints, window: int, ties: Words, choice: Words) -> Ints:
    """Return, for every row, the row whose value it gets; each is taken once.

    From the lowest rank upwards, every row that has not changed places yet changes with one of the next `window`
    ranks that has not either, from a place drawn by chance on; it keeps its value if there is none.
    """
    order = np.lexsort((ties, ranks)).tolist()
    draws, n = choice.tolist(), len(order)
    partner = [-1] * n
    for place in range(n - 1):
        if partner[place] >= 0:
            continue
        reach = min(window, n - 1 - place)
        begin = draws[place] % reach
        for step in range(reach):
            other = place + 1 + (begin + step) % reach
            if partner[other] < 0:
                partner[place], partner[other] = other, place
                break
    source = np.empty(n, dtype=np.int64)
    for place, other in enumerate(partner):
        source[order[place]] = order[other if other >= 0 else place]
    return source
