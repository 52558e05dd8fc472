"""Frames in: every column worked on or refused by name; frames out: the same kind, the same types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.errors import SchemaError, TableError
from shoal.tables import Table, give_back, read, read_back

DAY = dt.date(2024, 2, 29)

POLARS = pl.DataFrame(
    {
        "integer": pl.Series([1, None, 3], dtype=pl.Int8),
        "unsigned": pl.Series([1, None, 2**64 - 1], dtype=pl.UInt64),
        "float": pl.Series([1.5, None, 0.0], dtype=pl.Float32),
        "decimal": pl.Series([Decimal("1.50"), None, Decimal("2.00")]),
        "boolean": [True, None, False],
        "text": ["a", None, ""],
        "category": pl.Series(["x", None, "y"], dtype=pl.Categorical),
        "enum": pl.Series(["x", None, "y"], dtype=pl.Enum(["y", "x"])),
        "date": [DAY, None, DAY],
        "time": [dt.time(1, 2, 3), None, dt.time(0)],
        "moment": pl.Series([dt.datetime(2024, 1, 1), None, dt.datetime(2025, 1, 1)], dtype=pl.Datetime("ms")),
        "zoned": pl.Series([dt.datetime(2024, 1, 1)] * 3).dt.replace_time_zone("Europe/Paris"),
        "duration": [dt.timedelta(days=1), None, dt.timedelta(seconds=1)],
    }
)

ARROW = pa.table(
    {
        "text": pa.array(["a", None]),
        "large": pa.array(["a", None], pa.large_string()),
        "view": pa.array(["a", None], pa.string_view()),
        "dictionary": pa.array(["b", "a"]).dictionary_encode(),
        "numbers": pa.array([7, 8]).dictionary_encode(),
        "small": pa.array([1, None], pa.int8()),
        "half": pa.array(np.array([1.5, 2.5], dtype=np.float16)),
        "seconds": pa.array([1, None], pa.timestamp("s")),
        "offset": pa.array([1, 2], pa.timestamp("us", tz="+02:00")),
        "date64": pa.array([86_400_000, 0], pa.date64()),
        "time32": pa.array([1, 2], pa.time32("s")),
        "decimal": pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)),
        "duration": pa.array([1, 2], pa.duration("s")),
        "boolean": pa.array([True, None]),
    }
)


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "text": ["a", None, "b"],
            "object": pd.Series(["p", "q", np.nan], dtype=object),
            "string": pd.array(["a", None, "z"], dtype="string"),
            "int64": [1, 2, 3],
            "int8": np.array([1, 2, 3], dtype="int8"),
            "Int64": pd.array([1, None, 2**60 + 1], dtype="Int64"),
            "arrow": pd.array([1, None, 3], dtype="int64[pyarrow]"),
            "float": [1.5, np.nan, 2],
            "float32": np.array([1, 2, 3], dtype="float32"),
            "Float64": pd.array([1.5, None, 2], dtype="Float64"),
            "bool": [True, False, True],
            "boolean": pd.array([True, None, False], dtype="boolean"),
            "category": pd.Categorical(["x", None, "y"], categories=["y", "x"], ordered=True),
            "numbers": pd.Categorical([1, 2, 1]),
            "sparse": pd.arrays.SparseArray([0, 1, 0]),
            "datetime": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            "zoned": pd.date_range("2020", periods=3, tz="Europe/Paris"),
            "offset": pd.to_datetime(["2020-01-01T00:00+02:00"] * 3),
            "timedelta": pd.to_timedelta([1, 2, 3]),
            "date": [DAY] * 3,
            "time": [dt.time(1)] * 3,
            "decimal": [Decimal("1.5")] * 3,
        }
    )


def test_polars_types_survive_the_way_there_and_back() -> None:
    table = read(POLARS)
    assert table.frame.equals(POLARS)
    back = give_back(table.frame, table.origin)
    assert back.schema == POLARS.schema
    assert back.equals(POLARS)
    lazy = read(POLARS.lazy())
    assert isinstance(give_back(lazy.frame, lazy.origin), pl.LazyFrame)
    assert give_back(lazy.frame, lazy.origin).collect().equals(POLARS)


def test_arrow_types_survive_the_way_there_and_back() -> None:
    table = read(ARROW)
    assert give_back(table.frame, table.origin).equals(ARROW)


# A text column of pandas 2 has two marks for a missing value, None and NaN; which of them it was is not kept.
@pytest.mark.filterwarnings("ignore:Mismatched null-like values:FutureWarning")
def test_pandas_types_survive_the_way_there_and_back() -> None:
    frame = pandas_frame()
    table = read(frame)
    assert table.notes == ()
    pd.testing.assert_frame_equal(give_back(table.frame, table.origin), frame)


@pytest.mark.parametrize("n_chunks", [1, 2])
def test_a_dictionary_of_numbers_or_dates_is_read_as_these(n_chunks: int) -> None:
    columns = {
        "whole": pa.array([1, 2, 1, None]),
        "real": pa.array([0.5, 1.5, 0.5, None]),
        "day": pa.array([dt.date(2020, 1, 1), dt.date(2020, 1, 2), None, dt.date(2020, 1, 1)]),
        "label": pa.array(["a", "b", None, "a"]),
    }
    chunks = {name: pa.chunked_array([column.dictionary_encode()] * n_chunks) for name, column in columns.items()}
    read_in = read(pa.table(chunks)).frame
    assert dict(read_in.schema) == {"whole": pl.Int64, "real": pl.Float64, "day": pl.Date, "label": pl.Categorical}
    assert read_in["day"].to_list() == columns["day"].to_pylist() * n_chunks


def test_a_changed_column_gets_the_type_of_its_new_values() -> None:
    table = read(pandas_frame())
    ages = table.frame.with_columns(pl.lit("[1, 3]").alias("int64"), pl.lit(5).alias("new"))
    back = give_back(ages, table.origin)
    assert back["int64"].tolist() == ["[1, 3]"] * 3
    assert back["new"].dtype == "int32"
    assert list(back.columns) == [*pandas_frame().columns, "new"]
    arrow = read(ARROW)
    assert pa.types.is_large_string(
        give_back(arrow.frame.with_columns(pl.lit("x").alias("small")), arrow.origin)["small"].type
    )


def test_integers_that_became_missing_are_not_rounded() -> None:
    table = read(pd.DataFrame({"n": [2**60 + 1, 5], "flag": [True, False]}))
    back = give_back(table.frame.with_columns(pl.all().replace({5: None, False: None})), table.origin)
    assert back["n"].dtype == "Int64"
    assert back["n"].tolist() == [2**60 + 1, pd.NA]


def test_a_mean_that_no_longer_fits_the_native_type_keeps_its_value() -> None:
    table = read(ARROW)
    half = table.frame.with_columns(pl.col("seconds") + pl.duration(milliseconds=500))
    assert give_back(half, table.origin)["seconds"].to_pylist()[0] == dt.datetime(1970, 1, 1, 0, 0, 1, 500_000)


def test_the_pandas_index_is_no_column_and_orders_nothing() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=[2, 0, 1])
    table = read(frame)
    assert table.columns == ["a"]
    assert table.frame["a"].to_list() == [1, 2, 3]
    assert "index" in table.notes[0]
    back = give_back(table.frame, table.origin)
    assert isinstance(back.index, pd.RangeIndex)
    assert back["a"].tolist() == [1, 2, 3]
    assert read(frame.reset_index(drop=True)).notes == ()


def test_pandas_column_labels_come_back_as_they_were() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=[0, 1.5, "x"])
    table = read(frame)
    assert table.columns == ["0", "1.5", "x"]
    assert list(give_back(table.frame, table.origin).columns) == [0, 1.5, "x"]
    assert list(give_back(table.frame.select("x", "0"), table.origin).columns) == ["x", 0]


def test_pandas_values_without_a_common_type_become_text() -> None:
    table = read(pd.DataFrame({"mixed": [1, "a", None], "large": [2**70, 1, None]}))
    assert table.frame["mixed"].to_list() == ["1", "a", None]
    assert table.frame["large"].to_list() == [str(2**70), "1", None]
    assert len(table.notes) == 2
    assert "'mixed'" in table.notes[0]


def test_pandas_intervals_and_periods_are_text_as_pandas_shows_them() -> None:
    ages = pd.Series([5.0, 15.0, None])
    cut = pd.cut(ages, [0.0, 10.0, 20.0])
    frame = pd.DataFrame({"cut": cut, "interval": cut.astype(cut.cat.categories.dtype)})
    frame["month"] = pd.PeriodIndex(["2024-05", "2024-06", "NaT"], freq="M")
    table = read(frame)
    assert table.frame["cut"].to_list() == table.frame["interval"].to_list() == ["(0.0, 10.0]", "(10.0, 20.0]", None]
    assert table.frame["month"].to_list() == ["2024-05", "2024-06", None]
    back = give_back(table.frame, table.origin)
    assert back["cut"].tolist()[:2] == ["(0.0, 10.0]", "(10.0, 20.0]"]
    assert back["cut"].isna().tolist() == [False, False, True]


def test_a_column_without_values_is_text() -> None:
    for source in (pl.DataFrame({"a": [None]}), pa.table({"a": pa.nulls(1)}), pd.DataFrame({"a": [None]})):
        assert read(source).frame.schema == {"a": pl.String}


def test_integers_beyond_64_bits_become_text() -> None:
    assert read(pl.DataFrame({"a": pl.Series([2**100], dtype=pl.Int128)})).frame["a"].to_list() == [str(2**100)]


@pytest.mark.parametrize("width", [pl.Float32, pl.Float64])
def test_nan_in_a_frame_is_missing_and_counted(width: pl.DataType) -> None:
    table = read(pl.DataFrame({"a": pl.Series([1.0, float("nan"), None], dtype=width)}))
    assert table.frame["a"].to_list() == [1.0, None, None]
    assert table.notes == ("column 'a': 1 NaN taken as missing.",)


def test_a_table_is_read_as_itself() -> None:
    table = read(POLARS)
    assert read(table) is table
    assert len(table) == 3


def test_the_input_is_not_modified() -> None:
    frame = pandas_frame()
    table = read(frame)
    give_back(table.frame, table.origin)
    pd.testing.assert_frame_equal(frame, pandas_frame())


REFUSED: dict[str, tuple[Any, str]] = {
    "polars list": (pl.DataFrame({"x": [[1.5]]}), "column 'x' holds values of type List"),
    "polars struct": (pl.DataFrame({"x": [{"a": 1}]}), "column 'x' holds values of type Struct"),
    "polars array": (pl.DataFrame({"x": pl.Series([[1]], dtype=pl.Array(pl.Int8, 1))}), "column 'x' holds"),
    "polars binary": (pl.DataFrame({"x": [b"a"]}), "column 'x' holds values of type Binary"),
    "polars object": (pl.DataFrame({"x": [object()]}), "column 'x' holds values of type Object"),
    "polars infinity": (pl.DataFrame({"x": [1.0, float("-inf")]}), "column 'x' holds 1 infinite number"),
    "polars nothing": (pl.DataFrame(), "no columns"),
    "polars no name": (pl.DataFrame({"": [1]}), "without a name"),
    "arrow list": (pa.table({"x": pa.array([[[1]]])}), "column 'x' holds values of type list"),
    "arrow bytes": (pa.table({"x": pa.array([b"a"])}), "column 'x' holds values of type binary"),
    "arrow wide decimal": (pa.table({"x": pa.nulls(1, pa.decimal256(50, 2))}), "column 'x' holds values of type dec"),
    "arrow extension": (pa.table({"x": pa.nulls(1, pa.uuid())}), "column 'x' holds values of type extension"),
    "arrow twice": (pa.table([[1], [2]], names=["a", "a"]), "more than once: 'a'"),
    "pandas twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than once: 'a'"),
    "pandas twice as text": (pd.DataFrame([[1, 2]], columns=["1", 1]), "more than once: '1'"),
    "pandas no name": (pd.DataFrame({None: [1]}), "without a name"),
    "pandas lists": (pd.DataFrame({"x": [[1.5], [2.5]]}), "column 'x' holds values of type list"),
    "pandas mixed lists": (pd.DataFrame({"x": [{1}, 5]}), "column 'x' holds nested values"),
    "pandas complex": (pd.DataFrame({"x": [1j]}), "column 'x' holds values of type complex128"),
    "pandas bytes": (pd.DataFrame({"x": [b"x"]}), "column 'x' holds values of type binary"),
    "pandas levels": (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "2 levels"),
    "pandas surrogate": (
        pd.DataFrame({"x": pd.Series(["\ud800"], dtype=object)}),
        "column 'x' holds text that is not",
    ),
    "pandas infinity": (pd.DataFrame({"x": [np.inf]}), "column 'x' holds 1 infinite number"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_worked_on_is_refused_by_name(case: str) -> None:
    source, part = REFUSED[case]
    with pytest.raises(SchemaError, match=part) as caught:
        read(source)
    assert caught.value.hint
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_lazy_frame_that_fails_is_one_sentence() -> None:
    with pytest.raises(TableError, match="cannot be collected") as caught:
        read(pl.LazyFrame({"a": ["secret"]}).select(pl.col("a").cast(pl.Int64)))
    assert "secret" not in str(caught.value)


def test_rows_are_counted() -> None:
    assert isinstance(read(POLARS), Table)
    assert len(read(pl.DataFrame({"a": []}))) == 0


@pytest.mark.parametrize(
    ("dtype", "good", "bad"),
    [
        (pl.Date, [-719_162, 2_932_896], [-719_163, 2_932_897]),
        (pl.Datetime("ms"), [253_402_300_799_999], [253_402_300_800_000, -(2**63) + 1]),
        (pl.Datetime("us", "UTC"), [-62_135_596_800_000_000], [-62_135_596_800_000_001]),
        (pl.Time, [0, 86_399_999_999_999], []),
    ],
)
def test_times_that_no_calendar_has_are_refused(dtype, good, bad, tmp_path) -> None:
    def table(numbers: list[int]) -> pl.DataFrame:
        width = pl.Int32 if dtype == pl.Date else pl.Int64
        return pl.DataFrame({"when": pl.Series([*numbers, None], dtype=width).cast(dtype)})

    assert read(table(good)).frame.height == len(good) + 1
    table(good).write_parquet(tmp_path / "good.parquet")
    assert read_back(tmp_path / "good.parquet").height == len(good) + 1
    for number in bad:
        with pytest.raises(SchemaError, match=r"column 'when' holds 1 (date|time) that no calendar has"):
            read(table([*good, number]))
        table([number]).write_ipc(tmp_path / "bad.arrow")
        with pytest.raises(SchemaError, match="no calendar has"):
            read_back(tmp_path / "bad.arrow")


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_moments_in_nanoseconds_are_read_up_to_their_limits(zone: str | None) -> None:
    ticks = pl.Series("at", [-(2**63), 0, 2**63 - 1, None], dtype=pl.Int64).cast(pl.Datetime("ns"))
    frame = pl.DataFrame([ticks[1:2] if zone else ticks])
    frame = frame.with_columns(pl.col("at").dt.replace_time_zone(zone)) if zone else frame
    assert read(frame).frame.equals(frame, null_equal=True)
