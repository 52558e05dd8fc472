"""Counts of one column, and the role that is suggested for it.

The first matching rule decides: dates; identifiers by name and form; identifiers and names inside text, and free
text; ages and places; sensitive subjects by name; codes that hardly repeat. A column that no rule matches is
suggested as a quasi-identifier, which is the safe choice. Numbers that all differ are taken as measurements unless
their name or form says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from shoal._repr import brief
from shoal.policy import Kind, Role
from shoal.policy.number_format import NumberFormat
from shoal.roles import known_and_sensitive
from shoal.roles.date_formats import FoundDates, find_dates
from shoal.roles.distinct_values import Codes, DistinctValues
from shoal.roles.durations import is_duration
from shoal.roles.identifying_text import Identifying, identifying_text
from shoal.roles.item_sets import FoundSet, find_set
from shoal.roles.judgment import Judgment, judge
from shoal.roles.kinds import is_text, kind_of, misfits, type_of
from shoal.roles.known_attributes import AGE, CODE_NAME, DATE, PLACES, SENSITIVE
from shoal.roles.known_headings import is_known
from shoal.roles.known_identifiers import IDENTIFIERS
from shoal.roles.recognize import Recognizer, recognize, says, words
from shoal.roles.survey import number_of_something, number_of_survey, questions_of
from shoal.roles.unknown_codes import CODE, code_of_somebody
from shoal.roles.unknown_codes import QUESTION as CODE_QUESTION
from shoal.tables.text import text_of

SAMPLE = 1_000  # how many different values are checked for their form, spread evenly over the sorted values
HARDLY_REPEATS = 0.9  # a column hardly repeats if at least this share of its cells have a value that occurs once
OFTEN_DIFFERENT = 0.5
"""Under a heading that is not known, so many different texts per cell are enough: labels repeat more often."""
FEW_ROWS = 20  # in a table with fewer rows, values that all differ do not show that a column is an identifier
FEW_PEOPLE = 10  # an identifier with fewer different values is not taken as the person column
OLDEST = 89  # the highest age that HIPAA's Safe Harbor allows to publish; higher ages are pooled
_LETTERS = re.compile(r"[^\W\d_]{3}")
_ISO = re.compile(r"\d{4}-\d\d-\d\d.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """Counts of one column, and the role suggested for it."""

    name: str
    type: str
    distinct: int
    """The number of different values, missing not included."""
    missing: int
    unique_rows: int
    """The number of rows whose value no other row has; a single missing cell counts as one."""
    unique_share: float
    largest_share: float
    """The share of rows with the most frequent value; missing counts as a value."""
    role: Role
    kind: Kind | None = None
    prefix: bool = False
    """Whether it is a code that begins with the larger unit, so that it is generalized by masking from the right."""
    cuts: tuple[int, ...] = ()
    """For such a code: how many first characters name each larger unit; empty if every character names one."""
    digits: int | None = None
    """For such a code: its number of digits, if it was read as a number and has lost leading zeros."""
    order: tuple[str, ...] = ()
    """For a scale in words: the whole well-known scale from lowest to highest, not only the words in the table."""
    separator: str | None = None
    """For a column of sets: what separates the items of a cell."""
    longitude: str | None = None
    """For a latitude: the name of the column that has the longitude of the same place."""
    what: str | None = None
    """What the column was recognized as, such as "postal code"."""
    safe_harbor: str | None = None
    """The letter in HIPAA's Safe Harbor list, 45 CFR 164.514(b)(2)(i)."""
    names_people: bool = False
    """Whether it is an identifier of people that repeats, so that it may be the person column."""
    reason: str
    number: NumberFormat | None = None
    """How its numbers are written, if not only with digits and the decimal sign of the file."""
    null_values: tuple[str, ...] = ()
    """The codes that are taken as missing, such as k.A. and 999; the other counts leave these cells out."""
    dates: FoundDates | None = None
    """How its dates are written, if it is text or whole numbers that are dates."""
    n_rare: int = 0
    """The number of values that occur in one row only, or for one person only if there is a person column."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the proposed policy that a preset adds, such as `round = "year"`."""
    questions: tuple[str, ...] = ()
    """What the cells do not decide: one sentence each, with what to write into the policy, and without any value."""

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.type}, {self.role}: {self.distinct} different values")


