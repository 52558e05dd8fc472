"""The wide table: four numbers or dates with wide domains and four labels, as many rows as asked for.

`python -m benchmarks.wide 1000000 wide.parquet` writes it. Nearly all rows differ, so there are no groups of equal
rows to begin with; the columns depend on one another as those of a real register do.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

QUASI = ("born", "admitted", "income", "distance", "sex", "region", "occupation", "family")
REGIONS, OCCUPATIONS = 24, 60
FAMILIES = ("single", "married", "divorced", "widowed", "partners")
ILLNESSES = 30


def wide(n: int, seed: int = 0) -> pl.DataFrame:
    """Return `n` rows with the quasi-identifiers QUASI and a sensitive column `illness`."""
    rng = np.random.default_rng([n, seed])
    age = np.clip(rng.gamma(8.0, 5.5, n), 0.0, 104.0)
    sex = rng.random(n) < 0.51
    region = _skewed(rng, n, REGIONS, 0.8)
    occupation = (_skewed(rng, n, OCCUPATIONS, 0.9) + 7 * region) % OCCUPATIONS
    occupation[age < 16] = 0
    chances = np.stack(
        [60.0 - age / 2.0, np.minimum(age, 60.0) * 1.2, age / 3.0, np.maximum(age - 50.0, 0.1), 12.0 + 0.0 * age],
        axis=1,
    ).clip(1.0)
    family = (rng.random((n, 1)) < np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)).argmax(axis=1)
    wage = 9.6 + 0.5 * rng.normal(size=OCCUPATIONS)[occupation] + 0.012 * np.minimum(age, 60.0) + 0.1 * sex
    income = np.exp(wage + 0.45 * rng.normal(size=n)).round(-1).astype(np.int64)
    distance = np.exp(1.0 + rng.normal(size=REGIONS)[region] * 0.6 + 0.8 * rng.normal(size=n)).round(1)
    admitted = np.datetime64(date(2020, 1, 1)) + (1826 * rng.beta(1.2, 1.0, n)).astype(np.int64)
    born = admitted - (365.25 * age).astype(np.int64)
    illness = (_skewed(rng, n, ILLNESSES, 1.0) + (age / 12.0).astype(np.int64)) % ILLNESSES
    return pl.DataFrame(
        {
            "born": born,
            "admitted": admitted,
            "income": income,
            "distance": distance,
            "sex": np.where(sex, "female", "male"),
            "region": [f"region {i:02}" for i in region.tolist()],
            "occupation": [f"occupation {i:02}" for i in occupation.tolist()],
            "family": [FAMILIES[i] for i in family.tolist()],
            "illness": [f"illness {i:02}" for i in illness.tolist()],
        }
    ).with_columns(pl.col("born", "admitted").cast(pl.Date))


def _skewed(rng: np.random.Generator, n: int, size: int, power: float) -> np.ndarray:
    """Return `n` codes below `size`, the first the most frequent."""
    weights = 1.0 / np.arange(1, size + 1) ** power
    return rng.choice(size, n, p=weights / weights.sum())


if __name__ == "__main__":
    wide(int(sys.argv[1])).write_parquet(Path(sys.argv[2]))
