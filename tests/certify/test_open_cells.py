"""A quasi-identifier that is also sensitive: the verifier counts the values that a cell may stand for at least."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certify.open_cells import open_values, short_sets, shows_values
from shoal.policy import Column, Policy


def column(l_value: float = 2, *, count_missing: bool = False, **more: Any) -> Column:
    asked = {"l": l_value, "count_missing": count_missing, "kind": "entropy"}
    return Policy.parse({"k": 2, "columns": {"q": {"role": "quasi", "diversity": asked} | more}}).columns["q"]


def fewest(cell: str | None, **more: Any) -> float:
    found = open_values(pl.DataFrame({"q": [cell], "class": [0]}, schema_overrides={"q": pl.String}), column(**more))
    assert found.columns == ["class", "measure"]
    return float(found["measure"].item())


ONE_VALUE = [
    "30",
    "[30, 30]",
    "[30, 30.0]",
    "[30, 030]",
    "[+30, 3e1]",
    '[30, "30"]',
    "[-0, 0.0]",
    "[30, ]",
    "[30]",
    "[30, 31, 32]",
    "[30, 39)",
    "[30, 39",
    "{30, 30.0}",
    '{a, "a"}',
    "{a, a , a}",
    "{a}",
    "{a, b",
    "{a, null}",
    '{a, ""}',
    '{a, " "}',
    "{1, nan}",
    "{2020-01-01T12:00Z, 2020-01-01T13:00+01:00}",
    "[2020-01-01, 2020-01-01T00:00:00]",
    "{2020-01-01, 2020-01-01 00:00}",
]


@pytest.mark.parametrize("cell", ONE_VALUE)
def test_one_value_in_whatever_spelling_is_one_value(cell: str) -> None:
    assert fewest(cell) == 1
    if "null" not in cell and '"' not in cell and "nan" not in cell:
        assert fewest(f"{cell} or missing") == 1
        assert fewest(f"{cell} or missing", count_missing=True) == 2


@pytest.mark.parametrize("cell", ONE_VALUE[1:])
def test_and_verify_refuses_it(cell: str) -> None:
    policy = {"k": 3, "columns": {"q": {"role": "quasi", "diversity": {"l": 2}}, "s": {"role": "sensitive"}}}
    found = shoal.verify(pl.DataFrame({"q": [cell] * 3, "s": ["x", "y", "z"]}), policy, form="generalize")
    assert not found.holds
    assert [claim.measured for claim in found.claims if claim.criterion == "open-cells"] == [1]


@pytest.mark.parametrize(
    ("cell", "plain", "with_missing"),
    [
        (None, 0, 1),
        ("*", 2, 2),
        ("* or missing", 2, 2),
        ("[30, 39]", 2, 2),
        ("[30, 39] or missing", 2, 2),
        ("[2020-01-01, 2020-01-02]", 2, 2),
        ("{a, b}", 2, 2),
        ("{a,b,c}", 3, 3),
        ("{a, b, c} or missing", 3, 4),
        ("{a, null}", 1, 2),
        ('{a, "null"}', 2, 2),
        ('{"a, b", c}', 2, 2),
        ('{"a\\"", "b}"}', 2, 2),
        ('{"\\q", b}', 2, 2),
        ("{}", 0, 0),
        ("{null}", 0, 1),
        ('{null, "", nan}', 0, 1),
        ("{1, 1.5}", 2, 2),
        ("a", 1, 1),
        ("a or missing", 1, 2),
        ("null", 1, 1),
        ("x or missing or missing", 1, 2),
    ],
)
def test_what_a_cell_may_stand_for(cell: str | None, plain: int, with_missing: int) -> None:
    assert fewest(cell) == plain
    assert fewest(cell, count_missing=True) == with_missing


def test_the_texts_of_an_order_are_values_of_their_own() -> None:
    assert fewest("{1, 1.0}", order=["1", "1.0", "1.00"]) == 2
    assert fewest("[1, 1.00]", order=["1", "1.0", "1.00"]) == 2
    assert fewest("[1, 1]", order=["1", "1.0", "1.00"]) == 1


@pytest.mark.parametrize(
    ("ends", "plain", "with_missing"),
    [
        (("30", "39"), 2, 2),
        (("30", "30"), 1, 1),
        (("30", "30.0"), 1, 1),
        ((None, None), 0, 1),
        (("30", None), 0, 0),
        ((None, "30"), 0, 1),
        (("30", "30", "true"), 1, 2),
        (("30", "30", "false"), 1, 1),
        (("30", "39", "true"), 2, 2),
        ((None, None, "true"), 0, 1),
        (("", "30"), 0, 0),
    ],
)
def test_what_a_range_in_two_columns_may_stand_for(ends: tuple[Any, ...], plain: int, with_missing: int) -> None:
    names = ("q_min", "q_max", "q_missing")[: len(ends)]
    cells = pl.DataFrame({name: [end] for name, end in zip(names, ends, strict=True)} | {"class": [7]})
    cells = cells.cast(dict.fromkeys(names, pl.String))
    assert open_values(cells, column()).rows() == [(7, plain)]
    assert open_values(cells, column(count_missing=True)).rows() == [(7, with_missing)]


def test_every_class_is_counted_once_in_the_order_of_its_first_row() -> None:
    cells = pl.DataFrame({"q": ["{a, b, c}", "a", "{a, b, c}", "*"], "class": [4, 2, 4, 9]})
    assert open_values(cells, column()).rows() == [(4, 3.0), (2, 1.0), (9, 2.0)]
    nothing = open_values(cells.clear(), column())
    assert nothing.schema == {"class": pl.Int64, "measure": pl.Float64}


def test_sets_with_fewer_values_than_l_are_told_with_their_records() -> None:
    cells = pl.DataFrame(
        {
            "q": ["{a, b}", "{a, b}", "[1, 2]", "{a, b, c}", "{1, 1.0, 2}", None, "x"],
            "class": [0, 0, 1, 2, 3, 4, 5],
        }
    )
    (failure,) = short_sets("q", cells, column(2.5))
    assert failure.message == "column q: the sets of 2 groups have fewer values than the l asked of it, 2.5"
    assert (failure.check, failure.column, failure.groups, failure.records) == ("open-cells", "q", 2, 3)
    assert short_sets("q", cells.filter(pl.col("class") == 2), column(3)) == []
    assert short_sets("q", cells, column(2)) == []


def test_a_missing_value_counts_in_a_set_where_the_policy_counts_it() -> None:
    cells = pl.DataFrame({"q": ["{a, null}"], "class": [0]})
    assert short_sets("q", cells, column(2, count_missing=True)) == []
    assert len(short_sets("q", cells, column(2))) == 1


def test_sets_are_cells_of_one_column_of_which_l_is_asked() -> None:
    cells = pl.DataFrame({"q": ["{a}"], "class": [0]})
    assert short_sets("q", cells, Column(role="quasi")) == []
    assert short_sets("q", cells.with_columns(q_max=pl.lit("x")), column()) == []


@pytest.mark.parametrize("form", ["generalize", "suppress", "aggregate", "centers"])
def test_cells_of_quasi_identifiers_with_an_l_show_their_values_in_two_forms(form: str) -> None:
    shown = form in ("generalize", "suppress")
    assert shows_values(column(), form) == shown
    assert shows_values(column(1.01), form) == shown
    assert not shows_values(column(1), form)
    assert not shows_values(Column(role="quasi"), form)
    assert not shows_values(column().model_copy(update={"role": "sensitive"}), form)
    assert not shows_values(column().model_copy(update={"hierarchy": "h.csv"}), form)
    assert not shows_values(column().model_copy(update={"classes": 3}), form)


LAYOUT = {"k": 2, "columns": {"q": {"role": "quasi", "diversity": {"l": 2}}, "r": {"role": "quasi"}}}


def test_verify_counts_open_cells_in_classes_of_all_quasi_identifiers() -> None:
    frame = pl.DataFrame({"q": ["{a, b}"] * 4 + ["[1, 1.0]"] * 2, "r": ["1", "1", "2", "2", "2", "2"]})
    found = shoal.verify(frame, LAYOUT, form="generalize")
    (failure,) = found.failures
    assert failure.message == "open-cells of q: 1 of 3 groups (2 records) miss 2; the worst has 1"
    assert (failure.groups, failure.records) == (1, 2)
    suppressed = shoal.verify(frame.with_columns(q=pl.lit("*")), LAYOUT, form="suppress")
    assert [claim.criterion for claim in suppressed.claims] == ["k-anonymity", "open-cells"]
    assert [claim.criterion for claim in shoal.verify(frame, LAYOUT, form="aggregate").claims] == ["k-anonymity"]


def test_verify_names_short_sets_beside_what_else_is_wrong() -> None:
    frame = pl.DataFrame({"q": ["{a, b}"] * 2 + ["{a, b, c}"] * 2, "r": ["1"] * 4, "name": ["n"] * 4})
    asked = LAYOUT | {"columns": LAYOUT["columns"] | {"q": {"role": "quasi", "diversity": {"l": 3}}}}
    found = shoal.verify(frame, asked, form="generalize")
    assert [failure.check for failure in found.failures] == ["columns", "open-cells"]
    assert found.failures[1].message == "column q: the sets of 1 groups have fewer values than the l asked of it, 3"
    absent = shoal.verify(frame.drop("q", "name"), asked, form="generalize")
    assert [(failure.check, failure.column) for failure in absent.failures] == [("columns", "q")]
