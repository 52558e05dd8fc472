"""The types of the columns of a released table in a database.

A column that is published as it was gets the type that it had; any other one that of its values. In PostgreSQL,
ranges and sets become ranges and arrays if every cell fits (`cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import polars as pl

from shoal.tables.database.cells import RANGES, sql_type, to_sql
from shoal.tables.database.source import Engine
from shoal.tables.table import Origin
from shoal.tables.text import as_written

_STAGED = (pl.Int16, pl.Int32, pl.Int64, pl.Float32, pl.Float64, pl.Boolean, pl.Date, pl.String)
"""The types that every driver takes; all others are handed over as text and converted by the database."""
_POSTGRESQL: dict[type[pl.DataType], str] = {
    pl.Int8: "smallint", pl.Int16: "smallint", pl.UInt8: "smallint", pl.Int32: "integer", pl.UInt16: "integer",
    pl.Int64: "bigint", pl.UInt32: "bigint", pl.UInt64: "numeric", pl.Float32: "real", pl.Float64: "double precision",
    pl.Boolean: "boolean", pl.Date: "date", pl.Time: "time", pl.Decimal: "numeric",
}  # fmt: skip
_DUCKDB: dict[type[pl.DataType], str] = {
    pl.Int8: "TINYINT", pl.Int16: "SMALLINT", pl.UInt8: "UTINYINT", pl.Int32: "INTEGER", pl.UInt16: "USMALLINT",
    pl.Int64: "BIGINT", pl.UInt32: "UINTEGER", pl.UInt64: "UBIGINT", pl.Float32: "FLOAT", pl.Float64: "DOUBLE",
    pl.Boolean: "BOOLEAN", pl.Date: "DATE", pl.Time: "TIME",
}  # fmt: skip
_SQLITE: dict[type[pl.DataType], str] = {
    pl.Int8: "INTEGER", pl.Int16: "INTEGER", pl.UInt8: "INTEGER", pl.Int32: "INTEGER", pl.UInt16: "INTEGER",
    pl.Int64: "INTEGER", pl.UInt32: "INTEGER", pl.Float32: "REAL", pl.Float64: "REAL", pl.Date: "DATE",
    pl.Datetime: "TIMESTAMP",
}  # fmt: skip
Known = Callable[[Collection[str]], set[str]]


def column_types(
    engine: Engine, frame: pl.DataFrame, origin: Origin, unchanged: Collection[str], known: Known
) -> tuple[pl.DataFrame, list[str]]:
    """Return the frame as it is handed to the database, and the type of every column there.

    `unchanged` are the columns that are published as they were; `known` says which of some types the database has.
    """
    native = {name: str(origin.native[name]) for name in unchanged if _is_native(name, engine, frame, origin)}
    there = known(set(native.values())) if native else set()
    staged, types = [], []
    for column in frame.get_columns():
        text = as_written(column.to_frame()).to_series()
        kind = native.get(column.name, "")
        if kind in there and (converted := _as_native(text, kind)) is not None:
            staged.append(converted)
            types.append(kind)
            continue
        kind = _by_values(engine, column, text)
        if kind in RANGES or kind == "text[]":
            text = _mapped(text, kind)
        plain = column.dtype in _STAGED and kind not in RANGES and kind != "text[]"
        as_text = engine == "sqlite" and column.dtype in (pl.Boolean, pl.Date)
        staged.append(column if plain and not as_text else text)
        types.append(kind)
    return pl.DataFrame(staged), types


def _is_native(name: str, engine: Engine, frame: pl.DataFrame, origin: Origin) -> bool:
    """Return whether a column still has the values of a type of this kind of database."""
    same = name in frame.columns and origin.schema.get(name) == frame.schema[name]
    return same and engine != "sqlite" and origin.kind == engine and name in origin.native


def _as_native(text: pl.Series, kind: str) -> pl.Series | None:
    """Return texts from which the database makes values of a type; None for ranges and arrays that would differ."""
    if kind.endswith("]"):
        kind = "text[]" if sql_type(["{a, b}", *text.unique().drop_nulls().to_list()]) == "text[]" else ""
    elif kind in RANGES:
        cells = text.unique().drop_nulls().to_list()
        kind = kind if all(to_sql(cell, kind) is not None for cell in cells) else ""
    else:
        return text
    return _mapped(text, kind) if kind else None


def _by_values(engine: Engine, column: pl.Series, text: pl.Series) -> str:
    """Return the type that the values of a column have in a database."""
    dtype = column.dtype
    if engine == "postgresql" and dtype in (pl.String, pl.Categorical, pl.Enum):
        return sql_type(text.unique().drop_nulls().to_list()) or "text"
    if isinstance(dtype, pl.Datetime | pl.Time) and _is_finer(column):
        return "text" if engine == "postgresql" else "VARCHAR" if engine == "duckdb" else "TEXT"
    if isinstance(dtype, pl.Datetime) and engine != "sqlite":
        zone = " with time zone" if dtype.time_zone else ""
        return f"timestamp{zone}" if engine == "postgresql" else f"TIMESTAMP{zone.upper()}"
    if engine == "duckdb":
        return f"DECIMAL(38, {dtype.scale})" if isinstance(dtype, pl.Decimal) else _DUCKDB.get(type(dtype), "VARCHAR")
    return _POSTGRESQL.get(type(dtype), "text") if engine == "postgresql" else _SQLITE.get(type(dtype), "TEXT")


def _is_finer(column: pl.Series) -> bool:
    """Return whether some times have nanoseconds, which databases do not keep."""
    dtype = column.dtype
    if isinstance(dtype, pl.Datetime) and dtype.time_unit != "ns":
        return False
    return bool((column.to_physical() % 1000 != 0).any())


def _mapped(text: pl.Series, kind: str) -> pl.Series:
    distinct = text.unique().drop_nulls()
    written = pl.Series([to_sql(cell, kind) for cell in distinct.to_list()], dtype=pl.String)
    return text.replace_strict(distinct, written, default=None, return_dtype=pl.String).alias(text.name)
