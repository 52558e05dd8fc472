"""Orders, numbers and means of groups, without sorting more than needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.sse import group_means, order_of_column


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=60))
def test_a_column_is_ordered_by_value_and_ties_by_row(values):
    column = np.array(values) / 7
    assert order_of_column(column).tolist() == sorted(range(len(values)), key=lambda row: values[row])


def test_a_long_column_with_few_ties_is_ordered_by_value_and_ties_by_row():
    column = np.random.default_rng(0).normal(size=5000)
    column[::50] = column[0]
    assert order_of_column(column).tolist() == np.argsort(column, kind="stable").tolist()


@given(st.lists(st.integers(-3, 70), min_size=1, max_size=60))
def test_groups_are_numbered_by_their_first_record(labels):
    seen = {}
    expected = [-1 if label < 0 else seen.setdefault(label, len(seen)) for label in labels]
    assert number_groups(np.array(labels)).tolist() == expected


def test_means_are_those_of_each_groups_records():
    rng = np.random.default_rng(1)
    labels, points = rng.permutation(np.arange(60) % 7), rng.normal(size=(60, 3))
    expected = [points[labels == group].mean(axis=0) for group in range(7)]
    assert group_means(points, labels) == pytest.approx(np.array(expected))
