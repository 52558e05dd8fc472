"""Whether a published ZIP code shows at most three digits, of an area in which more than 20,000 people live."""

from __future__ import annotations

import re
import tomllib
from functools import cache

from shoal.certify.preset.values import Value
from shoal.policy.preset import preset_text

_MASKED = re.compile(r"([0-9]{0,3})[*xX#?]*(?:[-\s][*xX#?]*)?")


def zip_fault(value: Value) -> str | None:
    """Return what is wrong with a ZIP code: `digits` or `area`; None if nothing is.

    A text without any digit, such as a merged label, names no code.
    """
    text = value.text.removesuffix(".0")
    if not any(letter.isdigit() for letter in text):
        return None
    found = _MASKED.fullmatch(text)
    if found is None:
        return "digits"
    digits = found[1]
    return "area" if len(digits) == 3 and digits != "000" and digits not in allowed_areas() else None


def zip_area(text: str) -> str | None:
    """Return the first three digits of a whole ZIP code in an area that may be named; None for everything else."""
    code = text.strip()
    digits, more = code[:5], code[5:].lstrip(" -")
    plain = len(digits) == 5 and digits.isascii() and digits.isdigit()
    whole = plain and (code == digits or (len(code) <= 10 and len(more) == 4 and more.isascii() and more.isdigit()))
    return digits[:3] if whole and digits[:3] in allowed_areas() else None


@cache
def allowed_areas() -> frozenset[str]:
    """Return the first three digits of all areas that have more than 20,000 people, by the table of the census."""
    table = tomllib.loads(preset_text("us-zip3.toml"))
    uncounted: set[int] = set()
    for span in table["nobody"]["areas"]:
        ends = [int(end) for end in span.split("-")]
        uncounted.update(range(ends[0], ends[-1] + 1))
    few = {int(area) for area, people in table["small"].items() if people < table["least"]}
    return frozenset(f"{area:03d}" for area in range(1000) if area not in uncounted and area not in few)


def census_year() -> int:
    """Return the year of the census that the table of areas comes from."""
    return int(tomllib.loads(preset_text("us-zip3.toml"))["year"])
