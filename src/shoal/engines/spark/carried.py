"""Arrow columns as Spark carries them: every value comes back as it was, whatever Spark would make of its type.

Spark has no unsigned numbers, no nanoseconds and no times of day, moves timestamps by the time zone of a session, and
counts old dates by another calendar when it writes them. So no column is given to Spark under a type that it would
interpret: dates, times, timestamps and durations are carried as whole numbers, decimals as bytes. Whole numbers keep
their order, so that Spark can sort by them. Columns are carried under numbers, not under their names: Spark takes
`Age` for `age`, and a dot for a field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import TableError

Cells = Any
"""An Arrow array; which type it has is the question here."""
_SIGN = np.uint64(1 << 63)
"""Added to unsigned numbers of 64 bits, so that they keep their order as signed ones."""
_WIDER: dict[pa.DataType, pa.DataType] = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.float16(): pa.float32(),
}
_SAME = frozenset(
    {pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.string(), pa.binary()}
)


def carried_name(place: int) -> str:
    """Return the name under which the column at a place is carried."""
    return f"c{place}"


def carried_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema under which a table is carried; a TableError names a column that cannot be."""
    fields = []
    for place, column in enumerate(schema):
        try:
            fields.append(pa.field(carried_name(place), carried_type(column.type)))
        except TypeError:
            raise TableError(
                f"column {column.name} has the type {column.type}, which cannot be sent to workers.",
                "turn it into text first.",
            ) from None
    return pa.schema(fields)


def carried_type(kind: pa.DataType) -> pa.DataType:
    """Return the type under which a column is carried; a TypeError if there is none."""
    types = pa.types
    if kind in _SAME:
        return kind
    if kind in _WIDER:
        return _WIDER[kind]
    if isinstance(kind, pa.BaseExtensionType):
        return carried_type(kind.storage_type)
    if types.is_dictionary(kind):
        return carried_type(kind.value_type)
    if types.is_null(kind):
        return pa.bool_()
    if types.is_date32(kind) or types.is_time32(kind):
        return pa.int32()
    if kind == pa.uint64() or (types.is_temporal(kind) and kind.bit_width == 64):
        return pa.int64()
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    if types.is_binary_view(kind) or types.is_large_binary(kind) or _is_bytes(kind):
        return pa.binary()
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return pa.list_(carried_type(kind.value_type))
    if types.is_struct(kind) and kind.num_fields:
        return pa.struct(
            [pa.field(carried_name(i), carried_type(kind.field(i).type)) for i in range(kind.num_fields)]
        )
    raise TypeError


def carry(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch of `schema` as it is carried."""
    columns = [_carry(_as(column, want.type), want.type) for column, want in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=carried_schema(schema))


def delivered(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a carried batch as a batch of `schema`."""
    columns = [_deliver(column, want.type) for column, want in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def as_named(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch that Spark made of a table of its own, with the names and types of `schema`."""
    columns = [_as(column, want.type) for column, want in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _as(column: Cells, kind: pa.DataType) -> Cells:
    """Return a column of a type that says the same: other names of fields, or another width of offsets."""
    return column if column.type == kind else column.cast(kind)


def _is_bytes(kind: pa.DataType) -> bool:
    """Return whether all values of a type have the same whole number of bytes, which are carried as such."""
    types = pa.types
    return bool(types.is_decimal(kind) or types.is_fixed_size_binary(kind) or types.is_interval(kind))


def _carry(column: Cells, kind: pa.DataType) -> Cells:
    types, want = pa.types, carried_type(kind)
    if kind == want:
        return column
    if isinstance(kind, pa.BaseExtensionType):
        return _carry(column.storage, kind.storage_type)
    if types.is_dictionary(kind):
        return _carry(column.cast(kind.value_type), kind.value_type)
    if types.is_null(kind):
        return pa.array([None] * len(column), want)
    if kind == pa.uint64():
        return _flipped(column.view(pa.int64()))
    if types.is_temporal(kind) and not types.is_interval(kind):
        return column.view(want)
    if _is_bytes(kind):
        return _viewed(column, pa.binary(kind.byte_width)).cast(want)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _lists(column, _carry(column.flatten(), kind.value_type))
    if types.is_struct(kind):
        parts = [_carry(part, kind.field(i).type) for i, part in enumerate(_fields(column))]
        return _struct(parts, want, column)
    return column.cast(want)


def _deliver(column: Cells, kind: pa.DataType) -> Cells:
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _deliver(column, kind.storage_type))
    if types.is_dictionary(kind):
        coded = _deliver(column, kind.value_type).dictionary_encode()
        return pa.DictionaryArray.from_arrays(
            coded.indices.cast(kind.index_type), coded.dictionary, ordered=kind.ordered
        )
    if types.is_null(kind):
        return pa.nulls(len(column))
    if kind == pa.uint64():
        return _flipped(column).view(pa.uint64())
    if types.is_temporal(kind) and not types.is_interval(kind):
        return column.view(kind)
    if _is_bytes(kind):
        return _viewed(column.cast(pa.binary(kind.byte_width)), kind)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        plain = _lists(column, _deliver(column.flatten(), kind.value_type))
        return plain if plain.type == kind else plain.cast(kind)
    if types.is_struct(kind):
        parts = [_deliver(part, kind.field(i).type) for i, part in enumerate(_fields(column))]
        return _struct(parts, kind, column)
    return column if column.type == kind else column.cast(kind)


def _flipped(column: Cells) -> Cells:
    """Return whole numbers of 64 bits with their sign turned, which is its own inverse."""
    values = np.asarray(column.fill_null(0)).view(np.uint64) ^ _SIGN
    mask = np.asarray(column.is_null()) if column.null_count else None
    return pa.array(values.view(np.int64), mask=mask)


def _viewed(column: Cells, kind: pa.DataType) -> Cells:
    """Return the same bytes under another type of the same width."""
    plain = pa.concat_arrays([column]) if column.offset else column
    return pa.Array.from_buffers(kind, len(plain), plain.buffers()[:2], plain.null_count, plain.offset)


def _lists(column: Cells, values: Cells) -> Cells:
    """Return lists of `values`, with the lengths and the missing lists of `column`."""
    lengths = np.asarray(pc.list_value_length(column).fill_null(0))
    offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))), pa.int32())
    return pa.ListArray.from_arrays(offsets, values, mask=column.is_null() if column.null_count else None)


def _fields(column: Any) -> Sequence[Cells]:
    """Return the fields of records; their own missing values stay as they are."""
    return [column.field(place) for place in range(column.type.num_fields)]


def _struct(parts: Sequence[Cells], kind: pa.DataType, like: Cells) -> Cells:
    fields = [kind.field(place) for place in range(kind.num_fields)]
    mask = like.is_null() if like.null_count else None
    return pa.StructArray.from_arrays(list(parts), fields=fields, mask=mask)
