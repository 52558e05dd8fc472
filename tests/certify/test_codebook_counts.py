"""What a codebook counts and reads in the cells of a column: exact cells, types, and kinds that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from shoal.certify.codebook.exact import exact_cells
from shoal.certify.codebook.field_types import Types, field_type, types_of
from shoal.certify.codebook.kinds import MOST_LEVELS, Stated, misfit
from shoal.certify.codebook.parts import Part, parts_of
from shoal.certify.codebook.recoding import is_inexact
from shoal.certify.codebook.tally import Tally
from shoal.certify.reduced import Reduced, reduce
from shoal.policy import Column, Policy

QUASI, NUMBER, DATE = {"role": "quasi"}, Stated("number"), Stated("date")
LABEL, ORDERED, TREE = Stated("label"), Stated("ordered"), Stated("hierarchy", {"1*": 1})
EURO = {"decimal": ",", "thousands": ".", "suffix": " €"}
CIRCLE = {"kind": "place", "longitude": "east", "shape": "circle"}


def text(cells: Sequence[str | None]) -> pl.Series:
    return pl.Series("it", cells, dtype=pl.String)


@pytest.mark.parametrize(
    ("cells", "stated", "column", "exact"),
    [
        (["5", "5", "-1.5", None], NUMBER, {}, 4),  # that all values are missing is said exactly
        (["*", "5"], NUMBER, {}, 1),
        (["[1, 2]", "[1; 2]", "[1, 2)", "[1, 2", "5"], NUMBER, {}, 2),
        (["5 or missing", "[1, 2] or missing", "5"], NUMBER, {}, 1),
        (["2020-01-01", "[2020-01-01, 2020-02-01]", None], DATE, {}, 2),
        (["2020-01", "2020-01-01"], Stated("date", {"2020-01": 1}), {}, 1),
        (["2020-01 or missing", "2020-01-01 or missing"], Stated("date", {"2020-01": 1}), {}, 0),
        (["1*", "11", "11 or missing", "*", "[1, 2]"], TREE, {}, 2),  # a value of a hierarchy may look like a range
        (["low", "[low, high]", "{low} or missing", "[low, high] or missing", "low or missing"], ORDERED, {}, 2),
        (["ash", "{ash, oak}", "{ash} or missing", "*", "[a, b]", None], LABEL, {}, 3),
        (["ash", "ash +2", "box +1", "oak"], LABEL, {"classes": "k"}, 2),
        (["48.1", "[48.1, 48.2]"], Stated("place"), {"kind": "place", "longitude": "beside"}, 1),
        (["90", ">=90", "[5, >=90]", "5", "<=1", None], NUMBER, {"top": 90}, 2),
        (["5", "10", None, "*"], NUMBER, {"round": 5}, 1),
    ],
)
@pytest.mark.parametrize("form", ["generalize", "suppress"])
def test_exact_cells_say_one_value_or_that_it_is_missing(
    cells: list[str | None], stated: Stated, column: dict[str, Any], exact: int, form: str
) -> None:
    classes = (("ash +2", ("ash", "elm", "fir")), ("box +1", ("box", "yew")), ("oak", ("oak",)))
    frame = text([*cells, *cells]).to_frame()
    found = exact_cells(
        Tally(frame), Part("it", "it", "quasi"), form, stated, classes, Column(**QUASI | column), circle=False
    )
    assert found == 2 * exact


@pytest.mark.parametrize(
    ("part", "form", "column", "exact"),
    [
        (Part("it", "it", "sensitive"), "generalize", {}, 4),
        (Part("it", "it", "other"), "aggregate", {}, 4),
        (Part("it", "it", "weight"), "suppress", {}, 4),
        (Part("it", "it", "sensitive"), "generalize", {"top": 5}, 3),
        (Part("it", "it", "sensitive"), "generalize", {"round": 5}, 1),
        (Part("it", "it", "sensitive"), "centers", {}, None),
        (Part("it", "it", "sensitive"), "generalize", {"perturb": {"method": "pram", "keep": 0.5}}, None),
        (Part("it", "it", "person"), "generalize", {"role": "person"}, None),
        (Part("it", "it", "people"), "generalize", {}, None),
        (Part("it", "it", "radius"), "generalize", {}, None),
        (Part("it", "it", "quasi"), "aggregate", QUASI, None),
        (Part("it", "it", "quasi"), "centers", QUASI, None),
        (Part("it", "it", "quasi", "max"), "generalize", QUASI, None),
        (Part("it", "it", "quasi", "missing"), "generalize", QUASI, None),
        (Part("it", "it", "quasi", "radius"), "generalize", QUASI, None),
        (Part("it", "it", "quasi"), "generalize", QUASI | {"kind": "set"}, None),
    ],
)
def test_only_columns_of_single_values_are_counted(
    part: Part, form: str, column: dict[str, Any], exact: int | None
) -> None:
    frame = text(["5", "7", None, "x"]).to_frame()
    asked = Column(**{"role": "sensitive"} | column)
    assert exact_cells(Tally(frame), part, form, NUMBER, None, asked, circle=False) == exact


def test_without_a_stated_kind_or_a_policy_nothing_is_guessed() -> None:
    tally, quasi = Tally(text(["5", None, "*"]).to_frame()), Part("it", "it", "quasi")
    assert exact_cells(tally, quasi, "generalize", None, None, None, circle=False) is None
    assert exact_cells(tally, quasi, "generalize", NUMBER, None, None, circle=False) == 2
    assert exact_cells(tally, Part("it", "it", "other"), "generalize", None, None, None, circle=False) == 3


def test_of_the_center_of_a_circle_only_missing_is_exact() -> None:
    tally, part = Tally(text(["48.1", "48.1", None, "*"]).to_frame()), Part("it", "it", "quasi")
    column = Column(**QUASI, **CIRCLE)
    assert exact_cells(tally, part, "generalize", Stated("place"), None, column, circle=True) == 1


ENDS = pl.DataFrame(
    {
        "it_min": ["1", "1", "2", None, None, "9", "1"],
        "it_max": ["1", "1", "3", None, "3", "9", "1"],
        "it_missing": ["false", "true", "false", "true", "false", None, "false"],
    }
)


@pytest.mark.parametrize(
    ("frame", "column", "exact"),
    [
        (ENDS, {}, 3),  # both ends 1 twice, and both empty
        (ENDS.drop("it_missing"), {}, 5),
        (ENDS, {"top": 1}, 1),
        (ENDS.drop("it_missing"), {"top": 9}, 4),
        (ENDS, {"round": 1}, 1),
    ],
)
def test_a_range_in_two_columns_is_exact_where_its_ends_are_equal(
    frame: pl.DataFrame, column: dict[str, Any], exact: int
) -> None:
    part, asked = Part("it_min", "it", "quasi", "min"), Column(**QUASI | column)
    assert exact_cells(Tally(frame), part, "generalize", NUMBER, None, asked, circle=False) == exact


@pytest.mark.parametrize(
    ("cell", "column", "inexact"),
    [
        ("5", {}, False),
        ("5", {"round": 5}, True),
        (">=5", {}, True),
        ("<=5", {}, True),
        ("5", {"top": 5}, True),
        ("5.0", {"top": 5}, True),
        ("5,5", {"bottom": 5.5}, True),
        ("4", {"top": 5, "bottom": 3}, False),
        ("three", {"bottom": 3}, False),
        ("2020-12-31", {"kind": "date", "top": "2020-12-31"}, True),
        ("2020-12-31 10:00", {"kind": "date", "top": "2020-12-31"}, True),
        ("2020-12-30", {"kind": "date", "top": "2020-12-31"}, False),
        ("other", {"kind": "label", "merge": {"other": ["a", "b"]}}, True),
        ("a", {"kind": "label", "merge": {"other": ["a", "b"]}}, False),
    ],
)
def test_a_cell_that_was_recoded_may_stand_for_several_values(
    cell: str, column: dict[str, Any], inexact: bool
) -> None:
    assert is_inexact(cell, Column(**QUASI | column)) is inexact


def in_parts(frame: pl.DataFrame, policy: Policy) -> Reduced:
    """What is kept of a table that is read in two parts."""
    half = frame.height // 2
    return reduce([frame.head(half), frame.tail(frame.height - half)], policy, "generalize")


@pytest.mark.parametrize("whole", [True, False])
def test_cells_are_counted_alike_in_a_frame_and_in_parts(whole: bool) -> None:
    policy = Policy.parse({"k": 2, "columns": {"count": QUASI, "cell": {"role": "sensitive"}}})
    frame = pl.DataFrame({"count": ["5", "5", None, "7", "5"], "cell": ["a", "b", "b", None, None]})
    reduced = None if whole else in_parts(frame, policy)
    tally = Tally(frame if reduced is None else reduced.frame, reduced)
    assert tally.height == 5
    assert sorted(tally.counts("count"), key=str) == [("5", 3), ("7", 1), (None, 1)]
    assert sorted(tally.counts("cell"), key=str) == [("a", 1), ("b", 2), (None, 2)]
    assert (tally.empty("count"), tally.empty("cell")) == (1, 2)
    chosen = tally.frame["count"] == "5"
    assert tally.counts_where("count", chosen) == [("5", 3)]
    chosen = tally.frame["count"].is_null()
    assert tally.counts_where("count", chosen) == [(None, 1)]


def test_cells_that_are_numbers_are_counted_as_text() -> None:
    tally = Tally(pl.DataFrame({"it": [1, 1, 2]}))
    assert sorted(tally.counts("it")) == [("1", 2), ("2", 1)]
    assert tally.counts_where("it", pl.Series([True, False, False])) == [("1", 1)]


ANOTHER, NO_CELL = "its policy says another kind", "it has levels of nodes that no cell has"
PLACE = {"kind": "place", "longitude": "beside"}


@pytest.mark.parametrize(
    ("stated", "column", "cells", "wrong"),
    [
        (NUMBER, {}, ["5", "-5.5", "5,5", "1e-7", "[1, 2]", "[1; 2]", "[1,5; 2)", "*", "5 or missing", None], None),
        (NUMBER, {}, ["five", "[1, two]", "[one, 2]", "2020-01-01", "", "2020-Q1"],
         "6 of its values are not numbers"),
        (NUMBER, {}, ["five", "five", "five or missing"], "1 of its values are not numbers"),
        (DATE, {}, ["2020-01-01", "2020-01-01 10:00", "2020-01-01T10:00+01:00", "2020-13", "20200"],
         "2 of its values are not dates"),
        (DATE, {}, ["2020-01", "2020-12", "2020-W07", "2020-Q4", "2020", "1980s", "[2020-01-01, 2020-02-01]"], None),
        (DATE, {}, ["[2020-01, 2020-02]", "2020-Q5", "2020-W7", "1985s"], "4 of its values are not dates"),
        (Stated("place"), PLACE, ["48.1", "[48.1, 48.2]", "2020"], None),
        (Stated("place"), PLACE, ["2020-01"], "1 of its values are not places"),
        (LABEL, {}, ["five", None], None),
        (NUMBER, PLACE, ["5"], ANOTHER),
        (LABEL, {"map": {"edges": "a.csv"}}, ["5"], ANOTHER),
        (Stated("region"), {"map": {"edges": "a.csv"}}, ["5"], None),
        (NUMBER, {"kind": "label", "classes": 2}, ["5"], ANOTHER),
        (LABEL, {"kind": "label", "classes": 2}, ["5"], None),
        (LABEL, {"kind": "set"}, ["5"], ANOTHER),
        (Stated("set"), {"kind": "set"}, ["a;b"], None),
        (Stated("set", {}), {"kind": "set"}, ["a;b"], ANOTHER),
        (Stated("set"), {}, ["a;b"], ANOTHER),
        (TREE, {}, ["1*", "11"], None),
        (TREE, {}, ["1* or missing", None], None),
        (TREE, {}, ["11"], NO_CELL),
        (Stated("hierarchy", {"1*": 0}), {}, ["1*"], NO_CELL),
        (Stated("hierarchy", {"1*": -1}), {}, ["1*"], NO_CELL),
        (Stated("hierarchy", {"1*": MOST_LEVELS}), {}, ["1*"], None),
        (Stated("hierarchy", {"1*": MOST_LEVELS + 1}), {}, ["1*"], NO_CELL),
        (Stated("hierarchy", {"1*": 1, "**": 2}), {}, ["1*"], NO_CELL),
    ],
)  # fmt: skip
def test_a_kind_that_cells_or_policy_show_to_be_another_is_refused(
    stated: Stated, column: dict[str, Any], cells: list[str | None], wrong: str | None
) -> None:
    assert misfit(stated, Column(**QUASI | column), text(cells), text(cells)) == wrong


def test_numbers_are_read_as_they_are_written_and_nodes_as_they_stand() -> None:
    cells, plain = text(["1.000 €", "[1 €; 2 €]"]), text(["1000", "[1, 2]"])
    column = Column(**QUASI, number=EURO)
    assert misfit(NUMBER, column, cells, plain) is None
    assert misfit(Stated("number", {"[1 €; 2 €]": 1}), column, cells, plain) is None
    assert misfit(Stated("number", {"[1, 2]": 1}), column, cells, plain) == NO_CELL


def test_every_released_column_is_a_part_of_a_column_of_the_policy() -> None:
    columns = {
        "age": QUASI, "zip": QUASI, "born": QUASI, "name": {"role": "identifier"}, "ill": {"role": "sensitive"},
        "who": {"role": "person"}, "note": {"role": "other"}, "size": {"role": "weight"},
    }  # fmt: skip
    asked = {"k": 2, "columns": columns}
    names = [
        "who", "age_max", "age_min", "zip", "zip_min", "age_missing", "zip_missing", "zip_radius_m", "name", "ill",
        "note", "size", "people", "radius", "ill_missing", "stranger", "born_min",
    ]  # fmt: skip
    plain = [Part("who", "who", "person"), Part("zip", "zip", "quasi")]
    ends = [Part("age_max", "age", "quasi", "max"), Part("age_min", "age", "quasi", "min")]
    beside = [
        Part("age_missing", "age", "quasi", "missing"),
        Part("zip_missing", "zip", "quasi", "missing"),
        Part("zip_radius_m", "zip", "quasi", "radius"),
    ]
    rest = [Part("ill", "ill", "sensitive"), Part("note", "note", "other"), Part("size", "size", "weight")]
    groups = [Part("people", "people", "people"), Part("radius", "radius", "radius")]
    born = Part("born_min", "born", "quasi", "min")
    in_columns = Policy.parse(asked | {"ranges": "columns"})
    assert parts_of(names, Policy.parse(asked), "generalize") == [*plain, *beside, *rest]
    assert parts_of(names, Policy.parse(asked), "centers") == [*plain, *beside, *rest, *groups]
    assert parts_of(names, in_columns, "generalize") == [plain[0], *ends, plain[1], *beside, *rest, born]


def test_a_column_of_the_policy_is_itself_and_no_part_of_another() -> None:
    columns = {"age": QUASI, "age_missing": {"role": "other"}, "people": {"role": "sensitive"}, "age_min": QUASI}
    policy = Policy.parse({"k": 2, "columns": columns, "ranges": "columns"})
    names = ["age_missing", "people", "age_min"]
    assert parts_of(names, policy, "centers") == [
        Part("age_missing", "age_missing", "other"),
        Part("people", "people", "sensitive"),
        Part("age_min", "age_min", "quasi"),
    ]


def as_text(cells: list[str | None], separator: str = ",") -> tuple[pl.Series, Types]:
    """The cells of a column of a CSV file and what is read of it."""
    return text(cells), types_of(text(cells).to_frame(), None, separator)


STRING = {"type": "string"}


@pytest.mark.parametrize(
    ("cells", "column", "expected"),
    [
        (["1", "-20", "0", None], {}, {"type": "integer"}),
        (["1.5", "2", "-0.25"], {}, {"type": "number"}),
        (["1.5", "1e5"], {}, {"type": "number"}),
        (["1.5", "+2.5"], {}, STRING),
        ([" 5", "6"], {}, STRING),
        ([".5", "1.5"], {}, STRING),
        (["1,5", "2,5"], {}, STRING),
        (["a", "1"], {}, STRING),
        (["007", "008"], {}, STRING),
        (["2020-01-01", None], {}, {"type": "date"}),
        (["true", "false"], {}, STRING),
        (["2020-01-01 10:00:00", "2020-01-01 11:00:00"], {}, {"type": "datetime", "format": "any"}),
        (["01.02.2020"], {"format": "%d.%m.%Y"}, {"type": "date", "format": "%d.%m.%Y"}),
        (["01.02.2020 10:30"], {"format": "%d.%m.%Y %H:%M"}, {"type": "datetime", "format": "%d.%m.%Y %H:%M"}),
        (["2020-02-01 10:30:59"], {"format": "%Y-%m-%d %H:%M:%S"},
         {"type": "datetime", "format": "%Y-%m-%d %H:%M:%S"}),
        (["2020-01"], {"format": "%Y-%m"}, {"type": "yearmonth"}),
        ([" 1.02.2020"], {"format": "%d.%m.%Y"}, STRING),
        (["01. May 2020"], {"format": "%d. %B %Y"}, STRING),
        (["1.2.2020"], {"format": "%-d.%-m.%Y"}, STRING),
        (["30746"], {"format": "excel"}, STRING),
        (["1.000,5 €", "2 €", None], {"number": EURO},
         {"type": "number", "decimalChar": ",", "groupChar": ".", "bareNumber": False}),
        (["-1.000,5 €"], {"number": EURO},
         {"type": "number", "decimalChar": ",", "groupChar": ".", "bareNumber": False}),
        (["(5) €"], {"number": EURO}, STRING),
        (["5 $"], {"number": EURO}, STRING),
        (["€ 5", "€5"], {"number": {"prefix": "€ "}}, {"type": "number", "bareNumber": False}),
        (["€ -5"], {"number": {"prefix": "€ "}}, STRING),
        (["-€ 5"], {"number": {"prefix": "€ "}}, STRING),
        (["1,5", "1"], {"number": {"decimal": ","}}, {"type": "number", "decimalChar": ","}),
        (["1.5", "1"], {"number": {"decimal": ","}}, STRING),
        (["1,000,000.5"], {"number": {"thousands": ","}}, {"type": "number", "groupChar": ","}),
        (["1'000"], {"number": {"thousands": "'"}}, {"type": "number", "groupChar": "'"}),
        (["5 $/m.", "5 xyzm."], {"number": {"suffix": " $/m."}}, STRING),
        (["5 $/m.", "7 $/m."], {"number": {"suffix": " $/m."}}, {"type": "number", "bareNumber": False}),
        (["5 $/mX"], {"number": {"suffix": " $/m."}}, STRING),
    ],
)  # fmt: skip
def test_a_column_of_text_has_the_type_that_all_its_cells_have(
    cells: list[str | None], column: dict[str, Any], expected: dict[str, Any]
) -> None:
    series, types = as_text(cells)
    assert field_type("it", series, types, Column(role="other", **column)) == expected
    if not column:
        assert field_type("it", series, types, None) == expected


def test_the_decimal_sign_of_a_file_is_told() -> None:
    series, types = as_text(["1,5", "2,25", None], ";")
    assert (types.decimal, types.is_text) == (",", True)
    assert field_type("it", series, types, None) == {"type": "number", "decimalChar": ","}
    assert field_type("it", *as_text(["1", "2"], ";"), None) == {"type": "integer"}


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (pl.Int8(), {"type": "integer"}),
        (pl.Float64(), {"type": "number"}),
        (pl.Boolean(), {"type": "boolean"}),
        (pl.Date(), {"type": "date"}),
        (pl.Datetime("us", "UTC"), {"type": "datetime", "format": "any"}),
        (pl.Time(), {"type": "time"}),
        (pl.String(), STRING),
    ],
)
def test_a_column_of_a_binary_file_has_the_type_of_the_file(dtype: pl.DataType, expected: dict[str, Any]) -> None:
    cells = text(["whatever", "the cells", "say"])
    types = types_of(cells.to_frame(), {"it": dtype}, ",")
    assert (types.schema, types.decimal, types.is_text) == ({"it": dtype}, ".", False)
    for column in ({}, {"format": "%d.%m.%Y"}, {"number": EURO}):
        assert field_type("it", cells, types, Column(role="other", **column)) == expected
