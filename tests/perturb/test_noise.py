"""Noise keeps means and covariances, whatever the numbers: collinear, constant, huge or tiny."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.perturb.noise import with_noise


def close(found: np.ndarray, values: np.ndarray) -> bool:
    """Means to 1e-9 standard deviations and covariances to 1e-9 of theirs, and no finer than a double is."""
    size = values.std(axis=0)
    ulp = 1e-13 * np.abs(values).max(axis=0)
    means = np.abs(found.mean(axis=0) - values.mean(axis=0)) <= 1e-9 * size + ulp
    apart = np.abs(np.cov(found.T, bias=True) - np.cov(values.T, bias=True))
    allowed = 1e-9 * np.outer(size, size) + np.outer(ulp, size) + np.outer(size, ulp)
    return bool(means.all() and (np.atleast_2d(apart) <= np.atleast_2d(allowed)).all())


@given(
    n=st.integers(30, 80),
    d=st.integers(1, 4),
    spread=st.sampled_from([0.05, 0.5, 3.0]),
    shift=st.sampled_from([0.0, 1e3, -1e7]),
    scale=st.sampled_from([1e-6, 1.0, 1e9]),
    odd=st.sampled_from(["none", "constant", "collinear", "twice", "ties"]),
    seed=st.integers(0, 10**6),
)
def test_means_and_covariances_are_kept(n, d, spread, shift, scale, odd, seed) -> None:
    rng = np.random.default_rng(seed)
    values = (rng.normal(size=(n, d)) @ rng.normal(size=(d, d))) * scale + shift * scale
    if odd == "constant":
        values[:, 0] = shift
    elif odd == "collinear" and d > 2:
        values[:, 1] = values[:, 0] * 2 - values[:, 2]
    elif odd == "twice" and d > 1:
        values[:, 1] = values[:, 0]
    elif odd == "ties":
        values = np.round(values / scale) * scale
    found = with_noise(values, spread, rng.standard_normal((n, d)))
    assert close(found, values)
    if odd == "constant":
        assert (found[:, 0] == values[:, 0]).all()
    if odd == "twice" and d > 1:
        assert found[:, 1] == pytest.approx(found[:, 0], rel=1e-6, abs=1e-9 * scale)


def test_noise_is_as_large_as_stated() -> None:
    """The correlation of before and after is 1 / sqrt(1 + spread**2), up to chance: 20,000 rows."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(20_000, 1)) * 300 + 2500
    for spread in (0.1, 0.5, 1.0):
        found = with_noise(values, spread, rng.standard_normal(values.shape))
        seen = np.corrcoef(values[:, 0], found[:, 0])[0, 1]
        assert seen == pytest.approx(1 / np.sqrt(1 + spread**2), abs=0.01)
        assert (found != values).all()


def test_a_table_of_constants_stays_as_it_is() -> None:
    values = np.full((40, 2), 7.5)
    assert (with_noise(values, 0.5, np.ones((40, 2))) == values).all()
