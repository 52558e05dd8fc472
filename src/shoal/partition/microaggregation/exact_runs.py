"""The best runs of sorted values, by comparisons that are exact.

Guarantee   Where `exact` is true, no cut of the values into runs of at least k has a smaller squared error, in exact
            arithmetic on the values as they are given: theorem UNI-1, docs/proofs/univariate.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal.kernels.exact_cut import exact_cut
from shoal.partition.result import Floats, Labels

PRIMES = np.array([2147483647, 2147483629, 2147483587, 2147483579], dtype=np.int64)
"""The four largest primes below 2^31: products of two remainders fit into 63 bits."""
LARGEST_EXPONENT = 1024
MOST_VALUES = 4_000_000
"""The largest number of values that exact arithmetic looks at, some ten seconds; beyond it nothing is claimed."""


class Runs(NamedTuple):
    """Sorted values cut into runs."""

    labels: Labels
    exact: bool
    """Whether every comparison was decided exactly."""


def exact_runs(values: Floats, k: int) -> Runs:
    """Return the runs of at least `k` sorted `values` with the least squared error. Expects n >= k >= 1."""
    n = len(values)
    values = np.ascontiguousarray(values)
    whole, step = _in_steps(values)
    sums, squares = _prefix_sums(whole), _prefix_sums(whole * whole % PRIMES)
    inverse = np.array([[pow(size, -1, int(prime)) if size else 0 for prime in PRIMES] for size in range(2 * k)])
    ties = _least_differences(step, k)
    cost, error = np.zeros((n + 1, 2)), np.zeros(n + 1)
    rest, opens = np.zeros((n + 1, len(PRIMES)), dtype=np.int32), np.zeros(n + 1, dtype=np.int64)
    lost = np.zeros(2 * k, dtype=np.bool_)
    first, looked_at = k, 0
    while True:
        first, size, other = exact_cut(
            values, k, ties, PRIMES, inverse, sums, squares, first, lost, cost, error, rest, opens
        )
        if first == 0:
            break
        if looked_at > MOST_VALUES:
            ties = (math.inf, math.inf)  # what cannot be told apart counts as equal from here on
            continue
        runs, others = _apart(opens, (first - size, first), (first - other, first))
        looked_at += sum(end - begin for begin, end in (*runs, *others))
        worse = other if _squared_error(values, runs) <= _squared_error(values, others) else size
        lost[worse] = True
    begins = np.zeros(n, dtype=np.int64)
    at = n
    while at > 0:
        at = int(opens[at])
        begins[at] = 1
    return Runs(np.cumsum(begins) - 1, exact=ties[0] != math.inf)


def _in_steps(values: Floats) -> tuple[npt.NDArray[np.int64], int]:
    """Return the values over the largest power of two of which all are multiples, as remainders, and its exponent."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1  # the number of trailing zeros
    present = whole != 0
    step = int((exponents + lowest - 53)[present].min(initial=LARGEST_EXPONENT))
    powers, which = np.unique(np.where(present, exponents - 53 - step, 0), return_inverse=True)
    # A power below zero only takes trailing zeros away.
    shift = np.array([[pow(2, int(power), int(prime)) for prime in PRIMES] for power in powers])
    return whole[:, None] % PRIMES * shift[which] % PRIMES, step


def _prefix_sums(remainders: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return the remainders of the sums of the first 0, 1, ..., n entries of every column."""
    sums = np.zeros((len(remainders) + 1, len(PRIMES)), dtype=np.int32)
    sums[1:] = np.cumsum(remainders, axis=0) % PRIMES
    return sums


def _least_differences(step: int, k: int) -> tuple[float, float]:
    """Return how much two unequal squared errors differ at least: any two, and two with the same remainders.

    The values are multiples of 2^step. The squared error of a run of m is a multiple of its square over m, so that of
    a cut is a multiple of the square over the least common multiple of the sizes k to 2k - 1. If remainders agree,
    the difference is a multiple of the primes' product in that unit.
    """
    unit = Fraction(99, 100) * Fraction(2) ** (2 * step) / math.lcm(*range(k, 2 * k))
    return _at_most(unit), _at_most(unit * math.prod(PRIMES.tolist()))


def _at_most(value: Fraction) -> float:
    """Return a number that is not much smaller; 0 where it would underflow."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if exponent > 1000:
        return 2.0**1000
    return 0.0 if exponent < -1000 else float(value) * 0.99


Run = tuple[int, int]


def _apart(opens: Labels, run: Run, other: Run) -> tuple[list[Run], list[Run]]:
    """Return the last runs of two cuts, back to where they have a prefix in common."""
    runs, others = [run], [other]
    while runs[-1][0] != others[-1][0]:
        behind = runs if runs[-1][0] > others[-1][0] else others
        end = behind[-1][0]
        behind.append((int(opens[end]), end))
    return runs, others


def _squared_error(values: Floats, runs: list[Run]) -> Fraction:
    """Return the squared error of some runs, exactly."""
    total = Fraction(0)
    for begin, end in runs:
        exact = [Fraction(value) for value in values[begin:end].tolist()]
        away = [value - exact[0] for value in exact]
        total += sum((one * one for one in away), Fraction(0)) - sum(away, Fraction(0)) ** 2 / len(away)
    return total
