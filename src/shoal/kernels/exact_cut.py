"""The best cut of sorted values into groups, each comparison either proved or handed back to exact arithmetic.

Costs are kept as pairs of floating-point numbers (double-double arithmetic: about 31 decimal digits) together with a
bound on their error, and as remainders modulo a few primes. Costs that differ by more than the errors are told apart
by the pairs. If they do not, and the remainders are equal, they are equal: their difference, in the smallest unit it
can have, is a multiple of the product of the primes and smaller than it. In the rare other cases the kernel stops and
says which two cuts it cannot tell apart.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import inlined, int64, jit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Remainders = npt.NDArray[np.int32]

UNIT = 2.0**-100
"""More than the relative error of one operation on pairs, which is below 2^-102 for sums and products alike."""
TINY = 2.0**-940
"""More than what products lose by underflow in one group."""
SPLIT = 134217729.0  # 2^27 + 1: cuts the 53 bits of a number into two halves whose products are exact


@inlined
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the rounded sum and its error; together they are the sum exactly."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@inlined
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return the rounded product and its error; together they are the product exactly unless something underflows."""
    product = a * b
    wide = SPLIT * a
    a_high = wide - (wide - a)
    a_low = a - a_high
    wide = SPLIT * b
    b_high = wide - (wide - b)
    b_low = b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@inlined
def add(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return the sum of two pairs; both errors are added before rounding, so that terms may cancel."""
    high, low = two_sum(a, b)
    more, rest = two_sum(a_low, b_low)
    high, low = two_sum(high, low + more)
    return two_sum(high, low + rest)


@inlined
def multiply(a: float, a_low: float, b: float, b_low: float) -> tuple[float, float]:
    """Return the product of two pairs."""
    high, low = two_product(a, b)
    return two_sum(high, low + (a * b_low + a_low * b))


@inlined
def divide(a: float, a_low: float, b: float) -> tuple[float, float]:
    """Return a pair divided by a whole number."""
    high = a / b
    product, error = two_product(high, b)
    return two_sum(high, ((a - product) - error + a_low) / b)


@inlined
def remainder(sums: Remainders, squares: Remainders, begin: int, end: int, prime: int, at: int, inverse: Ints) -> int:
    """Return the squared error of the values from `begin` to `end` modulo a prime, the `at`-th."""
    total = (int64(sums[end, at]) - sums[begin, at]) % prime
    square = (int64(squares[end, at]) - squares[begin, at]) % prime
    left: int = (square - total * total % prime * inverse[end - begin, at]) % prime
    return left


@jit
def exact_cut(
    values: Floats,
    k: int,
    ties: tuple[float, float],
    primes: Ints,
    inverse: Ints,
    sums: Remainders,
    squares: Remainders,
    first: int,
    lost: npt.NDArray[np.bool_],
    cost: Floats,
    error: Floats,
    rest: Remainders,
    opens: Ints,
) -> tuple[int, int, int]:
    """Cut every prefix of `values` from the first `first` on; return an undecided one, or (0, 0, 0) at the end.

    Expects sorted values of magnitude at most 2^400, k <= n, remainders of the prefix sums of values and of their
    squares, and of 1 / m for every size m. Of n + 1 entries each, filled for prefixes shorter than `first`: `cost` (a
    pair), `error` (a bound on the pair's distance from the exact cost), `rest` (the exact cost's remainders) and
    `opens` (where the last group begins). Two costs that are known to differ by less than the first of `ties` are
    equal, and those that differ by less than the second if their remainders are. An undecided prefix is returned as
    (length, size of the last group, size of another); called again with the worse one marked in `lost`, the kernel
    goes on from there. O(nk).
    """
    n = len(values)
    new_rest = np.empty(len(primes), dtype=np.int32)
    for end in range(first, n + 1):
        best = int64(0)
        total, total_low, square, square_low = 0.0, 0.0, 0.0, 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            away, away_low = two_sum(values[end - 1], -values[end - size])
            total, total_low = add(total, total_low, away, away_low)
            one, one_low = multiply(away, away_low, away, away_low)
            square, square_low = add(square, square_low, one, one_low)
            begin = end - size
            if size < k or (0 < begin < k) or (end == first and lost[size]):
                continue
            new, new_low, wrong = cost[begin, 0], cost[begin, 1], error[begin]
            if square > 0.0:
                high, low = multiply(total, total_low, total, total_low)
                high, low = divide(high, low, float(size))
                high, low = add(square, square_low, -high, -low)
                new, new_low = add(new, new_low, high, low)
                wrong += (8.0 * size + 32.0) * UNIT * square + UNIT * abs(new) + TINY
            for at in range(len(primes)):
                group = remainder(sums, squares, begin, end, primes[at], at, inverse)
                new_rest[at] = (rest[begin, at] + group) % primes[at]
            if best > 0:
                least, least_low = add(new, new_low, -cost[end, 0], -cost[end, 1])
                gap = least + least_low
                doubt = 1.01 * (wrong + error[end]) + UNIT * (abs(new) + abs(cost[end, 0]))
                if abs(gap) <= doubt:
                    if 2.0 * doubt < ties[0]:
                        continue  # exactly equal: the shorter group stays
                    same = True
                    for at in range(len(primes)):
                        same = same and new_rest[at] == rest[end, at]
                    if same and 2.0 * doubt < ties[1]:
                        continue
                    if end > first:
                        lost[:] = False
                    return end, best, size
                if gap > 0.0:
                    continue
            best = int64(size)
            cost[end, 0], cost[end, 1], error[end] = new, new_low, wrong
            rest[end] = new_rest
            opens[end] = begin
    return int64(0), int64(0), int64(0)
