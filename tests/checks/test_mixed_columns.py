"""What must hold of every method that takes labels and hierarchies."""

from __future__ import annotations

import numpy as np
import pytest

from tests.checks.methods import METHODS, Method
from tests.checks.test_every_method import check_groups, groups_of_values
from tests.ratio.instances import mixed_table

pytestmark = pytest.mark.parametrize("method", [method for method in METHODS if method.mixed], ids=str)


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_rows_changes_nothing(method: Method, seed):
    rng = np.random.default_rng(seed)
    _, _, space = mixed_table(rng, 50)
    shuffled = space.take(rng.permutation(50))
    before, after = method.run(space, method.k(3)), method.run(shuffled, method.k(3))
    check_groups(before, 50, method.k(3))
    assert groups_of_values(space.coordinates, before) == groups_of_values(shuffled.coordinates, after)
    assert (before.cost, before.lower_bound) == (after.cost, after.lower_bound)


def test_the_input_is_not_modified(method: Method):
    _, _, space = mixed_table(np.random.default_rng(3), 40)
    before = space.coordinates.copy()
    space.coordinates.flags.writeable = False
    method.run(space, method.k(3))
    assert np.array_equal(space.coordinates, before)


def test_a_table_without_columns_is_of_equal_records(method: Method):
    _, _, space = mixed_table(np.random.default_rng(3), 40)
    nothing = type(space)(np.zeros((7, 0)), (), norm=1)
    partition = method.run(nothing, method.k(3))
    check_groups(partition, 7, method.k(3))
    assert partition.cost == 0
