"""Whether a published cell shows more of a date than its year, or an age above the oldest that may be published."""

from __future__ import annotations

import re
from collections.abc import Callable

from shoal.certify.date_cells import reader_of
from shoal.certify.preset.values import Value
from shoal.policy import Column

_MONTHS = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|m(?:ä|ae)rz|apr(?:il)?|may|mai|june?|juni|july?|juli|"
    r"aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)"
)
_YEAR = r"(?:1[5-9]|20|21)\d{2}"
COMPACT = r"^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$"
"""A date without separators, such as 20240317. A single one may be any number; a column of them has dates."""
DATE_LIKE = (
    rf"(?:^|[^\d.-]){_YEAR}([-/.])(?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?:$|[^\d.])",
    rf"(?:^|[^\d.-]){_YEAR}[-/](?:0[1-9]|1[0-2])(?:$|[^\d./-])",
    r"(?:^|[^\d])\d{4}-(?:W\d{2}|Q[1-4])(?:$|[^\d])",
    r"(?:^|[^\d.])\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})(?:$|[^\d.])",
    rf"(?i)(?:^|[^a-z])\d{{1,2}}(?:st|nd|rd|th|\.)?[ -]?{_MONTHS}\.?,?[ -]?(?:\d{{4}}|\d{{2}})(?:$|[^\d])",
    rf"(?i)(?:^|[^a-z]){_MONTHS}\.? (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?\d{{4}}(?:$|[^\d])",
)
"""Forms of dates that show more than a year, as regular expressions of a search in a cell."""
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9:.+-]*))?")
_PERIOD = re.compile(r"(-?[0-9]{1,4})(s?)")
_NUMBER = re.compile(r"-?[0-9]+(?:[.,][0-9]+)?")


def date_reader(column: Column | None) -> Callable[[str], str | None]:
    """Return a function that gives the ISO date of a text, by the format in the policy; None if it is no date."""
    form = column.date_format if column is not None else None
    if form is not None:
        return reader_of(form)
    return lambda text: text if _ISO.fullmatch(text) else None


def is_beginning_of_year(iso: str, *, excluded: bool = False) -> bool:
    """Return whether a date is the first of January at midnight, or the last of December."""
    found = _ISO.fullmatch(iso)
    assert found is not None
    _, month, day, time = found.groups()
    whole = not (time or "").strip("0:.+-")
    return whole and ((month, day) == ("01", "01") or ((month, day) == ("12", "31") and not excluded))


def year_of(text: str, read: Callable[[str], str | None]) -> int | None:
    """Return the year of a date, of a year such as 1961 or of a decade such as 1960s; None if there is none."""
    if (iso := read(text)) is not None:
        return int(iso[:4])
    found = _PERIOD.fullmatch(text.removesuffix(".0"))
    return int(found[1]) if found and len(found[1].lstrip("-")) == 4 else None


def shows_old_year(value: Value, read: Callable[[str], str | None], last: int) -> bool:
    """Return whether a value shows a year up to `last`, other than as one class of all years up to it."""
    year = year_of(value.text, read)
    if year is None or year > last:
        return False
    return not (value.mark in ("<=", "<") and year == last)


def shows_old_age(value: Value, oldest: int, top: float | None) -> bool:
    """Return whether a value shows an age above `oldest`, other than as one class from `oldest + 1` on.

    `top` is the limit that the policy states, from which on numbers without a mark are one class.
    """
    numbers = [
        float(one.replace(",", ".")) for one in _NUMBER.findall(re.sub(r"(?<=\d)\s*[-–]\s*(?=\d)", " ", value.text))
    ]
    above = [number for number in numbers if number > oldest]
    if not above:
        return False
    if len(numbers) > 1:
        return True
    number = above[0]
    if value.mark == ">=":
        return number > oldest + 1
    if value.mark == ">" or (value.excluded and not value.mark):
        return number > (oldest if value.mark == ">" else oldest + 1)
    return not (top is not None and top == number == oldest + 1)
