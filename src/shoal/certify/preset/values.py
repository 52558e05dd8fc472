"""The values that a published cell shows: the ends of a range, the labels of a set, the values of a group."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import NamedTuple

from shoal.certify.multiset import parse

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_RANGE = re.compile(
    rf"[\[(\]]\s*((?:>=|<=)?(?:{_QUOTED}|[^\[\]\"]+?))\s*[,;]\s*((?:>=|<=)?(?:{_QUOTED}|[^\[\]\"]+?))\s*([\])\[])"
)
_LISTED = re.compile(rf"\s*({_QUOTED}|[^,]+?)\s*(?:,|$)")
_MARKS = {">=": ">=", "<=": "<=", "≥": ">=", "≤": "<=", ">": ">", "<": "<"}
_MARKED = re.compile(r"(>=|<=|≥|≤|>|<)\s*(.*)", re.DOTALL)
_PLUS = re.compile(r"(.*\d)\s*(?:\+|(?:years? )?(?:and|or|&) (?:older|over|more|above))", re.IGNORECASE)


LONGEST = 1_000
"""Characters of a range at most. A file may be forged, and a cell of many commas would take quadratic time."""


class Value(NamedTuple):
    """A value of a cell, with the mark of a class that is open on one side, and whether it is excluded itself."""

    text: str
    mark: str = ""
    excluded: bool = False


def values_of(cell: str, form: str, *, group: bool) -> list[Value]:
    """Return the values of a cell; none for a suppressed cell. `group` is whether it lists the values of a group."""
    if group and form == "centers" and (several := parse(cell)) is not None:
        return [_value(one) for one in several if one is not None]
    bare = cell.removesuffix(" or missing").strip()
    if not bare.strip("*"):
        return []
    if len(bare) <= LONGEST and (span := _RANGE.fullmatch(bare)):
        low, high, close = span.groups()
        return [_value(low), _value(high)._replace(excluded=close in ")[")]
    if bare[:1] + bare[-1:] == "{}" and len(bare) > 2:
        return [_value(one) for one in _LISTED.findall(bare[1:-1])]
    return [_value(bare)]


def _value(text: str) -> Value:
    mark = ""
    if marked := _MARKED.fullmatch(text.strip()):
        mark, text = _MARKS[marked[1]], marked[2]
    elif plus := _PLUS.fullmatch(text.strip()):
        mark, text = ">=", plus[1]
    if text.startswith('"'):
        with suppress(ValueError):
            text = str(json.loads(text))
    return Value(text.strip(), mark)
