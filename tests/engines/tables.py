"""Generated tables for the tests of engines."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from shoal.policy import Policy

ILLNESSES = ["asthma", "cancer", "cold", "flu", "migraine"]


def people(n: int, seed: int = 0, *, gaps: bool = False, visits: bool = False) -> pl.DataFrame:
    """Return `n` rows with a name, four quasi-identifiers and an illness; with `gaps` some cells are missing.

    With `visits` the column `who` says whose row it is, and people have one to three rows.
    """
    rng = np.random.default_rng([n, seed])
    born = [date(1940, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 25_000, n)]
    frame = pl.DataFrame(
        {
            "name": [f"person number {number:07}" for number in rng.permutation(n)],
            "born": born,
            "sex": rng.choice(["f", "m"], n),
            "zip": rng.choice([f"{10_000 + code}" for code in range(40)], n),
            "pay": rng.normal(3000, 400, n).round(0),
            "illness": rng.choice(ILLNESSES, n, p=[0.3, 0.1, 0.2, 0.2, 0.2]),
        }
    )
    if gaps:
        frame = frame.with_columns(
            pl.when(pl.Series(rng.random(n) < 0.05)).then(None).otherwise(pl.col(name)).alias(name)
            for name in ("born", "zip", "pay", "illness")
        )
    if visits:
        frame = frame.with_columns(who=pl.Series(rng.integers(0, max(1, n // 2), n)))
    return frame


def policy(*, k: int = 5, visits: bool = False, **settings: object) -> Policy:
    """Return a policy for these tables; `settings` are further ones, `illness` those of that column."""
    illness = settings.pop("illness", {})
    assert isinstance(illness, dict)
    columns: dict[str, dict[str, object]] = {
        "name": {"role": "identifier"},
        "born": {"role": "quasi", "kind": "date"},
        "sex": {"role": "quasi", "kind": "label"},
        "zip": {"role": "quasi", "kind": "hierarchy", "hierarchy": {"prefix": True}},
        "pay": {"role": "quasi", "kind": "number"},
        "illness": {"role": "sensitive", **illness},
    }
    if visits:
        columns["who"] = {"role": "person"}
    return Policy.parse({"k": k, "columns": columns, **settings})


def stored(frame: pl.DataFrame, folder: Path, *, rows: int = 1000, name: str = "table.parquet") -> Path:
    """Return the path of the table in a Parquet file with row groups of `rows` rows."""
    path = folder / name
    frame.write_parquet(path, row_group_size=rows)
    return path
