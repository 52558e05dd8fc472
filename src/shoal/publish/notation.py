"""The notation of published values: `[a, b]` ranges, `{a, b}` sets, `a: 2; b: 1` multisets, `*` for hidden.

A label is written as it is if it cannot be misread, and as a JSON string otherwise, so that every text can be read as
exactly one set. If some cells of a group are missing and others are not, ` or missing` follows what is true of the
others; in a multiset a missing value is the bare word `null`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import ROUND_CEILING, Context

HIDDEN = "*"
MISSING = "null"
OR_MISSING = " or missing"
_MISREAD = re.compile(r"(?:\[.*\]|\{.*\}) or missing", re.DOTALL)
_PLAIN = re.compile(r"""[^\s{}\[\],;:"*](?:[^{}\[\],;:"\n\r\t]*[^\s{}\[\],;:"])?""")


def quoted(label: str | None) -> str:
    """Return one label as it is written inside a set or multiset."""
    if label is None:
        return MISSING
    if label != MISSING and _PLAIN.fullmatch(label):
        return label
    return json.dumps(label, ensure_ascii=False)


def rounded_up(radius: float) -> float:
    """Return the radius rounded up to three digits.

    All members are within it, and neither a distance nor a cost can be derived from it exactly.
    """
    return float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(repr(radius)))


def write_set(labels: Iterable[str | None]) -> str:
    """Return `{a, b}`, or `{a, b} or missing` if None is among the labels."""
    listed = list(labels)
    inside = "{" + ", ".join(quoted(label) for label in listed if label is not None) + "}"
    return inside + OR_MISSING if None in listed else inside


def write_alone(label: str | None) -> str | None:
    """Return a label as it is, or as a set of one label if it could be misread as a set or range "or missing"."""
    return write_set([label]) if label is not None and _MISREAD.fullmatch(label) else label


def write_multiset(counts: Iterable[tuple[str | None, int]]) -> str:
    return "; ".join(f"{quoted(label)}: {count}" for label, count in counts)
