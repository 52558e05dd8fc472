"""The lightest heaviest class of labels, and of intervals, by trying everything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tests.oracles.groupings import groupings


def best_largest_class(weights: Sequence[int], k: int) -> int | None:
    """The least weight of a heaviest class, all classes weighing at least `k`; None: there are no such classes."""
    held = [weight for weight in weights if weight]
    loads = (sorted(map(sum, blocks)) for blocks in groupings(held, 1))
    return min((own[-1] for own in loads if own and own[0] >= k), default=None)


def best_intervals(weights: Sequence[int], k: int) -> int | None:
    """The same for runs of `weights`: every set of places to cut is tried."""
    best = None
    for cuts in product((False, True), repeat=len(weights) - 1):
        loads = [weights[0]]
        for cut, weight in zip(cuts, weights[1:], strict=True):
            if cut:
                loads.append(weight)
            else:
                loads[-1] += weight
        if min(loads) >= k and (best is None or max(loads) < best):
            best = max(loads)
    return best
