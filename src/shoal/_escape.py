"""Making foreign text safe to print: a column's name must not move the cursor, ring the bell or reverse the text."""

from __future__ import annotations

import unicodedata

_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of controls, of invisible characters (which may reverse or hide text) and line separators."""


def shown(text: object, *, keep: str = "") -> str:
    """Return the text with every unsafe character escaped, except those in `keep`.

    The escapes are those of JSON strings, so that JSON text keeps its meaning.
    """
    whole = str(text)
    if whole.isascii() and whole.isprintable():
        return whole
    return "".join(_escape(one) if one not in keep and _is_unsafe(one) else one for one in whole)


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in _UNSAFE


def _escape(character: str) -> str:
    code = ord(character)
    if code > 0xFFFF:
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{code:04x}"
