"""What the policy allows for improvement reaches the method that improves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal


@pytest.fixture(scope="module")
def numbers() -> pl.DataFrame:
    return pl.DataFrame(np.random.default_rng(5).normal(size=(300, 3)), schema=["a", "b", "c"])


def cost(numbers: pl.DataFrame, **settings: object) -> float:
    release = shoal.anonymize(numbers, quasi=["a", "b", "c"], k=4, method="best", seed=3, **settings)
    assert release.certificate.cost is not None
    return float(release.certificate.cost)


def test_more_effort_costs_less(numbers: pl.DataFrame) -> None:
    assert cost(numbers, effort=300) < cost(numbers, effort=1)


def test_a_time_limit_that_ended_the_search_is_on_the_certificate(numbers: pl.DataFrame) -> None:
    settings = {"quasi": ["a", "b", "c"], "k": 4, "method": "best", "seed": 3}
    assert shoal.anonymize(numbers, effort=10_000, time_limit=0.01, **settings).certificate.timed_out is True
    assert shoal.anonymize(numbers, effort=5, **settings).certificate.timed_out is False
