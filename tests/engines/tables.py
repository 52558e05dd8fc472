"""Generated tables for the tests of engines."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from shoal.engines.local import LocalEngine
from shoal.engines.release import Rows, release_rows
from shoal.policy import Policy
from shoal.secret import Secret

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


def with_odd_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table and two rows that are far from all others, and from each other in one column."""
    odd = frame[:2].with_columns(
        born=pl.Series([date(1851, 1, 1), date(1851, 6, 1)]),
        zip=pl.lit("zzz9" * 4),
        pay=pl.Series([98_765.0, -98_765.0]),
        illness=pl.lit("cold"),
    )
    return pl.concat([odd, frame])


def in_texts(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table as a German export has it: 31.12.1990, 1.234,50 EUR, k.A. and -9 for what is missing."""
    whole, part = (pl.col("pay") // 1).cast(pl.Int64), (pl.col("pay") % 1 * 100).round(0).cast(pl.Int64)
    thousands = (whole // 1000).cast(pl.String) + "." + (whole % 1000).cast(pl.String).str.zfill(3)
    return frame.with_columns(
        born=pl.col("born").dt.strftime("%d.%m.%Y").fill_null("k.A."),
        pay=(thousands + "," + part.cast(pl.String).str.zfill(2) + " EUR").fill_null("k.A."),
        illness=pl.col("illness").fill_null("-9"),
        stays=pl.int_range(pl.len()) % 7 - 1,
    ).with_columns(stays=pl.when(pl.col("stays") < 0).then(-9).otherwise("stays"))


def german(**settings: object) -> Policy:
    """Return the policy for such a table."""
    asked = policy(**settings)
    columns = dict(asked.model_dump(exclude_unset=True)["columns"])
    columns["born"] |= {"format": "%d.%m.%Y", "null_values": ["k.A."]}
    columns["pay"] |= {"number": {"decimal": ",", "thousands": ".", "suffix": " EUR"}, "null_values": ["k.A."]}
    columns["illness"] |= {"null_values": ["-9"]}
    columns["stays"] = {"role": "quasi", "kind": "number", "null_values": ["-9"]}
    return Policy.parse(asked.model_dump(exclude_unset=True) | {"columns": columns})


def stored(frame: pl.DataFrame, folder: Path, *, rows: int = 1000, name: str = "table.parquet") -> Path:
    """Return the path of the table in a Parquet file with row groups of `rows` rows."""
    path = folder / name
    frame.write_parquet(path, row_group_size=rows)
    return path


def released(
    engine: LocalEngine, folder: Path, frame: pl.DataFrame, wanted: Policy, secret: Secret, *, rows: int, size: int
) -> Rows:
    """Return the released rows of a table, stored in row groups of `rows` rows, in blocks of about `size` records."""
    path = stored(frame, folder, rows=rows, name=f"{len(list(folder.iterdir()))}.parquet")
    quick = wanted.model_copy(update={"effort": 2.0})
    return release_rows(engine, engine.read(path), quick, secret, source="table.parquet", size=size)
