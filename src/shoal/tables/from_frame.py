"""Conversion of polars, pandas and pyarrow tables to a `Table`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from shoal.errors import SchemaError, TableError
from shoal.tables.check import check_names, checked, refused
from shoal.tables.lists import lists_as_texts, notes_on
from shoal.tables.table import Kind, Origin, Table

if TYPE_CHECKING:
    import pandas as pd

ArrowColumn = Any  # a pyarrow Array or ChunkedArray; its stubs and its releases disagree on the parameters

_PLAIN = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_decimal128,
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_timestamp,
    pa.types.is_duration,
    pa.types.is_null,
)

_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)


def from_polars(frame: pl.DataFrame | pl.LazyFrame) -> Table:
    """Return the table of a polars frame; a lazy frame is collected."""
    kind: Kind = "polars"
    if isinstance(frame, pl.LazyFrame):
        kind = "polars-lazy"
        try:
            frame = frame.collect()
        except pl.exceptions.PolarsError as error:
            raise TableError(
                f"the lazy frame cannot be collected ({type(error).__name__}).", "call .collect() to see why."
            ) from None
    frame, listed = lists_as_texts(frame)
    result, notes = checked(frame)
    return Table(result, Origin(kind, schema=dict(result.schema), lists=listed), notes_on(listed) + notes)


def from_arrow(table: pa.Table, kind: Kind = "pyarrow") -> Table:
    """Return the table of a pyarrow table; `kind` says if it was read from a Parquet or Arrow file."""
    check_names(table.column_names)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    columns, listed = _without_lists(columns)
    frame, notes = checked(plain_frame(columns))
    notes = notes_on(listed) + notes
    native = {name: column.type for name, column in columns.items()} if kind == "pyarrow" else {}
    return Table(frame, Origin(kind, schema=dict(frame.schema), native=native, lists=listed), notes)


def from_pandas(frame: pd.DataFrame) -> Table:
    """Return the table of a pandas frame, in the order of its rows. The index is not kept, and a note says so."""
    import pandas as pd

    if frame.columns.nlevels > 1:
        raise SchemaError(
            f"the pandas frame has column names of {frame.columns.nlevels} levels.",
            "give each column one name, such as by joining the levels.",
        )
    names = ["" if label is None else str(label) for label in frame.columns]
    check_names(names)
    plain = isinstance(frame.index, pd.RangeIndex)
    notes: tuple[str, ...] = () if plain else ("the pandas index was ignored; reset_index() makes it a column.",)
    columns: dict[str, ArrowColumn] = {}
    mixed = []
    dtypes = []
    for place, name in enumerate(names):
        series = _plain(frame.iloc[:, place])
        dtypes.append(series.dtype)
        column = _column(series)
        if column is None:
            mixed.append(name)
            column = _as_text(name, series)
        columns[name] = column
    columns, listed = _without_lists(columns)
    result, more = checked(plain_frame(columns))
    notes += notes_on(listed)
    notes += tuple(f"column {name!r} was read as text: its values have no common type of 64 bits." for name in mixed)
    origin = Origin(
        "pandas",
        schema=dict(result.schema),
        native=dict(zip(names, dtypes, strict=True)),
        lists=listed,
        labels=dict(zip(names, frame.columns, strict=True)),
    )
    return Table(result, origin, notes + more)


def _plain(series: pd.Series[Any]) -> pd.Series[Any]:
    """Return intervals (as of `pd.cut`) and periods as the text that pandas shows; any other series unchanged."""
    import pandas as pd

    dtype = series.dtype
    values = dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
    if not isinstance(values, pd.IntervalDtype | pd.PeriodDtype):
        return series
    return series.astype(object).map(str, na_action="ignore").astype(object)


def _column(series: pd.Series[Any]) -> ArrowColumn | None:
    """Return the series as an Arrow array, or None if its values have no common type."""
    import pandas as pd

    if isinstance(series.dtype, pd.SparseDtype):
        series = series.astype(series.dtype.subtype)
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


def _as_text(name: str, series: pd.Series[Any]) -> ArrowColumn:
    """Return values of several types as text; nested values such as lists raise a `SchemaError`."""
    import pandas as pd

    if series.dtype != object or not all(pd.api.types.is_scalar(value) for value in series):
        raise refused(name, "nested values" if series.dtype == object else f"values of type {series.dtype}")
    try:
        return pa.array([None if pd.isna(value) else str(value) for value in series], pa.string())
    except (pa.ArrowException, UnicodeError):
        raise refused(name, "text that is not Unicode") from None


def _without_lists(columns: Mapping[str, ArrowColumn]) -> tuple[dict[str, ArrowColumn], tuple[str, ...]]:
    """Return the columns with lists of texts or whole numbers as texts, and the names of these."""
    lists = {name: column for name, column in columns.items() if _is_list(column.type)}
    if not lists:
        return dict(columns), ()
    # polars 1.37 reads lists wrongly column by column, and the name of their items may be damaged
    plain = {name: column.cast(pa.large_list(column.type.value_type)) for name, column in lists.items()}
    frame = pl.from_arrow(pa.table(plain))
    assert isinstance(frame, pl.DataFrame)
    texts, names = lists_as_texts(frame)
    return dict(columns) | {name: texts[name].to_arrow() for name in lists}, names


def _is_list(kind: pa.DataType) -> bool:
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return False
    return pa.types.is_integer(kind.value_type) or any(is_one(kind.value_type) for is_one in _TEXT)


def plain_frame(columns: Mapping[str, ArrowColumn]) -> pl.DataFrame:
    """Return Arrow columns as a frame; types that polars lacks, or reads as nested values or bytes, are refused."""
    for name, column in columns.items():
        if not _is_plain(column.type):
            raise refused(
                name, f"values of type {str(column.type).split('<')[0]}"
            )  # the full type would show field names
    return pl.DataFrame([_series(name, column) for name, column in columns.items()])


def _series(name: str, column: ArrowColumn) -> pl.Series:
    try:
        return pl.Series(name, _decoded(column))
    except pl.exceptions.PolarsError:
        if pa.types.is_timestamp(column.type):
            raise SchemaError(
                f"column {name!r} holds times of a zone that is not known by name.",
                "convert them to a named zone, such as UTC or Asia/Kolkata.",
            ) from None
        raise refused(name, f"values of a type {str(column.type).split('(')[0]} out of limits") from None


def _decoded(column: ArrowColumn) -> ArrowColumn:
    """Return a dictionary-encoded column of numbers or dates as plain values; polars may read it as categories."""
    kind = column.type
    if not pa.types.is_dictionary(kind) or any(is_one(kind.value_type) for is_one in _TEXT):
        return column
    return column.cast(kind.value_type)


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return any(is_one(kind) for is_one in _PLAIN)
