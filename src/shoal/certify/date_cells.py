"""Read the dates of a released table in the format that the policy states, by code of the verifier's own.

Texts are read one by one with Python's own dates, whereas the modules that make a release read whole columns. What is
read is given as ISO 8601, in which all other checks expect dates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial

import polars as pl

from shoal.certify.findings import Failure
from shoal.certify.sensitive_values import UnreadableError
from shoal.policy import Policy
from shoal.policy.date_format import DateFormat
from shoal.policy.month_names import numbers_of_months, plain

HIDDEN = "*"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_RANGE = re.compile(rf"\[({_QUOTED}|[^\[\]\"]+?), ({_QUOTED}|[^\[\]\"]+)\](.*)")
_PERIOD = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])|\d{4}-W\d\d|\d{4}-Q[1-4]|\d{1,4}|\d{1,3}0s", re.ASCII)
"""The nodes of a hierarchy of periods, which are written alike whatever the format of the dates is."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
"""A day as a node, in a column of times."""
_OR_MISSING = " or missing"
_FIELD = {
    "Y": r"(?P<Y>\d{4})",
    "y": r"(?P<y>\d\d)",
    "q": r"(?P<q>[1-4])",
    "b": r"(?P<name>[^\W\d_]+)\.?",
    "B": r"(?P<name>[^\W\d_]+)\.?",
    "p": r"(?P<half>[aApP])\.?[mM]\.?",
    "P": r"(?P<half>[aApP])\.?[mM]\.?",
    "z": r"(?P<zone>[zZ]|[+-]\d\d:?\d\d)",
    "f": r"(?P<f>\d{1,6})0{0,3}",
    "3f": r"(?P<f>\d{1,3})0{0,6}",
}
Reader = Callable[[str], str | None]


def reader_of(form: DateFormat) -> Reader:
    """Return a function that converts a text to the ISO 8601 text of its date, or to None if it is not a date."""
    known: dict[str, str | None] = {}
    read: Reader = _serial if form.is_serial else partial(_iso, pattern=_pattern(form), form=form)

    def remembered(text: str) -> str | None:
        bare = text.strip()
        if bare not in known:
            known[bare] = read(bare)
        return known[bare]

    return remembered


def check_dates(frame: pl.DataFrame, policy: Policy) -> tuple[pl.DataFrame, list[Failure]]:
    """Return the frame with quasi-identifiers of a date format in ISO 8601, and a failure for unreadable cells.

    A cell is a date, a range of dates from an earlier to a later one, a period, hidden or missing. Anything else,
    such as a set of dates or a date in another format, is not what the policy says of the column.
    """
    failures = []
    for name in policy.quasi:
        form = policy.columns[name].date_format
        if form is None:
            continue
        read, unread = reader_of(form), 0
        for part in (name, f"{name}_min", f"{name}_max"):
            if part not in frame.columns:
                continue
            distinct = frame[part].unique().drop_nulls()
            iso = pl.Series([_cell(text, read, timed=form.has_time) for text in distinct.to_list()], dtype=pl.String)
            cells = frame[part].replace_strict(distinct, iso, default=None, return_dtype=pl.String)
            unread += cells.null_count() - frame[part].null_count()
            frame = frame.with_columns(cells)
        if unread:
            message = f"column {name}: {unread} cells are neither dates nor ranges in the format of the policy"
            failures.append(Failure(check="columns", column=name, message=message, records=unread))
    return frame, failures


def dates_of(texts: pl.Series, form: DateFormat) -> pl.Series:
    """Return sensitive texts in ISO 8601; blank is missing. An UnreadableError lists texts that are not dates."""
    read = reader_of(form)
    distinct = texts.unique().drop_nulls()
    there = distinct.filter(distinct.str.strip_chars() != "")
    iso = pl.Series([read(text) for text in there.to_list()], dtype=pl.String)
    if iso.null_count():
        raise UnreadableError(there.filter(iso.is_null()), "a date in the format of the column")
    return texts.replace_strict(there, iso, default=None, return_dtype=pl.String)


