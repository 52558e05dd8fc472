"""People of a register in which how they were infected follows from the other columns, but for a few."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import polars as pl

STATES = ("A", "B", "C", "D")
ROUTES = ("blood", "birth", "contact")


def infections(n: int, seed: int = 0, *, noise: float = 0.1) -> pl.DataFrame:
    """`n` people; the route is a function of state and age, except for a share `noise` of them."""
    chance = np.random.default_rng(seed)
    state, age = chance.integers(0, len(STATES), n), chance.integers(0, 90, n)
    route = np.where(chance.random(n) < noise, chance.integers(0, 3, n), (state + age // 30) % 3)
    return pl.DataFrame(
        {
            "state": np.array(STATES)[state],
            "sex": chance.choice(["f", "m"], n),
            "age": age,
            "route": np.array(ROUTES)[route],
        }
    )


def routes_by_class(release: Any, table: pl.DataFrame) -> list[Counter[Any]]:
    """The true routes of every class of equal published cells, by the release's own mapping of rows."""
    if release.published.form == "centers":
        found: dict[Any, Counter[Any]] = defaultdict(Counter)
        labels = release.partition.labels
        routes = table["route"].gather(release.order).to_list()
        for label, route in zip(labels.tolist(), routes, strict=True):
            if label >= 0:
                found[label][route] += 1
        return list(found.values())
    found = defaultdict(Counter)
    rows = release.order[release.published.rows]
    for cells, row in zip(release.published.frame.iter_rows(), rows.tolist(), strict=True):
        found[cells][table["route"][int(row)]] += 1
    return list(found.values())
