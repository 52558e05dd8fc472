"""Cells of recoded columns: nothing beyond a limit, marked at it, rounded, and no label that was merged."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.certify.recoded import check_recoded, unmarked, without_marks
from shoal.policy import Policy

LIMITS: dict[str, Any] = {"top": 90, "bottom": 10}
DAYS: dict[str, Any] = {"top": "2020-06-30", "bottom": "2020-01-01"}


def good(
    cell: str | None, form: str = "generalize", role: str = "quasi", ranges: str = "brackets", **more: Any
) -> bool:
    """Whether one cell is recoded as its column says."""
    columns = {"q": {"role": role} | more, "z": {"role": "quasi"}}
    policy = Policy.parse({"k": 2, "ranges": ranges, "columns": columns})
    frame = pl.DataFrame({"q": [cell, None]}, schema={"q": pl.String})
    found = check_recoded(frame, policy, form)[1]
    assert [one.records for one in found] in ([], [1])
    return not found


@pytest.mark.parametrize(
    ("cell", "holds"),
    [
        (">=90", True),
        ("<=10", True),
        ("90", False),
        ("10", False),
        ("89.999", True),
        ("10.001", True),
        ("91", False),
        ("9", False),
        (">=91", False),
        ("<=9", False),
        (">=89", False),
        ("<=90", False),
        (">=10", False),
        (">=90.0", True),
        ("[60, >=90]", True),
        ("[60, 90]", False),
        ("[60, 91]", False),
        ("[<=10, 60]", True),
        ("[10, 60]", False),
        ("[9, 60]", False),
        ("[<=10, >=90]", True),
        ("[<=10; >=90]", True),
        ("[<=10, 90] or missing", False),
        ("[<=10, >=90] or missing", True),
        (" or missing91", False),
        ("50 or missing", True),
        ("91 or missing", False),
        ("*", True),
        ("* or missing", True),
        ("", True),
        (" ", True),
        ("x", False),
        ("nan", False),
        ("inf", False),
        (None, True),
        (" 50 ", True),
        ("50,5", True),
        (">50", False),
    ],
)
def test_numbers_lie_within_their_limits_and_are_marked_at_them(cell: str | None, holds: bool) -> None:
    assert good(cell, **LIMITS) == holds


@pytest.mark.parametrize(
    ("limit", "cells"),
    [
        ({"top": 90}, {">=90": True, "91": False, "9": True, "<=10": False, "90": False, "89": True}),
        ({"bottom": 10}, {"<=10": True, "91": True, "9": False, ">=90": False, "10": False, "11": True}),
        ({"top": 0.1}, {">=0.1": True, "0.1": False, "0.10000000000000001": False, "0.09": True}),
    ],
)
def test_one_limit_leaves_the_other_side_open(limit: dict[str, Any], cells: dict[str, bool]) -> None:
    assert {cell: good(cell, **limit) for cell in cells} == cells


@pytest.mark.parametrize(
    ("cell", "holds"),
    [
        (">=2020-06-30", True),
        ("2020-06-30", False),
        ("2020-06-29", True),
        ("2020-07-01", False),
        ("<=2020-01-01", True),
        ("2020-01-01", False),
        ("2019-12-31", False),
        ("2020-06-30T00:00:00", False),
        (">=2020-06-30T00:00:00", True),
        (">=2020-06-30 00:00:00.000", True),
        (">=2020-06-30T00:00:00+02:00", True),
        (">=2020-06-30T00:00:01", False),
        ("2020-06-30T00:00:01", False),
        ("2020-06-29T23:59:59", True),
        ("2020-01-01T00:00:01", True),
        ("[<=2020-01-01, >=2020-06-30]", True),
        ("[2020-01-02, 2020-07-01]", False),
        ("1.1.2020", False),
        ("２020-02-01", False),
        ("2020-02-01x", False),
    ],
)
def test_dates_lie_within_their_limits_and_are_marked_at_them(cell: str, holds: bool) -> None:
    assert good(cell, **DAYS) == holds


def test_dates_and_numbers_are_read_in_the_format_of_their_column() -> None:
    day = {"top": "2020-06-30", "format": "%d.%m.%Y"}
    assert good(">=30.06.2020", **day)
    assert good('>="30.06.2020"', **day)
    assert good('["1.1.2020", >="30.06.2020"]', **day)
    assert not good("1.7.2020", **day)
    assert not good("2020-01-01", **day)
    euro = {"top": 1000, "number": {"decimal": ",", "thousands": ".", "suffix": " €"}}
    assert good(">=1.000,00 €", **euro)
    assert good("[5; >=1.000 €]", **euro)
    assert not good("1.000,01 €", **euro)
    assert not good("1000.0", **euro)


@pytest.mark.parametrize(
    ("cell", "holds"),
    [("50", True), ("52", False), ("[50, 55]", True), ("[50, 52]", False), (">=90", True), ("52 or missing", False)],
)
def test_numbers_are_rounded_but_for_a_limit(cell: str, holds: bool) -> None:
    assert good(cell, round=5, top=90) == holds


def test_dates_are_rounded_to_the_beginning_of_their_period() -> None:
    assert good("2020-02-01", round="month")
    assert not good("2020-02-02", round="month")
    assert not good("52", round="month")


@pytest.mark.parametrize("form", ["aggregate", "centers"])
def test_means_are_neither_marked_nor_rounded_but_within_limits(form: str) -> None:
    assert good("90", form, **LIMITS)
    assert good("52.3", form, round=5)
    assert not good(">=90", form, **LIMITS)
    assert not good("91", form, **LIMITS)


def test_marks_are_texts_and_not_among_numbers_for_programs() -> None:
    assert good("90", ranges="columns", **LIMITS)
    assert not good(">=90", ranges="columns", **LIMITS)
    assert good(">=90", "suppress", ranges="columns", **LIMITS)
    assert not good("90", "suppress", ranges="columns", **LIMITS)
    assert good(">=90", "suppress", **LIMITS)
    assert good("90", "generalize", role="sensitive", ranges="columns", **LIMITS)
    assert good("90", "suppress", role="sensitive", ranges="columns", **LIMITS)
    assert good(">=90", "aggregate", role="sensitive", **LIMITS)
    assert not good("90", "aggregate", role="sensitive", **LIMITS)
    assert not good("52", "aggregate", role="sensitive", round=5)


def test_in_centers_every_value_of_a_sensitive_cell_is_recoded() -> None:
    assert good(">=90: 2; 50: 1; null: 3", "centers", role="sensitive", **LIMITS)
    assert not good(">=90: 2; 91: 1", "centers", role="sensitive", **LIMITS)
    assert not good("90: 2", "centers", role="sensitive", **LIMITS)
    assert not good("garbage", "centers", role="sensitive", **LIMITS)
    assert not good(">=90: 2", "generalize", role="sensitive", **LIMITS)


MERGE: dict[str, Any] = {"merge": {"other": ["rare", "rarer", "other"]}}


@pytest.mark.parametrize(
    ("cell", "holds"),
    [
        ("other", True),
        ("rare", False),
        ("common", True),
        ("rare or missing", False),
        ("{common, other}", True),
        ("{common, rare}", False),
        ('{common, "rarer"}', False),
        ("{common, rare} or missing", False),
        ("[common, rare]", False),
        ("[common, other]", True),
        ("{rare", True),
        ("{}", True),
        ('{common, "broken}', True),
        (None, True),
    ],
)
def test_no_label_that_was_merged_is_left(cell: str | None, holds: bool) -> None:
    assert good(cell, **MERGE) == holds


def test_a_label_that_is_called_like_a_cell_is_a_label() -> None:
    assert not good("rare or missing", merge={"other": ["rare or missing"]})
    assert not good("{}", merge={"other": ["{}"]})


def test_nodes_and_classes_have_names_of_their_own_and_merged_values_may_be_a_number() -> None:
    assert good("rare", hierarchy="h.csv", **MERGE)
    assert good("{rare, rarer}", hierarchy="h.csv", **MERGE)
    assert good("rare", classes=3, **MERGE)
    assert good("rare", merge={"other": 2})
    assert good("rare: 2", "generalize", role="sensitive", **MERGE)
    assert not good("rare: 2; x: 1", "centers", role="sensitive", **MERGE)
    assert good("other: 2; null: 1", "centers", role="sensitive", **MERGE)
    assert good("garbage", "centers", role="sensitive", **MERGE)
    assert not good("{common, rare}", "centers", **MERGE)


def test_every_column_is_told_with_its_cells() -> None:
    columns: dict[str, Any] = {
        "plain": {"role": "quasi"},
        "a": {"role": "quasi"} | LIMITS,
        "b": {"role": "quasi"} | LIMITS,
        "c": {"role": "sensitive"} | LIMITS,
        "gone": {"role": "quasi"} | LIMITS,
        "last": {"role": "other"} | LIMITS,
    }
    policy = Policy.parse({"k": 2, "ranges": "columns", "columns": columns})
    frame = pl.DataFrame(
        {
            "plain": ["500"] * 3,
            "a_min": ["5", "50", None],
            "a_max": ["95", "95", "50"],
            "b": ["50", "50", "95"],
            "b_min": ["5"] * 3,
            "c": ["50"] * 3,
            "last": ["95"] * 3,
        }
    )
    _, found = check_recoded(frame, policy, "generalize")
    assert [(one.check, one.column, one.message, one.records) for one in found] == [
        ("recoding", name, f"column {name}: {n} cells are not recoded as the policy states", n)
        for name, n in (("a", 3), ("b", 1), ("last", 3))
    ]


@pytest.mark.parametrize("limit", [{"top": 90}, {"bottom": 90}])
def test_marks_are_taken_from_quasi_identifiers_with_a_limit_alone(limit: dict[str, Any]) -> None:
    policy = Policy.parse(
        {
            "k": 2,
            "columns": {"a": {"role": "quasi"} | limit, "b": {"role": "quasi"}, "s": {"role": "sensitive"} | limit},
        }
    )
    frame = pl.DataFrame({name: [">=90", None] for name in ("a", "a_min", "a_max", "b", "s")})
    seen = without_marks(frame, policy)
    assert {name: seen[name][0] for name in seen.columns} == {
        "a": "90", "a_min": "90", "a_max": "90", "b": ">=90", "s": ">=90",
    }  # fmt: skip
    assert check_recoded(frame, policy, "generalize")[0].equals(seen)


def test_a_text_loses_its_marks_and_nothing_else() -> None:
    texts = pl.Series("t", [">=90", "[<=10, >=90]", "[<=10; 50)", "a >=b", "5", None, ">=90"])
    assert unmarked(texts).to_list() == ["90", "[10, 90]", "[10; 50)", "a >=b", "5", None, "90"]
    nothing = unmarked(pl.Series("t", [None, None], dtype=pl.String))
    assert (nothing.to_list(), nothing.dtype) == ([None, None], pl.String)
