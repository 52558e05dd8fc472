"""Arrow, Parquet and ZIP files with one field changed by hand: where the verifier must look, and what it may pass."""

from __future__ import annotations

import io
import struct
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from shoal.certify import hidden_xlsx
from shoal.certify.hidden_archive import BETWEEN, hidden_in_zip
from shoal.certify.hidden_arrow_bytes import bytes_between_blocks
from tests.certify.test_forged_xlsx import saved
from tests.certify.test_small_archives import A, B, Entry, found, zipped
from tests.certify.test_told_of_bytes import told

NO_COLUMN = "bytes that belong to no column"


# -- Arrow -------------------------------------------------------------------------------------------------------


def arrow(*batches: pa.RecordBatch) -> bytes:
    result = io.BytesIO()
    with ipc.new_file(result, pa.schema([("height", pa.string())])) as file:
        for batch in batches:
            file.write_batch(batch)
    return result.getvalue()


def batch(*texts: str) -> pa.RecordBatch:
    return pa.record_batch({"height": pa.array(texts)})


class Footer:
    """The footer of a file of one batch, and where its parts lie."""

    def __init__(self) -> None:
        self.data = arrow(batch("a text that stands in no footer"))
        self.length = int.from_bytes(self.data[-10:-6], "little")
        self.start = len(self.data) - 10 - self.length
        self.root = self.number("I", 0)
        self.table = self.root - self.number("i", self.root)

    def number(self, form: str, at: int) -> int:
        return int(struct.unpack_from(f"<{form}", self.data, self.start + at)[0])

    def put(self, form: str, at: int, number: int) -> list[str]:
        """What is told of the file with another number in its footer."""
        at += self.start
        packed = struct.pack(f"<{form}", number)
        return list(bytes_between_blocks(self.data[:at] + packed + self.data[at + len(packed) :]))

    def listed(self, field: int) -> int:
        """Where the offset of a list of blocks stands."""
        return self.root + self.number("H", self.table + 4 + 2 * field)


DICTIONARIES, BATCHES = 2, 3


def test_a_file_without_rows_has_no_blocks() -> None:
    assert list(bytes_between_blocks(arrow())) == []
    assert list(bytes_between_blocks(arrow(batch("a text that stands in no footer")))) == []


def test_a_name_before_the_blocks_is_one_of_the_footer() -> None:
    data = arrow(batch("x"))
    for hidden in (b"heightXX", b"height is", b"XXheight"[:8]):
        assert list(bytes_between_blocks(data.replace(b"height\0\0", hidden[:8], 1))) == [NO_COLUMN]


def test_a_footer_with_fewer_fields_lists_no_blocks() -> None:
    footer = Footer()
    size = footer.number("H", footer.table)
    assert footer.put("H", footer.table, size) == []
    assert footer.put("H", footer.table, 8) != []
    assert footer.put("H", footer.table, 4 + 2 * BATCHES) != []
    assert footer.put("H", footer.table, 6 + 2 * BATCHES) == []
    assert footer.put("H", footer.table, 0x8000 + size) == []


def test_places_before_the_footer_are_none() -> None:
    """Python counts negative places from the end: a number read with its sign would lead back into the footer."""
    footer = Footer()
    assert footer.put("I", 0, footer.root - footer.length + (1 << 32)) == [NO_COLUMN]
    at = footer.listed(BATCHES)
    assert footer.put("I", at, footer.number("I", at) - footer.length + (1 << 32)) == [NO_COLUMN]
    at = footer.listed(DICTIONARIES)
    assert footer.number("I", at + footer.number("I", at)) == 0
    assert footer.put("I", at + footer.number("I", at), (1 << 32) - 1) == [NO_COLUMN]


def test_texts_of_a_dictionary_are_looked_at(tmp_path: Path) -> None:
    ends = struct.pack("<3i", 0, 1, 2)
    labels = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(ends), pa.py_buffer(b"xyAnna Meyer")])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), labels)
    result = io.BytesIO()
    with ipc.new_stream(result, pa.schema([("a", column.type)])) as file:
        file.write_table(pa.table({"a": column}))
    assert b"Anna" in result.getvalue()
    assert told(tmp_path, "arrow", result.getvalue()) == ["values under missing cells, or texts that no cell has"]


# -- Parquet -----------------------------------------------------------------------------------------------------


def test_a_file_need_not_say_which_program_wrote_it(tmp_path: Path) -> None:
    result = io.BytesIO()
    pl.DataFrame({"a": ["x"]}).write_parquet(result)
    data = result.getvalue()
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    maker = parquet.read_metadata(result).created_by.encode()
    assert footer.count(bytes([len(maker)]) + maker) == 1
    shorter = footer.replace(bytes([len(maker)]) + maker, b"\0")
    nameless = data[: -8 - length] + shorter + struct.pack("<I", len(shorter)) + b"PAR1"
    assert told(tmp_path, "parquet", nameless) == []


@pytest.mark.parametrize(
    "values",
    [
        pa.array([b"a", b"b"]),
        pa.array([Decimal("1.5"), Decimal("2.5")]),
        pa.array([datetime(2020, 1, 1), datetime(2021, 1, 1)], type=pa.timestamp("us")),
        pa.array([datetime(2020, 1, 1, tzinfo=UTC)], type=pa.timestamp("ms", "UTC")),
        pa.array([1, 2], type=pa.time64("us")),
    ],
    ids=["bytes", "decimals", "times", "instants", "clocks"],
)  # fmt: skip
def test_statistics_that_cannot_be_compared_are_no_fault(tmp_path: Path, values: Any) -> None:
    result = io.BytesIO()
    parquet.write_table(pa.table({"a": values}), result, store_schema=False)
    assert told(tmp_path, "parquet", result.getvalue()) == []


# -- archives ----------------------------------------------------------------------------------------------------


def test_a_file_may_be_without_a_name() -> None:
    assert found(Entry(name=b"")) == []


def test_a_file_that_would_begin_within_the_end_of_the_archive_is_found() -> None:
    data = zipped(A, B)
    first = data.index(b"PK\1\2")
    second = data.index(b"PK\1\2", first + 4)
    begins = len(data) - 10
    longer = struct.pack("<I", begins - 30 - len(A.name))
    forged = data[: first + 20] + longer + data[first + 24 : second + 42] + struct.pack("<I", begins)
    assert set(hidden_in_zip(forged + data[second + 46 :])) == {BETWEEN}


def test_a_workbook_of_another_program_is_none_of_ours(tmp_path: Path) -> None:
    assert told(tmp_path, "xlsx", saved()) == []
    assert told(tmp_path, "xlsx", saved(), ours=True) == [hidden_xlsx.OTHERS]
