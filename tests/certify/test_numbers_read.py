"""The verifier reads numbers by code of its own: every part of a format at its edges, and nothing besides."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certify.number_cells import check_numbers, numbers_of, read_number
from shoal.certify.sensitive_values import UnreadableError
from shoal.policy import Policy
from shoal.policy.number_format import NumberFormat

COMMA = {"decimal": ",", "thousands": "."}
POINT = {"thousands": ","}
EURO = {"decimal": ",", "prefix": "€ ", "suffix": " /m²"}
LAKHS = {"thousands": ",", "lakhs": True}


@pytest.mark.parametrize(
    ("form", "text", "plain"),
    [
        ({}, "1", "1.0"),
        ({}, " 1.50 ", "1.50"),
        ({}, "1.", "1.0"),
        ({}, ".5", "0.5"),
        ({}, ".", None),
        ({}, "", None),
        ({}, "1.2.3", None),
        ({}, "1,5", None),
        ({}, "1e5", None),
        ({}, "1 000", None),
        ({}, "٣", None),
        ({}, "x", None),
        ({}, "-1.5", "-1.5"),
        ({}, "+1.5", "1.5"),
        ({}, "−1.5", "-1.5"),
        ({}, "- 1.5", "-1.5"),
        ({}, "--1.5", None),
        ({}, "+-1.5", None),
        ({}, "-0", "0.0"),
        ({}, "(1.5)", "-1.5"),
        ({}, "( 1.5 )", "-1.5"),
        ({}, "(0)", "0.0"),
        ({}, "(-1.5)", None),
        ({}, "(+1.5)", None),
        ({}, "(1.5", None),
        ({}, "1.5)", None),
        ({"decimal": ","}, "1,5", "1.5"),
        ({"decimal": ","}, "1.5", "1.5"),  # a frame, unlike a file, has plain numbers
        ({"decimal": ","}, "1.5,5", None),
        (COMMA, "1.234,5", "1234.5"),
        (COMMA, "1.234.567", "1234567.0"),
        (COMMA, "1234567,5", "1234567.5"),
        (COMMA, "1.5", None),
        (COMMA, "1.2345", None),
        (COMMA, "1234.567", None),
        (COMMA, ".234", None),
        (COMMA, "1..234", None),
        (COMMA, "1.23.456", None),
        (COMMA, "1.234,5.6", None),
        (COMMA, "123.456", "123456.0"),
        (POINT, "1,234.5", "1234.5"),
        (POINT, "1,234,567.5", "1234567.5"),
        (POINT, "1,23,456", None),
        (POINT, "12.5", "12.5"),
        ({"thousands": " "}, "1 234.5", "1234.5"),
        ({"thousands": " "}, "1\u00a0234\u202f567.5", "1234567.5"),
        ({"thousands": " "}, "1x234", None),
        ({"thousands": "'"}, "1'234.5", "1234.5"),
        ({"thousands": "'"}, "1’234.5", "1234.5"),
        (LAKHS, "12,34,567.5", "1234567.5"),
        (LAKHS, "1,23,45,678", "12345678.0"),
        (LAKHS, "123,456", None),
        (LAKHS, "1,234,567", None),
        (LAKHS, "12,345", "12345.0"),
        (EURO, "€ 1,5 /m²", "1.5"),
        (EURO, "€1,5/m²", "1.5"),
        (EURO, "1,5", "1.5"),
        (EURO, "-€ 1,5", "-1.5"),
        (EURO, "€ -1,5 /m²", "-1.5"),
        (EURO, "-€ -1,5", None),
        (EURO, "€\u00a01,5\u202f/m²", "1.5"),
        (EURO, "$ 1,5", None),
        (EURO, "1,5 /m² €", None),
        (EURO, "(€ 1,5 /m²)", "-1.5"),
        ({"suffix": " kg"}, "1 kg", "1.0"),
        ({"suffix": " kg"}, "1 kg kg", None),
        ({"suffix": " kg"}, "kg", None),
    ],
)
def test_a_text_is_the_number_that_its_format_says_or_none(
    form: dict[str, Any], text: str, plain: str | None
) -> None:
    assert read_number(text, NumberFormat(**form)) == plain


def cell(text: str, **form: Any) -> str | None:
    """A cell of a quasi-identifier as the other checks see it; None where it is unreadable."""
    policy = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi", "number": form}}})
    frame, failures = check_numbers(pl.DataFrame({"q": [text, None]}), policy)
    assert frame["q"].dtype == pl.String
    assert [one.records for one in failures] == ([1] if frame["q"][0] is None else [])
    return frame["q"][0]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("1,5", "1.5"),
        ("1,5 or missing", "1.5 or missing"),
        ("x or missing", None),
        (" or missing", None),
        (" or missing1,5", None),
        ("*", "*"),
        ("* or missing", "* or missing"),
        ("**", None),
        ("[1,5; 2]", "[1.5, 2.0]"),
        ("[1,5; 2)", "[1.5, 2.0)"),
        ("[1,5; 2] or missing", "[1.5, 2.0] or missing"),
        ("[1,5; 2)or missing", None),
        ("[2; 2]", "[2.0, 2.0]"),
        ("[10; 9]", None),
        ("[9; 10]", "[9.0, 10.0]"),
        ("[-2; -10]", None),
        ("[x; 2]", None),
        ("[2; x]", None),
        ("[2, 3]", None),
        ("(2; 3]", None),
        ("{2; 3}", None),
        ("", None),
    ],
)
def test_a_cell_is_a_number_a_range_or_hidden(text: str, seen: str | None) -> None:
    assert cell(text, decimal=",") == seen


def test_a_comma_stands_between_the_ends_unless_numbers_have_commas() -> None:
    assert cell("[1, 2]", suffix=" kg") == "[1.0, 2.0]"
    assert cell("[1; 2]", suffix=" kg") is None
    assert cell("[1,000; 2,000]", thousands=",") == "[1000.0, 2000.0]"
    assert cell("[1,000, 2,000]", thousands=",") is None
    assert cell("[1'000, 2'000.5 kg]", thousands="'", suffix="kg") == "[1000.0, 2000.5]"


def test_the_ends_of_ranges_in_two_columns_are_read_and_counted_together() -> None:
    columns = {name: {"role": "quasi", "number": {"decimal": ","}} for name in ("a", "b", "c")}
    policy = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi"}} | columns})
    frame = pl.DataFrame(
        {
            "q": ["x", "y", "z"],
            "a_min": ["1,5", "x", None],
            "a_max": ["y", "z", "3"],
            "b": ["1,5", None, "1,5"],
            "c": [None, None, "?"],
        }
    )
    seen, failures = check_numbers(frame, policy)
    assert seen.to_dict(as_series=False) == {
        "q": ["x", "y", "z"],
        "a_min": ["1.5", None, None],
        "a_max": [None, None, "3.0"],
        "b": ["1.5", None, "1.5"],
        "c": [None, None, None],
    }
    assert [(one.check, one.column, one.message, one.records) for one in failures] == [
        ("columns", name, f"column {name}: {n} cells are neither numbers nor ranges in the format of the policy", n)
        for name, n in (("a", 3), ("c", 1))
    ]


def test_a_column_of_missing_numbers_is_read() -> None:
    policy = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi", "number": {"decimal": ","}}}})
    frame, failures = check_numbers(pl.DataFrame({"q": [None, None]}, schema={"q": pl.String}), policy)
    assert (frame["q"].to_list(), frame["q"].dtype, failures) == ([None, None], pl.String, [])


def test_sensitive_numbers_are_read_and_blanks_are_missing() -> None:
    texts = pl.Series("s", ["1,5", "1,50", None, " ", "", "(3)"])
    found = numbers_of(texts, NumberFormat(decimal=","))
    assert found.to_list() == ["1.5", "1.50", None, None, None, "-3.0"]
    assert (found.name, found.dtype) == ("s", pl.String)
    nothing = numbers_of(pl.Series("s", [None, " "], dtype=pl.String), NumberFormat())
    assert (nothing.to_list(), nothing.dtype) == ([None, None], pl.String)


def test_sensitive_texts_that_are_no_numbers_are_listed() -> None:
    with pytest.raises(UnreadableError) as raised:
        numbers_of(pl.Series(["1", "x", None, "y", ""]), NumberFormat())
    assert sorted(raised.value.texts) == ["x", "y"]
    assert raised.value.expected == "a number in the format of the column"


def test_verify_counts_sensitive_numbers_by_what_they_mean() -> None:
    columns = {"q": {"role": "quasi"}, "s": {"role": "sensitive", "number": {"decimal": ",", "suffix": " kg"}}}
    policy = {"k": 2, "diversity": {"l": 2}, "closeness": {"t": 0.1}, "columns": columns}
    frame = pl.DataFrame({"q": ["1"] * 2 + ["2"] * 2, "s": ["1,5 kg", "1,50", "1 kg", "2 kg"]})
    found = shoal.verify(frame, policy, form="generalize")
    assert (found.holds, found.l) == (False, {"s": 1.0})
    bad = shoal.verify(frame.with_columns(s=pl.Series(["x", "1", "2", "3"])), policy, form="generalize")
    assert [(one.message, one.groups, one.records) for one in bad.failures] == [
        ("column s has 1 values that are not a number in the format of the column", 1, 2)
    ]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("€- 5", "-5.0"),
        ("-€ 5 /m²", "-5.0"),
        ("(€ 5)", "-5.0"),
        ("(\t5)", None),
        ("-\t5", None),
        ("€-\t5", None),
        ("€\t5", None),
        ("5\t/m²", None),
        ("X5", None),
    ],
)
def test_only_blanks_stand_between_the_parts_of_a_number(text: str, plain: str | None) -> None:
    assert read_number(text, NumberFormat.model_validate(EURO)) == plain
