"""Conditions on rows: what they say, what they cannot say, and that DuckDB reads them alike."""

from __future__ import annotations

from contextlib import suppress

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import ParameterError, SchemaError, ShoalError
from shoal.pipeline.selection import rows_where
from shoal.policy import Policy
from shoal.policy.condition import columns_of, parse_condition
from shoal.tables import read

TABLE = pl.DataFrame(
    {
        "age": [17, 18, 30, None, 65],
        "land": ["DE", "AT", "DE", "CH", None],
        "two words": [1.5, None, -2.0, 0.0, 3.0],
        "born": pl.Series(["2001-05-01", "2000-01-31", None, "1990-12-24", "1950-06-06"]).str.to_date(),
        "told": [True, False, None, True, False],
    }
)
PARTS = (
    "age >= 18", "age < 30", "age <> 65", "age is null", "age is not null", "land = 'DE'", "land != 'DE'",
    "land in ('DE', 'CH')", "land not in ('AT')", "age between 18 and 40", "age not between 18 and 40",
    '"two words" > 0', '"two words" = -2', '"two words" <= 1.5e0', "born >= '1990-12-24'",
    "born between '1950-01-01' and '2000-01-31'", "told = true", "told <> false", "land is null",
)  # fmt: skip


def _found(where: str) -> list[int]:
    policy = Policy.parse({"where": where})
    return rows_where(read(TABLE), policy).tolist()


def _by_duckdb(where: str) -> list[int]:
    rows = TABLE.with_row_index("nth").to_arrow()  # noqa: F841 (DuckDB finds it by its name)
    return [row[0] for row in duckdb.sql(f"SELECT nth FROM rows WHERE {where} ORDER BY nth").fetchall()]


CONDITIONS = st.recursive(
    st.sampled_from(PARTS),
    lambda inner: st.one_of(
        inner.map(lambda one: f"not ({one})"),
        st.tuples(inner, st.sampled_from(["and", "or", "AND", "Or"]), inner).map(" ".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}) or not {two[1]}"),
    ),
    max_leaves=6,
)


@given(CONDITIONS)
def test_a_condition_selects_the_rows_that_duckdb_selects(where: str) -> None:
    assert _found(where) == _by_duckdb(where)


def test_texts_are_compared_as_they_are_written_and_quotes_are_doubled(tmp_path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("zip,name\n01234,O'Neil\n1234,Li\n01234,Li\n")
    table = read(file)
    assert rows_where(table, Policy.parse({"where": "zip = '01234'"})).tolist() == [0, 2]
    assert rows_where(table, Policy.parse({"where": "name = 'O''Neil'"})).tolist() == [0]


def test_a_code_for_missing_is_missing_to_a_condition() -> None:
    table = read(pl.DataFrame({"age": [17, 999, 40]}))
    columns = {"age": {"role": "quasi", "null_values": [999]}}
    assert rows_where(table, Policy.parse({"where": "age > 18", "columns": columns})).tolist() == [2]
    assert rows_where(table, Policy.parse({"where": "age is null", "columns": columns})).tolist() == [1]


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("", "must begin with the name of a column"),
        ("age", "must be compared"),
        ("age >", "must be compared with a value"),
        ("age > 1 age < 3", "something follows the end"),
        ("(age > 1", "a ) is missing"),
        ("read_csv('/etc/passwd') = 1", "functions cannot be used"),
        ("age > length(land)", "must be compared with a value"),
        ("age in (select age from x)", "must be compared with a value"),
        ("age = 1; drop table x", "cannot be read"),
        ("age = age", "must be compared with a value"),
        ("age between 1 or 3", "between needs two values"),
        ("land like 'D%'", "must be compared"),
        ("(" * 60 + "age = 1" + ")" * 60, "nested too deeply"),
        ("age = 1 or " * 2_000 + "age = 1", "too long"),
        ("age not 3", "not must be followed by in or between"),
        ("age is 3", "is must be followed by null"),
    ],
)
def test_what_is_no_comparison_with_values_is_refused_in_one_sentence(where: str, told: str) -> None:
    with pytest.raises(ParameterError, match=told.replace("(", r"\(").replace(")", r"\)")) as refused:
        Policy.parse({"where": where})
    assert "passwd" not in str(refused.value)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("wages > 1", "which the table does not have"),
        ("land > 'A'", "texts have no order"),
        ("land = 3", "with a number"),
        ("age = true", "with true or false"),
        ("age >= '18'", "with a text"),
        ("born > '31.12.1999'", "no date"),
    ],
)
def test_a_condition_that_does_not_fit_the_columns_is_refused(where: str, told: str) -> None:
    with pytest.raises(SchemaError, match=told):
        _found(where)


@given(st.text(max_size=40))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    with suppress(ValueError):
        list(columns_of(parse_condition(text)))


def test_no_row_left_is_said() -> None:
    with pytest.raises(ShoalError, match="no row meets the condition"):
        shoal.anonymize(TABLE.select("age"), quasi="age", k=2, where="age > 100")
