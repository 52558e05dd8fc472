"""Writing an .xlsx file that contains the cells of a frame and nothing else: no author, no date, no other sheet.

Guarantee   A text is a cell of text, whatever it begins with, so that =1+1 is not run and 007 and [30, 40] stay what
            they are. A number, a date without a time zone and a truth value are cells of their own kind if a
            spreadsheet holds them exactly, and texts if it does not. `shoal.tables.xlsx_file`, which shares no code
            with this module, reads the same cells back.

Libraries that write .xlsx put the time of writing into the file, and round numbers to 15 or 16 digits.
"""

from __future__ import annotations

import io
import zipfile

import polars as pl

from shoal.caller import setting
from shoal.errors import TableError
from shoal.tables.text import text_of

MOST_ROWS, MOST_COLUMNS, LONGEST_TEXT = 1_048_575, 16_384, 32_767
"""What a spreadsheet program opens: rows below the names, columns, and characters of a cell."""
_MOST_WHOLE = 10**15  # beyond 15 digits a spreadsheet changes a whole number
_FIRST_DAY, _EPOCH = pl.date(1900, 3, 1), pl.date(1899, 12, 30)
_CHUNK = 1 << 14
_NOT_IN_XML = r"[\x00-\x08\x0b-\x1f\x{fffe}\x{ffff}]"
_LOOKS_ESCAPED = rf"_x[0-9A-Fa-f]{{4}}(?:_|{_NOT_IN_XML})"
"""Such a text, or one that is made so by the underscore that a character by its number begins with."""
_CONTROLS = (*range(9), *range(11, 32), 0xFFFE, 0xFFFF)
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_SHEET = "xl/worksheets/sheet1.xml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/{_SHEET}" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    f'<sheets><sheet name="release" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}
"""The parts of the file that are the same in every one. Styles: 0 a number, 1 a text, 2 a date, 3 date and time."""


