"""Columns as coordinates: scales, weights, orders, missing values; distances worked out by hand."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from shoal.errors import SchemaError
from shoal.policy import Policy
from shoal.space import build_space
from shoal.space.neighbors import Neighbors


def distances(values: list[object], column: dict[str, object], *, norm: int = 1, scale: str = "range") -> np.ndarray:
    """All pairwise distances of one column."""
    frame = pl.DataFrame({"q": values})
    asked = Policy.parse({"columns": {"q": {"role": "quasi"} | column}})
    near = Neighbors(build_space(frame, asked, norm=norm, scale=scale).space)
    return np.array([near.distances_from(i) for i in range(len(values))])


def test_numbers_are_shares_of_their_range() -> None:
    assert distances([0, 5, 20], {"kind": "number"})[0].tolist() == pytest.approx([0, 0.25, 1])
    assert distances([0, 5, 20], {"kind": "number", "weight": 2})[0].tolist() == pytest.approx([0, 0.5, 2])
    assert distances([0, 5, 20], {"kind": "number", "scale": 10})[0].tolist() == pytest.approx([0, 0.5, 2])


def test_standardized_numbers_have_variance_one() -> None:
    found = distances([1, 3], {"kind": "number"}, scale="standard")
    assert found[0, 1] == pytest.approx(2)
    assert distances([1, 3], {"kind": "number", "scale": "range"}, scale="standard")[0, 1] == pytest.approx(1)


def test_a_constant_column_keeps_everybody_together() -> None:
    for scale in ("range", "standard"):
        assert not distances([7, 7, 7], {"kind": "number"}, scale=scale).any()


def test_a_large_offset_costs_no_digits() -> None:
    found = distances([1e15, 1e15 + 1, 1e15 + 4], {"kind": "number"})
    assert found[0].tolist() == pytest.approx([0, 0.25, 1], rel=1e-12)


def test_dates_and_times_are_numbers() -> None:
    days = [date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 5)]
    assert distances(days, {"kind": "date"})[0].tolist() == pytest.approx([0, 0.25, 1])
    times = [datetime(2020, 1, 1), datetime(2020, 1, 1, 6), datetime(2020, 1, 2)]
    assert distances(times, {"kind": "date"})[0].tolist() == pytest.approx([0, 0.25, 1])


def test_missing_is_a_value_half_the_weight_from_every_number() -> None:
    for kind in ("number", "ordered"):
        found = distances([0, None, 10, None, 5], {"kind": kind, "weight": 3})
        assert found[1].tolist() == pytest.approx([1.5, 0, 1.5, 0, 1.5])
        assert found[0].tolist() == pytest.approx([0, 1.5, 3, 1.5, 1.5])
    assert distances([7, None, 7], {"kind": "number", "weight": 3})[1].tolist() == pytest.approx([1.5, 0, 1.5])


def test_in_euclidean_distances_missing_is_at_least_the_whole_weight_from_every_number() -> None:
    found = distances([0, None, 10, None, 5], {"kind": "number", "weight": 3}, norm=2)
    assert found[1, 3] == 0
    assert (found[1, [0, 2, 4]] >= 3).all()
    assert not np.isnan(found).any()


def test_a_column_of_nulls_only_is_one_point() -> None:
    frame = pl.DataFrame({"q": pl.Series([None, None], dtype=pl.Float64)})
    asked = Policy.parse({"columns": {"q": {"role": "quasi", "kind": "number"}}})
    assert not build_space(frame, asked, norm=2).space.coordinates.any()


def test_labels_are_equally_far_apart_and_missing_is_one_of_them() -> None:
    found = distances(["a", "b", None, "a"], {"kind": "label"})
    assert found[0].tolist() == pytest.approx([0, 2 / 3, 2 / 3, 0])
    assert found[2].tolist() == pytest.approx([2 / 3, 2 / 3, 0, 2 / 3])


def test_ordered_values_follow_the_order_given_or_that_of_their_type() -> None:
    grades = {"kind": "ordered", "order": ["low", "mid", "high"]}
    assert distances(["high", "low", "mid"], grades)[1].tolist() == pytest.approx([1, 0, 0.5])
    assert distances([9, 10, 100], {"kind": "ordered"})[0].tolist() == pytest.approx([0, 0.5, 1])


def test_a_hierarchy_costs_its_level() -> None:
    found = distances(["111", "112", "211", None], {"hierarchy": {"prefix": True}, "kind": "hierarchy", "weight": 3})
    assert found[0].tolist() == pytest.approx([0, 1, 3, 3])


def test_a_range_beyond_floating_point_is_refused_by_name() -> None:
    with pytest.raises(SchemaError, match="column q"):
        distances([-1.7e308, 1.7e308], {"kind": "number"})


def test_columns_join_by_sum_or_by_euclid() -> None:
    frame = pl.DataFrame({"a": [0, 1], "b": [0, 1]})
    asked = Policy.parse({"columns": {n: {"role": "quasi", "kind": "number"} for n in "ab"}})
    for norm, expected in ((1, 2.0), (2, 2**0.5)):
        assert Neighbors(build_space(frame, asked, norm=norm).space).distance(0, 1) == pytest.approx(expected)
