"""Points moved by chance: only where groups will be changed, always by the seed, never by sensitive values."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.partition.repair.shake import SHARE, shaken
from shoal.space.space import LINE, Space
from tests.attacks.tables import ROLES, people

MOVED = "points moved a little by chance"


def test_lines_move_by_a_share_of_their_spread():
    points = np.random.default_rng(0).normal(size=(2000, 2)) * [1.0, 50.0]
    space = Space.from_points(points)
    moved = shaken(space, seed=3)
    assert (moved.coordinates - points).std(axis=0) == pytest.approx(SHARE * points.std(axis=0), rel=0.05)
    assert np.array_equal(moved.coordinates, shaken(space, seed=3).coordinates)
    assert not np.array_equal(moved.coordinates, shaken(space, seed=4).coordinates)
    assert np.array_equal(space.coordinates, points)


def test_labels_stay_and_ties_are_decided_by_chance():
    space = Space.from_labels(np.array(list("aabbcc")))
    moved = shaken(space, seed=3)
    assert np.array_equal(moved.coordinates[:, 0], space.coordinates[:, 0])
    assert [axis.kind == LINE for axis in moved.axes] == [False, True]
    assert np.abs(moved.coordinates[:, 1]).max() < 0.5


def released(table: pl.DataFrame, **more: object) -> shoal.Release:
    return shoal.anonymize(table, method="mdav", publication="aggregate", secret=bytes(32), **{**ROLES, **more})


def test_points_are_moved_only_where_groups_miss_what_is_asked():
    table = people(240, 0)
    assert MOVED not in " ".join(released(table, k=3).partition.notes)
    assert MOVED not in " ".join(released(table, k=20, l=2).partition.notes)
    changed = released(table, k=3, l=2)
    assert MOVED in " ".join(changed.partition.notes)
    assert changed.partition.ratio_proved is None
    assert 0 < changed.partition.lower_bound <= changed.partition.cost


def test_the_cost_is_that_of_the_points_themselves():
    from shoal.partition.methods.cost import cost_function

    release = released(people(240, 0), k=3, l=2)
    true_cost = cost_function(release.choice, release.space)(release.partition.labels)
    assert release.partition.cost == pytest.approx(true_cost)


def test_columns_of_labels_alone_are_released_too():
    table = people(240, 0).select("name", "town", "sex", "illness")
    release = released(table, k=3, l=3, quasi=["town", "sex"])
    assert release.findings.holds


def test_one_number_that_is_the_same_in_every_row_stays_one_column():
    space = Space.from_points(np.zeros((6, 1)))
    moved = shaken(space, seed=3)
    assert moved.coordinates.shape == (6, 1)
    assert len(np.unique(moved.coordinates)) == 6


def test_the_optimum_of_a_number_that_never_differs_is_released_with_l_too():
    table = pl.DataFrame({"age": [40] * 6, "ill": ["flu", "flu", "flu", "cold", "cold", "cold"]})
    for number in range(8):
        release = shoal.anonymize(
            table, quasi=["age"], sensitive=["ill"], k=2, l=2, method="optimal", secret=bytes([number]) * 32
        )
        assert release.findings.holds
