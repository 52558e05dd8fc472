"""Populations made on purpose, and samples of them, for tests of what is estimated from a sample."""

from __future__ import annotations

import numpy as np
import polars as pl


def population(n: int, seed: int, *, values: tuple[int, ...] = (40, 2, 60, 6)) -> pl.DataFrame:
    """A table of `n` people with columns a, b, c ... of whole numbers, frequent and rare ones."""
    random = np.random.default_rng(seed)
    columns = {}
    for name, size in zip("abcdefgh", values, strict=False):
        shares = 1.0 / np.arange(1, size + 1)
        columns[name] = random.choice(size, size=n, p=shares / shares.sum())
    return pl.DataFrame(columns)


def sample(people: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """A simple random sample without replacement."""
    return people[np.random.default_rng(seed).permutation(people.height)[:n]]


def unique_people(people: pl.DataFrame) -> int:
    """The number of people whose combination of all columns nobody else has."""
    return people.group_by(people.columns).len().filter(pl.col("len") == 1).height
