"""Where everyone around holds the same value, exchanges also look at the nearest points with another one."""

from __future__ import annotations

import numpy as np

from shoal.partition.generalization.annealing import _Search
from shoal.partition.generalization.annealing_neighbors import FEW, OTHERS, near_points, with_others
from shoal.partition.rules import Rule
from shoal.space import Space

N_NEAR = 30


def line(coordinates: np.ndarray) -> Space:
    return Space.from_points(coordinates, norm=1)


def far_apart(n: int) -> tuple[Space, np.ndarray]:
    """Points 0, 1, ... with value 0, and as many from 1,000 on with value 1."""
    return line(np.concatenate((np.arange(n), 1000.0 + np.arange(n)))), np.repeat([0, 1], n)


def test_lonely_points_list_the_nearest_points_with_another_value() -> None:
    space, codes = far_apart(100)
    near = near_points(space, N_NEAR, None)
    found = with_others(near, space, np.arange(200), codes, None)
    given = found[:, 1 : 2 * OTHERS : 2]
    assert (np.sort(given[:100], axis=1) == np.arange(100, 100 + OTHERS)).all()
    assert (np.sort(given[100:], axis=1) == np.arange(100 - OTHERS, 100)).all()
    rest = np.setdiff1d(np.arange(N_NEAR), np.arange(1, 2 * OTHERS, 2))
    np.testing.assert_array_equal(found[:, rest], near[:, rest])


def test_points_among_different_values_keep_their_neighbors() -> None:
    space = line(np.arange(200.0))
    near = near_points(space, N_NEAR, None)
    found = with_others(near, space, np.arange(200), np.arange(200) % 2, None)
    np.testing.assert_array_equal(found, near)


def test_points_whose_records_hold_several_values_keep_their_neighbors() -> None:
    space, codes = far_apart(100)
    point_of, both = np.concatenate((np.arange(200), [50])), np.concatenate((codes, [1]))
    near = near_points(space, N_NEAR, None)
    found = with_others(near, space, point_of, both, None)
    np.testing.assert_array_equal(found[50], near[50])
    assert (found[[10, 90]] != near[[10, 90]]).any(axis=1).all()
    assert N_NEAR > FEW


def test_one_value_for_all_leaves_everything_as_it_is() -> None:
    space, codes = far_apart(40)
    near = near_points(space, N_NEAR, None)
    np.testing.assert_array_equal(with_others(near, space, np.arange(80), np.zeros_like(codes), None), near)


def test_the_search_looks_at_other_values_where_there_are_rules() -> None:
    space, codes = far_apart(100)
    free = _Search(space, 4, 16, 1.0, [], None).where.near
    ruled = _Search(space, 4, 16, 1.0, [(Rule(codes, 2.0), codes)], None).where.near
    assert not (codes[free] != codes[:, None]).any()
    assert ((codes[ruled] != codes[:, None]).sum(axis=1) == OTHERS).all()
