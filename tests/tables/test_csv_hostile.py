"""Each hostile file ends in the right table or in one sentence without a cell's value."""

from __future__ import annotations

import gzip
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from shoal.errors import SchemaError, ShoalError, TableError
from shoal.tables import read, read_back

SECRET = "Rumpelstilzchen"


def refusal(call: Callable[[], object]) -> ShoalError | None:
    """How the call was refused; any other error is a defect."""
    try:
        call()
    except ShoalError as error:
        return error
    return None


def write(tmp_path: Path, content: bytes, name: str = "table.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_final_line_end_and_byte_order_mark_change_nothing(
    tmp_path: Path, ending: bytes, last: bool, mark: bytes
) -> None:
    content = ending.join([b'"a",b', b'"x ""y"", z",1', b'"two\nlines",2', b",3"]) + (ending if last else b"")
    table = read(write(tmp_path, mark + content))
    assert table.columns == ["a", "b"]
    assert table.frame.rows() == [('x "y", z', 1), ("two\nlines", 2), (None, 3)]


def test_zero_rows_and_one_row_are_tables(tmp_path: Path) -> None:
    for content in (b"a,b\n", b"a,b", b"a\n", b"a"):
        table = read(write(tmp_path, content))
        assert len(table) == 0
        assert table.columns == content.decode().strip().split(",")
    assert read(write(tmp_path, b"a,b\n1,2\n")).frame.rows() == [(1, 2)]


REFUSED = {
    "nothing": (b"", TableError, "0 bytes"),
    "line ends only": (b"\n\n\n", TableError, "no line of column names"),
    "short row": (b"a,b\n1,2\nRumpelstilzchen\n", TableError, r"line 3 has 1 cell; the first line has 2"),
    "long row": (b"a,b\n1,2\nRumpelstilzchen,2,3\n", TableError, r"line 3 has 3 cells; the first line has 2"),
    "long row after lines in a cell": (b'a,b\n"x\n\ny",2\n1,2,3\n', TableError, "line 5 has 3 cells"),
    "row of one quoted cell": (b'a,b\n"1,2"\n', TableError, "line 2 has 1 cell"),
    "long row with CR": (b"a,b\r1,2\r1,2,3\r", TableError, "line 3 has 3 cells"),
    "quote never closed": (b'a,b\n1,2\n3,"Rumpelstilzchen\n4,5\n', TableError, "line 3 is never closed"),
    "quote lost": (b'a,b\n1,"Rumpelstilzchen\n2,"y"\n', TableError, "line 3 has a quote in the middle"),
    "text after a quote": (b'a,b\n"Rumpelstilzchen"x,2\n', TableError, "line 2 has a quote in the middle"),
    "quote in a cell": (b'a,b\n"x",5" Rumpelstilzchen\n3,3"\n', TableError, "line 2 has a quote in the middle"),
    "backslash before a quote": (b'a,b\n"x \\"y\\"",2\n', TableError, "line 2 has a quote in the middle"),
    "names twice": (b"a,b,a,c,c\n1,2,3,4,5\n", SchemaError, "more than once: 'a', 'c'"),
    "no name": (b",a\n0,1\n", SchemaError, "1 column without a name; the first is column number 1"),
    "empty quoted name": (b'a,""\n0,1\n', SchemaError, "column number 2"),
    "a name for every column": (b"a,*\n1,2\n", SchemaError, r"'\*'"),
    "a name that is a pattern": (b"a,^.*$\n1,2\n", SchemaError, r"'\^\.\*\$'"),
    "infinity": (b"a,b\n1,inf\n2,-Infinity\n3,4\n", SchemaError, "column 'b' holds 2 infinite numbers"),
    "overflow": (b"a,b\n1,1e999\n2,1.0\n", SchemaError, "column 'b' holds 1 infinite number"),
    "not UTF-8": (b"a,b\n1,Rumpelstilzchen\xff\n", TableError, "not UTF-8 at byte 21"),
    "not UTF-8 far in": (b"a,b\n" + b"1,2\n" * 1_200_000 + b"1,\x81\x8d\n", TableError, "not UTF-8 at byte 4800006"),
    "cut character": (b"a,b\n1,\xc3", TableError, "not UTF-8 at byte 6"),
    "NUL": (b"a,b\n1,Rumpel\0stilzchen\n", TableError, "NUL byte at byte 12"),
    "UTF-16 cut in two": ("a,b\n1,2\n".encode("utf-16-le")[:-1], TableError, "NUL byte"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_one_sentence_names_the_place_and_no_cell(tmp_path: Path, case: str) -> None:
    content, kind, part = REFUSED[case]
    with pytest.raises(kind, match=part) as caught:
        read(write(tmp_path, content))
    assert caught.value.hint
    assert SECRET not in str(caught.value)
    assert "\n" not in caught.value.message
    # neither the cause nor the context of the error, which a traceback would show
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 5])
def test_the_place_of_a_bad_byte_does_not_depend_on_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr("shoal.tables.text_file._CHUNK", chunk)
    with pytest.raises(TableError, match="at byte 8"):
        read(write(tmp_path, b"a,b\n1,\xc3\xa9\xe2\x82\n"[:8] + b"\xe2\x82\n"))


