"""A ZIP archive of one CSV file is read as that file; any other is refused in one sentence."""

from __future__ import annotations

import zipfile
from pathlib import Path

import polars as pl
import pytest

from shoal.errors import TableError
from shoal.tables import read, read_back, room
from tests.cli.running import shoal as command

TABLE = b"age,zip\n34,01067\n35,01069\n"


def packed(path: Path, method: int = zipfile.ZIP_DEFLATED, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


@pytest.mark.parametrize("name", ["people.zip", "people.csv.zip", "PEOPLE.ZIP"])
def test_the_one_file_is_read(tmp_path: Path, name: str) -> None:
    path = packed(tmp_path / name, **{"folder/people.csv": TABLE, "__MACOSX/folder/._people.csv": b"\0"})
    assert read(path).frame.equals(pl.DataFrame({"age": [34, 35], "zip": ["01067", "01069"]}))
    assert read_back(path).rows() == [("34", "01067"), ("35", "01069")]
    latin = packed(tmp_path / "latin.zip", **{"a.txt": "ort;alter\nMünchen;34\nKöln;35\n".encode("cp1252")})
    assert read(latin).frame["ort"].to_list() == ["München", "Köln"]


def test_a_release_can_be_made_of_it(tmp_path: Path) -> None:
    rows = "".join(f"{20 + row}\n" for row in range(20))
    path = packed(tmp_path / "in.zip", **{"in.csv": f"age\n{rows}".encode()})
    assert command("anonymize", path, "-o", tmp_path / "out", "--quasi", "age", "-k", "3", "-q").code == 0
    assert (tmp_path / "out" / "release.csv").exists()


WRONG: dict[str, tuple[dict[str, bytes], int, str]] = {
    "several files": ({"a.csv": TABLE, "b.csv": TABLE}, zipfile.ZIP_DEFLATED, "holds 2 files"),
    "no file": ({}, zipfile.ZIP_DEFLATED, "holds 0 files"),
    "another format": ({"a.parquet": TABLE}, zipfile.ZIP_DEFLATED, "not named as a CSV file"),
    "nothing in the file": ({"a.csv": b""}, zipfile.ZIP_DEFLATED, "empty once unpacked"),
    "another method": ({"a.csv": TABLE}, zipfile.ZIP_BZIP2, "method"),
}


@pytest.mark.parametrize("case", WRONG)
def test_other_archives_are_refused_with_the_way_out(tmp_path: Path, case: str) -> None:
    files, method, told = WRONG[case]
    with pytest.raises(TableError, match=told) as refused:
        read(packed(tmp_path / "in.zip", method, **files))
    assert refused.value.hint


def test_damage_is_told(tmp_path: Path) -> None:
    path = packed(tmp_path / "in.zip", **{"a.csv": TABLE * 100})
    data = path.read_bytes()
    wrong = data.replace(data[40:50], bytes(10), 1)
    for broken in (data[:-30], data[: len(data) // 2], TABLE, wrong):
        path.write_bytes(broken)
        ran = command("anonymize", path, "-o", tmp_path / "out", "--quasi", "age,zip")
        assert (ran.code, ran.is_one_sentence) == (2, True), ran


def test_what_unpacks_to_more_than_there_is_room_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = packed(tmp_path / "bomb.zip", **{"a.csv": b"a,b\n" + b"1,2\n" * 5_000_000})
    assert path.stat().st_size < 50_000
    monkeypatch.setattr(room, "_free", lambda: 20_000_000)
    with pytest.raises(TableError, match="room for"):
        read(path)
    # a directory that says less than there is does not get more out of it
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        place = data.index(mark) + at
        data[place : place + 4] = (20).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    with pytest.raises(TableError, match="not a complete ZIP file"):
        read(path)
