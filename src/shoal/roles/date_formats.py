"""Finding out how the dates of a column are written, and what must be asked.

The shape of the cells gives the formats that are possible (`date_shapes`). Of these, the format that reads the most
cells is chosen, if it leaves at most one cell in five unread. If the cells do not show whether day or month comes
first, the day is taken as first, as in most of the world, and a question is asked. Years of two digits are taken as
the last hundred years, and a question is asked. Whole numbers are dates if all of them can be read as such
(20240131), or if the name of the column says date and they are the day numbers of a spreadsheet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl

from shoal.policy.date_format import EXCEL, DateFormat
from shoal.roles.date_shapes import commonest, patterns
from shoal.roles.distinct_values import DistinctValues
from shoal.roles.recognize import words
from shoal.tables.date_text import read_dates

MOST_STRAYS = 0.2  # a column is one of dates if at most this share of its cells cannot be read as dates
FEW_CELLS = 3  # if fewer cells show which number is the day, they may be errors, and a question is asked
FIRST, LAST = 1850, 2100  # years between which dates of people lie
SERIALS = (7_000, 60_000)  # day numbers of spreadsheets, of the years 1919 to 2064
DISTINCT = 5_000  # how many different texts are examined for leading zeros and names of months
_SAYS_DATE = re.compile(
    r"\b(?:\w*(?<!candi)(?<!man)(?:date|datum)|dates?|datum|fecha|jour|dia|giorno|tag|day|days|when|dt|dat|dob|dod|\w{2,}dt|"
    r"data|birth\w*|geburts?\w*|naissance|nacimiento|nascita|nascimento|geboorte\w*|timestamp|month|monat|mois|mes|"
    r"period|yyyymm\w*|\w*(?:日期|日|月))\b"
)
_SAYS_QUARTER = re.compile(r"\b(?:\w*quartal|quarters?|qtr|trimestre|\w*q)\b")
_SAYS_BIRTH = re.compile(r"\b(?:birth\w*|dob|geb\w*|naissance|nacimiento|nascita|nascimento|geboorte\w*|born)\b")
_SAYS_CODE = re.compile(r"\b(?:id|ids|nr|no|num|number|nummer|code|key|ref|case|fall\w*|account|phone|tel\w*)\b")


def says_birth(name: str) -> bool:
    """Return whether the name of a column says that it is about births."""
    return _SAYS_BIRTH.search(words(name)) is not None


@dataclass(frozen=True, slots=True)
class FoundDates:
    """How the dates of a column are written, how many cells are not dates, and the questions to ask."""

    form: DateFormat | None
    """The format; None if the cells are dates in several formats."""
    strays: int = 0
    questions: tuple[str, ...] = ()
    open_order: DateFormat | None = None
    """The format with day and month exchanged, if that reads the cells as well."""


def find_dates(
    values: pl.Series, texts: list[str], name_words: str, different: DistinctValues | None = None
) -> FoundDates | None:
    """Return how the dates of a column are written; None if its cells are not dates.

    `texts` are some of its different values, and `name_words` are the words of its name. `different` has all of them
    with their counts; they are computed if it is None.
    """
    if values.dtype.is_numeric():
        return _whole_numbers(values if different is None else different.values, values, texts, name_words)
    likely = commonest(texts)
    if likely is None or likely[1] < 1 - MOST_STRAYS:
        return None
    different = DistinctValues(values) if different is None else different
    bare = different.values.cast(pl.String).str.strip_chars().alias("text")
    counts = pl.DataFrame({"text": bare, "n": different.counts[different.missing :]}).filter(bare != "")
    if counts["text"].n_unique() < len(counts):  # some texts differ only in the blanks around them
        counts = counts.group_by("text").agg(pl.col("n").sum())
    shape, n_cells = likely[0], int(counts["n"].sum())
    if shape.tokens.isdigit() and _SAYS_CODE.search(name_words) and not _SAYS_DATE.search(name_words):
        return None
    quarters = shape.quarterly or (shape.tokens in ("Yd", "dY") and bool(_SAYS_QUARTER.search(name_words)))
    some = counts["text"].sort()[:: len(counts) // DISTINCT + 1].to_list()
    candidates = [
        _dated(one, language, counts["text"], name_words)
        for one, language in patterns(shape, some, quarters=quarters)
    ]
    strays = [_strays(counts, form) for form in candidates]
    best = min(range(len(candidates)), key=lambda place: (strays[place], place))
    form, left = candidates[best], strays[best]
    if "y" in form.directives and not _padded(some) and not _SAYS_DATE.search(name_words):
        return None  # a text such as 1.2.3 may be a version or a section as well as a date
    if left > MOST_STRAYS * n_cells:
        mixed = f"{n_cells} cells look like dates, but no format reads four in five of them: write all in one format."
        sure = _SAYS_DATE.search(name_words) is not None or shape.tokens in ("ddY", "Ydd", "dNY", "NdY")
        return FoundDates(None, questions=(mixed,)) if sure else None
    return _asked(form, left, n_cells, _other_order(candidates, strays, best, n_cells))


def question_of_order(form: DateFormat, other: DateFormat, n_cells: int) -> str:
    """Return the question to the user whether day or month comes first."""
    first = "day" if form.pattern.find("d") < form.pattern.find("m") else "month"
    return (
        f"day and month can be read in two orders in {n_cells} cells; they are taken as {first} first. If they are "
        f'not, write format = "{other.pattern}".'
    )


def _asked(form: DateFormat, strays: int, n_cells: int, other: DateFormat | None) -> FoundDates:
    """Return the format together with the questions that it leaves open."""
    questions = []
    if other is not None:
        questions.append(question_of_order(form, other, n_cells))
    if form.first_year is not None:
        questions.append(
            f"its years have two digits; they are taken as {form.first_year} to {form.first_year + 99}. If they are "
            "not, write the first of their hundred years as first_year."
        )
    if strays:
        questions.append(
            f"{strays} of {n_cells} cells are not dates in the format of the others, and are taken as missing "
            '(unreadable = "missing"). Correct them, or list what means missing in null_values.'
        )
    return FoundDates(form, strays, tuple(questions), other)


def _dated(pattern: str, language: Any, texts: pl.Series, name_words: str) -> DateFormat:
    """Return the format of a pattern; years of two digits are placed in the hundred years that end this year.

    If the years in the column go on beyond this year without a gap, as those of appointments do, the hundred years
    end with the last of them, at most 20 years from now.
    """
    form = DateFormat(pattern, language)
    if "y" not in form.directives:
        return form
    latest = date.today().year
    trial = read_dates(texts, DateFormat(pattern, language, 2000)).dt.year().drop_nulls().unique()
    present = {year % 100 for year in trial.to_list()}
    if len(present) <= 40 and not _SAYS_BIRTH.search(name_words):
        while (latest + 1) % 100 in present and latest < date.today().year + 20:
            latest += 1
    return DateFormat(pattern, language, latest - 99)


def _strays(counts: pl.DataFrame, form: DateFormat) -> int:
    """Return how many cells are not dates in the format, or are not in the years from `FIRST` to `LAST`."""
    years = read_dates(counts["text"], form).dt.year()
    return int(counts.filter(~years.is_between(FIRST, LAST).fill_null(False))["n"].sum())


def _other_order(candidates: list[DateFormat], strays: list[int], best: int, n_cells: int) -> DateFormat | None:
    """Return the format with day and month exchanged, if it reads all cells but fewer than `FEW_CELLS` as well."""
    one = candidates[best].pattern.replace("-", "")
    for form, left in zip(candidates, strays, strict=True):
        turned = form.pattern.replace("-", "").replace("%d", "%?").replace("%m", "%d").replace("%?", "%m")
        if turned == one and form.pattern != candidates[best].pattern:
            few = 0 if n_cells < 10 * FEW_CELLS else FEW_CELLS - 1
            return form if left - strays[best] <= few else None
    return None


def _short_years(numbers: pl.Series, values: pl.Series, name_words: str) -> FoundDates | None:
    """Return the format of numbers such as 240131 under a heading that says date, if months of a year do not fit."""
    texts = numbers.cast(pl.Int64, strict=False).cast(pl.String)
    months = read_dates(numbers, DateFormat("%Y%m")).dt.year().is_between(FIRST, LAST).fill_null(False)
    if bool(months.all()):
        return None
    form = _dated("%y%m%d", "en", texts, name_words)
    if read_dates(numbers, form).null_count():
        return None
    return _asked(form, 0, len(values) - values.null_count(), None)


def _padded(texts: list[str]) -> bool:
    return all(len(one) == 2 for text in texts for one in re.findall(r"\d+", text)[:3])


def _whole_numbers(different: pl.Series, values: pl.Series, texts: list[str], name_words: str) -> FoundDates | None:
    """Return the format of whole numbers that are dates: 20240131, 202401 if the name says so, or day numbers.

    `different` has each of the numbers at least once.
    """
    numbers = different.drop_nulls()
    named = _SAYS_DATE.search(name_words) is not None
    if numbers.is_empty() or (values.dtype.is_float() and not bool((numbers % 1 == 0).all())):
        return None
    lengths = {len(text) for text in texts}
    if _SAYS_CODE.search(name_words) and not named:
        return None
    short = {6} == lengths and re.search(r"\b(?:date|datum|fecha|data|day|jour|birth\w*|dob|geb\w*)\b", name_words)
    if short and "yyyymm" not in name_words and (found := _short_years(numbers, values, name_words)):
        return found
    for pattern, length, needs_name in (("%Y%m%d", 8, False), ("%Y%m", 6, True), ("%Y%m%d%H%M%S", 14, False)):
        if lengths == {length} and (named or not needs_name):
            years = read_dates(numbers, DateFormat(pattern)).dt.year()
            if bool(years.is_between(FIRST, LAST).fill_null(False).all()):
                return FoundDates(DateFormat(pattern))
    if named and bool(numbers.is_between(*SERIALS).all()):
        n_cells = len(values) - values.null_count()
        asked = (
            f"{n_cells} cells are whole numbers from {SERIALS[0]:,} to {SERIALS[1]:,}, and its name says date; "
            f'they are taken as the day numbers of a spreadsheet (format = "{EXCEL}"). If they are none, write '
            'kind = "number".'
        )
        return FoundDates(DateFormat(EXCEL), questions=(asked,))
    return None
