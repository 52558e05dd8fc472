"""Find data in an .xlsx file that is not in the cells of its one sheet.

The format has many places for it: an author, other sheets, comments, named ranges, formulas, texts that no cell uses
anymore, bytes between the files of the archive. With `ours`, the file must have the layout that Shoal writes, byte by
byte, so that only cells can hold data; a file of another program is searched for the places known to hold data.
"""

from __future__ import annotations

import hashlib
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree

import polars as pl

SHEET = "xl/worksheets/sheet1.xml"
FIXED = {
    "[Content_Types].xml": "b34a1c9f5b5c0f54f1274272a429578b417e119fdc48bfcd96f25f93f301458f",
    "_rels/.rels": "9f96bb683e71c45171c7ae310bf6c37fb5a834bb9738497ac7084c42ac9c2d9a",
    "xl/workbook.xml": "9f50285895aed5e7a49cac3bf3726d99ca405ded4eb675349f84a95a57d7d3d6",
    "xl/_rels/workbook.xml.rels": "1b2fc82d18a622c89e94093d1d5a256857ac9641b8ee51a8290ea82796b1060f",
    "xl/styles.xml": "aa256c7ba71363b36283cb2c1e6a232649b4b583b20ea773eea82b20ac547938",
}
"""The parts that are the same in every .xlsx file that Shoal writes, in order, with their SHA-256; SHEET follows."""
_LOCAL, _CENTRAL, _END = 30, 46, 22
"""Lengths of ZIP records: the header of a file, its entry in the directory, and the end of the directory."""
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
_ROW = re.compile(rf'<row r="[0-9]{{1,7}}">(?:{_CELL})*')
_VALUES = re.compile(r"><v>([^<]+)</v>")
_OTHER_ESCAPES = re.compile(r"_x(?!005F_|000[0-8BCDEF]_|001[0-9A-F]_|FFF[EF]_)[0-9A-Fa-f]{4}_")
"""Characters that are written as numeric references although they need not be."""
_PARTS = re.compile(
    r"\[Content_Types\]\.xml|(?:.*/)?_rels/[^/]*\.rels|xl/(?:workbook|styles|sharedStrings|theme/theme1)\.xml"
    r"|xl/worksheets/[^/]+\.xml|docProps/(?:app|core)\.xml",
    re.IGNORECASE,
)
"""The files that an .xlsx file of any program may have."""
_ELEMENTS = {
    *("worksheet", "sheetPr", "outlinePr", "pageSetUpPr", "tabColor", "dimension", "sheetViews", "sheetView"),
    *("selection", "pane", "sheetFormatPr", "cols", "col", "sheetData", "row", "c", "v", "is", "t", "r", "rPr"),
    *("phoneticPr", "pageMargins", "pageSetup", "ignoredErrors", "ignoredError", "autoFilter"),
}
"""The elements that a sheet of any program may have; of these, only cells hold data."""
_MAKERS = ("", "openpyxl")


