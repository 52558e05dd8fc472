"""Reading published texts: `{a, b}` sets and `[a, b]` ranges of labels.

Labels are bare words, or JSON strings if they could be misread; a bare `null` is a missing value.
"""

from __future__ import annotations

import json
import re

from shoal.publish.notation import MISSING

_LABEL = r'"(?:[^"\\]|\\.)*"'
_LISTED = re.compile(rf"\s*({_LABEL}|[^,]+?)\s*(?:,|$)")


def read_set(text: str) -> list[str | None]:
    """Return the labels of `{a, b}`; an empty list for any other text."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    return [_label(found) for found in _LISTED.findall(text[1:-1])]


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
