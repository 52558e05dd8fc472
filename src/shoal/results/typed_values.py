"""Texts of released cells as values: numbers, dates and times, and the first and last moment of a period."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import polars as pl

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TICK = timedelta(microseconds=1)
Moment = date | datetime


def numbers(texts: Sequence[str | None]) -> pl.Series:
    """Return plain numbers: whole ones if all of them are, with a point or a comma before the decimals."""
    if all(text is None or _INTEGER.fullmatch(text) for text in texts):
        return pl.Series([None if text is None else int(text) for text in texts], dtype=pl.Int64)
    return pl.Series([None if text is None else float(text.replace(",", ".")) for text in texts], dtype=pl.Float64)


def dates(texts: Sequence[str | None], *, timed: bool | None = None) -> pl.Series:
    """Return ISO texts as dates; as times if one has a time or `timed` says so, in UTC if one has an offset."""
    if timed is None:
        timed = any(text is not None and not _DAY.fullmatch(text) for text in texts)
    if not timed:
        return pl.Series([None if text is None else date.fromisoformat(text) for text in texts], dtype=pl.Date)
    read = [None if text is None else datetime.fromisoformat(text) for text in texts]
    if not any(moment is not None and moment.tzinfo is not None for moment in read):
        return pl.Series(read, dtype=pl.Datetime("us"))
    zoned = [None if one is None else one.replace(tzinfo=one.tzinfo or UTC).astimezone(UTC) for one in read]
    return pl.Series(zoned, dtype=pl.Datetime("us", "UTC"))


def first_and_last_day(period: str) -> tuple[date, date]:
    """Return the days between which a period lies: 1984-03, 1984-W07, 1984-Q1, 1984 or 1980s."""
    if period.endswith("s"):
        decade = int(period[:-1])
        return date(decade, 1, 1), date(decade + 9, 12, 31)
    year, _, rest = period.partition("-")
    if not rest:
        return date(int(year), 1, 1), date(int(year), 12, 31)
    if rest[0] == "W":
        monday = date.fromisocalendar(int(year), int(rest[1:]), 1)
        return monday, monday + timedelta(days=6)
    first, months = (3 * int(rest[1:]) - 2, 3) if rest[0] == "Q" else (int(rest), 1)
    begin = date(int(year), first, 1)
    after = date(begin.year + (first + months > 12), (first + months - 1) % 12 + 1, 1)
    return begin, after - timedelta(days=1)


def last_moment(day: date) -> str:
    """Return the last moment of a day, as ISO text."""
    return (datetime(day.year, day.month, day.day) + timedelta(days=1) - _TICK).isoformat()
