"""Cells at the edges of what the verifier reads: spellings, forms, classes of labels, and faults that add up."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.certify.criteria import check_cells, inspect
from shoal.certify.date_cells import reader_of
from shoal.certify.forms import form_of, forms_of
from shoal.certify.legend import check_legend
from shoal.certify.reading import open_release
from shoal.certify.spelling import meanings
from shoal.errors import TableError
from shoal.policy import Column, Policy

QUASI: dict[str, Any] = {"role": "quasi"}


def policy(columns: dict[str, Any], **settings: Any) -> Policy:
    return Policy.parse({"k": 2, "columns": columns} | settings)


@pytest.mark.parametrize(
    ("power", "plain"),
    [("12345e-2", "123.45"), ("12345e-4", "1.2345"), ("1e-3", "0.001"), ("-1.5e1", "-15"), ("12e-2", "0.12")],
)
def test_a_number_with_an_exponent_is_the_number_in_digits(power: str, plain: str) -> None:
    keys = meanings(pl.Series([power, plain, "12.345"]))["key"].to_list()
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize(
    ("column", "forms"),
    [
        ({}, ("generalize", "aggregate")),
        ({"kind": "number"}, ("generalize", "aggregate")),
        ({"kind": "date"}, ("generalize", "aggregate")),
        ({"kind": "label"}, ("generalize",)),
        ({"kind": "place", "longitude": "lon"}, ("generalize",)),
    ],
)
def test_only_numbers_and_dates_may_be_means(column: dict[str, Any], forms: tuple[str, ...]) -> None:
    columns = {"a": QUASI | column} | ({"lon": QUASI} if "longitude" in column else {})
    assert forms_of(policy(columns)) == forms


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        ({"a": ["1", "2"], "b": ["3", None]}, "aggregate"),
        ({"a": ["1", "2"], "b": ["3", "[3, 4]"]}, "generalize"),
        ({"a": ["[1, 2]", "2"], "b": ["3", "4"]}, "generalize"),
        ({"a": ["1", "2"]}, "generalize"),
    ],
)
def test_means_are_single_numbers_in_every_column(cells: dict[str, list[str]], form: str) -> None:
    assert form_of(policy({"a": QUASI, "b": QUASI}), pl.DataFrame(cells)) == form


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ([], ["column city has 1 values that the legend does not explain"]),
        ([{"class": None, "labels": [None]}], []),
    ],
)
def test_a_set_that_includes_missing_needs_a_class_of_the_missing(
    tmp_path: Path, missing: list[dict[str, Any]], words: list[str]
) -> None:
    classes = [{"class": name, "labels": [name]} for name in "AB"]
    (tmp_path / "legend.json").write_text(json.dumps({"city": classes + missing}), encoding="utf-8")
    frame = pl.DataFrame({"city": ["{A, B} or missing", "A"]})
    assert [one.message for one in check_legend(frame, ["city"], tmp_path / "legend.json")] == words


@pytest.mark.parametrize(("form", "text"), [("%d %b %Y", "3 mär 2020"), ("%d %B %Y", "3 märz 2020")])
def test_names_of_months_are_read_with_their_letters(form: str, text: str) -> None:
    column = Column.model_validate(QUASI | {"format": form, "language": "de"})
    assert column.date_format is not None
    read = reader_of(column.date_format)
    assert read(text) == read(text.upper()) == "2020-03-03"


def test_a_fault_of_one_kind_does_not_hide_those_of_another() -> None:
    """A number beyond the top, a date and a number that are none, a place that is none, a hidden cell or missing."""
    columns = {
        "age": QUASI | {"top": 90},
        "day": QUASI | {"format": "%d.%m.%Y"},
        "pay": QUASI | {"number": {"decimal": ","}},
        "lat": QUASI | {"longitude": "lon"},
        "lon": QUASI,
        "city": QUASI,
    }
    frame = pl.DataFrame(
        {"age": ["95"], "day": ["x"], "pay": ["y"], "lat": ["x"], "lon": ["y"], "city": ["* or missing"]}
    )
    found = check_cells(frame, policy(columns), "generalize")[1]
    assert [(one.check, one.column) for one in found] == [
        ("recoding", "age"), ("columns", "day"), ("columns", "pay"), ("areas", "lat"), ("missing", "city"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "cell", "holds"),
    [
        ("generalize", ">=90", True),
        ("aggregate", "90", True),
        ("generalize", "90", False),
        ("aggregate", ">=90", False),
    ],
)
def test_the_top_is_marked_in_ranges_and_not_in_means(form: str, cell: str, holds: bool) -> None:
    found = check_cells(pl.DataFrame({"age": [cell]}), policy({"age": QUASI | {"top": 90}}), form)[1]
    assert (found == []) is holds


def test_centers_with_equal_cells_share_the_people_of_a_key_set() -> None:
    frame = pl.DataFrame({"age": ["30", "30", "40"], "people": ["2", "3", "4"]})
    asked = policy({"age": QUASI}, publication="centers", keys={"who": {"columns": ["age"], "k": 4}})
    found = inspect(frame, asked, form="centers")
    assert [(one.criterion, one.measured) for one in found.claims] == [("k-anonymity", 2), ("key-anonymity", 4)]


@pytest.mark.parametrize(
    ("column", "cell", "holds"),
    [
        ({"top": 80, "round": 20}, ">=80", True),
        ({"top": 80, "round": 20}, "60", True),
        ({"top": 80, "round": 20}, "70", False),
        ({"top": date(2020, 1, 1)}, ">=2020-01-01", True),
        ({"top": date(2020, 1, 1)}, "2019-12-31T10:00:00", True),
        ({"top": date(2020, 1, 1)}, "2020-01-02", False),
        ({"bottom": date(2020, 1, 1)}, "<=2020-01-01", True),
        ({"bottom": date(2020, 1, 1)}, "2020-01-01T00:00:01", True),
        ({"bottom": date(2020, 1, 1)}, "２０２１-01-01", False),
        ({"merge": {"rest": ["a", "bc"]}}, "rest", True),
        ({"merge": {"rest": ["a", "bc"]}}, "{d, rest}", True),
        ({"merge": {"rest": ["a", "bc"]}}, "{a}", False),
        ({"merge": {"rest": ["a", "bc"]}}, "{bc, d}", False),
        ({"merge": {"rest": ["a", "bc"]}}, "{d, bc}", False),
    ],
)
def test_a_cell_is_recoded_as_the_policy_states(column: dict[str, Any], cell: str, holds: bool) -> None:
    """A date of other digits cannot be compared, and no set hides a merged label."""
    found = check_cells(pl.DataFrame({"age": [cell]}), policy({"age": QUASI | column}), "generalize")[1]
    assert [one.check for one in found] == ([] if holds else ["recoding"])


def test_a_release_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"none\.csv"):
        open_release(tmp_path / "none.csv")
