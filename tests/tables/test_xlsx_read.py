"""Spreadsheets are read as a person sees them, or refused in one sentence."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest
import xlsxwriter
from openpyxl.worksheet.worksheet import Worksheet

from shoal.errors import ShoalError
from shoal.tables import ReadOptions, read, read_back, room
from shoal.tables.xml_parts import BrokenXmlError, Walk

HEADER = ("name", "age")
Fill = Callable[[Worksheet], None]


def book(path: Path, *rows: tuple[Any, ...], change: Fill | None = None) -> Path:
    made = openpyxl.Workbook()
    sheet = made.active
    assert isinstance(sheet, Worksheet)
    sheet.title = "People"
    for row in rows:
        sheet.append(row)
    if change is not None:
        change(sheet)
    made.save(path)
    return path


def column(tmp_path: Path, *cells: Any, form: str | None = None, **options: Any) -> pl.Series:
    def change(sheet: Worksheet) -> None:
        for row in range(2, len(cells) + 2):
            if form is not None:
                sheet.cell(row, 2).number_format = form

    rows = [("id", "x"), *(("p", cell) for cell in cells)]
    return read(book(tmp_path / "in.xlsx", *rows, change=change), ReadOptions(**options)).frame["x"]


@pytest.mark.parametrize(
    ("cells", "form", "expected"),
    [
        ((34, 35, None), None, pl.Series("x", [34, 35, None])),
        ((34.0, 2.5), None, pl.Series("x", [34.0, 2.5])),
        (("34", "35"), None, pl.Series("x", [34, 35])),  # numbers stored as text
        ((34, "35"), None, pl.Series("x", [34, 35])),
        (("01067", "10115"), None, pl.Series("x", ["01067", "10115"])),
        ((1067, 10115), "00000", pl.Series("x", ["01067", "10115"])),
        ((34, "k.A."), None, pl.Series("x", ["34", "k.A."])),
        ((date(1999, 12, 31), date(1900, 1, 1)), None, pl.Series("x", [date(1999, 12, 31), date(1900, 1, 1)])),
        ((datetime(2020, 1, 1), None), None, pl.Series("x", [date(2020, 1, 1), None])),
        (
            (datetime(2020, 1, 1, 12, 30, 15), date(2020, 1, 2)),
            None,
            pl.Series("x", [datetime(2020, 1, 1, 12, 30, 15), datetime(2020, 1, 2)]),
        ),
        ((45321,), None, pl.Series("x", [45321])),  # a serial that is shown as a number is one
        ((45321,), 'dd/mm/yyyy"; of the visit"', pl.Series("x", [date(2024, 1, 30)])),
        ((45321,), "[$-407]d. mmm yy;@", pl.Series("x", [date(2024, 1, 30)])),
        ((45321.5,), 'General" days"', pl.Series("x", [45321.5])),
        ((45321.5,), "[Red]#,##0.0", pl.Series("x", [45321.5])),
        ((60,), "yyyy-mm-dd", pl.Series("x", [60])),  # Excel's 29 February 1900
        ((time(14, 30),), None, pl.Series("x", [time(14, 30)])),
        ((timedelta(hours=30),), None, pl.Series("x", [timedelta(hours=30)])),
        ((True, False), None, pl.Series("x", [True, False])),
        (("#N/A", 3), None, pl.Series("x", [None, 3])),
        (("_x0041_", "a\nb"), None, pl.Series("x", ["A", "a\nb"])),
        ((" x ", "<&>"), None, pl.Series("x", [" x ", "<&>"])),
    ],
)
def test_a_cell_is_what_a_person_sees(tmp_path: Path, cells: Any, form: str | None, expected: pl.Series) -> None:
    found = column(tmp_path, *cells, form=form)
    assert (found.dtype.base_type(), found.to_list()) == (expected.dtype.base_type(), expected.to_list())


def test_dates_since_1904(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    made.active.append(("x",))
    made.active.append((date(1999, 12, 31),))
    made.save(tmp_path / "in.xlsx")
    assert read(tmp_path / "in.xlsx").frame["x"].to_list() == [date(1999, 12, 31)]


def test_texts_that_mean_missing_are_missing_also_among_numbers(tmp_path: Path) -> None:
    assert column(tmp_path, 34, "k.A.", 999, null_values=("k.A.", "999")).to_list() == [34, None, None]
    assert column(tmp_path, 34, 999, null_values=("999",)).to_list() == [34, None]


def test_errors_and_texts_among_numbers_are_told_without_values(tmp_path: Path) -> None:
    table = read(book(tmp_path / "in.xlsx", HEADER, ("Zoe", "#N/A"), ("Max", 34), ("Ada", "thirty")))
    assert any("1 cell with an error" in note for note in table.notes)
    assert any("'age'" in note and "text" in note for note in table.notes)
    assert "thirty" not in "".join(table.notes)


def test_blank_rows_and_columns_around_the_table_are_no_part_of_it(tmp_path: Path) -> None:
    def move(sheet: Worksheet) -> None:
        sheet["C4"], sheet["D4"], sheet["C6"], sheet["D6"] = "name", "age", "Zoe", 34
        sheet["Z1000"].font = openpyxl.styles.Font(bold=True)

    table = read(book(tmp_path / "in.xlsx", change=move))
    assert table.frame.rows() == [("Zoe", 34)]
    assert table.columns == ["name", "age"]


def test_names_that_are_years_are_names(tmp_path: Path) -> None:
    assert read(book(tmp_path / "in.xlsx", ("name", 2019), ("Zoe", 1))).columns == ["name", "2019"]


def test_one_visible_sheet_is_taken_and_others_are_named(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.active.append(HEADER)
    made.active.append(("Zoe", 34))
    made.create_sheet("Empty")
    secret = made.create_sheet("Raw")
    secret.append(("secret",))
    secret.sheet_state = "hidden"
    made.save(tmp_path / "in.xlsx")
    table = read(tmp_path / "in.xlsx")
    assert table.frame.rows() == [("Zoe", 34)]
    assert any("hidden sheet" in note and "'Raw'" in note for note in table.notes)
    assert read(tmp_path / "in.xlsx", ReadOptions(sheet="Raw")).columns == ["secret"]
    made.create_sheet("More").append(("other",))
    made.save(tmp_path / "in.xlsx")
    with pytest.raises(ShoalError, match="2 sheets: 'Sheet', 'More'") as told:
        read(tmp_path / "in.xlsx")
    assert "sheet=" in (told.value.hint or "")
    with pytest.raises(ShoalError, match="no sheet called 'Gone'"):
        read(tmp_path / "in.xlsx", ReadOptions(sheet="Gone"))


def merged(sheet: Worksheet) -> None:
    sheet.merge_cells("A1:B1")


def formula(sheet: Worksheet) -> None:
    sheet["B3"] = "=1+1"


UNCLEAR: dict[str, tuple[tuple[tuple[Any, ...], ...], Fill | None, str]] = {
    "merged cells": ((HEADER, ("Zoe", 34)), merged, "merged"),
    "a formula that was never calculated": ((HEADER, ("Zoe", 34), ("Max", None)), formula, "calculated"),
    "a title above the table": ((("Patients",), HEADER, ("Zoe", 34)), None, "without a name"),
    "a column without a name": ((("name", None), ("Zoe", 34)), None, "column B"),
    "two columns of one name": ((("age", "age"), ("Zoe", 34)), None, "more than once"),
    "no row of names": ((("Zoe", 34), ("Max", 35)), None, "may be data"),
    "nothing": ((), None, "empty"),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_what_is_not_clear_is_asked_in_one_sentence(tmp_path: Path, case: str) -> None:
    rows, change, told = UNCLEAR[case]
    with pytest.raises(ShoalError, match=told) as refused:
        read(book(tmp_path / "in.xlsx", *rows, change=change))
    assert refused.value.hint
    assert not any(cell in str(refused.value) for cell in ("Zoe", "34"))


def test_a_first_row_of_data_is_read_if_asked_for(tmp_path: Path) -> None:
    path = book(tmp_path / "in.xlsx", ("Zoe", 34), ("Max", 35))
    assert read(path, ReadOptions(has_header=False)).frame.rows() == [("Zoe", 34), ("Max", 35)]
    assert read(path, ReadOptions(has_header=True)).columns == ["Zoe", "34"]


def test_no_rows_is_a_table_without_rows(tmp_path: Path) -> None:
    assert read(book(tmp_path / "in.xlsx", HEADER)).frame.shape == (0, 2)


def repacked(path: Path, part: str, change: Callable[[bytes], bytes]) -> None:
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)


SHEET = "xl/worksheets/sheet1.xml"
DAMAGE: dict[str, Callable[[Path], None]] = {
    "empty": lambda path: path.write_bytes(b"") and None,
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]) and None,
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]) and None,
    "a text": lambda path: path.write_text("name,age\nZoe,34\n") and None,
    "an old spreadsheet, or a locked one": lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0" + bytes(2000)) and None,
    "another archive": lambda path: repacked(path, "_rels/.rels", lambda _: b"<x/>"),
    "XML cut off": lambda path: repacked(path, SHEET, lambda data: data[:-40]),
    "a document type": lambda path: repacked(
        path, SHEET, lambda data: data.replace(b"<worksheet", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet', 1)
    ),
    "a number that is none": lambda path: repacked(path, SHEET, lambda data: data.replace(b"<v>34<", b"<v>nan<")),
    "a cell twice": lambda path: repacked(path, SHEET, lambda data: data.replace(b'r="B2"', b'r="A2"')),
    "a cell nowhere": lambda path: repacked(path, SHEET, lambda data: data.replace(b'r="B2"', b'r="ZZZ2"')),
    "deep elements": lambda path: repacked(path, SHEET, lambda _: b"<a>" * 5000 + b"</a>" * 5000),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_told_in_one_sentence(tmp_path: Path, damage: str) -> None:
    path = book(tmp_path / "in.xlsx", HEADER, ("Zoe", 34))
    DAMAGE[damage](path)
    with pytest.raises(ShoalError) as refused:
        read(path)
    assert refused.value.hint
    assert "Zoe" not in str(refused.value)


def test_a_locked_or_oddly_packed_file_is_told(tmp_path: Path) -> None:
    path = book(tmp_path / "in.xlsx", HEADER, ("Zoe", 34))
    data = bytearray(path.read_bytes())
    for at in range(len(data)):
        if data[at : at + 4] == b"PK\1\2":
            data[at + 8] |= 1  # the flag of encryption
    path.write_bytes(bytes(data))
    with pytest.raises(ShoalError, match="password"):
        read(path)


def test_a_sheet_of_blanks_that_unpacks_to_more_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book(tmp_path / "in.xlsx", HEADER, ("Zoe", 34))
    repacked(path, SHEET, lambda data: data.replace(b"<sheetData>", b"<sheetData>" + b" " * 30_000_000))
    monkeypatch.setattr(room, "_free", lambda: 20_000_000)
    assert path.stat().st_size < 100_000
    with pytest.raises(ShoalError, match="room for"):
        read(path)


def test_cells_far_apart_take_no_memory_between_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dense table of 16,384 columns and a million rows would take a terabyte."""

    def far(sheet: Worksheet) -> None:
        sheet["XFD1"], sheet["XFD1048576"] = "last", 1

    monkeypatch.setattr(room, "_free", lambda: 200_000_000)
    table = read(book(tmp_path / "in.xlsx", HEADER, ("Zoe", 34), change=far))
    assert table.frame.rows() == [("Zoe", 34, None), (None, None, 1)]


