"""A column gets a type only if every one of its cells has it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from shoal.tables import ReadOptions, Table, read


def column(tmp_path: Path, *cells: str, separator: str = ";", **options: object) -> pl.Series:
    return table(tmp_path, *cells, separator=separator, **options).frame["x"]


def table(tmp_path: Path, *cells: str, separator: str = ";", **options: object) -> Table:
    path = tmp_path / "table.csv"
    path.write_text(f"x{separator}y\n" + "".join(f"{cell}{separator}t\n" for cell in cells))
    return read(path, ReadOptions(separator=separator, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cells",
    [
        ("02139", "10115"),  # a code with a leading zero
        ("+491234", "+491235"),  # a telephone number
        ("9223372036854775808", "1"),  # beyond 64 bits
        ("123456789012345678901234567890", "1"),
        ("1", "x"),
        ("1", "2024-01-01"),
        ("2024-01-01", "2024-01-01 10:00"),
        ("2024-01-01 10:00", "2024-01-01 10:00Z"),
        ("2024-02-30", "2024-02-29"),  # no such day
        ("2024-01-01 25:00", "2024-01-01 10:00"),
        ("1E5", "2E7"),  # rather a code
        ("true", "false"),
        ("NA", "1"),  # Namibia, unless said otherwise
        ("nan", "nan"),
        ("inf", "inf"),
        ("1 000", "2 000"),
        ("1e", "1"),
        (".", "1"),
        ("-", "1"),
        ("0x10", "1"),
    ],
)
def test_what_is_not_certainly_a_number_or_a_date_stays_text(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert column(tmp_path, *cells).to_list() == list(cells)


def test_the_last_row_decides_as_much_as_the_first(tmp_path: Path) -> None:
    cells = ["1"] * 50_000
    assert column(tmp_path, *cells).dtype == pl.Int64
    assert column(tmp_path, *cells, "0.5").dtype == pl.Float64
    assert column(tmp_path, *cells, "x").dtype == pl.String
    assert column(tmp_path, *cells, "01").dtype == pl.String


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (("1", "-2", "0", "9223372036854775807"), [1, -2, 0, 2**63 - 1]),
        ((" 1", "2 ", ""), [1, 2, None]),
        (("1", '""', "  "), [1, None, None]),
    ],
)
def test_integers(tmp_path: Path, cells: tuple[str, ...], values: list[int | None]) -> None:
    found = column(tmp_path, *cells)
    assert found.dtype == pl.Int64
    assert found.to_list() == values


def test_floats(tmp_path: Path) -> None:
    found = column(tmp_path, "1", "-0.5", ".5", "2.", "1e-3", "1E+3", "1.5E3", "1e5", "0.1")
    assert found.to_list() == [1.0, -0.5, 0.5, 2.0, 0.001, 1000.0, 1500.0, 100000.0, 0.1]


def test_iso_dates_and_times(tmp_path: Path) -> None:
    assert column(tmp_path, "2024-02-29", "", "0850-01-01").to_list() == [
        dt.date(2024, 2, 29),
        None,
        dt.date(850, 1, 1),
    ]
    times = column(tmp_path, "2024-02-29 10:11", "2024-02-29T10:11:12", "2024-02-29 10:11:12.5")
    assert times.dtype == pl.Datetime("us")
    assert times.to_list() == [
        dt.datetime(2024, 2, 29, 10, 11),
        dt.datetime(2024, 2, 29, 10, 11, 12),
        dt.datetime(2024, 2, 29, 10, 11, 12, 500_000),
    ]
    zoned = column(tmp_path, "2024-02-29 10:11Z", "2024-02-29T10:11:12+02:00")
    assert zoned.dtype == pl.Datetime("us", "UTC")
    assert [time.hour for time in zoned] == [10, 8]


def test_missing_and_empty_text_are_kept_apart(tmp_path: Path) -> None:
    assert column(tmp_path, "", '""', "a").to_list() == [None, "", "a"]


def test_a_word_is_missing_only_if_given(tmp_path: Path) -> None:
    assert column(tmp_path, "1", "NA", '"NA"', "2", null_values=("NA", "?")).to_list() == [1, None, None, 2]
    assert column(tmp_path, "a", "NA").to_list() == ["a", "NA"]
    assert column(tmp_path, "a", '""', null_values=("",)).to_list() == ["a", None]


def test_a_column_of_nulls_only_is_text(tmp_path: Path) -> None:
    found = column(tmp_path, "", "")
    assert found.dtype == pl.String
    assert found.null_count() == 2


def test_nan_is_missing_and_counted(tmp_path: Path) -> None:
    floats = table(tmp_path, "1.5", "NaN", "nan", "")
    assert floats.frame["x"].to_list() == [1.5, None, None, None]
    assert floats.notes == ("column 'x': 2 NaN taken as missing.",)
    integers = table(tmp_path, "1234567890123456789", "NaN")
    assert integers.frame["x"].to_list() == [1234567890123456789, None]
    assert integers.notes == ("column 'x': 1 NaN taken as missing.",)


def test_a_decimal_comma_is_found_where_it_cannot_be_anything_else(tmp_path: Path) -> None:
    found = table(tmp_path, "1,5", "2", "-0,25", "1e-3")
    assert found.frame["x"].to_list() == [1.5, 2.0, -0.25, 0.001]
    assert found.origin.dialect is not None
    assert found.origin.dialect.decimal == ","
    assert column(tmp_path, "0,125", "1,125").to_list() == [0.125, 1.125]


def test_a_comma_that_may_separate_thousands_is_left_as_text_and_told(tmp_path: Path) -> None:
    found = table(tmp_path, "1,500", "12,250")
    assert found.frame["x"].to_list() == ["1,500", "12,250"]
    assert "'x'" in found.notes[0]
    assert "decimal=','" in found.notes[0]
    assert "1,500" not in found.notes[0]
    assert column(tmp_path, "1,500", "12,250", decimal=",").to_list() == [1.5, 12.25]


def test_a_quoted_comma_between_commas_is_no_decimal_mark(tmp_path: Path) -> None:
    assert column(tmp_path, '"1,5"', separator=",").to_list() == ["1,5"]
    assert column(tmp_path, '"1,5"', separator=",", decimal=",").to_list() == [1.5]


def test_points_in_one_column_and_commas_in_another_leave_the_commas_as_text(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x;y\n1.25;1,5\n")
    found = read(path)
    assert found.frame.rows() == [(1.25, "1,5")]
    assert "'y'" in found.notes[0]


def test_a_decimal_comma_makes_points_text(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x;y\n1.250;1,5\n")
    assert read(path).frame.rows() == [("1.250", 1.5)]
