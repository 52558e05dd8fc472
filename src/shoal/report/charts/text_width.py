"""How wide a text is drawn, estimated on the safe side, because the reader's font is not known where a chart is made.

The widths are those of DejaVu Sans, one of the widest fonts that browsers use for a page without a font of its own:
in Arial, Segoe UI or Roboto a text takes less. So a name that is shortened to its place is never clipped.
"""

from __future__ import annotations

from functools import cache
from unicodedata import category, east_asian_width

SIZE = 11.5  # size of the text of charts in style.css
BOLD = 1.12  # how much wider a bold text is
_WIDTHS = {  # in hundredths of the font's size
    28: "ijl'|",
    33: ".,:; I",
    41: 'ftr()[]-/\\!J"',
    50: "_*",
    56: "cskxyzv",
    64: "abdeghnopqu?$0123456789ELFTS",
    73: "ABCKPRXYZV",
    80: "wDGHNOQU+=<>~",
    100: "mMW@%&…",
}


@cache
def _width_of_character(character: str) -> float:
    for width, characters in _WIDTHS.items():
        if character in characters:
            return width / 100
    if east_asian_width(character) in "WF":
        return 1.0
    if category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    return 0.68 if character.islower() else 0.86


def width_of(text: str, *, bold: bool = False) -> float:
    """Return at least the width of a text in a chart, in units of the drawing."""
    return SIZE * sum(map(_width_of_character, text)) * (BOLD if bold else 1.0)


def widest(texts: list[str]) -> float:
    """Return the width of the widest of some texts; 0 for none."""
    return max(map(width_of, texts), default=0.0)


def fitted(text: str, width: float, *, bold: bool = False) -> str:
    """Return a text that fits into a width: whole, or its beginning and end with an ellipsis between them.

    Long names of columns often begin alike, and then differ at their ends.
    """
    if width_of(text, bold=bold) <= width:
        return text
    kept = len(text) - 1
    while kept > 1 and width_of(_cut(text, kept), bold=bold) > width:
        kept -= 1
    return _cut(text, kept)


def _cut(text: str, kept: int) -> str:
    end = kept // 3
    return text[: kept - end].rstrip() + "…" + (text[-end:].lstrip() if end else "")
