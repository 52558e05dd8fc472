"""Number formats of an .xlsx file: whether a number is shown as a date, as a time, or with leading zeros.

A file holds 45321 for the 30th of January 2024 and 1067 for the postal code 01067. What a person sees in the cell,
and means by it, is decided by its number format alone.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Literal

Shown = Literal["number", "date", "datetime", "time"] | int
"""How a number is shown; an int is the number of digits of a format such as 00000."""
Moment = date | datetime | time | timedelta

_DATES = {*range(14, 18), *range(27, 32), 36, *range(50, 55), 57, 58}
_BOTH = 22
_TIMES = {18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47, 55, 56}
"""Formats that are known by number and are not listed in the file (ECMA-376, part 1, 18.8.30)."""
_NOT_SHOWN = re.compile(r'"[^"]*"|\\.|_.|\*.|am/pm|a/p|\[(?![hms]+\])[^]]*\]', re.IGNORECASE)
_ZEROS = re.compile(r"0{2,}")
_DAY_MILLISECONDS = 86_400_000
_LAST_DAY = 2_958_465  # the 31st of December 9999


def shown_as(number: int, code: str | None) -> Shown:
    """Return how a number with a format is shown, by the number of the format and its code, if the file has one."""
    if code is None:
        if number == _BOTH:
            return "datetime"
        return "date" if number in _DATES else "time" if number in _TIMES else "number"
    if _ZEROS.fullmatch(code):
        return len(code)
    first = _NOT_SHOWN.sub("", code).split(";")[0].lower()
    if "general" in first:
        return "number"
    clock = "h" in first or "s" in first
    if "d" in first or "y" in first:
        return "datetime" if clock else "date"
    return "time" if clock else "date" if "m" in first else "number"


def moment(serial: float, shown: Shown, *, since_1904: bool) -> Moment | None:
    """Return the date or time that a number stands for; None if it stands for none, as 60 does: Excel has a 29th of
    February 1900.

    A time beyond 24 hours is a duration. What is finer than a millisecond is an error of rounding, and is dropped.
    """
    if not 0 <= serial < _LAST_DAY + 1:
        return None
    day, at = divmod(round(serial * _DAY_MILLISECONDS), _DAY_MILLISECONDS)
    clock = timedelta(milliseconds=at)
    if shown == "time" or (day == 0 and not since_1904):
        if day:
            return timedelta(days=day) + clock
        return (datetime.min + clock).time() if shown == "time" or at else None
    if since_1904:
        first = date(1904, 1, 1)
    elif day == 60:
        return None
    else:
        first = date(1899, 12, 30) if day > 60 else date(1899, 12, 31)
    try:
        found = first + timedelta(days=day)
    except OverflowError:
        return None
    return datetime.combine(found, time()) + clock if at or shown == "datetime" else found
