"""How the lines of a preset read released cells: what each value shows, and what is said of a column of them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.certify import Findings
from shoal.certify.preset.check import FEW, check_preset
from shoal.certify.preset.dates_and_ages import (
    date_reader,
    is_beginning_of_year,
    shows_old_age,
    shows_old_year,
    year_of,
)
from shoal.certify.preset.result import Found, LineFound, found, line_found
from shoal.certify.preset.tally import tally_of
from shoal.certify.preset.values import LONGEST, Value, values_of
from shoal.certify.preset.zip_codes import census_year, zip_area, zip_fault
from shoal.certify.preset_lines import breaches, with_lines
from shoal.certify.reading import Released
from shoal.policy import Column, Policy
from shoal.policy.preset import Line, Preset
from shoal.tables import write_file

MISSING = " or missing"


@pytest.mark.parametrize(
    ("cell", "values"),
    [
        ("5", ["5"]),
        (" 5 ", ["5"]),
        ("*", []),
        ("***", []),
        ("* or missing", []),
        ("5 or missing", ["5"]),
        ("12**", ["12**"]),
        ("X", ["X"]),
        ("[30, 39]", ["30", "39"]),
        ("[30; 39] or missing", ["30", "39"]),
        ("[30, 39)", ["30", ("39", "", True)]),
        ("]30, 39[", ["30", ("39", "", True)]),
        ("(30, 39]", ["30", "39"]),
        ("[<=30, >=39]", [("30", "<="), ("39", ">=")]),
        ('["a, b", "c"]', ["a, b", "c"]),
        ('["a \\"b\\"", c]', ['a "b"', "c"]),
        ("[a, b, c]", ["a", "b, c"]),
        ("{a, b}", ["a", "b"]),
        ('{"a, b", c} or missing', ["a, b", "c"]),
        ("{a}", ["a"]),
        ("{}", ["{}"]),
        ("{a", ["{a"]),
        ("a}", ["a}"]),
        (">=90", [("90", ">=")]),
        ("≥ 90", [("90", ">=")]),
        ("≤90", [("90", "<=")]),
        ("<= 5", [("5", "<=")]),
        ("> 5", [("5", ">")]),
        ("<5", [("5", "<")]),
        ("90+", [("90", ">=")]),
        ("90 +", [("90", ">=")]),
        ("90 and older", [("90", ">=")]),
        ("90 years OR over", [("90", ">=")]),
        ("90 year & above", [("90", ">=")]),
        ("90 or more", [("90", ">=")]),
        ("ninety and older", ["ninety and older"]),
        ('"quoted"', ["quoted"]),
        ('"half', ['"half']),
        (">=\n5", [("5", ">=")]),
    ],
)
def test_a_cell_shows_its_ends_its_labels_or_itself(cell: str, values: list[Any]) -> None:
    expected = [Value(one) if isinstance(one, str) else Value(*one) for one in values]
    for form in ("generalize", "centers"):
        assert values_of(cell, form, group=False) == expected
    assert values_of(cell, "generalize", group=True) == expected


def test_a_cell_of_a_center_lists_the_values_of_its_group() -> None:
    cell = '5: 3; ">=90": 1; null: 2'
    assert values_of(cell, "centers", group=True) == [Value("5"), Value("90", ">=")]
    assert values_of(cell, "centers", group=False) == [Value(cell)]
    assert values_of(cell, "aggregate", group=True) == [Value(cell)]
    assert values_of("[1, 2]", "centers", group=True) == [Value("1"), Value("2")]


def test_a_range_of_too_many_characters_is_not_taken_apart() -> None:
    longest = f"[{'1' * (LONGEST - 5)}, 2]"
    assert len(longest) == LONGEST
    assert len(values_of(longest, "generalize", group=False)) == 2
    assert len(values_of(longest.replace("1, ", "11, "), "generalize", group=False)) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("44102", "digits"), ("4410*", "digits"), ("4410", "digits"), ("44102.0", "digits"), ("441.0", None),
        ("441**", None), ("441XX", None), ("441##", None), ("441??-****", None), ("44", None), ("4****", None),
        ("000**", None), ("000", None), ("059", "area"), ("059**", "area"), ("203", "area"), ("090", "area"),
        ("elsewhere", None), ("", None), ("x1", "digits"), ("441 ***", None), ("441-****", None),
        ("441*-1", "digits"), ("05", None), ("441xx-xxxx", None),
    ],
)  # fmt: skip
def test_a_zip_code_has_three_digits_of_a_large_area(text: str, fault: str | None) -> None:
    assert zip_fault(Value(text)) == fault


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("44102", "441"), (" 44102 ", "441"), ("44102-1234", "441"), ("44102 1234", "441"), ("441021234", "441"),
        ("44102-123", None), ("44102-12345", None), ("44102--1234", None), ("4410", None), ("05901", None),
        ("4410a", None), ("44102-123a", None), ("", None), ("٤٤١٠٢", None), ("44102-١٢٣٤", None),
        ("44102x1234", None), ("44102X1234", None), ("44102 - 1234", None), ("²4102", None),
    ],
)  # fmt: skip
def test_only_a_whole_code_names_an_area(text: str, area: str | None) -> None:
    assert zip_area(text) == area


def test_the_census_has_a_year() -> None:
    assert census_year() == 2020


@pytest.mark.parametrize(
    ("iso", "excluded", "beginning"),
    [
        ("2020-01-01", False, True), ("2020-01-01", True, True), ("2020-12-31", False, True),
        ("2020-12-31", True, False), ("2020-01-31", False, False), ("2020-12-01", False, False),
        ("2020-01-02", False, False), ("2020-02-01", False, False), ("2020-01-01T00:00:00", False, True),
        ("2020-01-01 00:00:00.000+00:00", False, True), ("2020-01-01 10:30", False, False),
        ("2020-12-31T00:00", False, True), ("2020-12-31 00:01", False, False), ("2020-01-01 -", False, True),
    ],
)  # fmt: skip
def test_a_year_begins_in_january_and_ends_in_december(iso: str, excluded: bool, beginning: bool) -> None:
    assert is_beginning_of_year(iso, excluded=excluded) is beginning


def test_a_date_excludes_nothing_unless_it_is_said() -> None:
    assert is_beginning_of_year("2020-12-31")


PLAIN = date_reader(None)
GERMAN = date_reader(Column(role="other", format="%d.%m.%Y"))


def test_dates_are_read_in_the_format_of_the_policy_and_else_as_iso() -> None:
    assert PLAIN("2020-03-01") == "2020-03-01"
    assert PLAIN("2020-03-01 10:00") == "2020-03-01 10:00"
    assert PLAIN("01.03.2020") is PLAIN("2020-03") is PLAIN("x2020-03-01") is None
    assert GERMAN("01.03.2020") == "2020-03-01"
    assert GERMAN("2020-03-01") is None
    assert date_reader(Column(role="other"))("2020-03-01") == "2020-03-01"


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("2020-03-01", 2020), ("1961", 1961), ("1961.0", 1961), ("1960s", 1960), ("-0044", -44), ("61", None),
        ("12345", None), ("x", None), ("1961x", None), ("19610", None), ("-44", None), ("01.03.2020", None),
    ],
)  # fmt: skip
def test_a_year_has_four_digits(text: str, year: int | None) -> None:
    assert year_of(text, PLAIN) == year


def test_the_year_of_a_date_in_its_own_format() -> None:
    assert year_of("01.03.2020", GERMAN) == 2020


@pytest.mark.parametrize(
    ("value", "old"),
    [
        (Value("1935"), True), (Value("1934"), True), (Value("1936"), False), (Value("1935", "<="), False),
        (Value("1935", "<"), False), (Value("1934", "<="), True), (Value("1934", "<"), True),
        (Value("1935", ">="), True), (Value("1936", "<="), False), (Value("none"), False), (Value("1930s"), True),
        (Value("1935-01-01"), True),
    ],
)  # fmt: skip
def test_years_up_to_the_last_are_one_class(value: Value, old: bool) -> None:
    assert shows_old_year(value, PLAIN, 1935) is old


@pytest.mark.parametrize(
    ("value", "top", "old"),
    [
        (Value("89"), None, False),
        (Value("90"), None, True),
        (Value("89.5"), None, True),
        (Value("89,5"), None, True),
        (Value("x"), None, False),
        (Value("90"), 90.0, False),
        (Value("91"), 90.0, True),
        (Value("90"), 91.0, True),
        (Value("91"), 91.0, True),
        (Value("90", ">="), None, False),
        (Value("91", ">="), None, True),
        (Value("89", ">="), None, False),
        (Value("90", ">"), None, True),
        (Value("90", ">"), 90.0, True),
        (Value("89", ">"), None, False),
        (Value("90", "<="), None, True),
        (Value("90", "", True), None, False),
        (Value("91", "", True), None, True),
        (Value("90", ">=", True), None, False),
        (Value("80-90"), None, True),
        (Value("80 – 94"), None, True),
        (Value("80-89"), None, False),
        (Value("90-94"), 90.0, True),
        (Value("-90"), None, False),
        (Value("70 to 95"), 90.0, True),
        (Value("95 to 70"), 90.0, True),
    ],
)
def test_ages_above_the_oldest_are_one_class(value: Value, top: float | None, old: bool) -> None:
    assert shows_old_age(value, 89, top) is old


def test_cells_are_counted_over_parts_and_missing_ones_are_not() -> None:
    parts = [
        pl.DataFrame({"a": ["x", None, "x"], "cell": [1, 2, 2]}),
        pl.DataFrame({"a": ["y", "x"], "cell": [2, 3]}),
    ]
    counted, n_rows = tally_of(iter(parts))
    assert n_rows == 5
    assert list(counted) == ["a", "cell"]
    assert {name: sorted(cells.rows()) for name, cells in counted.items()} == {
        "a": [("x", 3), ("y", 1)],
        "cell": [("1", 1), ("2", 3), ("3", 1)],
    }
    assert counted["a"].schema == {"cell": pl.String, "n": pl.Int64}
    assert tally_of([]) == ({}, 0)


def test_what_was_found_is_a_sentence() -> None:
    one, many = found("a", 1, "{n} of it", "judge"), found("b", 1234, "it has {n}", "breach")
    assert one == Found("a", 1, "1 cell of it", "judge")
    assert (one.sentence, many.sentence) == ("a: 1 cell of it", "b: it has 1,234 cells")
    assert repr(one) == "Found(a: 1 cell of it)"
    assert found("a", 0, "no cell", "clear").what == "no cell"
    line = line_found("7", "Seven", [one, many], "why")
    assert line == LineFound("7", "Seven", "breach", (many, one), "why")
    assert line.sentence == "b: it has 1,234 cells; a: 1 cell of it"
    assert repr(line) == "LineFound(7: breach)"


@pytest.mark.parametrize(
    ("verdicts", "reason", "verdict"),
    [
        ([], None, "clear"), ([], "why", "judge"), (["clear"], None, "clear"), (["clear"], "why", "judge"),
        (["clear", "judge"], None, "judge"), (["clear", "judge", "breach"], None, "breach"),
        (["breach", "clear"], "why", "breach"), (["judge"], "why", "judge"),
    ],
)  # fmt: skip
def test_the_worst_that_was_found_decides(verdicts: list[Any], reason: str | None, verdict: str) -> None:
    seen = [found(str(place), 1, "it", one) for place, one in enumerate(verdicts)]
    line = line_found("1", "One", seen, reason)
    assert line.verdict == verdict
    assert [one.verdict for one in line.found] == sorted(verdicts, key=["breach", "judge", "clear"].index)
    if not verdicts:
        assert line.sentence == (reason or "nothing of this kind was found")


YEAR = 2025
LINES: dict[str, dict[str, Any]] = {
    "zips": {"zips": ["zip ?code", "zip"]},
    "ages": {"ages": ["age"], "oldest": 89},
    "years": {"years": ["year of birth"], "oldest": 89},
    "dates": {"dates": True, "oldest": 89},
    "years of dates": {"dates": True},
    "headings": {"headings": ["nom", "staff id"]},
    "cells": {"cells": ["^X[0-9]", "secret"]},
    "names": {"names": True},
    "codes": {"codes": True},
    "text": {"text": True},
}


def told(
    line: dict[str, Any], name: str, cells: Any, column: dict[str, Any] | None = None, form: str = "generalize",
    policy: dict[str, Any] | None = None,
) -> list[tuple[int, str, str]]:  # fmt: skip
    """What a preset of one line says of one column: the number of cells, the words and the verdict."""
    counted, n_rows = tally_of([pl.DataFrame({name: pl.Series(cells, dtype=pl.String)})])
    if column is not None:
        policy = {"k": 2, "columns": {name: column}}
    asked = None if policy is None else Policy.parse(policy)
    rule = Preset(title="Rule", source="here", lines=(Line(id="1", title="One", **line),))
    (one,) = check_preset(counted, n_rows, rule, asked, form, YEAR)
    assert (one.id, one.title, one.reason) == ("1", "One", line.get("judge"))
    assert all(seen.column == name for seen in one.found)
    return [(seen.cells, seen.what, seen.verdict) for seen in one.found]


OTHER, QUASI = {"role": "other"}, {"role": "quasi"}
FINER = "more of a date than its year"
AS_YEARS = "written as the first of January"
FIRSTS = "dates that all begin or end a year; no policy says that they stand for years"
MANY = [f"A{number}" for number in range(20)]
WORDED = [f"she came with her sister {number}" for number in range(4)]
NAMED = ["Ada Kaya", "Eve, Li", "Bo O'Neil Xu", "Zoé D’Or"]
CASES: list[tuple[str, str, Any, dict[str, Any], list[tuple[int, str, str]]]] = [
    ("zips", "zip", ["44102", "44102", "441**"], {}, [
        (2, "2 cells with more than three digits of a ZIP code, 2 of them all five", "breach")]),
    ("zips", "zip_code", ["4410*", "44102-1234"], {}, [
        (2, "2 cells with more than three digits of a ZIP code, 1 of them all five", "breach")]),
    ("zips", "zip", ["059", "441", None], {}, [
        (1, "1 cell with an area in which 20,000 people or fewer live (census of 2020)", "breach")]),
    ("zips", "zip", ["441", "*"], {}, [
        (2, "2 cells with at most three digits, of areas above 20,000 people (census of 2020)", "clear")]),
    ("zips", "where", ["44102-1234", "x 44102-1234.", "144102-1234", "44102-12345", "y"], {}, [
        (2, "2 cells in the form of a ZIP code of nine digits", "breach")]),
    ("zips", "where", ["44102"] * 9 + ["x"], {}, [(9, "9 cells of five digits, as a ZIP code has", "judge")]),
    ("zips", "where", ["44102"] * 8 + ["x"], {}, []),
    ("zips", "where", [None], {}, []),
    ("headings", "where", ["44102"] * 10, {}, []),
    ("ages", "age", ["5", "90", "[1, 90]"], {}, [(2, "2 cells with ages over 89", "breach")]),
    ("ages", "Age", ["5", "90"], {"top": 90}, [(2, "no cell shows an age over 89", "clear")]),
    ("ages", "age", ["5", "91"], {"top": 90}, [(1, "1 cell with ages over 89", "breach")]),
    ("ages", "age", ["91"], {"top": "2020-01-01", "kind": "date"}, [(1, "1 cell with ages over 89", "breach")]),
    ("ages", "height", ["95"], {}, []),
    ("years", "year of birth", ["1935", "<=1935", "1936"], {}, [
        (1, "1 cell with years up to 1935, an age over 89", "breach")]),
    ("years", "yearOfBirth", ["<=1935", "1936"], {}, [(2, "no cell shows a year up to 1935", "clear")]),
    ("years", "year of birth", ["1935", "1936"], {"bottom": 1935}, [(2, "no cell shows a year up to 1935", "clear")]),
    ("years", "year of birth", ["1935.0"], {"bottom": 1935}, [(1, "no cell shows a year up to 1935", "clear")]),
    ("years", "year of birth", ["1934"], {"bottom": 1935}, [
        (1, "1 cell with years up to 1935, an age over 89", "breach")]),
    ("years", "year of birth", ["1934"], {"bottom": 1934}, [
        (1, "1 cell with years up to 1935, an age over 89", "breach")]),
    ("years", "year of birth", ["1935"], {"bottom": 1930}, [
        (1, "1 cell with years up to 1935, an age over 89", "breach")]),
    ("years", "year of birth", ["1930-05-01"], {}, []),  # a date is for the line on dates
    ("years", "year of birth", ["01051930"], {"format": "%d%m%Y"}, [
        (1, "1 cell with years up to 1935, an age over 89", "breach")]),
    ("years", "year", ["1930"], {}, []),
    ("dates", "seen", ["2020-03-01", "2020-01-01", "x"], {}, [(1, f"1 cell with {FINER}", "breach")]),
    ("dates", "seen", ["2020-01-01", "2020-12-31", "x"], {}, [(3, f"3 cells with {FIRSTS}", "judge")]),
    ("dates", "seen", ["[2020-01-01, 2021-12-31]"], {}, [(1, f"1 cell with {FIRSTS}", "judge")]),
    ("dates", "seen", ["[2020-01-01, 2021-12-31)"], {}, [(1, f"1 cell with {FINER}", "breach")]),
    ("dates", "seen", ["2020-01-01"], {"round": "year"}, [(1, f"1 cell with years, {AS_YEARS}", "clear")]),
    ("dates", "seen", ["2020-01-01"], {"round": "decade"}, [(1, f"1 cell with years, {AS_YEARS}", "clear")]),
    ("dates", "seen", ["2020-01-01"], {"round": "month"}, [(1, f"1 cell with {FIRSTS}", "judge")]),
    ("dates", "seen", ["2020-03-01"], {"round": "year"}, [(1, f"1 cell with {FINER}", "breach")]),
    ("dates", "seen", ["2020-03", "2020-Q1", "2020-W07", "17.03.2020", "3/17/20", "March 2020"], {}, [
        (6, f"6 cells with {FINER}", "breach")]),
    ("dates", "seen", ["1961", "1960s", "*"], {}, []),
    ("dates", "seen", ["20240317"] * 9 + ["5"], {}, [(9, f"9 cells with {FINER}", "breach")]),
    ("dates", "seen", ["20240317"] * 8 + ["5"], {}, []),
    ("dates", "seen", ["17032020"], {"format": "%d%m%Y"}, [(1, f"1 cell with {FINER}", "breach")]),
    ("dates", "seen", ["01012020"], {"format": "%d%m%Y"}, [(1, f"1 cell with {FIRSTS}", "judge")]),
    ("dates", "seen", ["2020"], {"format": "%d%m%Y"}, []),
    ("dates", "seen", ["99"], {"format": "%d%m%Y"}, [(1, f"1 cell with {FINER}", "breach")]),
    ("dates", "seen", ["never"], {"format": "%d%m%Y"}, []),
    ("dates", "seen", ["1935-01-01", "2020-01-01"], {}, [
        (1, "1 cell with years up to 1935, an age over 89", "breach")]),
    ("dates", "seen", ["<=1935-01-01", "2020-01-01"], {}, [(2, f"2 cells with {FIRSTS}", "judge")]),
    ("dates", "seen", ["1935-01-01"], {"bottom": "1935-01-01", "kind": "date"}, [
        (1, "1 cell with years up to 1935, an age over 89", "breach")]),
    ("years of dates", "seen", ["1935-01-01"], {}, [(1, f"1 cell with {FIRSTS}", "judge")]),
    ("headings", "Nöm", ["a", "*", "b", "b"], {}, [
        (3, "3 cells with values under a heading of this kind", "breach")]),
    ("headings", "staffId", ["a"], {}, [(1, "1 cell with values under a heading of this kind", "breach")]),
    ("headings", "STAFFId_", ["a"], {}, [(1, "1 cell with values under a heading of this kind", "breach")]),
    ("headings", "staff  ID", ["*", None], {}, []),
    ("headings", "nominal", ["a"], {}, []),
    ("cells", "it", ["X1", "X1", "a secret", "x1", "aX1", None], {}, [
        (3, "3 cells in the form of this kind", "breach")]),
    ("cells", "it", ["x"], {}, []),
    ("names", "it", NAMED, {}, [(4, "4 cells in the form of names of people", "judge")]),
    ("names", "it", [*NAMED, "a", "b", "c", "d"], {}, [(4, "4 cells in the form of names of people", "judge")]),
    ("names", "it", [*NAMED, "a", "b", "c", "d", "e"], {}, []),
    ("names", "it", ["Ada Kaya"], {}, []),
    ("names", "it", ["Ada Kaya", "Eve Li"], {}, [(2, "2 cells in the form of names of people", "judge")]),
    ("names", "it", ["Ada Kaya"] * 4, {}, []),
    ("names", "it", ["Ada Kaya", "Ada Kaya", "Eve Li", "Eve Li"], {}, [
        (4, "4 cells in the form of names of people", "judge")]),
    ("codes", "it", MANY, {}, [(20, "20 cells unlike all others, as codes are", "judge")]),
    ("codes", "it", [*MANY[:18], "A0", "A1"], {}, []),
    ("codes", "it", [*MANY[:19], "A0"], {}, [(18, "18 cells unlike all others, as codes are", "judge")]),
    ("codes", "it", MANY[:FEW - 1], {}, []),
    ("codes", "it", [*MANY[:18], "b", "c"], {}, [(20, "20 cells unlike all others, as codes are", "judge")]),
    ("codes", "it", [*MANY[:17], "b", "c", "d"], {}, []),
    ("codes", "it", [*MANY[:18], "1.5", "-2.5"], {}, [(20, "20 cells unlike all others, as codes are", "judge")]),
    ("codes", "it", [f"{number}.5" for number in range(20)], {}, []),
    ("codes", "it", [f"{number}" for number in range(20)], {}, [
        (20, "20 cells unlike all others, as codes are", "judge")]),
    ("text", "it", WORDED, {}, [(4, "4 cells of several words: somebody must read them", "judge")]),
    ("text", "it", WORDED[:2], {}, []),
    ("text", "it", WORDED[:3], {}, [(3, "3 cells of several words: somebody must read them", "judge")]),
    ("text", "it", [f"she came with {name}" for name in ("Ann", "Bob", "Cid", "Dot")], {}, []),
    ("text", "it", [f"[{one}]" for one in WORDED], {}, []),
    ("text", "it", [f"{{{one}}}" for one in WORDED], {}, []),
    ("text", "it", WORDED + ["x"] * 196, {}, []),
    ("text", "it", WORDED + ["x"] * 195, {}, [(4, "4 cells of several words: somebody must read them", "judge")]),
    ("text", "it", ["x"], {}, []),
]  # fmt: skip
"""A line, a heading, cells, settings of the column if a policy is known, and what is found."""


@pytest.mark.parametrize(("line", "name", "cells", "column", "expected"), CASES)
def test_a_line_says_of_a_column_what_its_cells_show(
    line: str, name: str, cells: Any, column: dict[str, Any], expected: list[tuple[int, str, str]]
) -> None:
    assert told(LINES[line], name, cells, QUASI | column) == expected
    if not column:
        assert told(LINES[line], name, cells) == expected


@pytest.mark.parametrize("form", ["generalize", "aggregate", "centers"])
def test_a_bottom_without_a_mark_is_a_class_where_means_are_published(form: str) -> None:
    bottom = QUASI | {"bottom": "1935-06-01", "kind": "date"}
    old = [(1, "1 cell with years up to 1935, an age over 89", "breach")]
    fine = [(1, f"1 cell with {FIRSTS}", "judge")]
    assert told(LINES["dates"], "seen", ["1935-01-01"], bottom, form) == (old if form == "generalize" else fine)
    assert told(LINES["dates"], "seen", ["1934-01-01"], bottom, form) == old
    assert told(LINES["dates"], "seen", ["1935-01-01"], bottom | {"bottom": "1934-06-01"}, form) == old


def test_the_values_of_a_group_are_read_one_by_one() -> None:
    expected = [(1, "1 cell with ages over 89", "breach")]
    assert told(LINES["ages"], "age", ["95: 2; 5: 1"], OTHER, "centers") == expected
    assert told(LINES["ages"], "age", [">=90: 2; 5: 1"], OTHER, "centers") == [
        (1, "no cell shows an age over 89", "clear")
    ]
    assert told(LINES["ages"], "age", [">=90: 2; 5: 1"], None, "centers") == [
        (1, "no cell shows an age over 89", "clear")
    ]
    assert told(LINES["ages"], "age", [">=90: 2; 5: 1"], QUASI, "centers") == expected


def test_people_have_numbers_that_were_made_for_the_release() -> None:
    person, line = {"role": "person"}, LINES["codes"]
    made = "2 cells with numbers that were made for this release (45 CFR 164.514(c) allows them)"
    derived = "2 cells with pseudonyms, derived from an identifier (45 CFR 164.514(c) asks for codes that are not)"
    assert told(line, "it", ["1", "22"], person) == [(2, made, "clear")]
    assert told(line, "it", ["1", "2a"], person) == [(2, derived, "breach")]
    assert told(LINES["text"], "it", ["1", "2a"], person) == []
    assert told(LINES["headings"], "nom", ["1", "2a"], person) == []


PARTS = {
    "k": 2,
    "columns": {"age": QUASI, "age_min": OTHER, "n": QUASI | {"kind": "place", "longitude": "e"}, "e": QUASI},
}


@pytest.mark.parametrize(
    ("name", "form", "cells", "verdicts"),
    [
        ("age_max", "generalize", ["90"], ["breach"]),
        ("age_min", "generalize", ["90"], []),  # the policy has it as a column of its own
        ("age_missing", "generalize", ["90"], []),
        ("n_radius_m", "generalize", ["90"], []),
        ("other_max", "generalize", ["90"], []),
        ("age_other", "generalize", ["90"], []),
    ],
)
def test_a_part_of_a_column_has_its_heading(name: str, form: str, cells: list[str], verdicts: list[str]) -> None:
    assert [verdict for *_, verdict in told(LINES["ages"], name, cells, None, form, PARTS)] == verdicts


@pytest.mark.parametrize(
    ("name", "form", "counted"),
    [
        ("age_missing", "generalize", True),
        ("n_radius_m", "generalize", True),
        ("age_max", "generalize", False),
        ("zip_missing", "generalize", False),
        ("n_radius", "generalize", False),
        ("people", "centers", True),
        ("people", "generalize", False),
        ("persons", "centers", False),
    ],
)
def test_numbers_of_a_group_are_no_codes_of_people(name: str, form: str, counted: bool) -> None:
    """A size, a radius and a number of missing values tell nothing that a line is about."""
    line = {"cells": ["^[0-9]+$"]}
    assert (told(line, name, ["17", "18"], None, form, PARTS) == []) is counted


def test_a_column_called_people_may_be_one_of_the_policy() -> None:
    policy = {"k": 2, "columns": {"people": OTHER}}
    assert told({"cells": ["^[0-9]+$"]}, "people", ["17"], None, "centers", policy) != []


@pytest.mark.parametrize(("setting", "cells"), [("names", NAMED), ("codes", MANY), ("text", WORDED)])
def test_what_must_not_be_there_is_not_merely_for_a_person_to_judge(setting: str, cells: list[str]) -> None:
    expected = [(len(cells), f"{len(cells)} cells with values under a heading of this kind", "breach")]
    assert told(LINES["headings"] | {setting: True}, "nom", cells) == expected


def test_a_line_looks_behind_columns_of_numbers_and_columns_that_are_empty() -> None:
    frame = pl.DataFrame({"age_missing": ["5"], "empty": [None], "nom": ["a"]})
    counted, n_rows = tally_of([frame])
    rule = Preset(title="Rule", source="here", lines=(Line(id="1", title="One", headings=("nom",)),))
    (line,) = check_preset(counted, n_rows, rule, Policy.parse(PARTS), "generalize", YEAR)
    assert [one.column for one in line.found] == ["nom"]


def test_every_line_looks_at_every_column_and_finds_its_worst() -> None:
    frame = pl.DataFrame({"nom": ["a"], "age": ["95"], "empty": [None], "zip": ["44102"]})
    line = Line(id="1", title="One", headings=("nom",), **LINES["ages"] | LINES["zips"])
    rule = Preset(title="Rule", source="here", lines=(line, Line(id="2", title="Two", judge="who knows")))
    counted, n_rows = tally_of([frame])
    first, second = check_preset(counted, n_rows, rule, None, "generalize", YEAR)
    assert [one.column for one in first.found] == ["nom", "age", "zip"]
    assert second == LineFound("2", "Two", "judge", (), "who knows")


RULE = Preset(title="Rule", source="here", k=3, lines=(Line(id="1", title="One", headings=("nom",)),))
FRAME = pl.DataFrame({"nom": ["a", None, "b"]})


def findings(k: int = 3, **more: Any) -> Findings:
    return Findings(form="generalize", unit="rows", k=k, **more)


@pytest.mark.parametrize(("k", "verdict"), [(2, "breach"), (3, "clear"), (4, "clear")])
def test_a_preset_that_asks_for_a_k_has_a_line_for_it(k: int, verdict: str) -> None:
    asked = Policy.parse({"k": 2, "columns": {"nom": OTHER}})
    read = with_lines(findings(k), Released(FRAME), RULE, asked)
    assert (read.preset, read.rows) == ("Rule", 3)
    least, one = read.lines
    title = "At least 3 rows in every group"
    assert least == LineFound("k", title, verdict, (), f"the smallest group has {k} rows")  # type: ignore[arg-type]
    assert (one.id, one.verdict) == ("1", "breach")
    unknown = with_lines(findings(k), Released(FRAME), RULE, None).lines[0]
    assert unknown == LineFound("k", title, "judge", (), "no policy says which columns others know")


def test_a_preset_without_a_k_has_only_its_lines() -> None:
    rule = Preset(title="Rule", source="here", lines=RULE.lines)
    read = with_lines(findings(rows=7), Released(FRAME), rule, None)
    assert [line.id for line in read.lines] == ["1"]
    assert read.rows == 7


def test_a_table_that_cannot_be_read_has_no_lines() -> None:
    read = with_lines(findings(), Released(None), RULE, None)
    assert (read.preset, read.lines) == ("Rule", ())


def test_a_table_in_parts_has_the_lines_of_the_whole() -> None:
    whole = with_lines(findings(), Released(FRAME), RULE, None)
    assert (
        with_lines(findings(), Released(None, scan=lambda: iter([FRAME.head(1), FRAME.tail(2)])), RULE, None) == whole
    )


def test_lines_know_the_policy_the_form_and_the_number_of_rows(tmp_path: Path) -> None:
    rule = Preset(title="Rule", source="here", lines=(Line(id="1", title="One", codes=True, **LINES["ages"]),))
    codes = pl.DataFrame({"it": MANY})
    write_file(codes, tmp_path / "synthetic.csv")
    (line,) = with_lines(findings(), Released(codes), rule, None, tmp_path / "synthetic.csv").lines
    assert [(one.column, one.verdict) for one in line.found] == [("it", "judge"), ("synthetic.csv, it", "judge")]
    people = pl.DataFrame({"it": ["1", "2"], "age": [">=90: 1", "5: 2"]})
    asked = Policy.parse({"k": 2, "columns": {"it": {"role": "person"}, "age": OTHER}})
    for form, verdict in (("centers", "clear"), ("generalize", "breach")):
        (line,) = with_lines(Findings(form=form, unit="rows"), Released(people), rule, asked).lines
        assert {one.column: one.verdict for one in line.found} == {"it": "clear", "age": verdict}


def test_ages_are_counted_in_the_present_year() -> None:
    last = date.today().year - 90
    rule = Preset(title="Rule", source="here", lines=(Line(id="1", title="One", **LINES["years"]),))
    for year, verdict in ((last, "breach"), (last + 1, "clear")):
        frame = pl.DataFrame({"year of birth": [str(year)]})
        assert with_lines(findings(), Released(frame), rule, None).lines[0].verdict == verdict


def test_synthetic_rows_are_judged_by_a_person(tmp_path: Path) -> None:
    rule = Preset(title="Rule", source="here", lines=(
        Line(id="1", title="One", headings=("nom",), judge="why"), Line(id="2", title="Two", **LINES["ages"]),
        Line(id="3", title="Three", **LINES["years"]),
    ))  # fmt: skip
    last = date.today().year - 90
    write_file(
        pl.DataFrame({"nom": ["a", "b"], "age": ["5", "6"], "year of birth": [str(last)] * 2}),
        tmp_path / "synthetic.csv",
    )
    first, second, third = with_lines(findings(), Released(FRAME), rule, None, tmp_path / "synthetic.csv").lines
    assert [(one.column, one.verdict) for one in first.found] == [("nom", "breach"), ("synthetic.csv, nom", "judge")]
    assert (first.title, first.reason, first.verdict) == ("One", "why", "breach")
    assert (second.verdict, second.found) == ("clear", ())
    assert [(one.column, one.verdict) for one in third.found] == [("synthetic.csv, year of birth", "judge")]
    assert [first.id, second.id, third.id] == ["1", "2", "3"]


def test_every_line_that_is_broken_is_a_failure() -> None:
    shown = (found("a", 2, "{n}", "breach"), found("b", 3, "{n}", "breach"), found("c", 4, "{n}", "judge"))
    lines = (
        LineFound("1", "One", "breach", shown),
        LineFound("2", "Two", "judge", shown[2:]),
        LineFound("k", "At least", "breach", reason="the smallest group has 2 rows"),
        LineFound("3", "Three", "clear"),
    )
    first, second = breaches(findings(preset="Rule", lines=lines))
    assert (first.check, first.message, first.records) == ("preset", "Rule 1: a: 2 cells; b: 3 cells", 5)
    assert (second.check, second.message, second.records) == ("preset", "Rule k: the smallest group has 2 rows", 0)
