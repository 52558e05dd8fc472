"""Reading .xlsx files (Excel, LibreOffice, Google Sheets): the cells of one sheet as a person sees them.

The file is read here, and not by a library, so that the memory that a hostile file takes is bounded; and because no
library that was tried reports a formula whose value is not in the file, a number that is shown with leading zeros,
merged cells, or an empty text as opposed to a missing cell. Tests compare with two other readers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from shoal.caller import setting
from shoal.errors import TableError
from shoal.tables.cell_columns import as_texts, column, kinds_of
from shoal.tables.check import check_names, checked, counted, listed
from shoal.tables.infer import infer
from shoal.tables.options import ReadOptions
from shoal.tables.room import refuse_beyond_room
from shoal.tables.table import Dialect, Origin, Table
from shoal.tables.text import as_written, text_of
from shoal.tables.xlsx_cells import SheetCells, Value
from shoal.tables.xlsx_workbook import Sheet, Workbook, read_workbook
from shoal.tables.xml_parts import BrokenXmlError, Walk
from shoal.tables.zip_file import Archive, archive

_YEARS = range(1900, 2100)
"""Numbers that are often the name of a column."""
_BYTES = 16
"""Memory that a cell takes at least, with or without a value: a few cells far apart span a large table."""
_ABOVE = "the first row must name every column: remove what is above the table, and columns that have no name."


def read_xlsx(path: Path, options: ReadOptions) -> Table:
    """Return the table in the one sheet of a file, or in the sheet that `options` names.

    A column of numbers or dates has their type. One of texts, or of texts among numbers, gets a type if every one of
    its cells has it, as in a CSV file: a number that is stored as text is a number, and a code such as 007 is not.
    """
    with _opened(path) as packed:
        book = read_workbook(packed)
        sheet = _chosen(path, packed, book, options.sheet)
        cells = SheetCells(path, book).read(packed.chunks(sheet.part))
    _refuse_unclear(sheet, cells)
    names, rows = _header(sheet, cells, options.has_header)
    refuse_beyond_room(path, _BYTES * len(names) * len(rows))
    notes = _notes(book, sheet, cells)
    texts, typed = [], []
    for name, place in names.items():
        values = column(name, [cells.columns[place].get(row) for row in rows])
        texts.append(values) if values.dtype == pl.String else typed.append(_as_dates(values))
    nulls = list(options.null_values)
    read = pl.DataFrame(texts).with_columns(pl.all().replace(nulls, None)) if texts else pl.DataFrame()
    inferred, decimal, more = infer(read, ";", options.decimal)
    frame = pl.DataFrame([*inferred.get_columns(), *(_without(values, nulls) for values in typed)])
    result, further = checked(frame.select(list(names)))
    mixed = [name for name in read.columns if result[name].dtype == pl.String and _is_mixed(cells, names[name], rows)]
    if mixed:
        notes += (f"texts beside numbers or dates, so all are read as text, in {listed(mixed)}.",)
    kept = read.select(name for name in read.columns if result[name].dtype != pl.String)
    dialect = Dialect(separator=";" if decimal == "," else ",", decimal=decimal)
    return Table(result, Origin("xlsx", dialect, dict(result.schema)), notes + more + further, kept)


def xlsx_as_text(path: Path) -> pl.DataFrame:
    """Return every cell of a released file as text: texts as they are, numbers and dates as they would be written."""
    return as_written(xlsx_frame(path))


def xlsx_frame(path: Path) -> pl.DataFrame:
    """Return the cells of a released file in the types that they have there: a text is a text, whatever it says."""
    with _opened(path) as packed:
        book = read_workbook(packed)
        sheet = _chosen(path, packed, book, None)
        cells = SheetCells(path, book, empty_texts=True).read(packed.chunks(sheet.part))
    _refuse_unclear(sheet, cells)
    names, rows = _header(sheet, cells, has_header=True)
    first = min(row for one in cells.columns.values() for row in one)
    rows = list(range(first + 1, cells.last_row + 1))  # in a release, a row without values is still a record
    refuse_beyond_room(path, _BYTES * len(names) * len(rows))
    series = [column(name, [cells.columns[place].get(row) for row in rows]) for name, place in names.items()]
    return pl.DataFrame(series)


@contextmanager
def _opened(path: Path) -> Iterator[Archive]:
    broken = TableError(
        f"{str(path)!r} is not a complete .xlsx file.",
        "it may be truncated, of another format, or locked with a password; save it again as .xlsx.",
    )
    try:
        with archive(path, lambda: broken) as packed:
            yield packed
    except BrokenXmlError:
        raise broken from None


def _chosen(path: Path, packed: Archive, book: Workbook, named: str | None) -> Sheet:
    """Return the sheet of the name, or the only visible one that is not empty."""
    if named is not None:
        found = [sheet for sheet in book.sheets if sheet.name == named]
        if len(found) == 1:
            return found[0]
        raise TableError(
            f"{str(path)!r} has no sheet called {named!r}.", f"it has {listed([one.name for one in book.sheets])}."
        )
    visible = [sheet for sheet in book.sheets if not sheet.hidden]
    filled = [sheet for sheet in visible if _holds_cells(packed, sheet)] if len(visible) > 1 else visible
    if len(filled) == 1:
        return filled[0]
    if not filled:
        raise TableError(f"{str(path)!r} has no visible sheet with cells.", "name one: --sheet NAME (sheet=...).")
    raise TableError(
        f"{str(path)!r} has {len(filled)} sheets: {listed([sheet.name for sheet in filled])}.",
        f"say which: {setting('sheet', filled[0].name)}.",
    )


class _FoundError(Exception):
    """A sheet has a cell with a value."""


class _First(Walk):
    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("v", "is"):
            raise _FoundError


def _holds_cells(packed: Archive, sheet: Sheet) -> bool:
    try:
        _First().over(packed.chunks(sheet.part))
    except _FoundError:
        return True
    return False


def _refuse_unclear(sheet: Sheet, cells: SheetCells) -> None:
    """Refuse a sheet in which a person sees values that are not in the cells."""
    if cells.merged:
        raise TableError(
            f"sheet {sheet.name!r} has {counted(cells.merged, 'range')} of merged cells, of which only the first "
            "holds the value.",
            "unmerge them and fill in every cell, or choose another sheet (--sheet NAME, sheet=...).",
        )
    if cells.uncalculated:
        raise TableError(
            f"sheet {sheet.name!r} has {counted(cells.uncalculated, 'formula')} without a calculated value.",
            "open the file in a spreadsheet program and save it, so that the values are in it.",
        )
    if not cells.columns:
        raise TableError(f"sheet {sheet.name!r} is empty.", "a table needs at least a row of column names.")


def _header(sheet: Sheet, cells: SheetCells, has_header: bool | None) -> tuple[dict[str, int], list[int]]:
    """Return the place of every column by its name, and the rows of the table.

    Rows and columns without any value are skipped, as blank lines of a CSV file are; but in a table of one column a
    row without a value between others is a missing value.
    """
    places = sorted(cells.columns)
    filled = {row for one in cells.columns.values() for row in one}
    rows = sorted(filled) if len(places) > 1 else list(range(min(filled), max(filled) + 1))
    if has_header is False:
        return {f"column_{number}": place for number, place in enumerate(places, start=1)}, rows
    named: list[Value | None] = [cells.columns[place].get(rows[0]) for place in places]
    unnamed = [place for place, name in zip(places, named, strict=True) if name is None]
    if unnamed:
        raise TableError(
            f"sheet {sheet.name!r} has {counted(len(unnamed), 'column')} without a name in row {rows[0] + 1}; the "
            f"first is column {letters(unnamed[0])}.",
            _ABOVE,
        )
    if has_header is None and any(not isinstance(name, str) and name not in _YEARS for name in named):
        raise TableError(
            f"row {rows[0] + 1} of sheet {sheet.name!r} holds numbers or dates, so it may be data.",
            "say whether it names the columns: --header or --no-header (has_header=True or False).",
        )
    return dict(zip(check_names(as_texts(named)), places, strict=True)), rows[1:]


def letters(place: int) -> str:
    """Return the letters of a column by its number from 0: those of 26 are AA."""
    return (letters(place // 26 - 1) if place >= 26 else "") + chr(65 + place % 26)


def _as_dates(values: pl.Series) -> pl.Series:
    """Return moments that are all midnights as dates: that they have a time is only how the cells are formatted."""
    if isinstance(values.dtype, pl.Datetime) and values.dt.date().cast(values.dtype).equals(values):
        return values.cast(pl.Date)
    return values


def _without(values: pl.Series, nulls: list[str]) -> pl.Series:
    if not nulls:
        return values
    return pl.select(pl.when(~text_of(values).is_in(nulls)).then(values).alias(values.name)).to_series()


def _is_mixed(cells: SheetCells, place: int, rows: list[int]) -> bool:
    return len(kinds_of([cells.columns[place].get(row) for row in rows])) > 1


def _notes(book: Workbook, sheet: Sheet, cells: SheetCells) -> tuple[str, ...]:
    notes = []
    if errors := sum(cells.errors.values()):
        notes.append(f"{counted(errors, 'cell')} with an error such as #N/A taken as missing.")
    hidden = [one for one in book.sheets if one.hidden and one is not sheet]
    if hidden:
        notes.append(f"{counted(len(hidden), 'hidden sheet')} not read: {listed([one.name for one in hidden])}.")
    return tuple(notes)