def hidden_in_xlsx(data: bytes, *, ours: bool) -> Iterator[str]:
    """Describe the hidden data in the bytes of an .xlsx file, one phrase for each place."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        yield from _as_written(data, packed) if ours else _of_any_program(packed)


def _as_written(data: bytes, packed: zipfile.ZipFile) -> Iterator[str]:
    entries = packed.infolist()
    if [one.filename for one in entries] != [*FIXED, SHEET]:
        yield "other parts than those of one sheet of cells"
        return
    at = 0
    for one in entries:
        length = _LOCAL + len(one.filename)
        header = data[at : at + length]
        stated = struct.pack(
            "<4sHHHHHIIIHH",
            b"PK\3\4",
            20,
            0,
            8,
            0,
            33,
            one.CRC,
            one.compress_size,
            one.file_size,
            len(one.filename),
            0,
        )
        packer = zlib.decompressobj(-15)
        try:
            unpacked = packer.decompress(data[at + length : at + length + one.compress_size], one.file_size + 1)
        except zlib.error:  # the bytes at this place are not the expected part
            yield "bytes between its parts"
            return
        if header != stated + one.filename.encode() or not packer.eof or packer.unused_data:
            yield "bytes between its parts"
        if one.filename in FIXED and hashlib.sha256(unpacked).hexdigest() != FIXED[one.filename]:
            yield "notes beside its cells"
        if one.filename == SHEET:
            yield from _sheet(unpacked)
        at += length + one.compress_size
    directory = sum(_CENTRAL + len(one.filename) for one in entries)
    plain = all(not one.comment and not one.extra and one.external_attr == 0o644 << 16 for one in entries)
    if not plain or packed.comment or len(data) != at + directory + _END:
        yield "bytes between its parts"


def _sheet(unpacked: bytes) -> Iterator[str]:
    """Report what is in the sheet besides rows of cells, such as digits of a number that no program displays."""
    text = unpacked.decode("utf-8", "replace")
    *rows, rest = text.removeprefix(_HEAD).split("</row>")
    if not text.startswith(_HEAD) or rest != _TAIL or not all(map(_ROW.fullmatch, rows)):
        yield "notes beside its cells"
    if _OTHER_ESCAPES.search(text.replace("_x005F_x", "")):
        yield "characters that are written by number"
    numbers = pl.Series(_VALUES.findall(text), dtype=pl.String)
    read = numbers.cast(pl.Float64, strict=False)
    whole = read.cast(pl.Int64, strict=False)
    shown = (read.cast(pl.String) == numbers) | (whole.cast(pl.String) == numbers)
    if not shown.fill_null(False).all():
        yield "numbers with more digits than they have"


def _of_any_program(packed: zipfile.ZipFile) -> Iterator[str]:
    names = [one.filename for one in packed.infolist() if not one.is_dir()]
    if not all(map(_PARTS.fullmatch, names)) or sum(map(_is_sheet, names)) != 1:
        yield "other sheets, comments, pictures or the like"
    for name in names:
        if not _PARTS.fullmatch(name) or not name.lower().endswith(".xml"):
            continue
        root = ElementTree.fromstring(packed.read(name))
        found = {element.tag.rpartition("}")[2]: element for element in root.iter()}
        if name.lower() == "docprops/core.xml":
            reported = {element.tag.rpartition("}")[2]: (element.text or "").strip() for element in root.iter()}
            if any(text not in _MAKERS for tag, text in reported.items() if tag not in ("created", "modified")):
                yield "notes in its properties, such as an author"
        elif name.lower() == "docprops/app.xml":
            if any(
                (found[tag].text or "").strip() for tag in ("Company", "Manager", "HyperlinkBase") if tag in found
            ):
                yield "notes in its properties, such as an author"
        elif "worksheets/" in name and found.keys() - _ELEMENTS:
            yield "formulas, links, merged cells or rules beside its cells"
        elif name.endswith("workbook.xml") and "definedName" in found:
            yield "names of ranges"
    yield from _unused_texts(packed, names)


def _is_sheet(name: str) -> bool:
    """Return whether a part may be a sheet: programs may call it anything."""
    return name.lower().startswith("xl/worksheets/") and name.lower().endswith(".xml")


def _unused_texts(packed: zipfile.ZipFile, names: list[str]) -> Iterator[str]:
    """Report shared texts that no cell has, as left behind by suppressed records."""
    shared = [name for name in names if name.lower() == "xl/sharedstrings.xml"]
    if not shared:
        return
    listed = sum(element.tag.endswith("}si") for element in ElementTree.fromstring(packed.read(shared[0])))
    used: set[str] = set()
    for name in names:
        if "worksheets/" in name and name.endswith(".xml"):
            for element in ElementTree.fromstring(packed.read(name)).iter():
                if element.tag.endswith("}c") and element.get("t") == "s":
                    used |= {(value.text or "").strip() for value in element if value.tag.endswith("}v")}
    if set(map(str, range(listed))) - used:
        yield "texts that no cell has"
