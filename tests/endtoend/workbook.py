"""A released workbook as rows of texts, read from its XML. Shares no code with Shoal."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def workbook(file: Path) -> tuple[list[str], list[list[str | None]]]:
    """The names of the columns, and the rows below them."""
    with zipfile.ZipFile(file) as packed:
        sheet = ElementTree.fromstring(packed.read("xl/worksheets/sheet1.xml"))
    rows: list[list[str | None]] = []
    for row in sheet.iter(f"{MAIN}row"):
        rows += [[] for _ in range(int(row.attrib["r"]) - len(rows))]
        for cell in row:
            letters = re.sub("[0-9]", "", cell.attrib["r"])
            place = 0
            for letter in letters:
                place = 26 * place + ord(letter) - 64
            rows[-1] += [None] * (place - len(rows[-1]))
            rows[-1][place - 1] = _text(cell)
    names, *below = rows
    width = len(names)
    return [name or "" for name in names], [row + [None] * (width - len(row)) for row in below]


def _text(cell: ElementTree.Element) -> str:
    kind = cell.attrib.get("t", "n")
    if kind == "inlineStr":
        text = cell.findtext(f"{MAIN}is/{MAIN}t") or ""
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    value = cell.findtext(f"{MAIN}v") or ""
    if kind == "b":
        return "true" if value == "1" else "false"
    if cell.attrib.get("s") == "2":
        return (dt.date(1899, 12, 30) + dt.timedelta(days=int(value))).isoformat()
    if cell.attrib.get("s") == "3":
        milliseconds = round(float(value) * 86_400_000)
        return (dt.datetime(1899, 12, 30) + dt.timedelta(milliseconds=milliseconds)).isoformat()
    return value
