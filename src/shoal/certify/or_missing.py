"""Check the cells that end with "or missing": each may say it once, and only after something that has a value.

`[30, 33] or missing`, `{a, b} or missing` and `node or missing` include people whose value is missing. For a range in
two columns, a third column `x_missing` says it. The kinds of columns are not published, so a text that is not a
number, date, range or set is taken as a label or node, which may have any name. No code is shared with the modules
that write such cells.
"""

from __future__ import annotations

import re

import polars as pl

from shoal.certify.findings import Failure
from shoal.policy import Policy

_SAID = " or missing"
_NUMBER = re.compile(r"-?[0-9]+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.+-]*)?")
_RANGE = re.compile(r"\[([^,]+(?:,[0-9]+)?), ([^,]+(?:,[0-9]+)?)\]")
_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"')


def check_or_missing(frame: pl.DataFrame, policy: Policy) -> list[Failure]:
    """Return a failure for every quasi-identifier with cells that say "or missing" in a way that has no meaning.

    It is for releases in the form `generalize`; columns that are absent are reported elsewhere.
    """
    failures = []
    for name in policy.quasi:
        if name in frame.columns:
            # Without the alias, a column called count would clash.
            counts = frame[name].alias("cell").value_counts().rows()
            wrong = sum(times for cell, times in counts if cell is not None and not _has_meaning(cell))
        elif policy.ranges == "columns" and f"{name}_missing" not in policy.columns:
            ends = [f"{name}_min", f"{name}_max", f"{name}_missing"]
            if not set(ends) <= set(frame.columns):
                continue
            wrong = sum(not _fits(*row) for row in frame.select(ends).rows())
        else:
            continue
        if wrong:
            message = f"column {name}: {wrong} cells do not say clearly whether a value is missing"
            failures.append(Failure(check="missing", column=name, message=message, records=wrong))
    return failures


def check_missing_counts(frame: pl.DataFrame, policy: Policy) -> list[Failure]:
    """Return a failure for every column that should count the missing values beside means or centers and does not.

    Its cells must be whole numbers, above 0 if no mean is published because all values are missing.
    """
    failures = []
    for name in policy.quasi:
        counts = f"{name}_missing"
        if counts in policy.columns or not {name, counts} <= set(frame.columns):
            continue
        rows = frame.select(name, counts).rows()
        wrong = sum(re.fullmatch(r"0|[1-9][0-9]{0,14}", n or "") is None or (x is None and n == "0") for x, n in rows)
        if wrong:
            message = f"column {counts}: {wrong} cells are not numbers of missing values"
            failures.append(Failure(check="missing", column=name, message=message, records=wrong))
    return failures


def _has_meaning(cell: str) -> bool:
    """Return whether a cell says "or missing" at most once, and after something that does not include it already."""
    if not cell.endswith(_SAID):
        return True
    stated = cell.removesuffix(_SAID)
    core = stated
    while core.endswith(_SAID):
        core = core.removesuffix(_SAID)
    if not core or core == "*":
        return False  # a hidden or an empty cell includes missing already
    ends = _RANGE.fullmatch(core)
    closed = ends is not None or (core.startswith("{") and core.endswith("}"))
    if stated != core and (closed or _NUMBER.fullmatch(core) or _DATE.fullmatch(core)):
        return False
    if ends is not None:
        return _in_order(*ends.groups())
    return not (closed and "null" in [word.strip() for word in _WORDS.sub("", core[1:-1]).split(",")])


def _in_order(low: str, high: str) -> bool:
    """Return whether a range does not end before it begins; True for ends that are neither numbers nor dates."""
    if _NUMBER.fullmatch(low) and _NUMBER.fullmatch(high):
        return float(low.replace(",", ".")) <= float(high.replace(",", "."))
    return not (_DATE.fullmatch(low) and _DATE.fullmatch(high)) or low[:10] <= high[:10]


def _fits(low: str | None, high: str | None, missing: str | None) -> bool:
    """Return whether a row of `x_min`, `x_max` and `x_missing` has both ends, or none because all are missing."""
    if missing not in ("true", "false") or (low is None) != (high is None):
        return False
    return low is not None or missing == "true"