def profile_column(values: pl.Series, different: DistinctValues | None = None) -> tuple[ColumnProfile, Codes]:
    """Return the profile of a column, and its codes, with which combinations of columns are counted.

    `different` has the different values of the column; they are computed if it is None.
    """
    different = DistinctValues(values) if different is None else different
    column, counts = different.codes, different.counts
    missing = values.null_count()
    n_rows = max(len(values), 1)
    alone = int((counts == 1).sum())
    counted: dict[str, Any] = {
        "name": values.name,
        "type": type_of(values.dtype),
        "distinct": column.n_codes - (missing > 0),
        "missing": missing,
        "unique_rows": alone,
        "unique_share": alone / n_rows,
        "n_rare": alone - (missing == 1),
        "largest_share": int(counts.max(initial=0)) / n_rows,
    }
    found = ColumnProfile(**counted, **_suggest(values, different, alone - (missing == 1)))
    asked = known_and_sensitive.questions(found.name, found.role, found.what)
    return replace(found, questions=(*found.questions, *asked)), column


def _suggest(values: pl.Series, different: DistinctValues, alone: int) -> dict[str, Any]:
    """Return role, kind and reason; `alone` is the number of cells whose value occurs once, missing not counted."""
    name, present = words(values.name), len(values) - values.null_count()
    column, texts = different.codes, _texts(different)
    kind = kind_of(values.dtype)
    if is_text(values.dtype) and texts and all(map(_ISO.fullmatch, texts)) and not misfits(values, "date"):
        kind = "date"
    if (
        kind != "date"
        and (is_text(values.dtype) or _whole(values))
        and (dates := find_dates(values, texts, name, different))
    ):
        return _written_dates(dates, name)
    if kind == "date":
        why = "the column's name says so" if says(DATE, name) else "when something happened is often known to others"
        return _recognized(DATE, why, kind="date", what=DATE.what if says(DATE, name) else "date")
    is_code = is_text(values.dtype) or _whole(values) or isinstance(values.dtype, pl.Null)
    if is_code and (hit := recognize(IDENTIFIERS, values.name, texts)):
        repeats = column.n_codes >= FEW_PEOPLE and alone < present
        return _recognized(*hit, names_people=hit[0].person and repeats, questions=questions_of(hit[0].what, values))
    if is_text(values.dtype) and (sets := find_set(different)):
        return _of_items(values.name, sets)
    if is_text(values.dtype) and (text := _identifying(different, name)):
        law = f" (HIPAA Safe Harbor {text.safe_harbor})"
        found = {"role": "identifier", "what": text.what, "safe_harbor": text.safe_harbor}
        return found | {"reason": f"{text.what}{law}: {text.why}", "questions": text.questions}
    if (is_code or kind == "number") and (removed := number_of_survey(name, values, column.n_codes)):
        return _recognized(*removed, questions=questions_of(removed[0].what, values))
    judged = judge(values, texts)
    if kind == "number" and says(AGE, name):
        above = int((values > OLDEST).sum())
        why = f"the column's name says so; {above} rows are above {OLDEST}"
        return _recognized(AGE, why, **_compared(judged))
    if hit := recognize(PLACES, values.name, texts):
        return _recognized(*hit, **_compared(judged))
    if is_code and not judged.what and (numbered_by := code_of_somebody(different.values, name, present)):
        return _recognized(CODE, numbered_by, questions=(CODE_QUESTION,))
    hit = recognize(SENSITIVE, values.name, [])
    if hit and not (hit[0] is SENSITIVE[0] and is_duration(name, number=values.dtype.is_numeric())):
        return _recognized(*hit, **_sensitive(judged, values))
    if judged.health:
        return _recognized(SENSITIVE[0], judged.reason, **_compared(judged))
    hardly_repeats = alone >= HARDLY_REPEATS * max(present, 1)
    if is_code and hardly_repeats and says(CODE_NAME, name):
        return _recognized(CODE_NAME, "its name says code or number, and it hardly repeats")
    if present >= FEW_ROWS and is_text(values.dtype):
        if hardly_repeats:
            return _recognized(CODE_NAME, "text that hardly repeats tells the rows apart", what="unique code")
        worded = sum(map(bool, map(_LETTERS.search, texts))) >= HARDLY_REPEATS * len(texts)  # no weeks, no times
        if column.n_codes >= OFTEN_DIFFERENT * present and worded and not is_known(name):
            why = "text of which half of the cells differ, under a heading that is not known"
            return _recognized(CODE_NAME, why, what="unique code", questions=(CODE_QUESTION,))
    if present >= FEW_ROWS and _numbers_the_rows(values, column):
        return _recognized(CODE_NAME, "it numbers the rows", what="row number")
    if is_code and (numbered := number_of_something(name, values, distinct=column.n_codes, alone=alone)):
        return _recognized(*numbered, questions=questions_of(numbered[0].what, values))
    because = f"; {judged.reason}" if judged.reason else ""
    why = f"others may know it: when in doubt, a quasi-identifier{because}"
    return {"role": "quasi", "reason": why} | _compared(judged)


