"""Tables that change from month to month, and what an attacker may know of their releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

import shoal

DIAGNOSES = ("flu", "cold", "asthma", "gout", "measles", "none")
ROLES = {"identifier": ["patient"], "quasi": ["age", "zip"], "sensitive": ["diagnosis"]}


def months(
    people: int, n: int, seed: int, *, leaving: float = 0.1, coming: float = 0.1, values: int = 6
) -> Iterator[pl.DataFrame]:
    """`n` tables of about as many people; in each of them some are gone and some are new. Nobody changes."""
    chance = np.random.default_rng(seed)
    weights = 1.0 / (1.0 + np.arange(values))
    born = 0
    table: dict[int, tuple[int, str, str]] = {}

    def come(many: int) -> None:
        nonlocal born
        for _ in range(many):
            value = DIAGNOSES[chance.choice(values, p=weights / weights.sum())]
            table[born] = (int(chance.integers(20, 80)), f"{chance.integers(0, 5)}{chance.integers(0, 9)}", value)
            born += 1

    come(people)
    for month in range(n):
        if month:
            for person in list(table):
                if chance.random() < leaving:
                    del table[person]
            come(int(chance.poisson(coming * people)))
        order = chance.permutation(list(table))
        rows = [(f"p{person}", *table[person]) for person in order.tolist()]
        yield pl.DataFrame(rows, schema=["patient", "age", "zip", "diagnosis"], orient="row")


def seen(release: shoal.Release, table: pl.DataFrame) -> dict[str, tuple[Any, ...]]:
    """The published quasi-identifiers of everybody who is in a release: what an attacker with a roster works out."""
    cells = [series for column in release.published.columns for series in column.published.get_columns()]
    classes = list(zip(*(cell.cast(pl.String).to_list() for cell in cells), strict=True))
    people = table["patient"].to_list()
    return {
        people[row]: classes[group]
        for row, group in zip(release.order.tolist(), release.partition.labels.tolist(), strict=True)
        if group >= 0 and row >= 0
    }
