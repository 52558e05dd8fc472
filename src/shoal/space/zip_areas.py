"""Levels of ZIP codes of the United States, in which no area of few people is named.

Guarantee   A code is named by its first three digits only if more than 20,000 people live in all ZIP codes that begin
            with them, by the census of 2020. Every other text becomes `000**` on all levels: a code of an area of few
            people or of nobody, such as military mail, and what is no ZIP code at all.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from shoal.policy.preset import preset_text

_CODE = re.compile(r"([0-9]{3})[0-9]{2}(?:[ -]?[0-9]{4})?")
_HIDDEN = "000**"


def zip_levels(codes: list[str]) -> list[list[str]]:
    """Return the codes, and for each its first three digits, two and one, the others masked."""
    known = [area_of(code) for code in codes]
    levels = [codes]
    for kept in (3, 2, 1):
        levels.append([_HIDDEN if area is None else area[:kept] + "*" * (5 - kept) for area in known])
    return levels


def area_of(code: str) -> str | None:
    """Return the three digits of the area that may be named for a ZIP code; None if none may."""
    found = _CODE.fullmatch(code.strip())
    return found[1] if found and found[1] not in _hidden() else None


@cache
def _hidden() -> frozenset[str]:
    """Return the first three digits of areas in which few people live, or nobody."""
    table = tomllib.loads(preset_text("us-zip3.toml"))
    found = set(table["small"])
    for span in table["nobody"]["areas"]:
        low, _, high = span.partition("-")
        found |= {f"{area:03d}" for area in range(int(low), int(high or low) + 1)}
    return frozenset(found)
