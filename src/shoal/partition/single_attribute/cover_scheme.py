"""The approximation scheme of theorem 11: close to the optimum, but classes may weigh less than k.

Items of at least epsilon x k are rounded down to powers of 1 + epsilon and packed in every possible way; then the
small items are added one by one to the lightest class. Every class weighs at least (1 - 2 epsilon) k, and the
heaviest at most (1 + epsilon) (optimum + epsilon k). Proof: COVER-5 in docs/proofs/cover.md.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.errors import ParameterError
from shoal.partition.result import Labels
from shoal.partition.single_attribute.cover_packings import Packings, packings


def scheme(sizes: Labels, k: int, epsilon: Fraction, upper: int) -> Labels:
    """Return the class of every item of `sizes` (heavy to light, positive); `upper` is the cost of a feasible cover.

    With epsilon = p / q, all weights are in units of 1 / q of a person, so that they are integers.
    """
    p, q = epsilon.numerator, epsilon.denominator
    n_large = int(np.count_nonzero(q * sizes >= p * k))
    rounded, small = q * _rounded_down(sizes[:n_large], k, epsilon), q * sizes[n_large:]
    total = int(rounded.sum() + small.sum())
    chosen: tuple[int, Labels] | None = None
    for n_bins in range(q * int(sizes.sum()) // ((q - 2 * p) * k), 0, -1):
        if chosen is not None and total >= n_bins * chosen[0]:
            break  # with fewer classes the heaviest cannot be lighter
        found = packings(rounded, n_bins, least=(q - p) * k, most=q * upper, spare=int(small.sum()))
        if found is None:
            raise ParameterError(
                f"at epsilon={float(epsilon):g} there are too many ways to pack {n_large} labels to compare all.",
                "take a larger epsilon, or method='best', which also keeps k.",
            )
        if not len(found.loads):
            continue
        loads, taken = _completed(found.loads, small)
        state = int(np.argmin(loads.max(axis=1)))
        if chosen is None or loads[state].max() < chosen[0]:
            chosen = int(loads[state].max()), _classes(found, state, taken[:, state])
    assert chosen is not None  # an optimal cover, with its weights rounded down, is among the packings
    return chosen[1]


def _rounded_down(sizes: Labels, k: int, epsilon: Fraction) -> Labels:
    """Return each size rounded down to the next number ceil(epsilon (1 + epsilon)^i k)."""
    step, grid = epsilon * k, []
    while sizes.size and step <= int(sizes[0]):
        grid.append(-(-step.numerator // step.denominator))
        step *= 1 + epsilon
    values = np.array(grid, dtype=np.int64)
    return values[np.searchsorted(values, sizes, side="right") - 1] if sizes.size else sizes


def _completed(loads: Labels, small: Labels) -> tuple[Labels, Labels]:
    """Return the loads of every state after the small items, one by one, went to the lightest bin; and these bins."""
    loads, rows = loads.copy(), np.arange(len(loads))
    taken = np.empty((len(small), len(loads)), dtype=np.int64)
    for item, size in enumerate(small.tolist()):
        taken[item] = loads.argmin(axis=1)
        loads[rows, taken[item]] += size
    return loads, taken


def _classes(found: Packings, state: int, taken: Labels) -> Labels:
    """Return the class of every item: large ones by the packing, small ones by `taken`; bins are sorted by load."""
    bins = found.bins_of(state)
    loads = np.bincount(bins, found.sizes, minlength=found.loads.shape[1])
    place = np.empty(len(loads), dtype=np.int64)
    place[np.argsort(loads, kind="stable")] = np.arange(len(loads))
    return np.concatenate((place[bins], taken))
