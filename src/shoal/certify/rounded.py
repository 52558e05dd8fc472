"""Check that published ranges have rounded ends where the policy requires it.

An end that is not rounded would be the exact value of a record. No code is shared with the modules that round.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext

import polars as pl

from shoal.certify.findings import Failure
from shoal.policy import Period, Policy

_RANGE = re.compile(r"\[(.+), (.+)\]")
_MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T00:00:00(?:\.0+)?(?:[+-]\d\d:\d\d)?)?")
_BEGINS: dict[Period, Callable[[date], bool]] = {
    "day": lambda day: True,
    "week": lambda day: day.isoweekday() == 1,
    "month": lambda day: day.day == 1,
    "quarter": lambda day: day.day == 1 and day.month % 3 == 1,
    "year": lambda day: (day.month, day.day) == (1, 1),
    "decade": lambda day: (day.month, day.day, day.year % 10) == (1, 1, 0),
}


def check_rounded(frame: pl.DataFrame, policy: Policy) -> list[Failure]:
    """Return a failure for every column with ends of ranges that are not multiples of the step the policy states.

    It is for releases in the form `generalize`. A step is a number, or a period at whose beginning dates must lie.
    """
    failures = []
    for name in policy.quasi:
        step = policy.columns[name].round_ranges
        if step is None:
            continue
        wrong = 0
        for column in {name, f"{name}_min", f"{name}_max"} & set(frame.columns):
            # Without the alias, a column called count would clash.
            counts = frame[column].cast(pl.String).alias("cell").value_counts()
            wrong += sum(n for cell, n in counts.rows() if not _is_rounded(cell, step))
        if wrong:
            message = f"column {name}: {wrong} cells have ends that are not rounded as stated"
            failures.append(Failure(check="ranges", column=name, message=message, records=wrong))
    return failures


def _is_rounded(cell: str | None, step: float | Period) -> bool:
    """Return whether both ends of a range, or a single value, are rounded; a missing or hidden cell is."""
    if cell is None or cell == "*":
        return True
    cell = cell.removesuffix(" or missing")
    found = _RANGE.fullmatch(cell)
    return all(is_on(text, step) for text in (found.groups() if found else (cell,)))


def is_on(text: str, step: float | Period) -> bool:
    """Return whether a text is a date at the beginning of a period, or a number that is a multiple of the step."""
    if isinstance(step, str):
        found = _MOMENT.fullmatch(text.replace(" ", "T", 1))
        try:
            return found is not None and _BEGINS[step](date(*(int(part) for part in found.groups())))
        except ValueError:
            return False
    try:
        with localcontext(prec=700):
            return Decimal(text.replace(",", ".")) % Decimal(repr(float(step))) == 0
    except InvalidOperation:
        return False
