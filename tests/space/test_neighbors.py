"""Neighbors by tree equal neighbors by brute force, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.space import neighbors as neighbors
from shoal.space.metric import Precomputed, as_metric
from shoal.space.neighbors import Neighbors
from shoal.space.space import LINE, TREE, Axis, Space


def random_tree(rng: np.random.Generator, column: str) -> Axis:
    """A random hierarchy: leaves are ranked depth-first, so every level cuts them into runs."""
    n_leaves, n_levels = rng.integers(1, 7), rng.integers(1, 4)
    opens = np.ones((n_leaves, n_levels + 1), dtype=bool)
    for level in range(1, n_levels + 1):
        opens[:, level] = opens[:, level - 1] & (rng.random(n_leaves) < 0.6)
    opens[1:, n_levels] = False
    opens[0] = True
    ancestors = (np.cumsum(opens, axis=0) - 1).astype(np.int32)
    return Axis(column, TREE, ancestors, np.cumsum([0, *rng.integers(0, 4, n_levels)]) / 3)


@st.composite
def spaces(draw) -> Space:
    """A few records, mostly ties: lines and trees in any order, either norm, from no axis to four."""
    n, kinds = draw(st.integers(1, 70)), draw(st.lists(st.sampled_from([LINE, TREE]), max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    axes, coordinates = [], np.empty((n, len(kinds)))
    for j, kind in enumerate(kinds):
        axes.append(Axis(f"c{j}", LINE) if kind == LINE else random_tree(rng, f"c{j}"))
        values = [0.0, 0.1, 0.2, 0.3, 1 / 3, 1.0, -2.5, 1e-200] if kind == LINE else len(axes[j].ancestors)
        coordinates[:, j] = rng.choice(values, n)
    return Space(coordinates, tuple(axes), draw(st.sampled_from([1, 2])))


def brute_force(space: Space) -> np.ndarray:
    """All distances, one axis at a time: lines first, then trees, as the contract says."""
    total = np.zeros((len(space), len(space)))
    for j in sorted(range(len(space.axes)), key=lambda j: space.axes[j].kind):
        axis, x = space.axes[j], space.coordinates[:, j]
        if axis.kind == LINE:
            term = np.abs(x[:, None] - x)
        else:
            above = axis.ancestors[x.astype(int)]
            term = axis.level_cost[np.argmax(above[:, None] == above, axis=2)]
        total += term * term if space.norm == 2 else term
    return np.sqrt(total) if space.norm == 2 else total


weights = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(space=spaces(), rng=weights, weighted=st.booleans())
def test_a_tree_answers_as_brute_force_does(space, rng, weighted):
    n = len(space)
    counts = rng.integers(1, 4, n) if weighted else np.ones(n, dtype=np.int64)
    tree, oracle = Neighbors(space, counts), brute_force(space)

    assert np.array_equal(tree.distance(np.arange(n)[:, None], np.arange(n)), oracle)
    assert np.array_equal(tree.distances_from(n - 1), oracle[n - 1])
    by_distance = np.argsort(oracle, axis=1, kind="stable")
    for k in {1, min(3, n), n}:
        distances, indices = tree.nearest(k)
        assert np.array_equal(indices, by_distance[:, :k])
        assert np.array_equal(distances, np.take_along_axis(oracle, indices, axis=1))
    total = int(counts.sum())
    for k in {1, min(4, total), total}:
        expected = [np.sort(np.repeat(oracle[i], counts))[k - 1] for i in range(n)]
        assert np.array_equal(tree.kth_distance(k), expected)
        distances, indices = tree.nearest_rows(k)
        for i in range(n):
            found = indices[i][indices[i] >= 0]
            assert len(set(found)) == len(found)
            assert counts[found].sum() >= k
            assert counts[found[:-1]].sum() < k
            assert np.array_equal(distances[i, : len(found)], oracle[i, found])
            assert distances[i, len(found) - 1] == expected[i]
            assert (np.diff(distances[i, : len(found)]) >= 0).all()
    # Radii that are themselves distances: the closed ball holds the record that gave it.
    radii = oracle[np.arange(n), rng.integers(0, n, n)]
    inside = oracle <= radii[:, None]
    assert np.array_equal(tree.count_within(radii), inside @ counts)
    indptr, indices = tree.within(radii)
    assert np.array_equal(indptr, np.concatenate(([0], np.cumsum(inside.sum(axis=1)))))
    assert np.array_equal(indices, np.nonzero(inside)[1])


@given(space=spaces(), rng=weights)
def test_a_matrix_answers_as_the_tree_does(space, rng):
    n = len(space)
    counts = rng.integers(1, 4, n)
    tree = Neighbors(space, counts)
    matrix = as_metric(tree.distance(np.arange(n)[:, None], np.arange(n)), "precomputed", counts=counts)
    assert isinstance(matrix, Precomputed)
    rows, radii = rng.integers(0, n, 3), rng.choice(matrix.matrix.ravel(), 3)
    k = int(rng.integers(1, n + 1))
    for method, arguments in [
        ("kth_distance", (k, rows)),
        ("count_within", (radii, rows)),
        ("within", (radii, rows)),
        ("distance", (rows, rows[::-1])),
        ("distances_from", (int(rows[0]),)),
    ]:
        ours, theirs = getattr(tree, method)(*arguments), getattr(matrix, method)(*arguments)
        for a, b in zip(ours, theirs, strict=True):
            assert np.array_equal(a, b), method
    for a, b in zip(tree.nearest(k, rows=rows), matrix.nearest(k, rows=rows), strict=True):
        assert np.array_equal(a, b)


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(neighbors, "CHUNK", 64)
    rng = np.random.default_rng(3)
    space = Space.from_points(np.round(rng.normal(size=(1500, 3)), 1))
    one, three = Neighbors(space, n_threads=1), Neighbors(space, n_threads=3)
    radius = float(one.kth_distance(9).mean())
    for method, argument in [("kth_distance", 5), ("nearest", 5), ("nearest_rows", 5), ("count_within", radius)]:
        for a, b in zip(getattr(one, method)(argument), getattr(three, method)(argument), strict=True):
            assert np.array_equal(a, b), method
    for a, b in zip(one.within(radius), three.within(radius), strict=True):
        assert np.array_equal(a, b)


def test_queries_need_not_be_records():
    tree = as_metric([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    assert isinstance(tree, Neighbors)
    distances, indices = tree.nearest(2, [[0.6, 0.0]])
    assert indices.tolist() == [[1, 0]]
    assert distances.tolist() == [[0.4, 0.6]]


@given(space=spaces())
def test_queries_are_in_the_coordinates_of_the_space_whatever_the_order_of_its_axes(space):
    tree = Neighbors(space)
    k = min(3, len(space))
    for asked, found in zip(tree.nearest(k, space.coordinates), tree.nearest(k), strict=True):
        assert np.array_equal(asked, found)


def test_many_equal_records_do_not_take_quadratic_time():
    tree = Neighbors(Space.from_points(np.zeros((200_000, 2))))
    _, indices = tree.nearest(3)
    assert (indices == [0, 1, 2]).all()
    assert (tree.count_within(0.0) == 200_000).all()


def test_no_records_have_no_neighbors():
    tree = Neighbors(Space.from_points(np.empty((0, 2))))
    assert tree.count_within(1.0).shape == (0,)
    assert [len(part) for part in tree.within(1.0)] == [1, 0]


def test_euclidean_neighbors_agree_with_an_independent_tree():
    from scipy.spatial import cKDTree

    points = np.random.default_rng(0).normal(size=(3000, 4))
    theirs, ids = cKDTree(points).query(points, 6)
    ours, indices = Neighbors(Space.from_points(points)).nearest(6)
    assert np.array_equal(indices, ids)
    assert np.allclose(ours, theirs, rtol=1e-14, atol=0)  # the order of the sums differs


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "square"),
        ([[0, np.nan], [np.nan, 0]], "finite"),
        ([[0, -1], [-1, 0]], "negative"),
        ([[1, 1], [1, 0]], "diagonal"),
        ([[0, 1], [2, 0]], "both ways; 1 pairs"),
        ([[0, 1, 3], [1, 0, 1], [3, 1, 0]], "triangle"),
    ],
)
def test_a_matrix_that_is_no_metric_is_refused(matrix, message):
    with pytest.raises(ParameterError, match=message):
        as_metric(matrix, "precomputed")


@pytest.mark.parametrize("n", [5, 301, 900])
def test_one_broken_triangle_of_a_matrix_of_any_size_is_found(n):
    rng = np.random.default_rng(n)
    points = rng.normal(size=(n, 2))
    matrix = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    matrix = (matrix + matrix.T) / 2
    np.fill_diagonal(matrix, 0.0)
    assert len(Precomputed(matrix)) == n
    i, j = rng.choice(n, 2, replace=False)
    nearest = (matrix[i] + matrix[j])[np.setdiff1d(np.arange(n), [i, j])].min()
    matrix[i, j] = matrix[j, i] = nearest * (1 + 1e-6)
    with pytest.raises(ParameterError, match="triangle"):
        Precomputed(matrix)


def test_a_small_triangle_far_from_all_else_is_checked_by_its_own_size():
    points = np.array([[0.0], [1.0], [2.0], [1e12], [1e12 + 1]])
    matrix = np.abs(points - points.T)
    assert len(Precomputed(matrix)) == 5
    matrix[0, 2] = matrix[2, 0] = 2.5
    with pytest.raises(ParameterError, match="triangle"):
        Precomputed(matrix)


@pytest.mark.parametrize("k", [0, 4])
def test_asking_for_more_neighbors_than_records_is_an_error(k):
    tree = as_metric(np.arange(3.0))
    with pytest.raises(ParameterError, match=f"k={k}"):
        tree.nearest(k)
    with pytest.raises(ParameterError, match=f"k={k}"):
        tree.kth_distance(k)


def test_wrong_rows_counts_queries_radii_and_metrics_are_errors():
    space = Space.from_points(np.arange(3.0))
    tree = Neighbors(space)
    with pytest.raises(ParameterError, match="rows must lie between 0 and 2"):
        tree.kth_distance(1, rows=[3])
    with pytest.raises(ParameterError, match="3 positive whole numbers"):
        Neighbors(space, [1, 0, 1])
    with pytest.raises(ParameterError, match="1 columns"):
        tree.nearest(1, [[1.0, 2.0]])
    with pytest.raises(ParameterError, match="one per record"):
        tree.count_within([1.0, 2.0])
    with pytest.raises(ParameterError, match="not known"):
        as_metric(space, "cosine")
    with pytest.raises(ParameterError, match="Space has its own distances"):
        as_metric(space, "precomputed")
