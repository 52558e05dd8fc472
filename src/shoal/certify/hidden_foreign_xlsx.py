"""Find data in an .xlsx file of any program that a person who opens it does not see in its one sheet.

What each part of the file may hold is listed here, and anything else is reported, such as comments in the XML, hidden
rows and columns, texts that no cell has, the author, and the folder in which the file was saved.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from xml.parsers import expat

from shoal.certify.hidden_archive import hidden_in_zip
from shoal.certify.xlsx_vocabulary import ATTRIBUTES, ELEMENTS, PARTS, SHOWN

OTHERS = "other sheets, comments, pictures or the like"
BESIDE = "formulas, links, merged cells or rules beside its cells"
PROPERTIES = "notes in its properties, such as an author"
HIDDEN = "hidden rows, columns, sheets or cells"
NOTES = "notes in its XML"
NAMES = "names of ranges"
SAVED = "where or by whom it was saved"
UNUSED = "texts that no cell has"
DIGITS = "numbers with more digits than they have"

_UNKNOWN = {"sheet": BESIDE, "core": PROPERTIES, "app": PROPERTIES, "workbook": SAVED}
"""What an element that is not listed stands for; in other parts, a note."""
_TEXTS = {"sheet": ("v", "t"), "texts": ("t",)}
_SPACE = re.compile(
    r"(?:http://(?:schemas\.openxmlformats\.org|schemas\.microsoft\.com|purl\.(?:org|oclc\.org)|www\.w3\.org)/"
    r"[A-Za-z0-9/.#_-]{0,90})"
)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(?:Z|[+-][0-9]{2}:[0-9]{2})|")
_PROGRAM = re.compile(
    r"(?:Microsoft (?:Macintosh )?Excel(?: Online| Compatible / Openpyxl [0-9.]+)?|openpyxl|Google Sheets|SheetJS"
    r"|LibreOffice(?:/[0-9.]+)?(?:\$[A-Za-z0-9_ -]+LibreOffice_project/[0-9a-f]+)?|Apache POI|WPS[A-Za-z ]*)?"
)
_PLAIN = re.compile(r"[0-9.]{0,12}|true|false")
_HEADINGS = ("Worksheets", "Arbeitsblätter", "Feuilles de calcul", "Hojas de cálculo", "Fogli di lavoro", "Planilhas")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)?(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_MOST_DIGITS = 17
_ERRORS = ("#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#GETTING_DATA")
_WORDS = re.compile(r'"[^"]*[^\W\d_]{4}[^"]*"')
_LONGEST = 200


def hidden_in_foreign_xlsx(data: bytes, packed: zipfile.ZipFile) -> Iterator[str]:
    """Describe the hidden data in an .xlsx file of any program, one phrase for each place."""
    yield from hidden_in_zip(data)
    names = [one.filename for one in packed.infolist()]
    kinds = {name: _kind(name) for name in names}
    if None in kinds.values() or list(kinds.values()).count("sheet") != 1 or len(kinds) < len(names):
        yield OTHERS
    read = {name: _Part(kind) for name, kind in kinds.items() if kind is not None}
    for name, part in read.items():
        part.read(packed.read(name))
        yield from part.found
    by_kind = {part.kind: part for part in read.values()}
    if "app" in by_kind and by_kind["app"].titles - {*_HEADINGS, *_sheet_names(by_kind)}:
        yield PROPERTIES
    if "texts" in by_kind and set(map(str, range(by_kind["texts"].listed))) - _used(by_kind):
        yield UNUSED


def _kind(name: str) -> str | None:
    return next((kind for kind, names in PARTS.items() if re.fullmatch(names, name.lower())), None)


def _sheet_names(parts: dict[str, _Part]) -> set[str]:
    return parts["workbook"].sheets if "workbook" in parts else set()


def _used(parts: dict[str, _Part]) -> set[str]:
    return parts["sheet"].used if "sheet" in parts else set()


class _Part:
    """One XML file of the archive, and what is found in it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.found: dict[str, None] = {}
        self.sheets: set[str] = set()
        self.titles: set[str] = set()
        self.used: set[str] = set()
        self.listed = 0
        self._known = ELEMENTS.get(kind)
        self._path: list[str] = []
        self._text: list[str] = []
        self._cell, self._values = "n", 0

    def read(self, data: bytes) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._begin, self._end
        parser.CharacterDataHandler = self._text.append
        parser.CommentHandler = parser.ProcessingInstructionHandler = self._note
        parser.StartDoctypeDeclHandler = self._note
        try:
            parser.Parse(data, True)
        except (expat.ExpatError, LookupError, ValueError):  # an encoding that Python does not know is a LookupError
            self._report(NOTES)

    def _report(self, what: str) -> None:
        self.found[what] = None

    def _note(self, *_: object) -> None:
        self._report(NOTES)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._check_text()
        name = name.rpartition(":")[2]
        self._path.append(name)
        if self._known is not None and name not in self._known:
            self._report(NAMES if name == "definedName" else _UNKNOWN.get(self.kind, NOTES))
        for key, value in attributes.items():
            self._attribute(key, value)
        if self.kind == "workbook" and name == "sheet":
            self.sheets.add(attributes.get("name", ""))
            if attributes.get("state", "visible") != "visible":
                self._report(HIDDEN)
        elif self.kind == "sheet":
            self._sheet(name, attributes)
        elif self.kind == "texts" and name == "si":
            self.listed += 1
        elif name == "numFmt":
            self._number_format(attributes.get("formatCode", ""))

    def _attribute(self, key: str, value: str) -> None:
        local = key.rpartition(":")[2]
        if key == "xmlns" or key.startswith("xmlns:"):
            good = _SPACE.fullmatch(value) is not None
        elif self.kind == "sheet":
            good = local in ATTRIBUTES and SHOWN.fullmatch(value) is not None
        else:
            good = len(value) <= _LONGEST and value != "External"
        if not good:
            self._report(NOTES)

    def _sheet(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._cell, self._values = attributes.get("t", "n"), 0
        elif name in ("v", "is"):
            self._values += 1
            if self._values > 1:
                self._report(NOTES)
        hides = ("hidden", "zeroHeight", "collapsed")
        sizes = [attributes[key] for key in ("ht", "width") if key in attributes]
        if any(attributes.get(key, "0") not in ("0", "false") for key in hides) or any(map(_tiny, sizes)):
            self._report(HIDDEN)

    def _number_format(self, code: str) -> None:
        if _WORDS.search(code):
            self._report(NOTES)
        if not all(section.strip() for section in re.sub(r'"[^"]*"|\\.', "x", code).split(";")):
            self._report(HIDDEN)  # numbers of some kind are not shown

    def _end(self, name: str) -> None:
        self._check_text()
        self._path.pop()

    def _check_text(self) -> None:
        """Report the text inside of the element that is open if it is not what such an element holds."""
        text, self._text[:] = "".join(self._text), []
        if not self._path or (not text.strip() and self._path[-1] != "t"):
            return
        name, bare = self._path[-1], text.strip()
        if name in _TEXTS.get(self.kind, ()):
            good = name == "t" or self._value(bare)
        elif self.kind == "core":
            times = name in ("created", "modified", "lastPrinted")
            good = (_TIME if times else _PROGRAM).fullmatch(bare) is not None
        elif self.kind == "app":
            if name == "lpstr":
                self.titles.add(bare)
            programs = name in ("Application", "lpstr")
            good = name == "lpstr" or (_PROGRAM if programs else _PLAIN).fullmatch(bare) is not None
        else:
            good = False
        if not good:
            self._report(DIGITS if name == "v" else PROPERTIES if self.kind in ("core", "app") else NOTES)

    def _value(self, text: str) -> bool:
        """Return whether all of a cell's value is shown: of a number every digit, and no text beside it."""
        if self._cell == "s":
            self.used.add(text)
            return text.isdigit() and str(int(text)) == text
        if self._cell == "e":
            return text in _ERRORS
        if self._cell != "n":
            return True
        digits = re.sub(r"[eE].*|[^0-9]", "", text).strip("0")
        return _NUMBER.fullmatch(text) is not None and len(digits) <= _MOST_DIGITS


def _tiny(size: str) -> bool:
    try:
        return float(size) < 1.0
    except ValueError:
        return True
