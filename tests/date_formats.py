"""Formats of dates that tests go through, and random dates that each of them can write."""

from __future__ import annotations

import datetime as dt

import polars as pl
from hypothesis import strategies as st

from shoal.policy.date_format import DateFormat
from shoal.tables.date_text import truncated

FORMATS = [
    DateFormat("%d.%m.%Y"),
    DateFormat("%-d.%-m.%Y"),
    DateFormat("%d.%m.%y", first_year=1930),
    DateFormat("%m/%d/%Y"),
    DateFormat("%-m/%-d/%y", first_year=1951),
    DateFormat("%d/%m/%Y"),
    DateFormat("%Y/%m/%d"),
    DateFormat("%d-%m-%Y"),
    DateFormat("%Y-%m-%d"),
    DateFormat("%d. %b %Y", "de"),
    DateFormat("%-d. %B %Y", "de"),
    DateFormat("%d %b %Y"),
    DateFormat("%b %-d, %Y"),
    DateFormat("%d%^b%Y"),
    DateFormat("%-d %B %Y", "fr"),
    DateFormat("%d %b. %Y", "fr"),
    DateFormat("%-d de %B de %Y", "es"),
    DateFormat("%d-%b-%y", "it", 1940),
    DateFormat("%Y%m%d"),
    DateFormat("%d%m%Y"),
    DateFormat("excel"),
    DateFormat("%Y-%m"),
    DateFormat("%m/%Y"),
    DateFormat("%b %Y"),
    DateFormat("%Y-Q%q"),
    DateFormat("Q%q/%y", first_year=1925),
    DateFormat("%Y"),
    DateFormat("%d.%m.%Y %H:%M"),
    DateFormat("%d.%m.%Y %H:%M:%S"),
    DateFormat("%m/%d/%Y %-I:%M %p"),
    DateFormat("%Y-%m-%d %I:%M:%S %P"),
    DateFormat("%Y-%m-%dT%H:%M:%S.%3f"),
    DateFormat("%Y-%m-%d %H:%M:%S.%f"),
    DateFormat("%Y-%m-%dT%H:%M:%S%z"),
    DateFormat("%Y-%m-%dT%H:%M:%SZ"),
    DateFormat("%Y%m%d%H%M%S"),
]


def settings_of(form: DateFormat) -> dict[str, object]:
    """The settings of a column that is written so."""
    more = {"language": form.language} if form.language != "en" else {}
    return {"format": form.pattern, **more} | ({"first_year": form.first_year} if form.first_year else {})


def moments(form: DateFormat) -> st.SearchStrategy[dt.datetime]:
    """Random moments of the years that the format can write."""
    first, last = (form.first_year, form.first_year + 99) if form.first_year else (1900, 2100)
    return st.datetimes(dt.datetime(first, 1, 1), dt.datetime(last, 12, 31))


def as_dates(found: list[dt.datetime | None], form: DateFormat) -> pl.Series:
    """Moments as a column of dates or times, as coarse as the format."""
    column = pl.Series("born", found, dtype=pl.Datetime("us"))
    column = column.dt.replace_time_zone("UTC") if "z" in form.directives else column
    return truncated(column if form.has_time else column.dt.date(), form)
