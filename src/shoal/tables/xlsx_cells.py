"""The cells of one sheet of an .xlsx file, as the values that a person sees in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path

from shoal.tables.room import refuse_beyond_room
from shoal.tables.xlsx_formats import Moment, moment
from shoal.tables.xlsx_workbook import Workbook
from shoal.tables.xml_parts import BrokenXmlError, Walk, unescaped

Value = str | int | float | bool | Moment

_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?")
_MOST_COLUMNS, _MOST_ROWS = 16_384, 1_048_576
_BYTES = 150
"""Memory that a cell takes at most while it is read, besides its text."""
_EVERY = 1 << 24
"""The memory that is free is checked again after every so many further bytes."""


class SheetCells(Walk):
    """All cells that hold a value, column by column: `columns[3]` has those of column D by row, from 0.

    An error such as #N/A is no value; `errors` counts them by column. `uncalculated` counts formulas whose value is
    not in the file, `merged` the ranges of cells that were made one, and `last_row` is the last row of the file, with
    or without cells. An empty text is a value with `empty_texts`; otherwise it is what it looks like, an empty cell.
    """

    def __init__(self, path: Path, book: Workbook, *, empty_texts: bool = False) -> None:
        super().__init__()
        self._empty_texts = empty_texts
        self.columns: dict[int, dict[int, Value]] = {}
        self.errors: dict[int, int] = {}
        self.uncalculated = self.merged = 0
        self.last_row = -1
        self._path, self._book = path, book
        self._needed = self._looked = 0
        self._row = self._column = -1
        self._type = self._style = ""
        self._parts: list[str] = []
        self._listens = self._spoken = self._formula = False

    def read(self, chunks: Iterable[bytes]) -> SheetCells:
        self.over(chunks)
        return self

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._place(attributes.get("r"))
            self._type, self._style = attributes.get("t", "n"), attributes.get("s", "")
            self._parts, self._formula = [], False
        elif name == "v":
            self._listens = True
        elif name == "t":
            self._listens = not self._spoken
        elif name == "row":
            number = attributes.get("r")
            self._row = self._row + 1 if number is None else _whole(number) - 1
            self._column = -1
            self.last_row = max(self.last_row, min(self._row, _MOST_ROWS - 1))
        elif name == "f":
            self._formula = True
        elif name == "rPh":
            self._spoken = True
        elif name == "mergeCell":
            self.merged += 1

    def text(self, part: str) -> None:
        if self._listens:
            self._parts.append(part)

    def end(self, name: str) -> None:
        if name in ("v", "t"):
            self._listens = False
        elif name == "rPh":
            self._spoken = False
        elif name == "c":
            self._keep("".join(self._parts))

    def _place(self, reference: str | None) -> None:
        if reference is None:
            self._column += 1
        else:
            found = _REFERENCE.fullmatch(reference)
            if found is None:
                raise BrokenXmlError
            self._column, self._row = column_number(found[1]), int(found[2]) - 1
        if not (0 <= self._column < _MOST_COLUMNS and 0 <= self._row < _MOST_ROWS):
            raise BrokenXmlError

    def _keep(self, text: str) -> None:
        if self._type == "e":
            self.errors[self._column] = self.errors.get(self._column, 0) + 1
            return
        if not text and not (self._empty_texts and self._type == "inlineStr"):
            self.uncalculated += self._formula and self._type != "str"
            return
        value = self._value(text)
        if value == "" and not self._empty_texts:
            return
        column = self.columns.setdefault(self._column, {})
        if self._row in column:
            raise BrokenXmlError  # two values for one cell: programs differ in which of them they show
        column[self._row] = value
        # also where cells share a text: each gets its own copy in the table
        self._needed += _BYTES + (len(value) if isinstance(value, str) else 0)
        if self._needed > self._looked + _EVERY:
            self._looked = self._needed
            refuse_beyond_room(self._path, self._needed)

    def _value(self, text: str) -> Value:
        kind = self._type
        if kind == "s":
            place = _whole(text)
            if place >= len(self._book.texts):
                raise BrokenXmlError
            return self._book.texts[place]
        if kind in ("inlineStr", "str"):
            return unescaped(text)
        if kind == "b":
            if text not in ("0", "1", "true", "false"):
                raise BrokenXmlError
            return text in ("1", "true")
        if kind == "d":
            return text
        if kind != "n":
            raise BrokenXmlError
        number = _number(text)
        if not self._style:
            return number
        style = _whole(self._style)
        shown = self._book.formats[style] if style < len(self._book.formats) else "number"
        if shown == "number":
            return number
        if isinstance(shown, int):
            return f"{number:0{shown}d}" if isinstance(number, int) and number >= 0 else number
        found = moment(number, shown, since_1904=self._book.since_1904)
        return number if found is None else found


def column_number(letters: str) -> int:
    """Return the number of a column from 0: that of A is 0, that of AA is 26."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number - 1


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise BrokenXmlError
    return int(text)


def _number(text: str) -> int | float:
    """Return a number as int where it is one, also if it is written as 34.0."""
    if _WHOLE.fullmatch(text):
        return int(text)
    bare = text.strip(" \n\r\t")
    if not _NUMBER.fullmatch(bare):
        raise BrokenXmlError
    try:
        number = float(bare)
    except ValueError:
        raise BrokenXmlError from None
    if not math.isfinite(number):
        raise BrokenXmlError
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else number
