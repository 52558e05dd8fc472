"""An .xlsx file of any program, without a certificate, that shows less than it holds does not verify."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter

from shoal.certify import verify
from shoal.certify.hidden_xlsx import SHEET, hidden_in_xlsx
from tests.certify import releases
from tests.certify.test_forged_xlsx import put, repacked, saved

CORE, APP, BOOK, STYLES = "docProps/core.xml", "docProps/app.xml", "xl/workbook.xml", "xl/styles.xml"
TYPES, RELATIONS, SHARED, THEME = "[Content_Types].xml", "_rels/.rels", "xl/sharedStrings.xml", "xl/theme/theme1.xml"


def shared() -> bytes:
    """As Excel saves it: texts are shared, and the parts have names of Excel."""
    result = io.BytesIO()
    with xlsxwriter.Workbook(result) as book:
        sheet = book.add_worksheet("a")
        for place, row in enumerate([releases.release().columns, *releases.release().rows()]):
            sheet.write_row(place, 0, row)
        sheet.write(0, 4, "n")
        for place in range(1, 13):
            sheet.write(place, 4, 34.5)
    return result.getvalue()


def part(name: str, old: bytes, new: bytes) -> Callable[[], bytes]:
    return lambda: repacked(shared(), {name: put(old, new)})


def by_openpyxl(change: Callable[[openpyxl.Workbook], None]) -> Callable[[], bytes]:
    return lambda: saved(change)


def hidden_row(book: openpyxl.Workbook) -> None:
    book.active.row_dimensions[3].hidden = True


def hidden_column(book: openpyxl.Workbook) -> None:
    book.active.column_dimensions["B"].hidden = True


def folded(book: openpyxl.Workbook) -> None:
    book.active.row_dimensions.group(2, 4, outline_level=1, hidden=True)


def invisible(book: openpyxl.Workbook) -> None:
    book.active["C4"].number_format = ";;;"


def words(book: openpyxl.Workbook) -> None:
    book.active["A20"].number_format = '0;;;"Zoe"'


FIRST = b'<c r="E2"><v>34.5</v></c>'
BOTH = b'<c r="E2" t="inlineStr"><v>34.5</v><is><t>34.5</t></is></c>'
SPOKEN = b"</t><rPh sb='0' eb='1'><t>Zoe</t></rPh></si>"
BAD: dict[str, Callable[[], bytes]] = {
    "a hidden row": by_openpyxl(hidden_row),
    "a hidden column": by_openpyxl(hidden_column),
    "a row without height": part(SHEET, b'<row r="3"', b'<row r="3" ht="0" customHeight="1"'),
    "a column without width": part(
        SHEET, b"<sheetData>", b'<cols><col min="2" max="2" width="0" customWidth="1"/></cols><sheetData>'
    ),
    "rows that are folded": by_openpyxl(folded),
    "a cell whose format shows nothing": by_openpyxl(invisible),
    "words in a format": by_openpyxl(words),
    "a sheet that is hidden": part(BOOK, b'sheetId="1"', b'sheetId="1" state="veryHidden"'),
    "a comment in the sheet": part(SHEET, b"<sheetData>", b"<!--Zoe--><sheetData>"),
    "a comment behind the sheet": part(SHEET, b"</worksheet>", b"</worksheet><!--Zoe-->"),
    "a comment in the shared texts": part(SHARED, b"<si>", b"<!--Zoe--><si>"),
    "a comment in the styles": part(STYLES, b"<fonts", b"<!--Zoe--><fonts"),
    "a comment in the theme": part(THEME, b"<a:themeElements>", b"<!--Zoe--><a:themeElements>"),
    "a comment in the list of parts": part(TYPES, b"<Default", b"<!--Zoe--><Default"),
    "a comment in the relations": part(RELATIONS, b"<Relationship ", b"<!--Zoe--><Relationship "),
    "an instruction": part(SHEET, b"<sheetData>", b"<?zoe Zoe?><sheetData>"),
    "a document type": part(STYLES, b"<styleSheet", b"<!DOCTYPE styleSheet [<!ENTITY a 'Zoe'>]><styleSheet"),
    "a text between the cells": part(SHEET, b"</row>", b"Zoe</row>"),
    "a text in the styles": part(STYLES, b"<fonts", b"Zoe<fonts"),
    "an element of its own": part(STYLES, b"<fonts", b"<zoe/><fonts"),
    "an attribute of a cell": part(SHEET, b'<c r="E2">', b'<c r="E2" x="Zoe">'),
    "an attribute of a row": part(SHEET, b'<row r="2"', b'<row r="2" zoe="1"'),
    "a word as an attribute": part(SHEET, b'spans="1:5"', b'spans="Zoe"'),
    "another name space": part(SHEET, b"<worksheet ", b'<worksheet xmlns:z="https://example.org/Zoe" '),
    "more digits": part(SHEET, b"<v>34.5</v>", b"<v>34.5000000000000000042</v>"),
    "zeros": part(SHEET, b"<v>34.5</v>", b"<v>0034.5</v>"),
    "a text in an error": part(SHEET, FIRST, b'<c r="E2" t="e"><v>Zoe</v></c>'),
    "two values in a cell": part(SHEET, FIRST, BOTH),
    "the folder where it was saved": part(
        BOOK, b"<bookViews>", b'<x:absPath xmlns:x="http://schemas.microsoft.com/a" url="C:\\Zoe\\"/><bookViews>'
    ),
    "who shares it": part(BOOK, b"<bookViews>", b'<fileSharing userName="Zoe"/><bookViews>'),
    "an author": part(CORE, b"<dc:creator></dc:creator>", b"<dc:creator>Zoe</dc:creator>"),
    "a time that is none": lambda: repacked(
        shared(), {CORE: lambda text: re.sub(rb">[0-9T:-]+Z</dcterms:created>", b">Zoe</dcterms:created>", text)}
    ),
    "a program that is none": part(APP, b"Microsoft Excel", b"Zoe Miller"),
    "another title": part(APP, b"<vt:lpstr>a</vt:lpstr>", b"<vt:lpstr>Zoe</vt:lpstr>"),
    "how it is spoken": part(SHARED, b"</t></si>", SPOKEN),
    "a link elsewhere": part(
        RELATIONS, b"</Relationships>", b'<Relationship Id="z" TargetMode="External" Target="Zoe"/></Relationships>'
    ),
    "a part called otherwise": lambda: repacked(shared(), **{"Zoe/_rels/Zoe.rels": b"<Relationships/>"}),
    "a part that is no XML": lambda: repacked(shared(), **{"xl/worksheets/_rels/sheet1.xml.rels": b"Zoe"}),
    "a part in an encoding that nobody knows": part(CORE, b'encoding="UTF-8"', b'encoding="WTF-8"'),
    "a comment of the archive": lambda: shared()[:-2] + b"\3\0Zoe",
    "bytes before the beginning": lambda: b"Zoe" + shared(),
    "bytes behind the end": lambda: shared() + b"Zoe",
    "a folder": lambda: repacked(shared(), **{"Zoe/": b""}),
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_shows_less_than_it_holds_does_not_verify(tmp_path: Path, case: str) -> None:
    data = BAD[case]()
    (tmp_path / "r.xlsx").write_bytes(data)
    asked = {"n": {"role": "other"}} if b"n" in data else {}
    policy = releases.policy(columns=releases.ROLES | asked)
    findings = verify(tmp_path / "r.xlsx", policy)
    assert any("more than its cells" in one.message or "cannot be read" in one.message for one in findings.failures)
    assert "Zoe" not in str(findings.failures)
    assert list(hidden_in_xlsx(data, ours=False))


@pytest.mark.parametrize("made", [shared, saved])
def test_a_plain_file_hides_nothing(made: Callable[[], bytes]) -> None:
    data = made()
    assert list(hidden_in_xlsx(data, ours=False)) == []
    assert list(hidden_in_xlsx(repacked(data), ours=False)) == []


def test_a_file_as_excel_pads_it_hides_nothing() -> None:
    """Excel keeps room in the first file of the archive, and writes some settings of its own."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(shared())) as packed, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as again:
        for name in packed.namelist():
            entry = zipfile.ZipInfo(name)
            if name == TYPES:
                entry.extra = b"\x20\xa2\x10\x00\x28\xa0\x04\x00" + bytes(12)
            content = packed.read(name)
            if name == SHEET:
                content = content.replace(
                    b'relationships">',
                    b'relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
                    b'mc:Ignorable="x14ac xr xr2 xr3" xr:uid="{00000000-0001-0000-0000-000000000000}" '
                    b'xmlns:xr="http://schemas.microsoft.com/office/spreadsheetml/2014/revision">',
                )
                content = content.replace(b'<row r="2"', b'<row r="2" x14ac:dyDescent="0.25"', 1)
            again.writestr(entry, content)
    assert list(hidden_in_xlsx(result.getvalue(), ours=False)) == []
