"""Rows are sorted by all their cells, however these are written, so that the input's order decides nothing."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.sources import in_own_order
from shoal.tables import read

CELLS = st.fixed_dictionaries(
    {
        "label": st.none() | st.sampled_from(["", "a", "B", "ä", "10", "9"]),
        "count": st.none() | st.integers(-(2**63), 2**63 - 1),
        "size": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.5]),
        "day": st.none() | st.dates(dt.date(1900, 1, 1), dt.date(1900, 1, 5)),
        "yes": st.none() | st.booleans(),
    }
)
SCHEMA = {"label": pl.String, "count": pl.Int64, "size": pl.Float64, "day": pl.Date, "yes": pl.Boolean}


@given(st.lists(CELLS, min_size=1, max_size=40))
def test_rows_come_in_the_order_of_their_cells(rows: list[dict[str, object]]) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    table, order = in_own_order(read(frame))
    assert sorted(order.tolist()) == list(range(len(rows)))
    assert table.frame.equals(frame[order])
    assert table.frame.equals(frame.sort(frame.columns), null_equal=True)


def test_columns_that_do_not_fit_into_one_number_are_sorted_too() -> None:
    """Of 12 columns with at least 58 values each, 11 do not; rows that agree in all of those differ in the last."""
    chance = np.random.default_rng(1)
    cells = chance.integers(0, 100, (200, 12))
    cells[100:, :11] = cells[:100, :11]
    frame = pl.DataFrame(cells, schema=[f"c{j}" for j in range(12)])
    assert min(frame[name].n_unique() for name in frame.columns) ** 11 > 2**63
    table, _ = in_own_order(read(frame))
    assert table.frame.equals(frame.sort(frame.columns))


def test_a_categorical_column_is_sorted_by_its_text() -> None:
    frame = pl.DataFrame({"c": pl.Series(["b", "a", "c", "a"], dtype=pl.Enum(["c", "b", "a"])), "n": [1, 2, 3, 1]})
    table, _ = in_own_order(read(frame))
    assert table.frame["c"].to_list() == ["a", "a", "b", "c"]
    assert table.frame["n"].to_list() == [1, 2, 1, 3]