def test_few_cells_that_span_a_large_table_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spread(sheet: Worksheet) -> None:
        for place in range(1, 1500):
            sheet.cell(1, place, f"c{place}")
            sheet.cell(place + 1, place, place)

    path = book(tmp_path / "in.xlsx", change=spread)
    monkeypatch.setattr(room, "_free", lambda: 20_000_000)
    for way in (read, read_back):
        with pytest.raises(ShoalError, match="room for"):
            way(path)


def shared(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    """A file whose texts are shared, as those of Excel are."""
    with xlsxwriter.Workbook(path) as made:
        sheet = made.add_worksheet("People")
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    return path


def test_shared_texts(tmp_path: Path) -> None:
    path = shared(tmp_path / "in.xlsx", [HEADER, ("Zoe", 34), ("Zoe", 35), ("<Max>", 36)])
    assert read(path).frame.rows() == [("Zoe", 34), ("Zoe", 35), ("<Max>", 36)]
    repacked(path, SHEET, lambda data: data.replace(b"<v>2<", b"<v>9<"))
    with pytest.raises(ShoalError, match="not a complete"):
        read(path)


def test_a_long_text_that_many_cells_share_is_counted_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shared(tmp_path / "in.xlsx", [HEADER, *(("x" * 30_000, 1),) * 3000])
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(room, "_free", lambda: 100_000_000)
    with pytest.raises(ShoalError, match="room for"):
        read(path)


def test_a_part_in_an_encoding_that_nobody_knows_is_broken():
    with pytest.raises(BrokenXmlError):
        Walk().over([b'<?xml version="1.0" encoding="WTF-8"?><a/>'])
