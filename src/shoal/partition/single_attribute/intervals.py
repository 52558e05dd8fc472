"""Cutting ordered values into intervals of at least k people, such that the largest interval is smallest.

Problem     cut a line of values into intervals of at least k people each, minimizing the largest number of people;
            equal values stay together.
Guarantee   exact (ratio 1): theorem INTERVALS-1, docs/proofs/intervals.md.
Complexity  O(n log n) time for n people, O(n) memory; deterministic.

References
----------
.. [1] W. Du, D. Eppstein, M. T. Goodrich and G. S. Lueker (2009). "On the approximability of geometric and
   geographic generalization and the min-max bin covering problem." WADS 2009, LNCS 5664: the problem on a line.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.errors import ParameterError, whole_number
from shoal.kernels.interval_cuts import reach_cuts
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Labels, Partition
from shoal.partition.single_attribute.weights import class_bound, whole_weights


@guarantee(objective="largest class", ratio=Fraction(1), theorem="INTERVALS-1")
@checked
def intervals(values: npt.ArrayLike, k: int, *, weights: npt.ArrayLike | None = None) -> Partition:
    """Return intervals of ordered values with at least `k` people each, whose largest is the smallest possible.

    The result is optimal: theorem INTERVALS-1, docs/proofs/intervals.md. Equal values are in one interval.

    Parameters
    ----------
    values : array of shape (n,)
        One value per person, or with `weights` one per entry; nothing missing.
    k : int
        The least number of people in an interval, at least 1.
    weights : array of shape (n,), optional
        The number of people of every entry; 1 where not given.

    Returns
    -------
    Partition
        `cost` is the number of people in the largest interval; ``details.class_weights`` has that of every one.

    Raises
    ------
    ParameterError
        If `k` or a weight is no whole number in its range, or a value is missing.
    InfeasibleError
        If there are fewer than `k` people.

    Examples
    --------
    >>> from shoal.partition import intervals
    >>> found = intervals([30, 31, 31, 45, 46, 47, 60], k=3)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 0, 0, 1, 1, 1], 4.0)
    """
    line = np.asarray(values)
    if line.ndim != 1 or (line.dtype.kind == "f" and not np.isfinite(line).all()):
        raise ParameterError("intervals takes one row of values without gaps.", "leave missing values out first.")
    k = whole_number("k", k, 1)
    people = whole_weights(np.ones(len(line)) if weights is None else weights, k, what="values", n=len(line))
    _different, place = np.unique(line, return_inverse=True)
    held = np.zeros(len(_different), dtype=np.int64)
    np.add.at(held, place, people)
    bound = class_bound(held, k)
    cost, opens = _least_largest(held, k, bound)
    starts = np.zeros(len(held), dtype=np.int64)
    end = len(held)
    while end > 0:
        end = int(opens[end])
        starts[end] = 1
    labels = number_groups((np.cumsum(starts) - 1)[place])
    return Partition(
        labels=labels,
        method="intervals",
        objective="largest class",
        cost=float(cost),
        lower_bound=float(cost),
        ratio_proved=Fraction(1),
        theorem="INTERVALS-1",
        details=Details(class_weights=np.bincount(labels, weights=people).astype(np.int64), simple_bound=bound),
    )


def _least_largest(held: Labels, k: int, bound: int) -> tuple[int, Labels]:
    """Return the least possible weight of the largest class, and the cuts that attain it.

    The weight is found by bisection: cuts that are allowed at one largest weight are allowed at every larger one.
    """
    before = np.concatenate(([0], np.cumsum(held)))
    opens, reached = np.zeros(len(before), dtype=np.int64), np.zeros(len(before) + 1, dtype=np.int64)
    # Cutting as soon as a class has k people gives classes of at most k - 1 people plus one value; the rest, at most
    # k - 1 people, joins the last class.
    low, high = bound - 1, min(int(before[-1]), 2 * (k - 1) + int(held.max()))
    high = max(high, bound)
    while high - low > 1:
        middle = (low + high) // 2
        if reach_cuts(before, k, middle, opens, reached):
            high = middle
        else:
            low = middle
    reach_cuts(before, k, high, opens, reached)
    return high, opens
