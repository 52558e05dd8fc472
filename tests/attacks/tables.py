"""Tables to attack: people with ties, skewed sensitive values that hang on who they are, and some missing cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

ROLES = {"identifier": ["name"], "quasi": ["age", "income", "town", "sex"], "sensitive": ["illness"]}
ILLNESSES = ("flu", "cold", "asthma", "gout", "ulcer", "lupus", "hiv")


def people(n: int, seed: int = 0, *, missing: float = 0.0) -> pl.DataFrame:
    """`n` people: whole ages (many ties), skewed incomes, towns of very different size, rare illnesses of the old."""
    chance = np.random.default_rng(seed)
    age = np.clip(chance.normal(48, 20, n), 0, 99).astype(np.int64)
    income = np.round(chance.lognormal(10, 0.6, n), -2).astype(np.int64)
    town = chance.choice([f"t{i}" for i in range(12)], n, p=_harmonic(12))
    # The older, the later in the list: who knows the age learns something of the illness.
    weight = np.array([9, 7, 5, 3, 2, 1, 0.5])[None, :] * np.exp(age[:, None] / 99 * np.arange(7) / 3)
    sums = np.cumsum(weight, axis=1)
    illness = np.array(ILLNESSES)[(sums < chance.random(n)[:, None] * sums[:, -1:]).sum(axis=1)]
    frame = pl.DataFrame(
        {
            "name": [f"n{i:06}" for i in chance.permutation(n)],
            "age": age,
            "income": income,
            "town": town,
            "sex": chance.choice(["f", "m"], n),
            "illness": illness,
        }
    )
    if not missing:
        return frame
    return frame.with_columns(
        pl.when(pl.Series(chance.random(n) >= missing)).then(name).alias(name) for name in ("age", "town", "illness")
    )


def tied(n: int, seed: int = 0) -> pl.DataFrame:
    """The same, known by so few and coarse columns that many people are equal in all of them."""
    return people(n, seed).with_columns((pl.col("age") // 20 * 20), income=pl.col("income") // 20_000 * 20_000)


def adult(shared: Path, n: int, seed: int = 0) -> pl.DataFrame:
    """Rows of the Adult census extract."""
    return pl.read_csv(shared / "adult" / "adult.csv", separator=";").sample(n, seed=seed)


def _harmonic(n: int) -> np.ndarray:
    share = 1 / np.arange(1, n + 1)
    return share / share.sum()
