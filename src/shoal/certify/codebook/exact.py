"""How many cells of a released column are exact: they say one value, or that everybody's is missing."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from shoal.certify.codebook.kinds import HIDDEN, INTERVALS, OR_MISSING, RANGE, Stated
from shoal.certify.codebook.parts import Part
from shoal.certify.legend import SET, Classes

AGGREGATES = ("aggregate", "centers")


def exact_cells(
    frame: pl.DataFrame, part: Part, form: str, stated: Stated | None, classes: Classes | None, *, circle: bool
) -> int | None:
    """Return the number of exact cells of a column; None for a part of a value, and for means and centers.

    The two ends of a range are counted once, at the lower end.
    """
    if part.role in ("people", "radius", "person") or form == "centers":
        return None
    if part.role != "quasi":
        return frame.height
    if form in AGGREGATES or part.place not in ("value", "min") or stated is None:
        return None
    if part.place == "min":
        return _equal_ends(frame, part.column)
    if circle:
        return frame[part.name].null_count()
    wide = {name for name, labels in classes or () if len(labels) > 1}
    counts: Mapping[str | None, int] = dict(frame[part.name].alias("cell").value_counts().rows())
    return sum(times for text, times in counts.items() if text is None or _is_exact(text, stated, wide))


def _is_exact(text: str, stated: Stated, wide: set[str | None]) -> bool:
    """Return whether a cell says one value."""
    if text == HIDDEN or text in stated.levels or text in wide:
        return False
    if stated.kind in INTERVALS or stated.kind == "hierarchy":
        return not text.endswith(OR_MISSING) and (stated.kind == "hierarchy" or RANGE.fullmatch(text) is None)
    if stated.kind == "ordered" and RANGE.fullmatch(text.removesuffix(OR_MISSING)) is not None:
        return False
    return SET.fullmatch(text) is None


def _equal_ends(frame: pl.DataFrame, column: str) -> int:
    """Return in how many rows both ends of a range are equal, or empty, and no value is missing beside them."""
    low, high, missing = frame[f"{column}_min"], frame[f"{column}_max"], f"{column}_missing"
    equal = low.eq_missing(high)
    if missing in frame.columns:
        equal &= low.is_null() | (frame[missing] != "true").fill_null(False)
    return int(equal.sum())
