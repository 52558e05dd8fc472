"""Foreign text made safe to show: a column's name must not move the cursor, ring the bell or turn the writing."""

from __future__ import annotations

import unicodedata

_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Controls of terminals (C0, C1), signs without a shape (they turn the direction, or hide), line separators."""


def shown(text: object, *, keep: str = "") -> str:
    """The text with every such sign written as its escape, except those in `keep`.

    The escapes are those of JSON strings, so JSON text stays what it is.
    """
    whole = str(text)
    if whole.isascii() and whole.isprintable():
        return whole
    return "".join(_escape(sign) if sign not in keep and _is_unsafe(sign) else sign for sign in whole)


def _is_unsafe(sign: str) -> bool:
    return unicodedata.category(sign) in _UNSAFE


def _escape(sign: str) -> str:
    code = ord(sign)
    if code > 0xFFFF:
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{code:04x}"
