"""Reading published texts: `{a, b}` sets and `[a, b]` ranges of labels, and what says "or missing".

Labels are bare words, or JSON strings if they could be misread; a bare `null`, of older releases, is a missing value.
"""

from __future__ import annotations

import json
import re

from shoal.publish.notation import MISSING, OR_MISSING

_LABEL = r'"(?:[^"\\]|\\.)*"'
_LISTED = re.compile(rf"\s*({_LABEL}|[^,]+?)\s*(?:,|$)")


def read_set(text: str) -> list[str | None]:
    """Return the labels of `{a, b}`, and None behind them for `{a, b} or missing`; none for any other text."""
    text, missing = without_missing(text)
    if not (text.startswith("{") and text.endswith("}")):
        return []
    return [_label(found) for found in _LISTED.findall(text[1:-1])] + [None] * missing


def without_missing(text: str) -> tuple[str, bool]:
    """Return a text without " or missing" at its end, and whether it had that."""
    return text.removesuffix(OR_MISSING), text.endswith(OR_MISSING)


def read_range(text: str) -> tuple[str | None, str | None] | None:
    """Return both ends of `[a, b]`; None for any other text."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    ends = [_label(found) for found in _LISTED.findall(text[1:-1])]
    return (ends[0], ends[1]) if len(ends) == 2 else None


def _label(text: str) -> str | None:
    if text.startswith('"'):
        label: str = json.loads(text)
        return label
    return None if text == MISSING else text
