"""What says that values are missing, cell by cell, and how it is told where it says nothing."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.certify.or_missing import check_missing_counts, check_or_missing
from shoal.policy import Policy


def policy(*names: str, **more: Any) -> Policy:
    return Policy.parse({"k": 2, "columns": {name: {"role": "quasi"} for name in names}} | more)


def texts(**columns: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


@pytest.mark.parametrize(
    ("cell", "good"),
    [
        ("x", True),
        ("* or missing", False),
        ("*x or missing", True),
        (" or missing", False),
        (" or missing or missing", False),
        ("{a or missing", True),
        ("a} or missing", True),
        ("{a or missing or missing", True),
        ("a} or missing or missing", True),
        ("{a} or missing or missing", False),
        ("12 or missing or missing", False),
        ("12,5 or missing or missing", False),
        ("12x or missing or missing", True),
        ("2020-01-01 or missing or missing", False),
        ("2020-01-01T10:00 or missing or missing", False),
        ("2020-01-011 or missing or missing", True),
        ("{null} or missing", False),
        ("{a,null} or missing", False),
        ("{null, a} or missing", False),
        ("{a, null , b} or missing", False),
        ('{a, "null"} or missing', True),
        ('{"a, null", b} or missing', True),
        ('{"x"null} or missing', False),
        ("{nullx} or missing", True),
        ("{xnull} or missing", True),
        ("{a null} or missing", True),
        ("{NULL} or missing", True),
        ("null or missing", True),
        ("(null) or missing", True),
        ("[1, null] or missing", True),
        ("[9, 10] or missing", True),
        ("[10, 9] or missing", False),
        ("[9, 9] or missing", True),
        ("[9,5, 9,4] or missing", False),
        ("[9,4, 9,5] or missing", True),
        ("[9, a] or missing", True),
        ("[a, 9] or missing", True),
        ("[b, a] or missing", True),
        ("[1e3, 2] or missing", False),
        ("[2020-01-02, 2020-01-01] or missing", False),
        ("[2020-01-01, 2020-01-01] or missing", True),
        ("[2020-01-01T10:00, 2020-01-01T09:00] or missing", True),
        ("[2020-01-02, a] or missing", True),
        ("[b, 2020-01-02] or missing", True),
    ],
)
def test_a_cell_says_once_and_of_something_that_values_may_be_missing(cell: str, good: bool) -> None:
    assert [one.records for one in check_or_missing(texts(q=[cell, None]), policy("q"))] == ([] if good else [1])


def test_every_column_is_told_with_its_cells() -> None:
    frame = texts(a=["x"] * 3, b=["* or missing"] * 2 + [None], d=["* or missing"] * 3)
    found = check_or_missing(frame, policy("a", "b", "c", "d"))
    assert [(one.check, one.column, one.message, one.records) for one in found] == [
        ("missing", name, f"column {name}: {n} cells do not say clearly whether a value is missing", n)
        for name, n in (("b", 2), ("d", 3))
    ]


def test_a_third_column_belongs_to_ranges_in_two_alone() -> None:
    frame = texts(q_min=["1"], q_max=[None], q_missing=["true"], z=["* or missing"])
    told = [one.column for one in check_or_missing(frame, policy("q", "z", ranges="columns"))]
    assert told == ["q", "z"]
    assert [one.column for one in check_or_missing(frame, policy("q", "z"))] == ["z"]
    own = policy("q", "q_missing", "z", ranges="columns")
    assert [one.column for one in check_or_missing(frame, own)] == ["z"]
    partly = frame.drop("q_missing")
    assert [one.column for one in check_or_missing(partly, policy("q", "z", ranges="columns"))] == ["z"]


@pytest.mark.parametrize(
    ("mean", "count", "good"),
    [
        ("1.5", "0", True),
        ("1.5", "10", True),
        ("1.5", "01", False),
        ("1.5", "", False),
        ("1.5", None, False),
        ("1.5", "-1", False),
        ("1.5", "1.0", False),
        ("1.5", "x", False),
        ("1.5", "1" * 15, True),
        ("1.5", "1" * 16, False),
        (None, "0", False),
        (None, "3", True),
    ],
)
def test_the_values_beside_a_mean_are_counted(mean: str | None, count: str | None, good: bool) -> None:
    found = check_missing_counts(texts(q=[mean, "1"], q_missing=[count, "0"]), policy("q"))
    assert [one.records for one in found] == ([] if good else [1])


def test_every_count_beside_a_mean_is_told_with_its_cells() -> None:
    frame = texts(a=["1"] * 2, b=["1"] * 2, b_missing=["x", "y"], c=["1"] * 2, c_missing=["0", "y"], d=["1"] * 2)
    found = check_missing_counts(frame, policy("a", "b", "c", "d"))
    assert [(one.check, one.column, one.message, one.records) for one in found] == [
        ("missing", name, f"column {name}_missing: {n} cells are not numbers of missing values", n)
        for name, n in (("b", 2), ("c", 1))
    ]
    only = texts(q=["1"], q_missing=["x"])
    assert [one.column for one in check_missing_counts(only, policy("q"))] == ["q"]
    assert check_missing_counts(only, policy("q", "q_missing")) == []
