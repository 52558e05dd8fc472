"""An .xlsx file that holds more than its cells show is refused, wherever that is hidden; and none of ours does."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import polars as pl
import pytest
import xlsxwriter

from shoal.certify import verify
from shoal.certify.hidden_xlsx import SHEET, hidden_in_xlsx
from shoal.tables import write_file
from tests.certify import releases

STYLES, WORKBOOK = "xl/styles.xml", "xl/workbook.xml"


def ours(folder: Path) -> bytes:
    path = folder / "own.xlsx"
    write_file(releases.release().with_columns(pl.lit(34.5).alias("x"), pl.lit("a_x0041_\x07").alias("y")), path)
    return path.read_bytes()


def repacked(data: bytes, changes: dict[str, Callable[[bytes], bytes]] | None = None, **more: bytes) -> bytes:
    """The same archive as Shoal packs it, with some parts changed and others added."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as packed, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as again:
        for name in [*packed.namelist(), *more]:
            content = more[name] if name in more else packed.read(name)
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            again.writestr(entry, (changes or {}).get(name, bytes)(content))
    return result.getvalue()


def put(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new, 1)

    return change


def test_ours_hides_nothing_and_is_packed_as_expected(tmp_path: Path) -> None:
    data = ours(tmp_path)
    assert list(hidden_in_xlsx(data, ours=True)) == []
    assert repacked(data) == data
    assert list(hidden_in_xlsx(data, ours=False)) == []


def in_the_directory(data: bytes, place: int) -> bytes:
    """Another byte in the first entry of the directory."""
    at = data.index(b"PK\1\2") + place
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


FORGED: dict[str, Callable[[bytes], bytes]] = {
    "a comment in the sheet": lambda data: repacked(data, {SHEET: put(b"<sheetData>", b"<!--Zoe--><sheetData>")}),
    "a comment in a row": lambda data: repacked(data, {SHEET: put(b"</row>", b"<!--Zoe--></row>")}),
    "an attribute of a cell": lambda data: repacked(data, {SHEET: put(b't="inlineStr"', b't="inlineStr" x="Zoe"')}),
    "a formula": lambda data: repacked(data, {SHEET: put(b"<v>34.5</v>", b"<f>30+4.5</f><v>34.5</v>")}),
    "digits": lambda data: repacked(data, {SHEET: put(b"<v>34.5</v>", b"<v>34.5000000000000000042</v>")}),
    "zeros": lambda data: repacked(data, {SHEET: put(b"<v>34.5</v>", b"<v>34.500</v>")}),
    "a letter by number": lambda data: repacked(data, {SHEET: put(b'preserve">', b'preserve">_x0041_')}),
    "what follows the cells": lambda data: repacked(data, {SHEET: put(b"</sheetData>", b"</sheetData><x/>")}),
    "a style": lambda data: repacked(data, {STYLES: put(b"Calibri", b"Zoe")}),
    "the sheet's name": lambda data: repacked(data, {WORKBOOK: put(b'name="release"', b'name="Zoe"')}),
    "another part": lambda data: repacked(data, **{"docProps/core.xml": b"<x>Zoe</x>"}),
    "bytes after the end": lambda data: data + b"Zoe",
    "bytes before the beginning": lambda data: b"Zoe" + data,
    "a comment of the archive": lambda data: data[:-2] + b"\3\0Zoe",
    "a time in the directory": lambda data: in_the_directory(data, 12),
    "rights in the directory": lambda data: in_the_directory(data, 36),
    "who made an entry": lambda data: in_the_directory(data, 4),
    "the number of a disk": lambda data: data[:-18] + b"\1" + data[-17:],
    "a time": lambda data: data.replace(b"\0\0\x21\0", b"\1\0\x21\0"),
}


@pytest.mark.parametrize("case", FORGED)
def test_whatever_is_beside_the_cells_is_found(tmp_path: Path, case: str) -> None:
    forged = FORGED[case](ours(tmp_path))
    found = list(hidden_in_xlsx(forged, ours=True))
    assert found
    assert "Zoe" not in "".join(found)


def saved(change: Callable[[openpyxl.Workbook], None] = lambda _: None) -> bytes:
    book = openpyxl.Workbook()
    for row in [releases.release().columns, *releases.release().rows()]:
        book.active.append(row)
    change(book)
    result = io.BytesIO()
    book.save(result)
    return result.getvalue()


def author(book: openpyxl.Workbook) -> None:
    book.properties.creator = "Zoe"


def comment(book: openpyxl.Workbook) -> None:
    book.active["A1"].comment = openpyxl.comments.Comment("Zoe", "Zoe")


def sheet(book: openpyxl.Workbook) -> None:
    book.create_sheet("more").sheet_state = "hidden"


def name(book: openpyxl.Workbook) -> None:
    book.defined_names["Zoe"] = openpyxl.workbook.defined_name.DefinedName("Zoe", attr_text="1")


def link(book: openpyxl.Workbook) -> None:
    book.active["A1"].hyperlink = "https://example.org/Zoe"


def test_a_plain_file_of_another_program_holds_no_more_than_its_cells(tmp_path: Path) -> None:
    (tmp_path / "r.xlsx").write_bytes(saved())
    assert verify(tmp_path / "r.xlsx", releases.policy()).holds
    with xlsxwriter.Workbook(tmp_path / "s.xlsx") as book:
        for place, row in enumerate([releases.release().columns, *releases.release().rows()]):
            (book.get_worksheet_by_name("a") or book.add_worksheet("a")).write_row(place, 0, row)
    assert verify(tmp_path / "s.xlsx", releases.policy()).holds


@pytest.mark.parametrize("change", [author, comment, sheet, name, link])
def test_what_another_program_put_beside_the_cells_is_found(
    tmp_path: Path, change: Callable[[openpyxl.Workbook], None]
) -> None:
    (tmp_path / "r.xlsx").write_bytes(saved(change))
    failures = verify(tmp_path / "r.xlsx", releases.policy()).failures
    assert any("more than its cells" in failure.message for failure in failures)
    assert "Zoe" not in str(failures)


def test_a_shared_text_that_no_cell_has_is_found(tmp_path: Path) -> None:
    result = io.BytesIO()
    with xlsxwriter.Workbook(result) as book:
        made = book.add_worksheet()
        made.write_row(0, 0, ["a", "Zoe"])
        made.write_row(1, 0, ["b", "c"])
    forged = repacked(result.getvalue(), {SHEET: put(b'<c r="B1" t="s"><v>1</v></c>', b"")})
    assert "texts that no cell has" in list(hidden_in_xlsx(forged, ours=False))


@pytest.mark.parametrize("part", ["xl/worksheets/more.xml", "xl/worksheets/Sheet2.xml"])
def test_a_second_sheet_of_any_name_is_found(tmp_path: Path, part: str) -> None:
    data = saved()
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        second = packed.read(SHEET)
    assert "other sheets, comments, pictures or the like" in list(
        hidden_in_xlsx(repacked(data, **{part: second}), ours=False)
    )


def test_in_a_release_folder_a_file_of_another_program_does_not_hold(tmp_path: Path) -> None:
    assert list(hidden_in_xlsx(saved(), ours=True))
