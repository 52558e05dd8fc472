"""Roles: every column of the table has one, and its kind fits its cells, or the run stops."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest

from shoal.errors import SchemaError
from shoal.policy import Column, Policy
from shoal.roles import assign, typed
from shoal.tables.table import Origin, Table

CANARY = "zq7canary"


def table(**columns: Any) -> Table:
    return Table(pl.DataFrame(columns, strict=False), Origin("polars"))


def policy(**columns: dict[str, Any] | str) -> Policy:
    return Policy.parse({"columns": {n: {"role": c} if isinstance(c, str) else c for n, c in columns.items()}})


def refused(values: list[Any] | pl.Series, **column: Any) -> SchemaError:
    with pytest.raises(SchemaError) as raised:
        assign(table(x=values), policy(x={"role": "quasi", **column}))
    assert "'x'" in raised.value.message
    assert CANARY not in str(raised.value)
    return raised.value


def resolved(values: list[Any] | pl.Series, **column: Any) -> Column:
    return assign(table(x=values), policy(x={"role": "quasi", **column})).columns["x"]


def test_columns_without_a_role_stop_the_run_and_are_all_named() -> None:
    with pytest.raises(SchemaError) as raised:
        assign(table(a=[1], b=[2], **{"c d": [3]}), policy(b="quasi"))
    assert "2 of 3 columns have no role: 'a', 'c d'. Nothing is published by default." in raised.value.message
    assert '[columns.a]\nrole = "quasi"' in str(raised.value.hint)


def test_a_hint_for_a_column_with_an_odd_name_is_valid_toml() -> None:
    with pytest.raises(SchemaError) as raised:
        assign(table(**{"Zip code": [1]}), Policy())
    assert '[columns."Zip code"]' in str(raised.value.hint)


def test_ten_thousand_columns_without_a_role_are_counted_but_not_all_listed() -> None:
    with pytest.raises(SchemaError, match=r"10000 of 10000 columns.*'c49' and 9950 more") as raised:
        assign(table(**{f"c{i}": [1] for i in range(10_000)}), Policy())
    assert len(str(raised.value)) < 1_000


def test_a_column_that_the_table_lacks_is_named_with_what_may_be_meant() -> None:
    with pytest.raises(SchemaError, match="names 'agee', which the table does not have") as raised:
        assign(table(age=[1], sex=[2]), policy(agee="quasi", sex="quasi"))
    assert raised.value.hint == "did you mean 'age' for 'agee'?"
    with pytest.raises(SchemaError) as raised:
        assign(table(age=[1], sex=[2]), policy(weight="quasi", sex="quasi"))
    assert raised.value.hint == "the table has 'age', 'sex'."


def test_a_policy_without_a_quasi_identifier_is_refused() -> None:
    with pytest.raises(SchemaError, match='no column has the role "quasi"'):
        assign(table(a=[1], b=[2]), policy(a="identifier", b="sensitive"))


def test_columns_come_in_the_order_of_the_table_and_nothing_else_changes() -> None:
    asked = Policy.parse(
        {"k": 7, "seed": 3, "columns": {"b": {"role": "other"}, "a": {"role": "quasi", "weight": 2}}}
    )
    found = assign(table(a=[1], b=["x"]), asked)
    assert list(found.columns) == ["a", "b"]
    assert found.columns["a"].weight == 2
    assert found.columns["b"] == asked.columns["b"]
    assert (found.k, found.seed) == (7, 3)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "number"),
        ([1.5, None], "number"),
        ([date(2020, 1, 1)], "date"),
        (["a", "b"], "label"),
        (["2020-01-01"], "date"),
        ([True, False], "label"),
        (pl.Series(["a"], dtype=pl.Categorical), "label"),
        ([None, None], "label"),
        ([], "label"),
    ],
)
def test_the_kind_is_that_of_the_type_where_none_is_given(values: list[Any], kind: str) -> None:
    assert resolved(values).kind == kind


def test_an_order_or_a_hierarchy_decides_the_kind() -> None:
    assert resolved(["low", "high"], order=["low", "high"]).kind == "ordered"
    assert resolved(["12345"], hierarchy={"prefix": True}).kind == "hierarchy"
    assert resolved([3, 7], hierarchy={"widths": [5, 10]}).kind == "hierarchy"
    assert resolved([date(2020, 1, 1)], hierarchy={"periods": ["year"]}).kind == "hierarchy"


def test_sensitive_columns_have_a_kind_too_and_the_others_need_none() -> None:
    asked = policy(x="quasi", s="sensitive", i="identifier", p="person", o="other")
    found = assign(table(x=[1], s=[2.5], i=["a"], p=["b"], o=["c"]), asked).columns
    assert [found[n].kind for n in "xsipo"] == ["number", "number", None, None, None]


def test_text_that_holds_numbers_or_iso_dates_fits_those_kinds() -> None:
    assert resolved(["1", "2.5", None], kind="number").kind == "number"
    assert resolved(["2020-01-31", None], kind="date").kind == "date"
    assert resolved(["2020-01-31"], hierarchy={"periods": ["month"]}).kind == "hierarchy"


def test_text_is_turned_into_what_the_policy_says_it_holds_and_the_rest_stays() -> None:
    text = table(
        n=["1", None], d=["2020-01-31", None], w=["7", "8"], p=["2020-01-31"] * 2, x=["1", "2"], i=["3", "4"]
    )
    asked = policy(
        n={"role": "quasi", "kind": "number"},
        d={"role": "sensitive", "kind": "date"},
        w={"role": "quasi", "hierarchy": {"widths": [5]}},
        p={"role": "quasi", "hierarchy": {"periods": ["year"]}},
        x="quasi",
        i="identifier",
    )
    found = typed(text, assign(text, asked))
    assert found.frame.dtypes == [pl.Float64, pl.Date, pl.Float64, pl.Date, pl.String, pl.String]
    assert found.frame.columns == text.columns
    assert found.frame["n"].to_list() == [1.0, None]
    assert found.origin is text.origin


def test_text_that_is_not_of_the_kind_is_counted_and_never_shown() -> None:
    cells = ["1", CANARY, "<5", None]
    assert "2 of 4 cells are not numbers" in refused(cells, kind="number").message
    assert "2 of 4 cells are not numbers" in refused(cells, hierarchy={"widths": [5]}).message
    assert "3 of 4 cells are not ISO dates" in refused(cells, kind="date").message
    assert "3 of 4 cells are not ISO dates" in refused(cells, hierarchy={"periods": ["year"]}).message


@pytest.mark.parametrize(
    ("values", "kind", "own"),
    [
        ([True], "number", "label"),
        ([1, 2], "date", "number"),
        ([date(2020, 1, 1)], "number", "date"),
        ([True], "place", "label"),
    ],
)
def test_a_kind_of_another_type_is_refused_with_the_one_that_fits(values: list[Any], kind: str, own: str) -> None:
    error = refused(values, kind=kind)
    assert f'kind = "{kind}" does not fit' in error.message
    assert f'kind = "{own}"' in str(error.hint)


def test_ordered_needs_an_order_where_the_type_has_none() -> None:
    assert "in which order its 2 values come" in refused(["low", CANARY, None], kind="ordered").message
    assert resolved([3, 1], kind="ordered").kind == "ordered"
    assert resolved([date(2020, 1, 1)], kind="ordered").kind == "ordered"
    assert resolved(pl.Series(["a"], dtype=pl.Enum(["b", "a"])), kind="ordered").kind == "ordered"


def test_an_order_that_leaves_out_values_is_refused_with_their_number() -> None:
    error = refused(["low", CANARY, CANARY, "mid", None], order=["low", "high"])
    assert "leaves out 2 of its values (3 cells)" in error.message
    assert resolved([1, 2, None], order=["2", "1"]).kind == "ordered"


def test_a_type_without_a_distance_is_refused() -> None:
    assert "holds list values" in refused(pl.Series([[1]])).message
    assert assign(table(x=[[1]], y=[1]), policy(x="identifier", y="quasi")).columns["x"].kind is None


def test_labels_may_be_of_any_type() -> None:
    assert resolved([1, 2], kind="label").kind == "label"
    assert resolved([1.5], kind="region").kind == "region"
    assert resolved([48.1, None], kind="place").kind == "place"


@pytest.mark.parametrize(
    ("column", "aggregate", "instead"),
    [
        ({"kind": "label"}, "mean", "mode"),
        ({"kind": "label"}, "median", "mode"),
        ({"kind": "region"}, "median", "mode"),
        ({"order": ("a", "b")}, "mean", "median"),
        ({"hierarchy": {"prefix": True}}, "mean", "median"),
    ],
)
def test_a_mean_of_what_has_none_is_refused(column: dict[str, Any], aggregate: str, instead: str) -> None:
    assert f'"{instead}"' in str(refused(["a", "b"], aggregate=aggregate, **column).hint)
    assert resolved(["a", "b"], aggregate=instead, **column).aggregate == instead
    assert resolved([1, 2], aggregate="mean").aggregate == "mean"


@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_a_column_without_values_is_of_its_type_and_of_numbers_where_it_has_none(aggregate: str) -> None:
    for dtype, kind in [(pl.Date, "date"), (pl.Datetime, "date"), (pl.Float64, "number"), (pl.String, "number")]:
        assert resolved(pl.Series([None, None], dtype=dtype), aggregate=aggregate).kind == kind
    assert resolved([None, None], aggregate=aggregate).kind == "number"
