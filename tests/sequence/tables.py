"""Tables that change from month to month, and what an attacker may know of their releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.errors import InfeasibleError

DIAGNOSES = ("flu", "cold", "asthma", "gout", "measles", "none")
ROLES = {"identifier": ["patient"], "quasi": ["age", "zip"], "sensitive": ["diagnosis"], "publish_rare": ["zip"]}


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


def held(release: shoal.Release) -> dict[tuple[Any, ...], Counter[str]]:
    """The sensitive values in every class of a release, counterfeits included: what anybody reads in it."""
    frame = release.published.frame
    quasi = [name for column in release.published.columns for name in column.published.columns]
    found: dict[tuple[Any, ...], Counter[str]] = {}
    rows = zip(*(frame[name].cast(pl.String).to_list() for name in quasi), frame["diagnosis"].to_list(), strict=True)
    for *cells, value in rows:
        found.setdefault(tuple(cells), Counter())[value] += 1
    return found


def sequence(
    tables: Iterable[pl.DataFrame], *, at_its_end: str | None = None, **asked: Any
) -> tuple[list[shoal.Release], list[dict[str, Any]]]:
    """A release of each table after the one before, and the class of everybody in each.

    A sequence may end before its time with the sentence `at_its_end`.
    """
    releases: list[shoal.Release] = []
    classes = []
    settings = {"link": "patient", "max_suppressed": 0.95, "method": "mondrian", **ROLES} | asked
    for table in tables:
        history = releases[-1].history if releases else None
        try:
            releases.append(shoal.anonymize(table, after=history, **settings))
        except InfeasibleError as ended:
            if at_its_end is None or at_its_end not in ended.message:
                raise
            break
        classes.append(seen(releases[-1], table))
    return releases, classes