def test_ten_thousand_columns_are_read_in_seconds(tmp_path: Path) -> None:
    names = ",".join(f"measurement_{place}" for place in range(10_000))
    row = ",".join(f"{place}.5" for place in range(10_000))
    path = write(tmp_path, f"{names}\n{row}\n{row}\n".encode())
    began = time.process_time()
    table = read(path)
    assert time.process_time() - began < 10
    assert table.frame.shape == (2, 10_000)
    assert table.frame.row(1)[-1] == 9999.5


@pytest.mark.parametrize(
    ("start", "unit", "end", "part"),
    [
        (b"", b"Rumpelstilzchen", b"", "no line of column names within"),
        (b"", b"1,", b"", "no line of column names within"),
        (b'"', b"x\n", b"", "no line of column names within"),
        (b'a,b\n1,"', b"x", b'"\n', "longer than 16 MiB"),
        (b"a,b\n1,2\n", b"1,", b"", "line 3 has 100000001 cells"),
    ],
)
def test_a_line_of_200_megabytes_ends_in_a_sentence_within_seconds(
    tmp_path: Path, start: bytes, unit: bytes, end: bytes, part: str
) -> None:
    path = tmp_path / "table.csv"
    with path.open("wb") as file:
        file.write(start)
        for _ in range(200):
            file.write((unit * (1_000_000 // len(unit) + 1))[:1_000_000])
        file.write(end)
    began = time.process_time()
    with pytest.raises(TableError, match=part) as caught:
        read(path)
    path.unlink()  # temporary folders are kept for a while
    assert time.process_time() - began < 20
    assert SECRET not in str(caught.value)


def test_files_that_are_not_there_or_not_files(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no file"):
        read(tmp_path / "missing.csv")
    with pytest.raises(TableError, match="is a folder"):
        read(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match="is a folder"):
        read(tmp_path / "folder.csv")
    with pytest.raises(TableError, match="does not end in the name of a table format"):
        read(write(tmp_path, b"a", "table.doc"))
    with pytest.raises(TableError, match="does not end in the name of a table format") as old:
        read(write(tmp_path, b"a", "table.xls"))
    assert "save it as .xlsx" in (old.value.hint or "")
    with pytest.raises(TableError, match="does not end in the name of a table format"):
        read(write(tmp_path, b"a", "table.parquet.gz"))
    with pytest.raises(TableError, match="does not end in"):
        read(write(tmp_path, b"a", "table.gz"))
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(TableError, match="not a regular file"):
        read(tmp_path / "pipe.csv")
    with pytest.raises(TableError, match="a list cannot be read"):
        read([1, 2])


def test_a_file_without_permission(tmp_path: Path) -> None:
    path = write(tmp_path, b"a,b\n1,2\n")
    path.chmod(0)
    me = os.geteuid()
    for folder in (tmp_path, *tmp_path.parents[:2]):
        if folder.stat().st_uid == me:
            folder.chmod(folder.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    if me == 0:
        os.seteuid(65534)  # root may read anything
    try:
        with pytest.raises(TableError, match="may not be read"):
            read(path)
    finally:
        os.seteuid(me)


def test_damaged_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    for content, part in (
        (packed[:-10], "truncated"),
        (packed[:15], "truncated"),
        (b"a,b\n1,2\n", "not a gzip file"),
        (packed[:20] + b"\xff" * 20 + packed[40:], "gzip"),
        (gzip.compress(b""), "empty once unpacked"),
    ):
        with pytest.raises(TableError, match=part):
            read(write(tmp_path, content, "table.csv.gz"))


fragments = st.sampled_from(
    [
        *(b",", b";", b"\t", b"|", b"\n", b"\r\n", b"\r", b'"', b'""', b"'", b"a", b"1", b"1,5", b"2024-01-01", b" "),
        *(b"nan", b"inf", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff", "é".encode(), b"1e5", b"-", b".", b"0", b"a,b\n"),
        *(b"\\", b"\0"),
    ]
)


@given(st.lists(fragments, max_size=30).map(b"".join))
def test_any_bytes_end_in_a_table_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = write(tmp_path_factory.getbasetemp(), content, "any.csv")
    for reader in (read, read_back):
        error = refusal(lambda reader=reader: reader(path))
        assert error is None or error.hint


def test_names_with_a_nul_are_refused_by_every_reader(tmp_path: Path) -> None:
    """Arrow cuts names off at a NUL, so that two columns had one name, or `age` stood for another column."""
    (tmp_path / "t.csv").write_bytes(b'\x00,\x00"\n')
    table = pa.table([[1], [2]], names=["age", "age\0x"])
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.arrow", compression="uncompressed")
    for name in ("t.csv", "t.parquet", "t.arrow"):
        for reader in (read, read_back):
            error = refusal(lambda reader=reader, name=name: reader(tmp_path / name))
            assert error is not None
            assert "NUL" in str(error)


def test_a_name_without_an_ending_that_is_not_there_is_a_missing_file(tmp_path):
    for name in ("nowhere", "nowhere.csv"):
        with pytest.raises(TableError, match="there is no file"):
            read(tmp_path / name)
