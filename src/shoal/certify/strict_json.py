"""JSON without leniency: one meaning per text, and nothing that a number or a depth can do to the reader."""

from __future__ import annotations

import json
import math
from typing import Any

DEEPEST = 16
LARGEST = 2**63
"""No seed, count or measure is larger."""


class NotStrictError(ValueError):
    """A text that is no JSON, or that different readers would read differently; the message shows nothing of it."""


def loads(text: str) -> Any:
    """What a JSON text holds: no key twice, no NaN, no huge number, no endless nesting."""
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
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStrictError("a key stands twice in it")
    return found


def _no_constant(_text: str) -> Any:
    raise NotStrictError("NaN and Infinity are no numbers")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotStrictError("a number in it is too large")
    return number


def _check(found: Any) -> None:
    """Walk by level: recursion would end where an attacker wants it to."""
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
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotStrictError("a text in it holds half a character") from None
