"""Parquet and Arrow files that are whole outside and damaged inside: refused before a library trips over them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import shoal
from shoal.certify.hidden import check_hidden
from shoal.errors import SchemaError, ShoalError, TableError
from shoal.tables import read
from shoal.tables.scan import scan_back

ILLNESSES = ["flu", "cold", "gout"]
OFFSETS = b"".join(end.to_bytes(4, "little") for end in (0, 3, 7, 11))
"""Where the texts of the dictionary begin and end, as the file has it."""
POLICY = shoal.Policy(k=2, columns={"age": shoal.Column(role="quasi"), "illness": shoal.Column(role="sensitive")})


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Two bytes of a dictionary: the second text ends two billion bytes behind the file's end."""
    illness = pa.array(ILLNESSES * 10).dictionary_encode()
    table = pa.table({"age": [20 + place % 3 for place in range(30)], "illness": illness})
    with ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    whole = (tmp_path / "t.arrow").read_bytes()
    assert whole.count(OFFSETS) == 1
    (tmp_path / "t.arrow").write_bytes(whole.replace(OFFSETS, OFFSETS[:8] + b"\x07\0\0\x7f" + OFFSETS[12:]))
    return tmp_path / "t.arrow"


def test_what_a_file_hides_is_not_looked_for_behind_its_end(damaged: Path) -> None:
    """A released file that is verified in parts is searched before its rows are read."""
    with pytest.raises(TableError, match="has a part that cannot be read"):
        check_hidden(damaged, ours=True)


def test_a_table_in_blocks_is_not_read_behind_its_end(damaged: Path, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="not a complete Arrow file"):
        shoal.anonymize(damaged, POLICY, engine="local", work=tmp_path)


@pytest.mark.parametrize("damage", ["texts", "pages"])
def test_a_parquet_file_in_blocks_is_told_as_one_that_is_read_whole(tmp_path: Path, damage: str) -> None:
    texts = pa.array([b"fl\xff" if damage == "texts" else b"flu", b"cold"] * 100).view(pa.string())
    table = pa.table({"age": [20 + place % 3 for place in range(200)], "illness": texts})
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd")
    if damage == "pages":
        data = (tmp_path / "t.parquet").read_bytes()
        (tmp_path / "t.parquet").write_bytes(data[:4] + bytes(60) + data[64:])
    for more in ({}, {"engine": "local", "work": tmp_path}):
        with pytest.raises(TableError, match="not a complete Parquet file"):
            shoal.anonymize(tmp_path / "t.parquet", POLICY, **more)


def test_a_column_is_not_read_behind_the_end_of_its_file(damaged: Path) -> None:
    with pytest.raises(TableError, match="not a complete Arrow file"):
        read(damaged)
    with pytest.raises(ShoalError):
        list(scan_back(damaged))
    assert not shoal.verify(damaged, POLICY).holds


@pytest.mark.parametrize("zone", ["Europe/Merlin", "+05:30"])
def test_a_zone_without_a_name_is_told(tmp_path: Path, zone: str) -> None:
    times = pa.array(range(30)).cast(pa.timestamp("us", zone))
    table = pa.table({"age": [20 + place % 3 for place in range(30)], "seen": times})
    with ipc.new_file(tmp_path / "t.arrow", table.schema) as writer:
        writer.write_table(table)
    for reads in (read, lambda path: list(scan_back(path))):
        with pytest.raises(SchemaError, match="column 'seen' holds times of a zone that is not known by name"):
            reads(tmp_path / "t.arrow")
    with pytest.raises(SchemaError, match="column 'seen' holds"):
        shoal.anonymize(table, k=2, quasi=["age"], other=["seen"])


def test_the_name_of_a_list_s_items_is_no_matter() -> None:
    """polars panics, and prints what it found, where that name is not UTF-8."""
    field = pa.field(b"\xffitem", pa.string())
    lists = pa.table({"tags": pa.array([["b", "a"], None], pa.list_(field))})
    assert read(lists).frame["tags"].to_list() == ["b;a", None]


def test_lists_of_a_whole_file_are_read_as_before() -> None:
    lists = pa.table({"tags": pa.array([["b", "a"], None, []]), "codes": pa.chunked_array([[[1, 2]], [[3], None]])})
    assert read(lists).frame.equals(pl.DataFrame({"tags": ["b;a", None, ""], "codes": ["1;2", "3", None]}))
