"""A column of a database on its way in: its type there, and how it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl
import pyarrow as pa

from shoal.errors import SchemaError
from shoal.tables.check import check_names, checked
from shoal.tables.database.cells import from_sql
from shoal.tables.database.source import DatabaseSource
from shoal.tables.from_frame import plain_frame
from shoal.tables.table import Origin, Table
from shoal.tables.text import as_written

Way = Literal["as it is", "decimal", "cell"]
"""How the values of a column come: with their own type, as texts of exact decimals, or of ranges and arrays."""
_DIGITS = 38
_DECIMAL = r"^-?[0-9]*(?:\.[0-9]*)?$"


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column: its name, its type as the database writes it, the expression that selects it, and how it comes."""

    name: str
    type: str
    expression: str
    way: Way = "as it is"


def unreadable(name: str, kind: str, cast: str) -> SchemaError:
    """Return the error for a column of a type that is not read."""
    return SchemaError(
        f"column {name!r} has the type {kind}, which Shoal does not read.",
        f"leave it out, or turn it into a text or a number in a query, such as {cast}.",
    )


def checked_columns(columns: Sequence[SourceColumn]) -> list[SourceColumn]:
    """Return the columns if their names are distinct and not empty; otherwise raise a `SchemaError`."""
    check_names([column.name for column in columns])
    return list(columns)


def to_table(source: DatabaseSource, columns: Sequence[SourceColumn], rows: pa.Table, notes: Iterable[str]) -> Table:
    """Return rows that were fetched as a table, with exact decimals and cells in the place of texts."""
    frame = _arrow_frame(columns, rows)
    not_numbers = [f"column {name!r}: {n} NaN taken as missing." for name, n in _not_numbers(frame, columns).items()]
    frame, more = to_frame(columns, rows, decimal_places(columns, [rows]))
    origin = Origin(source.engine, schema=dict(frame.schema), native={column.name: column.type for column in columns})
    return Table(frame, origin, (*notes, *not_numbers, *more))


def to_frame(
    columns: Sequence[SourceColumn], rows: pa.Table, places: Mapping[str, int]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return some rows with their types, and notes; `places` has the decimal places of exact decimals in all rows."""
    frame = _arrow_frame(columns, rows)
    decimals = [_decimals(frame[name], most) for name, most in places.items()]
    return checked(frame.with_columns(decimals).with_columns(_cells(frame, columns)))


def decimal_places(columns: Sequence[SourceColumn], batches: Iterable[pa.Table]) -> dict[str, int]:
    """Return, per column of exact decimals, the places of the longest; raise a `SchemaError` if it has no room."""
    own = [column for column in columns if column.way == "decimal"]
    most = {column.name: (0, 0) for column in own}
    for rows in batches:
        frame = _arrow_frame(columns, rows)
        for column in own:
            whole, places = _digits(frame[column.name])
            before = most[column.name]
            most[column.name] = max(whole, before[0]), max(places, before[1])
    for name, (whole, places) in most.items():
        if whole + places > _DIGITS:
            raise SchemaError(
                f"column {name!r} holds numbers of more than {_DIGITS} digits.",
                "round them in a query, or turn them into a text.",
            )
    return {name: places for name, (_, places) in most.items()}


def to_text(columns: Sequence[SourceColumn], rows: pa.Table) -> pl.DataFrame:
    """Return rows that were fetched with every cell as the text that a released file would have."""
    frame = _arrow_frame(columns, rows)
    return as_written(frame.with_columns(_cells(frame, columns)))


def _arrow_frame(columns: Sequence[SourceColumn], rows: pa.Table) -> pl.DataFrame:
    plain: Mapping[str, Any] = {column.name: rows.column(place) for place, column in enumerate(columns)}
    return plain_frame(plain)


def _cells(frame: pl.DataFrame, columns: Sequence[SourceColumn]) -> list[pl.Series]:
    """Return the columns of ranges and arrays as cells; every different value is converted once."""
    found = []
    for column in columns:
        if column.way == "cell":
            distinct = frame[column.name].unique().drop_nulls()
            cells = pl.Series([from_sql(text, column.type) for text in distinct.to_list()], dtype=pl.String)
            found.append(
                frame[column.name]
                .replace_strict(distinct, cells, default=None, return_dtype=pl.String)
                .alias(column.name)
            )
    return found


def _not_numbers(frame: pl.DataFrame, columns: Sequence[SourceColumn]) -> dict[str, int]:
    counts = {one.name: int((frame[one.name] == "NaN").sum()) for one in columns if one.way == "decimal"}
    return {name: count for name, count in counts.items() if count}


def _digits(texts: pl.Series) -> tuple[int, int]:
    """Return the most digits before and after the point of texts of numbers; raise a `SchemaError` for others."""
    numbers = texts.filter(texts != "NaN")
    if int((~numbers.str.contains(_DECIMAL)).sum()):
        raise SchemaError(
            f"column {texts.name!r} holds infinite numbers.", "replace them by a number or by a missing value."
        )
    parts = numbers.str.strip_prefix("-").str.split_exact(".", 1).struct.unnest()
    whole, places = (int(parts.to_series(place).str.len_bytes().max() or 0) for place in (0, 1))  # type: ignore[arg-type]
    return whole, places


def _decimals(texts: pl.Series, places: int) -> pl.Series:
    """Return texts of numbers as exact decimals; NaN is missing."""
    numbers = pl.select(pl.when(texts != "NaN").then(texts)).to_series().alias(texts.name)
    return numbers.str.to_decimal(scale=places)
