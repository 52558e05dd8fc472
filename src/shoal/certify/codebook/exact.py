"""Counting the exact cells of a released column: those that state one value, or that all values are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shoal.certify.codebook.kinds import HIDDEN, INTERVALS, OR_MISSING, RANGE, Stated
from shoal.certify.codebook.parts import Part
from shoal.certify.codebook.recoding import is_inexact
from shoal.certify.codebook.tally import Tally
from shoal.certify.legend import SET, Classes
from shoal.policy import Column

AGGREGATES = ("aggregate", "centers")


def exact_cells(
    tally: Tally,
    part: Part,
    form: str,
    stated: Stated | None,
    classes: Classes | None,
    column: Column | None,
    *,
    circle: bool,
) -> int | None:
    """Return the number of exact cells of a column; None if the column has means, centers or only a part of a value.

    The two ends of a range are counted once, at the lower end. A cell that stands for several values because its
    `column` was recoded is not exact.
    """
    if part.role in ("people", "radius", "person") or form == "centers":
        return None
    if column is not None and column.perturb is not None:
        return None
    if part.role != "quasi":
        return tally.height - _recoded(tally.counts(part.name), column)
    if (
        (column is not None and column.is_set)
        or form in AGGREGATES
        or part.place not in ("value", "min")
        or stated is None
    ):
        return None
    if part.place == "min":
        return _equal_ends(tally, part.column, column)
    if circle:
        return tally.empty(part.name)
    wide = {name for name, labels in classes or () if len(labels) > 1}
    counts: Mapping[str | None, int] = dict(tally.counts(part.name))
    exact = {text: times for text, times in counts.items() if text is None or _is_exact(text, stated, wide)}
    return sum(
        times for text, times in exact.items() if text is None or column is None or not is_inexact(text, column)
    )


def _recoded(counts: Iterable[tuple[str | None, int]], column: Column | None) -> int:
    """Return how many cells stand for several values because the column was recoded."""
    if column is None or not column.is_recoded:
        return 0
    return sum(times for text, times in counts if text is not None and is_inexact(text, column))


def _is_exact(text: str, stated: Stated, wide: set[str | None]) -> bool:
    """Return whether a cell states one value."""
    if text == HIDDEN or stated.level(text) > 0 or text in wide:
        return False
    if stated.kind in INTERVALS or stated.kind == "hierarchy":
        return not text.endswith(OR_MISSING) and (stated.kind == "hierarchy" or RANGE.fullmatch(text) is None)
    if stated.kind == "ordered" and RANGE.fullmatch(text.removesuffix(OR_MISSING)) is not None:
        return False
    return SET.fullmatch(text) is None


def _equal_ends(tally: Tally, column: str, recoded: Column | None) -> int:
    """Return in how many rows both ends of a range are equal, or empty, and no value is missing beside them."""
    frame = tally.frame
    low, high, missing = frame[f"{column}_min"], frame[f"{column}_max"], f"{column}_missing"
    equal = low.eq_missing(high)
    if missing in frame.columns:
        equal &= low.is_null() | (frame[missing] != "true").fill_null(False)
    counts = tally.counts_where(f"{column}_min", equal)
    return sum(times for _, times in counts) - _recoded(counts, recoded)
