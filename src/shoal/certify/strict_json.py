"""Read JSON strictly, for files that may come from an attacker.

A text that two readers could understand differently is refused, and so are numbers and nesting that could make the
reader fail or exhaust its memory.
"""

from __future__ import annotations

import json
import math
from typing import Any

DEEPEST = 16
LARGEST = 2**63
"""Largest magnitude of a number: no seed, count or measure exceeds it."""


class NotStrictError(ValueError):
    """A text is not JSON, or readers could understand it differently. The message quotes nothing from the text."""


def loads(text: str) -> Any:
    """Return the value of a JSON text.

    A NotStrictError is raised for a repeated key, NaN or Infinity, a number above `LARGEST`, nesting deeper than
    `DEEPEST`, and half of a surrogate pair.
    """
    try:
        found = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_float)
    except NotStrictError:
        raise
    except RecursionError:
        raise NotStrictError("it is nested too deeply") from None
    except ValueError:
        raise NotStrictError("it is not JSON") from None
    _check(found)
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a repeated key, of which one reader takes the first and another the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrictError("a key stands twice in it")
    return found


def _no_constant(_text: str) -> Any:
    """Refuse NaN and Infinity, which Python reads although JSON does not have them."""
    raise NotStrictError("NaN and Infinity are not numbers of JSON")


def _float(text: str) -> float:
    """Refuse a number such as 1e999, which Python would read as infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise NotStrictError("a number in it is too large")
    return number


def _check(found: Any) -> None:
    """Refuse values that are nested too deeply, numbers that are too large, and texts that are not valid Unicode.

    The walk goes level by level and not by recursion, which a deeply nested file could exhaust.
    """
    level, depth = [found], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise NotStrictError("it is nested too deeply")
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                below += value
            elif isinstance(value, str):
                _characters(value)
            elif isinstance(value, int | float) and abs(value) > LARGEST:
                raise NotStrictError("a number in it is too large")
        level = below


def _characters(text: str) -> None:
    """Refuse a text with half of a surrogate pair, which cannot be encoded as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotStrictError("a text in it holds half a character") from None
