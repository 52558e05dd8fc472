"""Find data in an .xlsx file that is not in the cells of its one sheet.

The format has many places for it: an author, other sheets, comments, named ranges, formulas, texts that no cell uses
anymore, bytes between the files of the archive. With `ours`, the file must have the layout that Shoal writes, byte by
byte, so that only cells can hold data; for a file of another program see `hidden_foreign_xlsx`.
"""

from __future__ import annotations

import hashlib
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator

import polars as pl

from shoal.certify.hidden_archive import BETWEEN
from shoal.certify.hidden_foreign_xlsx import hidden_in_foreign_xlsx

SHEET = "xl/worksheets/sheet1.xml"
FIXED = {
    "[Content_Types].xml": "b34a1c9f5b5c0f54f1274272a429578b417e119fdc48bfcd96f25f93f301458f",
    "_rels/.rels": "9f96bb683e71c45171c7ae310bf6c37fb5a834bb9738497ac7084c42ac9c2d9a",
    "xl/workbook.xml": "9f50285895aed5e7a49cac3bf3726d99ca405ded4eb675349f84a95a57d7d3d6",
    "xl/_rels/workbook.xml.rels": "1b2fc82d18a622c89e94093d1d5a256857ac9641b8ee51a8290ea82796b1060f",
    "xl/styles.xml": "aa256c7ba71363b36283cb2c1e6a232649b4b583b20ea773eea82b20ac547938",
}
"""The parts that are the same in every .xlsx file that Shoal writes, in order, with their SHA-256; SHEET follows."""
NOTES, OTHERS = "notes beside its cells", "other parts than those of one sheet of cells"
BY_NUMBER, DIGITS = "characters that are written by number", "numbers with more digits than they have"
_ABOUT, _RIGHTS, _END = struct.Struct("<5H3I2H"), struct.Struct("<3H2I"), struct.Struct("<4H2IH")
"""Records of a ZIP archive: what is said of a file, its rights and place in the directory, the directory's end."""
_MAKER, _FIRST_DAY = b"\x14\3", 33
"""Every file is packed as on Unix, on the first day that the format has."""
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
)
_TAIL = "</sheetData></worksheet>"
_NUMBER = r"-?[0-9.]+(?:e[+-]?[0-9]+)?"
_TEXT = r"(?:[^<>&]|&amp;|&lt;|&gt;)*"
_CELL = (
    r'<c r="[A-Z]{1,3}[0-9]{1,7}"'
    rf'(?: s="1" t="inlineStr"><is><t xml:space="preserve">{_TEXT}</t></is>| t="b"><v>[01]</v>'
    rf'|(?: s="[23]")?><v>{_NUMBER}</v>)</c>'
)
_ROW = re.compile(rf'<row r="([0-9]{{1,7}})">(?:(?:{_CELL})+|<c r="A\1"></c>)')
"""A row has a cell for every value, and one empty cell if it has no value."""
_VALUES = re.compile(r"><v>([^<]+)</v>")
_BY_NUMBER = re.compile(r"_x(?:005F(?=_x)|000[0-8BCDEF]|001[0-9A-F]|FFF[EF]|([0-9A-Fa-f]{4}))_")
"""Characters by their number, in the order in which a program reads them; a group where that need not be.

XML does not allow some characters, and `_x` is kept apart from these forms by the number of its underscore.
"""


def hidden_in_xlsx(data: bytes, *, ours: bool) -> Iterator[str]:
    """Describe the hidden data in the bytes of an .xlsx file, one phrase for each place."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        yield from _as_written(data, packed) if ours else hidden_in_foreign_xlsx(data, packed)


def _as_written(data: bytes, packed: zipfile.ZipFile) -> Iterator[str]:
    entries = packed.infolist()
    if [one.filename for one in entries] != [*FIXED, SHEET]:
        yield OTHERS
        return
    at, directory = 0, b""
    for one in entries:
        name = one.filename.encode()
        content = at + len(b"PK\3\4") + _ABOUT.size + len(name)
        packer = zlib.decompressobj(-15)
        try:
            unpacked = packer.decompress(data[content : content + one.compress_size], one.file_size + 1)
        except zlib.error:  # the bytes at this place are not the expected part
            yield BETWEEN
            return
        # sum and size are those of the content: a program that does not read this part would not miss them
        sizes = zlib.crc32(unpacked), one.compress_size, len(unpacked)
        about = _ABOUT.pack(20, 0, zlib.DEFLATED, 0, _FIRST_DAY, *sizes, len(name), 0)
        header = b"PK\3\4" + about + name
        directory += b"PK\1\2" + _MAKER + about + _RIGHTS.pack(0, 0, 0, 0o644 << 16, at) + name
        if data[at:content] != header or not packer.eof or packer.unused_data:
            yield BETWEEN
        if one.filename in FIXED and hashlib.sha256(unpacked).hexdigest() != FIXED[one.filename]:
            yield NOTES
        if one.filename == SHEET:
            yield from _sheet(unpacked)
        at = content + one.compress_size
    if data[at:] != directory + b"PK\5\6" + _END.pack(0, 0, len(entries), len(entries), len(directory), at, 0):
        yield BETWEEN


def _sheet(unpacked: bytes) -> Iterator[str]:
    """Report what is in the sheet besides rows of cells, such as digits of a number that no program displays."""
    try:
        text = unpacked.decode()
    except UnicodeDecodeError:
        yield NOTES
        return
    *rows, rest = text.removeprefix(_HEAD).split("</row>")
    if not text.startswith(_HEAD) or rest != _TAIL or not all(map(_ROW.fullmatch, rows)):
        yield NOTES
    if any(_BY_NUMBER.findall(text)):
        yield BY_NUMBER
    numbers = pl.Series(_VALUES.findall(text), dtype=pl.String)
    read = numbers.cast(pl.Float64, strict=False)
    whole = read.cast(pl.Int64, strict=False)
    shown = (read.cast(pl.String) == numbers) | (whole.cast(pl.String) == numbers)
    if not shown.fill_null(False).all():
        yield DIGITS
