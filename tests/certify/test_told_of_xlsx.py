"""What an .xlsx file of Shoal's layout holds besides its cells, told in exactly these words; and what it may hold."""

from __future__ import annotations

import functools
import io
import random
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from shoal.certify import hidden_xlsx as xlsx
from shoal.certify.hidden_archive import BETWEEN
from shoal.certify.hidden_xlsx import FIXED, SHEET, hidden_in_xlsx
from shoal.certify.reading import open_release
from shoal.tables import read_back, write_file
from tests.certify.test_forged_xlsx import put, repacked, saved

TYPES, STYLES = "[Content_Types].xml", "xl/styles.xml"


def written(**columns: list[object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write_file(pl.DataFrame(columns), Path(folder) / "release.xlsx")
        return (Path(folder) / "release.xlsx").read_bytes()


@functools.cache
def ours() -> bytes:
    return written(name=["a", None], number=[34.5, 7.0])


def told(data: bytes) -> list[str]:
    return list(hidden_in_xlsx(data, ours=True))


def in_sheet(old: bytes, new: bytes) -> bytes:
    return repacked(ours(), {SHEET: put(old, new)})


def about(data: bytes, part: str) -> bytes:
    """Sum and sizes of a part, as they stand before it and in the directory."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        one = packed.getinfo(part)
    return struct.pack("<3I", one.CRC, one.compress_size, one.file_size)


def said(part: str, change: Callable[[int, int, int], tuple[int, int, int]]) -> bytes:
    """The file with other sums or sizes said of a part, in both places."""
    true = about(ours(), part)
    assert ours().count(true) == 2
    return ours().replace(true, struct.pack("<3I", *change(*struct.unpack("<3I", true))))


@pytest.mark.parametrize(
    ("data", "phrases"),
    [
        (lambda: ours(), []),
        (lambda: repacked(ours(), None, **{"zoe.xml": b"<zoe/>"}), [xlsx.OTHERS]),
        (lambda: repacked(ours(), {STYLES: put(b"Calibri", b"Zoe")}), [xlsx.NOTES]),
        (lambda: in_sheet(b"<sheetData>", b"<!--Zoe--><sheetData>"), [xlsx.NOTES]),
        (lambda: in_sheet(b"</sheetData>", b"</sheetData><zoe/>"), [xlsx.NOTES]),
        (lambda: in_sheet(b"<row ", b"<row zoe='1' "), [xlsx.NOTES]),
        (lambda: in_sheet(b">a<", b">\xff<"), [xlsx.NOTES]),
        (lambda: in_sheet(b">a<", b">_x0041_<"), [xlsx.BY_NUMBER]),
        (lambda: in_sheet(b">a<", b">_x005F_<"), [xlsx.BY_NUMBER]),
        (lambda: in_sheet(b">a<", b">_x005F_x0041_<"), []),
        (lambda: in_sheet(b">a<", b">_x005F_x005F_x0041_<"), [xlsx.BY_NUMBER]),
        (lambda: in_sheet(b">a<", b">_x0007_<"), []),
        (lambda: in_sheet(b"<v>34.5</v>", b"<v>34.50</v>"), [xlsx.DIGITS]),
        (lambda: in_sheet(b"<v>34.5</v>", b"<v>3.4.5</v>"), [xlsx.DIGITS]),
        (lambda: in_sheet(b"<v>34.5</v>", b"<v>1e+300</v>"), []),
        (lambda: in_sheet(b"<v>34.5</v>", b"<v>-12</v>"), []),
        (lambda: written(name=["a"]), []),
        (lambda: ours() + b"Zoe", [BETWEEN]),
    ],
)  # fmt: skip
def test_of_a_file(data: Callable[[], bytes], phrases: list[str]) -> None:
    assert told(data()) == phrases


@pytest.mark.parametrize("part", [*FIXED, SHEET])
@pytest.mark.parametrize(
    "change",
    [
        lambda crc, packed, size: (crc ^ 0x5A6F65, packed, size),
        lambda crc, packed, size: (crc, packed, size + 1),
        lambda crc, packed, size: (crc, packed, size - 1),
        lambda crc, packed, size: (crc, packed, 0x5A6F65),
    ],
    ids=["sum", "longer", "shorter", "any size"],
)
def test_sum_and_size_of_a_part_are_those_of_its_content(
    part: str, change: Callable[[int, int, int], tuple[int, int, int]]
) -> None:
    """No program that shows the cells reads every part, so that four bytes of anything would go unnoticed."""
    assert set(told(said(part, change))) == {BETWEEN}


def test_a_part_that_does_not_end_or_ends_early_is_found() -> None:
    """Bytes behind the end of a packed part are within its length, but no program unpacks them."""
    true = about(ours(), TYPES)
    crc, packed, size = struct.unpack("<3I", true)
    start = len(b"PK\3\4") + 26 + len(TYPES)
    for length in (packed - 1, packed + 3):
        content = (ours()[start : start + packed] + b"Zoe")[:length]
        data = ours()[:start] + content + ours()[start + packed :]
        moved = data.replace(true, struct.pack("<3I", crc, length, size))
        at, shift = moved.index(b"PK\1\2"), length - packed
        for _ in range(len(FIXED)):  # where each of the following parts begins
            at = moved.index(b"PK\1\2", at + 1)
            begins = struct.unpack_from("<I", moved, at + 42)[0] + shift
            moved = moved[: at + 42] + struct.pack("<I", begins) + moved[at + 46 :]
        end = len(moved) - 6
        moved = moved[:end] + struct.pack("<I", struct.unpack_from("<I", moved, end)[0] + shift) + moved[end + 4 :]
        assert BETWEEN in told(moved)
        assert set(told(moved)) <= {BETWEEN, xlsx.NOTES}


def test_no_text_of_a_cell_looks_as_if_it_hid_something(tmp_path: Path) -> None:
    """Texts of underscores, x and digits, which look like characters by their number."""
    rng = random.Random(7)
    parts = ["_x", "_", "x", "0041", "0041_", "005F_", "\x07"]
    texts = ["".join(rng.choices(parts, k=rng.randint(1, 7))) for _ in range(600)]
    texts += ["__xx0041_ _x0041_", "\x07x0041_", "_x0041\x07"]
    write_file(pl.DataFrame({"name": texts}), tmp_path / "release.xlsx")
    assert told((tmp_path / "release.xlsx").read_bytes()) == []
    assert read_back(tmp_path / "release.xlsx")["name"].to_list() == texts


def in_the_directory(data: bytes, place: int, byte: int) -> bytes:
    """Another byte in what the directory says of a part without cells."""
    at = data.rindex(b"docProps/core.xml") - 46 + place
    return data[:at] + bytes([byte]) + data[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(about(data, "docProps/core.xml"), b"Zoe." + about(data, "docProps/core.xml")[4:]),
        lambda data: data.replace(b"docProps/core.xml", b"docProps/Zoe!.xml", 1),
        lambda data: in_the_directory(data, 8, 1),
        lambda data: in_the_directory(data, 10, 99),
    ],
    ids=["sum", "name", "encrypted", "packed otherwise"],
)
def test_a_part_without_cells_that_is_damaged_is_told_and_not_raised(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    (tmp_path / "r.xlsx").write_bytes(damage(saved()))
    found = open_release(tmp_path / "r.xlsx")
    assert found.frame is None
    assert [(one.check, one.message) for one in found.failures] == [
        ("file", "the file cannot be read: 'r.xlsx' has a part that cannot be read")
    ]
