"""Special uniques: the smallest sets of columns in which a person is unique in the sample (SUDA).

Guarantee   All minimal sets of up to `size` columns are found: the person is unique in the set, and in no smaller
            part of it. A person who is unique by age and town alone is more likely unique in the population than one
            who needs eight columns for it.
Complexity  One count of all rows per set of columns.

The score of a person adds, for each minimal set of s out of m columns, (m - s) (m - s - 1) ... 1: the number of
orders in which the remaining columns could join the set (Elliot et al.). The DIS score spreads over the people, by
their scores, the estimated probability that a match with a sample unique is correct: u q / (u q + d (1 - q)) with u
unique people, d people in classes of two and the sampling fraction q (Skinner and Elliot).

References
----------
.. [1] M. J. Elliot, A. M. Manning and R. W. Ford (2002). "A computational algorithm for handling the special uniques
   problem." International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 493-509.
.. [2] A. M. Manning, D. J. Haglin and J. A. Keane (2008). "A recursive search algorithm for statistical disclosure
   assessment." Data Mining and Knowledge Discovery 16, 165-196.
.. [3] C. J. Skinner and M. J. Elliot (2002). "A measure of disclosure risk for microdata." Journal of the Royal
   Statistical Society B 64(4), 855-867.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial

import numpy as np
import polars as pl

from shoal import progress
from shoal.measure.equivalence_classes import Bools, Floats, Ints

MOST_COUNTED = 400_000_000
"""The most rows times sets of columns that are counted; larger sets are not tried if there would be more."""
_KEYS = 2**62  # keys of combined columns stay below this


@dataclass(frozen=True, slots=True, eq=False)
class MinimalUniques:
    """What was found for every row: its score, its DIS score, and the size of its smallest set."""

    size: int
    """Sets of up to so many columns were tried."""
    sets: Ints
    """The number of minimal sets of every row, by size: row 0 has those of one column."""
    scores: Floats
    dis: Floats
    contributions: Floats
    """For every column, the share of the total score that belongs to sets with the column."""

    @property
    def smallest(self) -> Ints:
        """The number of columns of every row's smallest set; 0 for rows that are not unique in any set tried."""
        has = self.sets > 0
        return np.where(has.any(axis=0), has.argmax(axis=0) + 1, 0).astype(np.int64)


def minimal_uniques(codes: Ints, *, size: int, fraction: float) -> MinimalUniques:
    """Return the minimal sets of at most `size` columns in which rows are unique; `fraction` is that of the sample.

    `codes` has a row per person and a column per quasi-identifier, numbered 0, 1, ... If that many sets would take
    too long, only smaller ones are tried; `size` of the result is the largest.
    """
    n, m = codes.shape
    size = _affordable(n, m, min(size, m))
    sets = np.zeros((size, n), dtype=np.int64)
    by_column = np.zeros(m)
    alone: dict[tuple[int, ...], Bools] = {}
    with progress.step("special uniques", sum(comb(m, s) for s in range(1, size + 1))) as counted:
        for s in range(1, size + 1):
            for chosen in combinations(range(m), s):
                counted(1)
                unique = _unique(codes, chosen)
                for part in combinations(chosen, s - 1) if s > 1 else ():
                    unique = unique & ~alone[part]
                sets[s - 1] += unique
                by_column[list(chosen)] += int(np.count_nonzero(unique)) * factorial(m - s)
                if s < size:
                    # what is unique in a part is unique in the whole, and not minimal in any larger set
                    alone[chosen] = _unique_or_part(unique, chosen, alone)
    worth = np.array([factorial(m - s) for s in range(1, size + 1)], dtype=np.float64)
    scores = np.asarray(worth @ sets, dtype=np.float64)
    total = float(scores.sum())
    return MinimalUniques(
        size=size,
        sets=sets,
        scores=scores,
        dis=_dis(codes, scores, fraction),
        contributions=by_column / total if total else np.zeros(m),
    )


def _affordable(n: int, m: int, size: int) -> int:
    """Return the largest size up to `size` whose sets of columns can be counted; at least 1."""
    while size > 1 and n * sum(comb(m, s) for s in range(1, size + 1)) > MOST_COUNTED:
        size -= 1
    return size


def _unique_or_part(unique: Bools, chosen: tuple[int, ...], alone: dict[tuple[int, ...], Bools]) -> Bools:
    """Return the rows that are unique in these columns, minimal or not."""
    for part in combinations(chosen, len(chosen) - 1) if len(chosen) > 1 else ():
        unique = unique | alone[part]
    return unique


def _unique(codes: Ints, chosen: tuple[int, ...]) -> Bools:
    """Return which rows have a combination of values in these columns that no other row has."""
    key = codes[:, chosen[0]]
    most = int(key.max(initial=0)) + 1
    for column in chosen[1:]:
        values = int(codes[:, column].max(initial=0)) + 1
        if most * values >= _KEYS:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            most = int(key.max(initial=0)) + 1
        key, most = key * values + codes[:, column], most * values
    if most <= 4 * len(key):
        return np.asarray(np.bincount(key)[key] == 1)
    return pl.Series(key).is_unique().to_numpy()


def _dis(codes: Ints, scores: Floats, fraction: float) -> Floats:
    """Return the DIS score of every row: the probability of a correct match, spread over the rows by their scores."""
    n, m = codes.shape
    sizes = _sizes(codes)
    unique, pairs = int(np.count_nonzero(sizes == 1)), int(np.count_nonzero(sizes == 2))
    special = scores > 0
    if not special.any():
        return np.zeros(n)
    correct = unique * fraction / (unique * fraction + pairs * (1.0 - fraction))
    power = 1.0 + (8.0 - m) / 20.0
    raised = scores[special] ** power
    dis = np.zeros(n)
    dis[special] = 1.0 / (1.0 + (unique / correct - unique) / (raised * float((1.0 / raised).sum())))
    return dis


def _sizes(codes: Ints) -> Ints:
    """Return the number of rows with the same combination of all columns, for every row."""
    frame = pl.DataFrame({str(column): codes[:, column] for column in range(codes.shape[1])})
    return frame.select(pl.len().over(frame.columns))["len"].to_numpy().astype(np.int64)
