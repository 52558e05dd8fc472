"""The notation of published values: `[a, b]` ranges, `{a, b}` sets, `a: 2; b: 1` multisets, `*` for hidden.

A label is written as it is if it cannot be misread, and as a JSON string otherwise, so that every text can be read as
exactly one set; a missing value is the bare word `null`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import ROUND_CEILING, Context

HIDDEN = "*"
MISSING = "null"
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
    return "{" + ", ".join(quoted(label) for label in labels) + "}"


def write_multiset(counts: Iterable[tuple[str | None, int]]) -> str:
    return "; ".join(f"{quoted(label)}: {count}" for label, count in counts)
