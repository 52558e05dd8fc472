"""A table with a column of every type that an engine carries, with the values that are easily lost."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

_OLD, _LATE = dt.date(1, 1, 1), dt.date(9999, 12, 31)
_COLUMNS: list[Any] = [
    pa.array([True, None, False, True]),
    pa.array([-(2**7), 2**7 - 1, None, 0], pa.int8()),
    pa.array([-(2**15), 2**15 - 1, None, 0], pa.int16()),
    pa.array([-(2**31), 2**31 - 1, None, 0], pa.int32()),
    pa.array([-(2**63), 2**63 - 1, None, 0], pa.int64()),
    pa.array([0, 2**8 - 1, None, 1], pa.uint8()),
    pa.array([0, 2**16 - 1, None, 1], pa.uint16()),
    pa.array([0, 2**32 - 1, None, 1], pa.uint32()),
    pa.array([0, 2**64 - 1, None, 2**63], pa.uint64()),
    pa.array([np.float16(1.5), np.float16("-inf"), None, np.float16(-0.0)], pa.float16()),
    pa.array([1.5, float("inf"), None, -0.0], pa.float32()),
    pa.array([0.1, float("nan"), None, -0.0], pa.float64()),
    pa.array(["a\0b", "\U0001f600 \u0301\u200d", None, ""]),
    pa.array(["a\r\n\tb", "\ufeff", None, " "], pa.large_string()),
    pa.array(["a much longer text than twelve", "\U0001f600", None, ""], pa.string_view()),
    pa.array([b"\xff\x00", b"", None, b"x"]),
    pa.array([b"\xff\x00", b"", None, b"x"], pa.large_binary()),
    pa.array([b"a long array of bytes \xff", b"", None, b"x"], pa.binary_view()),
    pa.array([b"abc", b"\0\0\0", None, b"\xff\xff\xff"], pa.binary(3)),
    pa.array([_OLD, _LATE, None, dt.date(1582, 10, 10)]),
    pa.array([dt.date(1899, 12, 31), dt.date(1582, 10, 4), None, _LATE], pa.date64()),
    pa.array([0, 86399, None, 1], pa.time32("s")),
    pa.array([0, 86_399_999, None, 1], pa.time32("ms")),
    pa.array([0, 86_399_999_999, None, 1], pa.time64("us")),
    pa.array([0, 86_399_999_999_999, None, 1], pa.time64("ns")),
    pa.array([-62_135_596_800, 253_402_300_799, None, 0], pa.timestamp("s")),
    pa.array([-62_135_596_800_000, 1, None, 0], pa.timestamp("ms", "UTC")),
    pa.array([-62_135_596_800_000_000, 1, None, 0], pa.timestamp("us", "Europe/Berlin")),
    pa.array([-(2**63) + 1, 2**63 - 1, None, 0], pa.timestamp("ns")),
    pa.array([-(2**63) + 1, 2**63 - 1, None, 0], pa.duration("ns")),
    pa.array([-5, 5, None, 0], pa.duration("s")),
    pa.array([Decimal("1.2"), Decimal("-9999.9"), None, Decimal("0.0")], pa.decimal64(5, 1)),
    pa.array([Decimal("1.23"), Decimal("-" + "9" * 36 + ".99"), None, Decimal("0.00")], pa.decimal128(38, 2)),
    pa.array([Decimal("1.23"), Decimal("-" + "9" * 58 + ".99"), None, Decimal("0.00")], pa.decimal256(60, 2)),
    pa.array([(1, 2, 3), (-1, 0, 2**62), None, (0, 0, 0)], pa.month_day_nano_interval()),
    pa.nulls(4),
    pa.array(["x", "y", None, "x"]).dictionary_encode(),
    pa.array([["a", None], [], None, ["\0"]]),
    pa.array([[_OLD, None], [], None, [_LATE]], pa.large_list(pa.date32())),
    pa.array([[1, 2**64 - 1], [3, None], None, [0, 0]], pa.list_(pa.uint64(), 2)),
    pa.array([{"a": 1, "b": _OLD}, {"a": None, "b": None}, None, {"a": 0, "b": _LATE}]),
]
KEY = "shoal: key"
EVERY_TYPE = pa.table(
    [pa.array([3, 0, 2, 1], pa.int32()), *_COLUMNS],
    # names that Spark would take for one another, for fields, or for quotations
    names=[KEY, *(("Column", "column", "a.b", "`q`")[place % 4] + str(place // 4) for place in range(len(_COLUMNS)))],
)


def bits(column: Any) -> Any:
    """A column in a form in which equal means equal bit by bit: NaN is itself, and -0 is not 0."""
    if pa.types.is_floating(column.type):
        whole = {16: pa.uint16(), 32: pa.int32(), 64: pa.int64()}[column.type.bit_width]
        return pa.chunked_array([chunk.view(whole) for chunk in column.chunks], whole)
    return column


def assert_same(got: pa.Table, want: pa.Table) -> None:
    """Two tables have the same columns, types and cells, in the same order of rows."""
    assert got.schema.equals(want.schema)
    for name in want.column_names:
        one, other = bits(got[name]), bits(want[name])
        if pa.types.is_dictionary(one.type):  # the same texts may have other numbers
            one, other = one.cast(one.type.value_type), other.cast(other.type.value_type)
        assert one.equals(other), name
