"""The wide table of the benchmarks: the same rows each time, nearly all of them different."""

from __future__ import annotations

import polars as pl

from benchmarks.wide import QUASI, wide


def test_the_wide_table_has_four_wide_columns_and_four_of_labels() -> None:
    table = wide(2000)
    assert table.equals(wide(2000))
    assert tuple(table.columns) == (*QUASI, "illness")
    assert table.select(QUASI).n_unique() == 2000
    assert [dtype for dtype in table.select(QUASI).dtypes if dtype == pl.String] == [pl.String] * 4
    assert all(table[name].n_unique() > 200 for name in ("born", "admitted", "income"))
    assert table.null_count().row(0) == (0,) * 9
