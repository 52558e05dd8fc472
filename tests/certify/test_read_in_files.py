"""A released table read from one file or several, whole or in parts: the same table, or the fault that stops it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.certify import reading, reduced
from shoal.certify.reading import Released, WholeError, is_large, open_release
from shoal.certify.reduced import Reduced, reduce, reduce_files
from shoal.certify.several_files import (
    are_complete,
    digest_of_files,
    file_names,
    files_of,
    first_of_several,
    is_one_of_several,
    several_of,
)
from shoal.errors import SchemaError, TableError
from shoal.policy import Policy
from shoal.tables import write_file

FRAME = pl.DataFrame({"a": ["x", None, "ü"], "b": ["1", "2", "1"]})
POLICY = Policy.parse({"k": 2, "columns": {"a": {"role": "quasi"}, "b": {"role": "sensitive"}}})
SPOILED = b"PAR1 and then nothing of the kind PAR1"


def several(folder: Path, kind: str, frames: list[pl.DataFrame], total: int | None = None) -> list[Path]:
    """The files of a table; `total` is how many their names speak of."""
    paths = [folder / name for name in file_names(total or len(frames), kind)[: len(frames)]]
    for path, frame in zip(paths, frames, strict=True):
        write_file(frame, path)
    return paths


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rows_of(opened: Released) -> list[Any]:
    if opened.frame is not None:
        return opened.frame.rows()
    assert opened.scan is not None
    return [row for part in opened.scan() for row in part.rows()]


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_one_file_is_its_rows_and_its_digest(tmp_path: Path, kind: str, in_parts: bool) -> None:
    path = tmp_path / f"release.{kind}"
    write_file(FRAME, path)
    for asked in (path, str(path)):
        opened = open_release(asked, ours=True, in_parts=in_parts)
        assert rows_of(opened) == FRAME.rows()
        assert (opened.sha256, opened.failures, opened.scans) == (sha(path), (), ())
        assert (opened.frame is None, opened.scan is None) == (in_parts, not in_parts)
        assert opened.is_read


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_several_files_are_the_rows_of_all_in_their_order(tmp_path: Path, kind: str, in_parts: bool) -> None:
    paths = several(tmp_path, kind, [FRAME, FRAME.head(1), FRAME.tail(2)])
    opened = open_release(paths[1], ours=True, in_parts=in_parts)
    assert rows_of(opened) == [*FRAME.rows(), *FRAME.head(1).rows(), *FRAME.tail(2).rows()]
    assert opened.failures == ()
    assert opened.sha256 == digest_of_files({path.name: sha(path) for path in paths})
    assert len(opened.scans) == (3 if in_parts else 0)
    assert [[row for part in scan() for row in part.rows()] for scan in opened.scans] == (
        [FRAME.rows(), FRAME.head(1).rows(), FRAME.tail(2).rows()] if in_parts else []
    )
    assert (opened.frame is None, opened.scan is None) == (in_parts, not in_parts)


OTHER_COLUMNS = [FRAME.rename({"b": "c"}), FRAME.select("b", "a"), FRAME.with_columns(c=pl.lit("1"))]
OTHER_TYPES = [FRAME.with_columns(pl.col("b").cast(pl.Int64))]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("other", [0, 1, 2, 3])
@pytest.mark.parametrize("second", [False, True])
def test_files_with_other_columns_are_no_table(tmp_path: Path, kind: str, other: int, second: bool) -> None:
    frame = [*OTHER_COLUMNS, *OTHER_TYPES][other]
    frames = [FRAME, FRAME, frame] if second else [frame, FRAME, FRAME]
    paths = several(tmp_path, kind, frames)
    opened = open_release(paths[0])
    if other == 3 and kind == "csv":  # it has no types
        assert opened.is_read
        return
    assert opened.frame is opened.scan is None
    assert [(one.check, one.message) for one in opened.failures] == [
        ("file", "the files of the table do not have the same columns")
    ]
    assert opened.sha256 == digest_of_files({path.name: sha(path) for path in paths})


def test_csv_files_in_parts_are_compared_when_they_are_counted(tmp_path: Path) -> None:
    opened = open_release(several(tmp_path, "csv", [FRAME, OTHER_COLUMNS[0]])[0], in_parts=True)
    assert (opened.failures, len(opened.scans)) == ((), 2)
    with pytest.raises(SchemaError, match="the files of the table do not have the same columns"):
        opened.seen(POLICY, "generalize")


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_folder_that_lacks_a_file_is_told_of(tmp_path: Path, in_parts: bool) -> None:
    opened = open_release(several(tmp_path, "csv", [FRAME, FRAME], 3)[0], in_parts=in_parts)
    told = "the folder holds 2 files of its table, and their names speak of others"
    assert [(one.check, one.message) for one in opened.failures] == [("folder", told)]
    assert len(rows_of(opened)) == 6


def test_files_of_two_kinds_are_no_table(tmp_path: Path) -> None:
    write_file(FRAME, tmp_path / "release-00001-of-00002.parquet")
    write_file(FRAME, tmp_path / "release-00002-of-00002.arrow")
    opened = open_release(tmp_path / "release-00001-of-00002.parquet")
    assert {one.check for one in opened.failures} == {"folder", "file"}
    assert not opened.is_read


def test_a_damaged_file_is_one_fault_and_not_two(tmp_path: Path) -> None:
    path = tmp_path / "release.parquet"
    path.write_bytes(SPOILED)
    opened = open_release(path)
    (fault,) = opened.failures
    assert fault.check == "file"
    assert fault.message.startswith("the file cannot be read: ")
    assert not fault.message.endswith(".")
    assert (opened.frame, opened.scan, opened.sha256, opened.is_read) == (None, None, sha(path), False)
    with pytest.raises(WholeError):
        open_release(path, in_parts=True)


def test_a_damaged_file_among_several_leaves_no_table(tmp_path: Path) -> None:
    paths = several(tmp_path, "parquet", [FRAME, FRAME, FRAME])
    for path in paths[1:]:
        path.write_bytes(SPOILED)
    opened = open_release(paths[0])
    assert [one.check for one in opened.failures] == ["file", "file"]
    assert not opened.is_read


def test_a_file_that_another_program_wrote_is_told_of_if_it_should_be_ours(tmp_path: Path) -> None:
    path, told = (
        tmp_path / "release.parquet",
        ["the file holds more than its cells: lists or statistics beside a column"],
    )
    table = pa.table({"a": ["x"], "b": ["1"]})
    pq.write_table(table, path)
    for in_parts in (False, True):
        assert [one.message for one in open_release(path, ours=True, in_parts=in_parts).failures] == told
        assert open_release(path, ours=False, in_parts=in_parts).failures == ()
        assert open_release(path, in_parts=in_parts).failures == ()
    paths = [tmp_path / name for name in file_names(2, "parquet")]
    for one in paths:
        pq.write_table(table, one)
    assert [one.message for one in open_release(paths[0], ours=True).failures] == told  # the same fault once


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no file"):
        open_release(tmp_path / "release.csv")
    with pytest.raises(TableError, match="there is no file"):
        open_release(tmp_path / "release-00001-of-00002.csv")
    with pytest.raises(TableError):
        open_release(tmp_path / "release.pdf")


def test_a_link_that_the_caller_names_is_followed(tmp_path: Path) -> None:
    write_file(FRAME, tmp_path / "table.csv")
    (tmp_path / "release.csv").symlink_to(tmp_path / "table.csv")
    assert rows_of(open_release(tmp_path / "release.csv")) == FRAME.rows()


@pytest.mark.parametrize(
    ("encoding", "otherwise", "cell"),
    [("cp1252", None, "ü"), (None, "cp1252", "ü"), ("cp1252", "cp437", "ü"), (None, "cp437", "ⁿ")],
)
def test_a_file_is_read_in_the_encoding_of_its_certificate(
    tmp_path: Path, encoding: str | None, otherwise: str | None, cell: str
) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes("a,b\nü,1\n".encode("cp1252"))
    assert rows_of(open_release(path, encoding=encoding, otherwise=otherwise)) == [(cell, "1")]


def test_a_file_in_utf_8_is_read_so_whatever_the_source_was(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_bytes("a,b\nü,1\n".encode())
    assert rows_of(open_release(path, otherwise="cp1252")) == [("ü", "1")]
    assert rows_of(open_release(path, in_parts=True, encoding="utf-8")) == [("ü", "1")]


def test_a_frame_is_read_as_it_would_be_written() -> None:
    opened = open_release(pl.DataFrame({"a": [1.0, None], "b": ["", "x"]}))
    assert opened.frame is not None
    assert opened.frame.schema == {"a": pl.String, "b": pl.String}
    assert (opened.sha256, opened.failures, opened.is_read) == (None, (), True)


@pytest.mark.parametrize(("kind", "least"), [("csv", 1 << 26), ("parquet", 1 << 23), ("arrow", 1 << 26)])
def test_a_table_of_many_bytes_is_read_in_parts(
    tmp_path: Path, kind: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reading.LARGE[kind] == least
    path = tmp_path / f"release.{kind}"
    write_file(FRAME, path)
    size = path.stat().st_size
    for most, large in ((size, True), (size + 1, False), (0, True)):
        monkeypatch.setitem(reading.LARGE, kind, most)
        assert is_large(path, None, None) is large
    files = several(tmp_path, kind, [FRAME, FRAME])
    for most, large in ((2 * files[0].stat().st_size, True), (2 * files[0].stat().st_size + 1, False)):
        monkeypatch.setitem(reading.LARGE, kind, most)
        assert is_large(files[1], None, None) is large


def test_what_cannot_be_read_in_parts_is_not_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGE", dict.fromkeys(reading.LARGE, 0))
    path = tmp_path / "release.csv"
    write_file(FRAME, path)
    assert is_large(path, "utf-8", "cp1252")
    assert is_large(path, "utf-8", None)
    assert not is_large(path, None, "cp1252")  # which of the two it is, only the whole file shows
    assert not is_large(path, "cp1252", None)
    assert not is_large(str(path), None, None)
    assert not is_large(FRAME, None, None)
    assert not is_large(tmp_path / "release.xlsx", None, None)
    assert not is_large(tmp_path / "absent.csv", None, None)


ROLES: dict[str, Any] = {
    "a": {"role": "quasi"},
    "b": {"role": "quasi"},
    "s": {"role": "sensitive"},
    "o": {"role": "other"},
}
ROWS = [
    ("1", None, "x", "n", "1"), ("2", "u", "y", "n", "1"), ("1", None, None, None, "2"), ("2", None, "x", "m", "1"),
    (None, None, "x", "m", "1"), ("1", None, "x", "m", "1"), ("2", "u", "z", "l", "2"), (None, None, None, "l", "2"),
    ("3", "v", "w", "k", "1"), ("1", None, "x", "k", "3"), ("3", "v", "w", "k", "2"), ("2", "u", "y", "j", "2"),
]  # fmt: skip
TABLE = pl.DataFrame(ROWS, schema=dict.fromkeys("absop", pl.String), orient="row")


def same(found: Reduced, expected: Reduced) -> bool:
    """Whether two counts are the same in every number and in the order of classes and cells."""
    assert (found.names, found.height, found.columns) == (expected.names, expected.height, expected.columns)
    assert found.records.tolist() == expected.records.tolist()
    assert found.frame.equals(expected.frame)
    assert all(found.times[name].equals(expected.times[name]) for name in expected.names)
    for one, other in (
        (found.classes.people, expected.classes.people),
        *((found.classes.texts[name], texts) for name, texts in expected.classes.texts.items()),
    ):
        assert sorted(one.rows(), key=repr) == sorted(other.select(one.columns).rows(), key=repr)
    return found.classes.failures == expected.classes.failures


@pytest.mark.parametrize("many", [1 << 22, 0, 3])
@pytest.mark.parametrize("cuts", [[1], [4, 5], [3, 3, 9], [0, 12], list(range(1, 12))])
@pytest.mark.parametrize("role", ["person", "other"])
def test_files_are_counted_as_the_whole(
    many: int, cuts: list[int], role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reduced, "_MANY", many)
    asked = Policy.parse({"k": 2, "columns": ROLES | {"p": {"role": role}}})
    parts = [TABLE[start:end] for start, end in itertools.pairwise([0, *cuts, TABLE.height])]
    whole = reduce([TABLE], asked, "generalize")
    scans: list[Callable[[], Any]] = [lambda part=part: iter([part.head(1), part.tail(-1)]) for part in parts]
    assert same(reduce_files(scans, asked, "generalize"), whole)
    assert same(reduce(parts, asked, "generalize"), whole)
    seen = Released(None, scan=lambda: iter(parts)).seen(asked, "generalize")
    assert seen[1] is not None
    assert same(seen[1], whole)
    assert seen[0].equals(whole.frame)


def test_what_was_counted_once_is_not_counted_again() -> None:
    begun = []

    def scan() -> Any:
        begun.append(1)
        return iter([FRAME])

    opened = Released(None, scan=scan)
    first, again = opened.seen(POLICY, "generalize"), opened.seen(POLICY, "generalize")
    assert first[1] is again[1]
    assert len(begun) == 1
    other = Policy.parse({"k": 2, "columns": {"a": {"role": "sensitive"}, "b": {"role": "quasi"}}})
    assert opened.seen(other, "generalize")[1] is not first[1]
    assert opened.seen(POLICY, "aggregate")[1] is not first[1]
    assert len(begun) == 3
    assert opened.seen(POLICY, "aggregate")[1] is not opened.seen(POLICY, "generalize")[1]
    assert Released(FRAME).seen(POLICY, "generalize") == (FRAME, None)


def test_names_say_which_file_of_how_many_it_is(tmp_path: Path) -> None:
    assert file_names(2, "csv") == ["release-00001-of-00002.csv", "release-00002-of-00002.csv"]
    assert is_one_of_several("release-00001-of-00002.parquet")
    for name in ("release.csv", "release-1-of-2.csv", "release-00001-of-00002.xlsx", "x-release-00001-of-00002.csv"):
        assert not is_one_of_several(name)
    names = file_names(3, "arrow")
    assert are_complete(names)
    assert not are_complete([])
    assert not are_complete(names[:2])
    assert not are_complete([names[0], names[2], names[1]])
    assert not are_complete(["release.csv"])
    assert not are_complete([*names, "release.csv"])
    assert not are_complete([*names[:2], "release-00003-of-00003.csv"])
    assert several_of(["x", *reversed(names)]) == names
    for name in [*names, "release.csv"]:
        (tmp_path / name).write_text("")
    assert files_of(tmp_path / names[1]) == [tmp_path / name for name in names]
    assert files_of(tmp_path / "release.csv") == [tmp_path / "release.csv"]
    assert first_of_several(tmp_path) == [tmp_path / names[0]]
    absent = tmp_path / "absent" / names[0]
    assert files_of(absent) == [absent]
    assert first_of_several(absent.parent) == []
    (tmp_path / "empty").mkdir()
    assert first_of_several(tmp_path / "empty") == []
    assert files_of(tmp_path / "empty" / names[0]) == [tmp_path / "empty" / names[0]]


def test_the_digest_of_several_files_is_that_of_their_list() -> None:
    listed = hashlib.sha256(b"11  a\n22  b\n").hexdigest()
    assert digest_of_files({"b": "22", "a": "11"}) == digest_of_files({"a": "11", "b": "22"}) == listed