def xlsx_bytes(frame: pl.DataFrame) -> bytes:
    """Return the content of the file of a frame; what a spreadsheet would not open, or would shorten, is refused."""
    if frame.height > MOST_ROWS or frame.width > MOST_COLUMNS:
        raise TableError(
            f"an .xlsx file has at most {MOST_ROWS} rows below its column names and {MOST_COLUMNS} columns; the "
            f"table has {frame.height} and {frame.width}.",
            f"write it as CSV or Parquet: {setting('format', 'csv')}.",
        )
    for values in frame.get_columns():
        if _is_text(values) and bool((values.cast(pl.String).str.len_chars() > LONGEST_TEXT).any()):
            raise TableError(
                f"column {values.name!r} has a text of more than {LONGEST_TEXT} characters, the most in .xlsx files.",
                f"write it as CSV or Parquet: {setting('format', 'csv')}.",
            )
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in _PARTS.items():
            packed.writestr(_entry(name), _HEAD + text)
        try:
            with packed.open(_entry(_SHEET), "w") as sheet:
                sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
                sheet.write(_rows([_text_cells(pl.Series([name])) for name in frame.columns], 1))
                cells = [_cells(values) for values in frame.get_columns()]
                for start in range(0, frame.height, _CHUNK):
                    sheet.write(_rows([one.slice(start, _CHUNK) for one in cells], start + 2))
                sheet.write(b"</sheetData></worksheet>")
        except RuntimeError:  # the sheet has more than 4 GiB
            raise TableError(
                "the table is too large for an .xlsx file.", f"write it as CSV: {setting('format', 'csv')}."
            ) from None
    return whole.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    """Return the entry of a part, without the time of writing and the rights of the writer."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    return entry


def _rows(columns: list[pl.Series], first: int) -> bytes:
    """Return rows of cells as XML; `first` is the number of the first."""
    number = pl.int_range(first, first + len(columns[0])).cast(pl.String) if columns else pl.lit("")
    if columns:  # a row without any value has one empty cell: many readers do not see rows without cells
        empty = pl.all_horizontal(*(pl.lit(cells).is_null() for cells in columns))
        shown = pl.select(pl.when(empty).then(pl.lit(">")).otherwise(pl.lit(columns[0]))).to_series()
        columns = [shown, *columns[1:]]
    cells = [
        pl.concat_str(pl.lit(f'<c r="{_letters(place)}'), number, pl.lit('"'), pl.lit(cells), pl.lit("</c>"))
        for place, cells in enumerate(columns)
    ]
    rows = pl.select(
        pl.concat_str(pl.lit('<row r="'), number, pl.lit('">'), *cells, pl.lit("</row>"), ignore_nulls=True)
    )
    return "".join(rows.to_series().to_list()).encode()


def _letters(place: int) -> str:
    return (_letters(place // 26 - 1) if place >= 26 else "") + chr(65 + place % 26)


def _cells(values: pl.Series) -> pl.Series:
    """Return what stands between the reference and the end of every cell of a column; null for a missing value."""
    dtype = values.dtype
    if dtype == pl.Boolean:
        return pl.select(pl.format(' t="b"><v>{}</v>', pl.lit(values).cast(pl.Int8))).to_series()
    if dtype.is_numeric() and not _beyond(values):
        exact = values.cast(pl.Float64) if dtype.is_decimal() else values
        return _number_cells("", text_of(exact))
    if dtype == pl.Date and _is_held(values, values):
        return _number_cells(' s="2"', pl.select((pl.lit(values) - _EPOCH).dt.total_days()).to_series())
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is None and _is_held(values, values.dt.date()):
        since = pl.select((pl.lit(values) - _EPOCH.cast(dtype)).dt.total_milliseconds()).to_series()
        return _number_cells(' s="3"', since / 86_400_000)
    return _text_cells(text_of(values))


def _number_cells(style: str, numbers: pl.Series) -> pl.Series:
    return pl.select(pl.format(style + "><v>{}</v>", pl.lit(numbers).cast(pl.String))).to_series()


def _text_cells(texts: pl.Series) -> pl.Series:
    return pl.select(
        pl.format(' s="1" t="inlineStr"><is><t xml:space="preserve">{}</t></is>', pl.lit(_escaped(texts)))
    ).to_series()


def _is_text(values: pl.Series) -> bool:
    return values.dtype in (pl.String, pl.Categorical, pl.Enum)


def _beyond(values: pl.Series) -> bool:
    """Return whether a spreadsheet would change some numbers of a column, as those of more than 15 digits."""
    dtype = values.dtype
    if not (dtype.is_integer() or isinstance(dtype, pl.Decimal)):
        return False
    most = _MOST_WHOLE // 10**dtype.scale if isinstance(dtype, pl.Decimal) else _MOST_WHOLE
    return not bool(values.cast(pl.Float64).is_between(-most, most).all())


def _is_held(values: pl.Series, days: pl.Series) -> bool:
    """Return whether a spreadsheet holds all dates of a column exactly.

    Its dates begin in 1900, a year to which it gives a 29th of February; nothing finer than milliseconds is exact.
    """
    if not bool(pl.select((pl.lit(days) >= _FIRST_DAY).all()).item()):
        return False
    return values.dtype == pl.Date or values.cast(pl.Datetime("ms")).cast(values.dtype).equals(values)


def _escaped(texts: pl.Series) -> pl.Series:
    """Return texts as XML, with characters that XML does not allow written by their number, as in _x0007_.

    A text that has such a form of its own is kept apart by writing its underscores by their number, too.
    """
    given = texts.cast(pl.String).rename("text")
    doubled = pl.col("text").str.replace_all("_x", "_x005F_x", literal=True)
    escaped = pl.when(pl.col("text").str.contains(_LOOKS_ESCAPED)).then(doubled).otherwise(pl.col("text"))
    for character, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        escaped = escaped.str.replace_all(character, written, literal=True)
    if bool(given.str.contains(_NOT_IN_XML).any()):
        for code in _CONTROLS:
            escaped = escaped.str.replace_all(chr(code), f"_x{code:04X}_", literal=True)
    return given.to_frame().select(escaped).to_series()
