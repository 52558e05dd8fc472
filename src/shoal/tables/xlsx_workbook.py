"""The parts of an .xlsx file around its cells: the sheets, the texts that cells share, and their number formats."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field

from shoal.tables.xlsx_formats import Shown, shown_as
from shoal.tables.xml_parts import BrokenXmlError, Walk, unescaped
from shoal.tables.zip_file import Archive

_WORKBOOK = "officeDocument"
_SHARED, _STYLES, _SHEET = "sharedStrings", "styles", "worksheet"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of cells. Charts and macros have none, and are not listed."""

    name: str
    hidden: bool
    part: str
    """The file in the archive that has its cells."""


@dataclass(frozen=True, slots=True)
class Workbook:
    """What must be known of an .xlsx file before its cells can be read."""

    sheets: list[Sheet]
    texts: list[str] = field(repr=False)
    formats: list[Shown] = field(repr=False)
    since_1904: bool


def read_workbook(packed: Archive) -> Workbook:
    """Return the sheets, texts and number formats; raises `BrokenXmlError` if the file is not a workbook."""
    start = _relations(packed, "_rels/.rels", "")
    main = next((part for kind, part in start.values() if kind == _WORKBOOK), None)
    if main is None or main not in packed.names:
        raise BrokenXmlError
    folder, _, name = main.rpartition("/")
    related = _relations(packed, posixpath.join(folder, "_rels", f"{name}.rels"), folder)
    book = _Book()
    book.over(packed.chunks(main))
    sheets = [
        Sheet(named, hidden, part)
        for named, hidden, key in book.sheets
        for kind, part in [related.get(key, ("", ""))]
        if kind == _SHEET and part in packed.names
    ]
    shared, styles = _Texts(), _Formats()
    for kind, part in related.values():
        if kind in (_SHARED, _STYLES) and part in packed.names:
            (shared if kind == _SHARED else styles).over(packed.chunks(part))
    return Workbook(sheets, shared.found, styles.shown(), book.since_1904)


class _Relations(Walk):
    """Which part stands for which key."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, tuple[str, str]] = {}

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.found[attributes.get("Id", "")] = kind, attributes.get("Target", "")


def _relations(packed: Archive, part: str, folder: str) -> dict[str, tuple[str, str]]:
    """Return the kind and the file of every relation of a part."""
    if part not in packed.names:
        return {}
    read = _Relations()
    read.over(packed.chunks(part))
    return {
        key: (kind, posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/"))
        for key, (kind, target) in read.found.items()
    }


class _Book(Walk):
    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[tuple[str, bool, str]] = []
        self.since_1904 = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            key = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "id"), "")
            self.sheets.append((attributes.get("name", ""), attributes.get("state", "visible") != "visible", key))
        elif name == "workbookPr":
            self.since_1904 = attributes.get("date1904") in ("1", "true")


class _Texts(Walk):
    """The shared texts. Notes on pronunciation (rPh) are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._parts: list[str] = []
        self._inside = self._spoken = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "si":
            self._parts = []
        elif name == "rPh":
            self._spoken = True
        elif name == "t":
            self._inside = not self._spoken

    def text(self, part: str) -> None:
        if self._inside:
            self._parts.append(part)

    def end(self, name: str) -> None:
        if name == "t":
            self._inside = False
        elif name == "rPh":
            self._spoken = False
        elif name == "si":
            self.found.append(unescaped("".join(self._parts)))


class _Formats(Walk):
    """The number formats by the number that a cell has for its style."""

    def __init__(self) -> None:
        super().__init__()
        self._codes: dict[str, str] = {}
        self._styles: list[str] = []
        self._of_cells = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self._codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif name == "cellXfs":
            self._of_cells = True
        elif name == "xf" and self._of_cells:
            self._styles.append(attributes.get("numFmtId", "0"))

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._of_cells = False

    def shown(self) -> list[Shown]:
        try:
            return [shown_as(int(number), self._codes.get(number)) for number in self._styles]
        except ValueError:
            raise BrokenXmlError from None
