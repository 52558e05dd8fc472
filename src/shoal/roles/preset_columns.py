"""The role and settings that a preset asks for, by what a profile has recognized a column as."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from shoal.policy import Hierarchy
from shoal.policy.preset import Line, Preset
from shoal.roles.column_profile import ColumnProfile
from shoal.roles.recognize import words

POSTAL = "postal code"
_ZIP_DIGITS = 5


def with_preset(column: ColumnProfile, preset: Preset, year: int) -> ColumnProfile:
    """Return the profile of a column with the role and settings that a preset asks for.

    What the preset does not let anybody publish is removed. A column that the profile removes stays removed, and
    numbers that are made anew for people stay.
    """
    if column.role in ("identifier", "person"):
        return column
    for line in preset.lines:
        if (asked := _asked(column, line, year)) is not None:
            settings, why = asked
            reason = f"{preset.title} {line.id}: {why}; {column.reason}"
            if settings is None:
                return replace(column, role="identifier", reason=reason, longitude=None, questions=())
            role = "quasi" if "hierarchy" in settings else column.role
            return replace(column, role=role, settings=settings, reason=reason)
        if line.oldest is not None and _is(words(column.name), line.ages):  # classes in words, which have no top
            question = (
                f"{preset.title} {line.id}: merge all of its classes above {line.oldest} into one (merge = ...)."
            )
            return replace(column, questions=(*column.questions, question))
    return column


def _asked(column: ColumnProfile, line: Line, year: int) -> tuple[dict[str, Any] | None, str] | None:
    """Return the settings that a line asks of a column (None to remove it) and why; None if it asks nothing."""
    name, number = words(column.name), column.kind == "number" or column.type in ("whole number", "number")
    known = line.safe_harbor is not None and column.safe_harbor == line.safe_harbor
    if line.dates and (column.kind == "date" or column.dates is not None or column.type in ("date", "date and time")):
        settings: dict[str, Any] = {"round": "year"}
        if line.oldest is None:
            return settings, "dates as years"
        last = year - line.oldest - 1
        return settings | {"bottom": date(last, 1, 1)}, f"dates as years; years up to {last} are one class"
    if line.oldest is not None and number and _is(name, line.years) and not _is(name, line.ages):
        last = year - line.oldest - 1
        return {"bottom": float(last)}, f"years up to {last} are one class"
    if line.oldest is not None and number and (_is(name, line.ages) or (known and column.what == "age")):
        return {"top": float(line.oldest + 1)}, f"ages from {line.oldest + 1} on are one class"
    if line.zips and (_is(name, line.zips) or (known and column.what == POSTAL)):
        digits = _ZIP_DIGITS if column.type == "whole number" else None
        source = Hierarchy(prefix=True, areas="us-zip3", digits=digits)
        why = "three digits of a ZIP code, and 000 where 20,000 people or fewer live"
        return {"hierarchy": source.model_dump(exclude_defaults=True), "least_level": 1}, why
    if known or _is(name, line.headings):
        return None, "not to be published"
    return None


def _is(name: str, headings: Sequence[str]) -> bool:
    """Return whether the words of a column's name match one of the headings as a whole."""
    return any(re.fullmatch(pattern, name) for pattern in headings)
