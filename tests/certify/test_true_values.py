"""l and t of quasi-identifiers that are also sensitive, on their true values, counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.certify.findings import Claim
from shoal.certify.true_values import TrueFindings, check_true_values
from shoal.policy import Policy

QUASI = {"role": "quasi"}
RELEASED = pl.DataFrame({"age": ["1", "1", "1", "2", "2", "2"], "ill": ["*"] * 6})
TRUE = pl.DataFrame({"ill": ["flu", "cold", "flu", "flu", "flu", None]})


def found(
    column: dict[str, Any], true: pl.DataFrame = TRUE, released: pl.DataFrame = RELEASED, **more: Any
) -> TrueFindings:
    """What is found on rows that are released in their order, unless `rows` says otherwise."""
    rows, people, form = more.pop("rows", np.arange(6)), more.pop("people", None), more.pop("form", "generalize")
    policy = Policy.parse({"k": 2, "columns": {"age": QUASI, "ill": QUASI | column}} | more)
    return check_true_values(released, true, rows, people, policy, form)


def claim(measured: float, holds: bool, **more: Any) -> Claim:
    plain = {"criterion": "l-diversity", "column": "ill", "kind": "distinct", "claimed": 2.0, "unit": "rows"}
    return Claim(**plain | {"measured": measured, "holds": holds} | more)


def test_a_group_of_one_value_is_found() -> None:
    told = found({"diversity": {"l": 2}})
    assert told.claims == (claim(1.0, False),)
    (failure,) = told.failures
    assert (failure.check, failure.column, failure.groups, failure.records) == ("l-diversity", "ill", 1, 3)


def test_only_what_is_asked_is_claimed() -> None:
    (only,) = found({"closeness": {"t": 0.9}}).claims
    assert (only.criterion, only.claimed, only.holds) == ("t-closeness", 0.9, True)
    both = found({"diversity": {"l": 1}, "closeness": {"t": 0.9}})
    assert [one.criterion for one in both.claims] == ["l-diversity", "t-closeness"]
    assert both.failures == ()


def test_every_row_is_of_the_class_in_which_it_is_released() -> None:
    true = pl.DataFrame({"ill": ["flu", "cold"] * 3})
    (told,) = found({"diversity": {"l": 2}}, true).claims
    assert told.measured == 2.0
    (told,) = found({"diversity": {"l": 2}}, true, rows=np.array([0, 3, 1, 4, 2, 5])).claims
    assert told.measured == 1.0


def test_people_are_counted_once_where_the_policy_knows_them() -> None:
    """Without people, two of four rows of the first class have flu; of its three people, all do."""
    released = pl.DataFrame({"age": ["1"] * 4 + ["2"] * 2, "ill": ["*"] * 6})
    true = pl.DataFrame({"ill": ["flu", "cold", "flu", "cold", "flu", "cold"]})
    columns = {"age": QUASI, "ill": QUASI | {"diversity": {"l": 2, "kind": "frequency"}}, "who": {"role": "person"}}
    (plain,) = found({"diversity": {"l": 2, "kind": "frequency"}}, true, released).claims
    assert (plain.measured, plain.unit) == (2.0, "rows")
    people = ["a", "a", "b", "c", "d", "e"]
    (told,) = found({}, true, released.with_columns(who=pl.Series(["1"] * 6)), people=people, columns=columns).claims
    assert (told.measured, told.unit) == (1.5, "people")


def test_every_column_has_its_claims() -> None:
    columns = {"age": QUASI | {"diversity": {"l": 1}}, "ill": QUASI | {"diversity": {"l": 2}}}
    told = found({}, TRUE.with_columns(age=RELEASED["age"]), columns=columns)
    assert [(one.column, one.measured) for one in told.claims] == [("age", 1.0), ("ill", 1.0)]


def test_classes_are_those_of_the_form() -> None:
    """Beside a mean a column says how many values are missing, which readers tell groups apart by."""
    released = pl.DataFrame({"age": ["1"] * 6, "age_missing": ["0"] * 3 + ["1"] * 3, "ill": ["x"] * 6})
    true = pl.DataFrame({"ill": ["flu"] * 3 + ["cold"] * 3})
    for form, measured in (("aggregate", 1.0), ("generalize", 2.0)):
        (told,) = found({"diversity": {"l": 2}}, true, released, form=form).claims
        assert told.measured == measured


def test_without_such_a_column_or_without_rows_nothing_is_found() -> None:
    assert found({}) == TrueFindings()
    assert found({"diversity": {"l": 2}}, TRUE.clear(), RELEASED.clear(), rows=np.arange(0)) == TrueFindings()


def test_every_such_column_is_measured_even_after_one_that_cannot_be() -> None:
    columns = {
        "age": QUASI | {"closeness": {"t": 1, "distance": "ordered"}, "kind": "number"},
        "ill": QUASI | {"diversity": {"l": 2}},
    }
    told = found({}, TRUE.with_columns(age=pl.Series(["1", "2", "x", "4", "5", "6"])), columns=columns)
    assert [one.column for one in told.claims] == ["ill"]
    assert [(one.check, one.column, one.records) for one in told.failures] == [
        ("columns", "age", 3),
        ("l-diversity", "ill", 3),
    ]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ({"format": "%d.%m.%Y"}, ["2020-01-01", "2020-01-02", "2020-02-01"]),
        ({"number": {"decimal": ",", "thousands": "."}}, ["1000.5", "1001.5", "1.25"]),
        ({"number": {"decimal": ",", "thousands": "."}}, ["1e-07", "2e-07", "3"]),
        ({"number": {"suffix": " kg"}}, ["1000.5", "1001.5", "1.25"]),
        ({"number": {"thousands": ","}}, ["1000.5", "1001.5", "1.25"]),
    ],
)
def test_true_values_are_plain_whatever_the_format_of_the_column(column: dict[str, Any], cells: list[str]) -> None:
    told = found({"closeness": {"t": 1}, "diversity": {"l": 3}} | column, pl.DataFrame({"ill": cells * 2}))
    assert told.failures == ()
    assert [(one.measured, one.holds) for one in told.claims] == [(3.0, True), (0.0, True)]


def test_a_decimal_point_is_none_between_thousands() -> None:
    """1.125 lies below 2, and is not 1125: read so, the order of values would be another, and t with it."""
    cells = ["1.125", "2", "3", "2", "2", "2"]
    column = {"kind": "number", "closeness": {"t": 0.3, "distance": "ordered"}}
    plain = found(column, pl.DataFrame({"ill": cells}))
    german = found(column | {"number": {"decimal": ",", "thousands": "."}}, pl.DataFrame({"ill": cells}))
    assert german == plain
    assert [one.measured for one in plain.claims] == [pytest.approx(1 / 6)]


def test_a_table_with_numbers_in_thousands_can_be_released() -> None:
    """The defect: 1000.5 was read in the format of the file, in which its point stands between thousands."""
    costs = [f"1.{row % 9:03d},5" for row in range(36)]
    table = pl.DataFrame({"zip": [str(row % 4) for row in range(36)], "cost": costs})
    number = {"decimal": ",", "thousands": "."}
    columns = {"zip": QUASI | {"kind": "label"}, "cost": QUASI | {"number": number, "diversity": {"l": 2}}}
    release = shoal.anonymize(table, {"k": 4, "columns": columns}, method="mondrian")
    assert [claim.holds for claim in release.certificate.true_values] == [True]
