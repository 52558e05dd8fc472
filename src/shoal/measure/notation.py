"""Published texts read back: `{a, b}` sets and `[a, b]` ranges of labels.

Labels are bare words, or JSON strings where they could be mistaken; a bare `null` is a missing value.
"""

from __future__ import annotations

import json
import re

from shoal.publish.notation import MISSING

_LABEL = r'"(?:[^"\\]|\\.)*"'
_LISTED = re.compile(rf"\s*({_LABEL}|[^,]+?)\s*(?:,|$)")


def read_set(text: str) -> list[str | None]:
    """The labels of `{a, b}`; of anything else, none."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    return [_label(found) for found in _LISTED.findall(text[1:-1])]


def read_range(text: str) -> tuple[str | None, str | None] | None:
    """Both ends of `[a, b]`; of anything else, None."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    ends = [_label(found) for found in _LISTED.findall(text[1:-1])]
    return (ends[0], ends[1]) if len(ends) == 2 else None


def _label(text: str) -> str | None:
    if text.startswith('"'):
        label: str = json.loads(text)
        return label
    return None if text == MISSING else text
