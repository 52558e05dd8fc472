"""MDAV and V-MDAV by tree: the groups of plain passes over all points, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.microaggregation.mdav import mdav, v_mdav
from shoal.partition.microaggregation.sse import sse
from tests.oracles.mdav import plain_mdav, plain_v_mdav


def drawn(kind, n, d, seed):
    """Points in canonical order; every kind but the first has many equal distances."""
    rng = np.random.default_rng(seed)
    points = {
        "normal": lambda: rng.normal(size=(n, d)),
        "clusters": lambda: rng.integers(-2, 3, (n, d)) + 1e-9 * rng.integers(0, 3, (n, d)),
        "grid": lambda: rng.integers(0, 4, (n, d)) * 0.1,
        "two places": lambda: np.repeat(rng.integers(0, 2, (n, 1)), d, axis=1) * 1.0,
        "equal": lambda: np.full((n, d), 0.3),
        "far away": lambda: 1e6 + rng.integers(0, 9, (n, d)) / 7,
        "tiny": lambda: rng.integers(-3, 4, (n, d)) * 1e-170,
        "sphere": lambda: np.eye(d)[rng.integers(0, d, n)] * rng.choice([-1.0, 1.0], (n, 1)),
    }[kind]()
    return np.ascontiguousarray(points[np.lexsort(points.T[::-1])])


KINDS = ["normal", "clusters", "grid", "two places", "equal", "far away", "tiny", "sphere"]


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(4, 400), d=st.integers(1, 5), k=st.integers(2, 9), seed=st.integers(0, 2**32 - 1))
def test_the_tree_gives_the_groups_of_plain_passes(kind, n, d, k, seed):
    points = drawn(kind, max(n, 2 * k), d, seed)
    assert np.array_equal(mdav(points, k), plain_mdav(points, k))


@pytest.mark.parametrize(("kind", "d"), [("normal", 3), ("normal", 10), ("grid", 5), ("clusters", 6), ("equal", 2)])
def test_the_tree_gives_the_groups_of_plain_passes_on_many_points(kind, d):
    points = drawn(kind, 20_000, d, 1)
    assert np.array_equal(mdav(points, 5), plain_mdav(points, 5))


@pytest.mark.parametrize("kind", KINDS)
@given(
    n=st.integers(4, 45), k=st.integers(2, 5), gain=st.sampled_from([0.0, 0.2, 1.1, 3.0]), seed=st.integers(0, 999)
)
def test_v_mdav_forms_the_groups_as_published(kind, n, k, gain, seed):
    points = drawn(kind, max(n, k), 2, seed)
    labels = v_mdav(points, k, gain=gain)
    assert np.array_equal(labels, plain_v_mdav(points, k, gain))
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.sum() == len(points)


@pytest.mark.parametrize(("kind", "d", "gain"), [("normal", 3, 0.2), ("normal", 10, 1.1), ("grid", 4, 1.1)])
def test_v_mdav_forms_the_groups_as_published_of_many_points(kind, d, gain):
    points = drawn(kind, 3000, d, 2)
    assert np.array_equal(v_mdav(points, 4, gain=gain), plain_v_mdav(points, 4, gain))


def test_variable_sizes_follow_clusters_that_a_fixed_size_would_split():
    rng = np.random.default_rng(0)
    corners = rng.permutation(400).reshape(200, 2)
    sizes = rng.integers(3, 5, 200)
    points = np.repeat(corners, sizes, axis=0) + 0.01 * rng.normal(size=(sizes.sum(), 2))
    labels = v_mdav(points, 3)
    assert np.array_equal(np.sort(np.bincount(labels)), np.sort(sizes))
    assert sse(points, labels) < 0.01 * sse(points, mdav(points, 3))
