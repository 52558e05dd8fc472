"""Ranges and sets as ranges and arrays of PostgreSQL: what is read back is what was written, or it stays text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.publish.notation import write_set
from shoal.tables.database.cells import from_sql, sql_type, to_sql

LABELS = st.one_of(st.sampled_from(["a", "b c", "null", "*", "", "{x}", 'q"', "a, b", "1"]), st.text(max_size=6))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["[30, 39]", "35", "*"], "int4range"),
        (["[-5000000000, 39]"], "int8range"),
        (["[1.50, 2.25]", "3.0"], "numrange"),
        (["[0, 10)", "[10, 20)"], "numrange"),
        (["[1990-01-01, 1999-12-31]", "2000-02-29", "*"], "daterange"),
        (["{a, b}", "c", "{a, b} or missing"], "text[]"),
        (["10115", "10117"], None),
        (["[30, 39] or missing"], None),
        (["[30, 39]", "unknown"], None),
        (["[1e-05, 2]"], None),
        (["[007, 8]"], None),
        (["[5, 3]"], None),
        (["[2001-02-30, 2001-03-01]"], None),
        (["{a, b}", "*"], None),
        (["{a}"], None),
        (["[2020-01-01, 9999-12-31]"], None),
    ],
)
def test_a_column_is_a_range_or_an_array_only_if_all_its_cells_come_back(cells: list[str], kind: str | None) -> None:
    assert sql_type(cells) == kind


def test_whole_numbers_and_dates_are_read_with_the_end_that_the_server_excludes() -> None:
    assert from_sql("[30,40)", "int4range") == "[30, 39]"
    assert from_sql("[35,36)", "int8range") == "35"
    assert from_sql("[1990-01-01,2000-01-01)", "daterange") == "[1990-01-01, 1999-12-31]"
    assert from_sql("(,)", "numrange") == "*"
    assert from_sql("[1,)", "int4range") == "[1, )"
    assert from_sql("empty", "int4range") == "empty"


@given(st.lists(LABELS, min_size=1, max_size=4), st.booleans())
def test_a_set_of_any_labels_comes_back_or_is_left_as_text(labels: list[str], missing: bool) -> None:
    cell = write_set([*labels, None] if missing else labels)
    if sql_type([cell, "{a, b}"]) == "text[]":
        assert from_sql(to_sql(cell, "text[]") or "", "text[]") == cell


@given(st.text(max_size=12))
def test_no_text_is_taken_for_a_range_that_it_is_not(text: str) -> None:
    for kind in ("int4range", "int8range", "numrange", "daterange"):
        if sql_type([text, "[1, 2]"]) == kind:
            assert from_sql(to_sql(text, kind) or "", kind) is not None