def _cell(text: str, read: Reader, *, timed: bool) -> str | None:
    """Return a published cell with its dates in ISO 8601; None where it is neither a date nor a range of dates."""
    if text.removesuffix(_OR_MISSING) == HIDDEN:
        return text
    found = _RANGE.fullmatch(text)
    if found is None:
        bare = text.removesuffix(_OR_MISSING)
        iso = read(bare)
        if iso is None and (_PERIOD.fullmatch(bare) or (timed and _DAY.fullmatch(bare))):
            return text
        return None if iso is None else iso + text[len(bare) :]
    low, high = (read(json.loads(end) if end.startswith('"') else end) for end in found.groups()[:2])
    if low is None or high is None or low > high or found[3] not in ("", _OR_MISSING):
        return None
    return f"[{low}, {high}]{found[3]}"


def _pattern(form: DateFormat) -> re.Pattern[str]:
    """Return the expression that a whole date matches. A dot after the name of a month may be missing."""
    found, before = "", ""
    for part in form.parts:
        if part.text:
            optional = before in ("b", "B") and part.text[0] == "."
            found += r"\.?" + re.escape(part.text[1:]) if optional else re.escape(part.text)
        elif part.packed and part.directive in ("f", "3f"):
            found += rf"(?P<f>\d{{{3 if part.directive == '3f' else 6}}})"
        elif part.directive in _FIELD:
            found += _FIELD[part.directive]
        else:
            least = 2 if part.packed or part.directive in "MS" else 1
            found += rf"(?P<{part.directive}>\d{{{least},2}})"
        before = part.directive
    return re.compile(found, re.ASCII if form.directives.isdisjoint("bB") else 0)


def _iso(text: str, *, pattern: re.Pattern[str], form: DateFormat) -> str | None:
    """Return the date in ISO 8601; None if the text is not a date, or names a day that does not exist."""
    found = pattern.fullmatch(text)
    if found is None:
        return None
    stated = found.groupdict()
    try:
        year = int(stated["Y"]) if "Y" in stated else _in_window(int(stated["y"]), form.first_year or 0)
        day = date(year, _month(stated, form), int(stated.get("d", 1)))
        if not form.has_time:
            return day.isoformat()
        moment = datetime(
            day.year,
            day.month,
            day.day,
            _hour(stated),
            int(stated.get("M", 0)),
            int(stated.get("S", 0)),
            int(stated.get("f", "0").ljust(6, "0")),
        )
        if "zone" not in stated:
            return moment.isoformat()
        return (moment.replace(tzinfo=UTC) - _offset(stated["zone"])).isoformat()
    except (ValueError, OverflowError):
        return None


def _in_window(digits: int, first: int) -> int:
    """Return the only year from `first` to 99 years later with these last two digits."""
    century = first - first % 100
    return century + digits if century + digits >= first else century + 100 + digits


def _month(stated: dict[str, str], form: DateFormat) -> int:
    """Return the month, or the first one of a quarter or year; a ValueError for a name not in the language."""
    if "m" in stated:
        return int(stated["m"])
    if "q" in stated:
        return 3 * (int(stated["q"]) - 1) + 1
    if "name" not in stated:
        return 1
    number = numbers_of_months(form.language).get(plain(stated["name"]))
    if number is None:
        raise ValueError
    return number


def _hour(stated: dict[str, str]) -> int:
    """Return the hour of a clock of 24 hours, or a ValueError."""
    if "H" in stated:
        return int(stated["H"])
    hour = int(stated["I"])
    if not 1 <= hour <= 12:
        raise ValueError
    return hour % 12 + (12 if stated["half"] in "pP" else 0)


def _offset(zone: str) -> timedelta:
    """Return how far the time of a zone is ahead of UTC."""
    if zone in "zZ":
        return timedelta()
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    if hours > 23 or minutes > 59:
        raise ValueError
    return (-1 if zone[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes)


def _serial(text: str) -> str | None:
    """Return the date that a spreadsheet means by a whole number; None for other texts."""
    if not re.fullmatch(r"[0-9]{1,7}", text, re.ASCII) or not 1 <= int(text) <= 2_958_465:
        return None
    return (date(1899, 12, 30) + timedelta(days=int(text))).isoformat()
