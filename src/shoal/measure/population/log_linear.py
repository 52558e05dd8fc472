"""The number of sample uniques that are unique in the population, by a log-linear model of the key.

Assumption   The number of people with a combination of values is Poisson in the population, its mean that of a
             log-linear model fitted to the sample: all columns independent, or all pairs of columns as in the sample.
             The sample takes every person with the same probability.

With m the fitted mean of a combination in the sample and q the sampling fraction, x = m (1 - q) / q people besides
the sampled one are expected. A sample unique is unique in the population with probability exp(-x), and is found by a
match with probability (1 - exp(-x)) / x, the expectation of 1 / F.

References
----------
.. [1] C. J. Skinner and N. Shlomo (2008). "Assessing identification risk in survey microdata using log-linear
   models." Journal of the American Statistical Association 103, 989-1001.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.measure.population.result import LogLinear

MOST_COMBINATIONS = 4_000_000
"""The most combinations of values for which pairs of columns are fitted; with more, columns are independent."""
ROUNDS = 500
"""The most rounds of proportional fitting."""
FITTED = 1e-4
"""A margin is fitted if no cell of it is further off than this share of the sample."""


def log_linear(codes: Ints, unique: Bools, fraction: float) -> tuple[LogLinear, ...]:
    """Return the expected numbers of sample uniques that are unique in the population, and that a match finds.

    One result is for independent columns, and one for fitted pairs of columns if these can be fitted. Pairs model
    dependent columns better, but overfit sparse tables, and then too few uniques are expected.

    `codes` has a row per person and a column per quasi-identifier, numbered 0, 1, ...; `unique` says who is unique in
    the sample.
    """
    found = [_expected(_independent(codes, unique), fraction, pairs=False)]
    means = _fitted_pairs(codes, unique)
    if means is not None:
        found.append(_expected(means, fraction, pairs=True))
    return tuple(found)


def _expected(means: Floats, fraction: float, *, pairs: bool) -> LogLinear:
    """Return what follows from the fitted mean of each sample unique's combination."""
    others = means * (1.0 - fraction) / fraction
    found = np.where(others > 0, -np.expm1(-others) / np.where(others > 0, others, 1.0), 1.0)
    return LogLinear(
        pairs=pairs,
        sample_uniques=len(means),
        population_uniques=float(np.exp(-others).sum()),
        correct_matches=float(found.sum()),
    )


def _independent(codes: Ints, unique: Bools) -> Floats:
    """Return the fitted mean of each unique person's combination if columns are independent."""
    n = len(codes)
    logs = np.full(int(unique.sum()), np.log(n))
    for column in codes.T:
        logs += np.log(np.bincount(column)[column[unique]] / n)
    return np.asarray(np.exp(logs), dtype=np.float64)


def _fitted_pairs(codes: Ints, unique: Bools) -> Floats | None:
    """Return the fitted mean of each unique person's combination if every pair of columns is as in the sample.

    None if there are too many combinations, or the fit does not converge.
    """
    shape = tuple(int(column.max(initial=0)) + 1 for column in codes.T)
    if len(shape) < 3 or np.prod([float(size) for size in shape]) > MOST_COMBINATIONS:
        return None
    table = np.zeros(shape)
    np.add.at(table, tuple(codes.T), 1.0)
    fitted, sets = np.ones(shape), list(combinations(range(len(shape)), 2))
    margins = {both: table.sum(axis=_others(both, len(shape)), keepdims=True) for both in sets}
    for _ in range(ROUNDS):
        off = 0.0
        for both in sets:
            now = fitted.sum(axis=_others(both, len(shape)), keepdims=True)
            off = max(off, float(np.abs(now - margins[both]).max()))
            fitted *= np.divide(margins[both], now, out=np.zeros_like(now), where=now > 0)
        if off <= FITTED * len(codes):
            return np.asarray(fitted[tuple(codes[unique].T)], dtype=np.float64)
    return None


def _others(kept: tuple[int, ...], n: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(n) if axis not in kept)