ITEMS = (
    "its items are made coarser or left out until k people of a group share every few of them, which may lose most "
    'of them. If nobody can know them of a person, write role = "sensitive" and no hierarchy: the cells are then '
    "published as they are."
)
"""The question that goes with a column of sets: it decides between protecting items and keeping them."""


def _of_items(name: str, found: FoundSet) -> dict[str, Any]:
    """Return the suggestion for a column of sets: a quasi-identifier, as a few items may tell a person apart."""
    judged = judge(found.items.alias(name))
    coarser = judged.hierarchy is not None
    why = (
        f"several items in one cell: {found.several} cells hold several of {len(found.items)} items, separated by "
        f"{found.separator!r}, and others may know some of them"
    )
    how = _compared(judged) | {"kind": "set", "order": (), "prefix": coarser, "separator": found.separator}
    return {"role": "quasi", "what": "set of items", "reason": why} | how | {"digits": None, "questions": (ITEMS,)}


def _compared(judged: Judgment) -> dict[str, Any]:
    """Return how the values of a column are compared, as the profile states it."""
    source = judged.hierarchy
    return {
        "kind": judged.kind,
        "prefix": source is not None,
        "cuts": (source.cuts if source else None) or (),
        "digits": source.digits if source else None,
        "order": judged.order or (),
        "questions": (judged.question,) if judged.question else (),
    }


def _sensitive(judged: Judgment, values: pl.Series) -> dict[str, Any]:
    """Return how sensitive values are compared if they are codes or a scale in whole numbers; otherwise nothing."""
    if judged.what:
        return _compared(judged)
    misread = values.dtype.is_numeric() and judged.kind in ("label", "ordered")
    return {"kind": judged.kind} if misread else {}


def _written_dates(dates: FoundDates, name: str) -> dict[str, Any]:
    """Return role, kind, reason and questions of a column of dates.

    A column with dates in several formats is proposed as an identifier, so that it is not published.
    """
    if dates.form is None:
        reason = "dates in several formats, which would be published as they are"
        return {"role": "identifier", "what": "dates", "reason": reason, "questions": dates.questions}
    what = DATE.what if says(DATE, name) else "date"
    asked: dict[str, Any] = {"kind": "date", "dates": dates, "questions": dates.questions}
    return _recognized(DATE, f"written as {dates.form.pattern}", what=what, **asked)


def _recognized(entry: Recognizer, why: str, **more: Any) -> dict[str, Any]:
    """Return the role and reason that come with a recognizer; `more` overrides or adds entries."""
    what = more.setdefault("what", entry.what)
    law = f" (HIPAA Safe Harbor {entry.safe_harbor})" if entry.safe_harbor else ""
    found = {"role": entry.role, "safe_harbor": entry.safe_harbor or None, "reason": f"{what}{law}: {why}"}
    return found | more


def _texts(different: DistinctValues) -> list[str]:
    """Return at most `SAMPLE` different values as text; the choice does not depend on the order of the rows."""
    chosen = different.some(SAMPLE)
    if _whole(chosen):
        chosen = chosen.cast(pl.Int64, strict=False)  # pandas stores integers as 12.0 if some cells are missing
    return [text for text in text_of(chosen).str.strip_chars().to_list() if text]


def _identifying(different: DistinctValues, name_words: str) -> Identifying | None:
    """Return why the texts of a column identify people, judged on every different value; None if they do not."""
    counts = pl.Series(different.counts[different.missing :])
    is_place = any(says(place, name_words) for place in PLACES)
    return identifying_text(text_of(different.values), counts, name_words, is_place=is_place)


def _whole(values: pl.Series) -> bool:
    if values.dtype.is_float():
        return bool((values.drop_nulls() % 1 == 0).all())
    return values.dtype.is_integer()


def _numbers_the_rows(values: pl.Series, column: Codes) -> bool:
    """Return whether the values are consecutive integers, each once."""
    if not values.dtype.is_integer() or values.null_count() or column.n_codes < len(values):
        return False
    low, high = values.min(), values.max()
    return isinstance(low, int) and isinstance(high, int) and high - low + 1 == len(values)
