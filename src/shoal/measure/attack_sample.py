"""Which records are attacked, and by which known columns: all of them, or as many as can be compared in good time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
import polars as pl

from shoal.errors import ParameterError
from shoal.measure.equivalence_classes import Ints
from shoal.policy import Policy

MOST_ATTACKED = 2_000  # records; the default
SUBSET_COLUMNS = 10  # the join tries all subsets of up to three of so many columns, those with most values
MOST_COMPARISONS = 400_000_000  # the most comparisons of a value with a cell; above that, fewer records are attacked
FEWEST_ATTACKED = 100  # records that are attacked however many comparisons that takes


def known_columns(policy: Policy, known: Sequence[str] | None, people: int) -> list[str]:
    """Return the known quasi-identifiers in the policy's order; raise a `ParameterError` for other columns."""
    if people < 1:
        raise ParameterError(f"people must be at least 1; it is {people}.")
    if known is None:
        return policy.quasi
    others = [name for name in known if name not in policy.quasi]
    if others or not known:
        found = f"{', '.join(others)} are not" if others else "none is given"
        raise ParameterError(
            f"known must name quasi-identifiers; {found}.", f"the policy has {', '.join(policy.quasi)}."
        )
    return [name for name in policy.quasi if name in known]


def attacked_records(n: int, n_classes: int, n_known: int, people: int, seed: int) -> Ints:
    """Return the records to attack: all, or a random sample for at most `MOST_COMPARISONS` comparisons."""
    most = min(people, max(FEWEST_ATTACKED, MOST_COMPARISONS // max(n_classes * n_known, 1)))
    if n <= most:
        return np.arange(n, dtype=np.int64)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False)).astype(np.int64)


def n_subsets(n: int) -> int:
    return n + comb(n, 2) + comb(n, 3)


def column_subsets(original: pl.DataFrame, known: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all sets of one to three known columns, of at most `SUBSET_COLUMNS` columns with the most values."""
    tried = known
    if len(known) > SUBSET_COLUMNS:
        most_values = sorted(known, key=lambda name: -original[name].n_unique())[:SUBSET_COLUMNS]
        tried = [name for name in known if name in most_values]
    return [names for size in (1, 2, 3) for names in combinations(tried, size)]
