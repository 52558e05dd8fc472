"""Frames of Spark and their types, from Arrow and to Arrow."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pyarrow as pa

from shoal.engines.engine import Batches
from shoal.engines.spark.carried import carried_schema, carried_type, delivered
from shoal.errors import TableError
from shoal.spark_session import import_pyspark, without_warnings

_KNOWN = {
    "array", "binary", "boolean", "byte", "date", "double", "float", "integer", "long", "short", "string", "struct",
    "time", "timestamp", "timestamp_ntz", "void",
}  # fmt: skip
"""The types of Spark that mean a value; others, such as variant, are bytes to everybody but Spark."""


def arrow_schema(frame: Any) -> pa.Schema:
    """Return the columns of a Spark frame as Arrow types; a TableError names one that Arrow or Shoal has not."""
    import_pyspark()
    with without_warnings():
        from pyspark.errors import PySparkException
        from pyspark.sql.pandas.types import to_arrow_type
    # Moments are in UTC: this is said since pyspark 4.2, and was so before.
    utc: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_type).parameters else {}
    fields = []
    for column in frame.schema.fields:
        try:
            with without_warnings():
                kind = to_arrow_type(column.dataType, **utc)
            if not _is_known(column.dataType):
                raise TypeError
            carried_type(kind)
        except (TypeError, PySparkException):
            raise TableError(
                f"column {column.name} has the type {column.dataType.simpleString()}, which cannot be read.",
                "turn it into text first.",
            ) from None
        fields.append(pa.field(column.name, kind))
    return pa.schema(fields)


def _is_known(kind: Any) -> bool:
    """Return whether a type of Spark, and every type inside it, means a value."""
    inner = (
        [kind.elementType] if hasattr(kind, "elementType") else [one.dataType for one in getattr(kind, "fields", ())]
    )
    name = kind.typeName().partition("(")[0]
    return (name in _KNOWN or name.startswith(("decimal", "char", "varchar"))) and all(map(_is_known, inner))


def spark_schema(schema: pa.Schema) -> Any:
    """Return the type of a Spark frame that carries columns of `schema`."""
    with without_warnings():
        from pyspark.sql.pandas.types import from_arrow_schema

        return from_arrow_schema(carried_schema(schema))


def natural_frame(frame: Any, schema: pa.Schema) -> Any:
    """Return a frame that carries `schema` as a frame with the nearest types that Spark has itself.

    Moments keep microseconds, and a time of day, a duration or a number without sign beyond 64 bits becomes text.
    """
    with without_warnings():
        from pyspark.sql.pandas.types import from_arrow_schema

        natural = pa.schema([pa.field(column.name, _natural(column.type)) for column in schema])
        kind = from_arrow_schema(natural)

        def run(batches: Batches) -> Batches:
            for batch in batches:
                rows = delivered(batch, schema)
                cells = [cell.cast(want.type, safe=False) for cell, want in zip(rows.columns, natural, strict=True)]
                yield pa.RecordBatch.from_arrays(cells, schema=natural)

        return frame.mapInArrow(run, kind)


def _natural(kind: pa.DataType) -> pa.DataType:
    """Return the nearest type that Spark has."""
    types = pa.types
    if types.is_timestamp(kind):
        return pa.timestamp("us", "UTC" if kind.tz else None)
    if types.is_dictionary(kind):
        return _natural(kind.value_type)
    if types.is_uint64(kind):
        return pa.decimal128(20, 0)
    if types.is_date64(kind):
        return pa.date32()
    if types.is_time(kind) or types.is_duration(kind) or types.is_large_string(kind) or types.is_null(kind):
        return pa.string()
    if types.is_decimal(kind) or types.is_date(kind):
        return kind
    if types.is_list(kind) or types.is_large_list(kind):
        return pa.list_(_natural(kind.value_type))
    return carried_type(kind)
