"""Deciding whether whole numbers measure something, are a scale, or are only codes, by column name and content.

The distance between two codes means nothing, and their average is a code that nobody has: there is no 1.5 between
sex 1 and 2. So whole numbers count as numbers only if the column's name says that something is measured or counted,
or if many different values lie close together. In doubt they are labels, and a question is asked. Numbers with
decimals are numbers. Reasons and questions contain no value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.policy import Kind
from shoal.roles.number_names import BANDED, CODED, FLAG, ITEM, LEVEL, MEASURED, NOMINAL, SCALE
from shoal.roles.recognize import says, words

MOST_STEPS = 25
"""The most different values of a scale or of a grouped measure; more are scores of a test, which are numbers."""
MOST_LEVELS = 10
"""The same if the name says level: an income level is a group, but a glucose level is measured."""
FEW_VALUES = 20
"""If the name does not decide, up to this many different values without gaps may be codes as well as counts."""
OFTEN = 8
"""A few values without gaps may be codes if each occurs in at least this many rows on average."""
REPEATED = 3
"""The same for values with gaps between them, which measurements of many people seldom have."""
DENSE = 0.5
"""In the middle of a range of measurements at least this share of the possible values occurs; of codes, fewer do."""
LARGEST = 2**53
"""Above this, floating-point numbers do not represent every whole number, and no code is that long."""
ROUND = 0.4
"""If at least this share of rows are multiples of ten, people rounded the numbers: they are amounts, not codes."""


YEARS, FEW_YEARS = (1900, 2035), 5
"""Whole numbers between these, of which there are at least so many without large gaps, are years."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column of numbers is: its kind, the reason in words, and a question if the name does not decide."""

    kind: Kind
    reason: str
    question: str | None = None


def is_whole(values: pl.Series) -> bool:
    """Return whether all numbers are whole, also if pandas stores them as 12.0 because some cells are missing."""
    if values.dtype.is_float():
        present = values.drop_nulls()
        return bool((present.is_finite() & (present % 1 == 0)).all())
    return values.dtype.is_integer()


def meaning_of(values: pl.Series) -> Meaning | None:
    """Return what the numbers of a column are; None if it has no numbers."""
    if not values.dtype.is_numeric():
        return None
    if not is_whole(values):
        return Meaning("number", "it has decimals")
    counted = values.rename("value").drop_nulls().value_counts().sort("value")
    different = counted["value"].cast(pl.Float64).to_numpy()
    return _judge(values.name, different, counted["count"].to_numpy().astype(np.int64))


def _judge(name: str, different: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> Meaning:
    """Return what whole numbers are, given the `different` ones in increasing order and how often each occurs."""
    stated, few = words(name), len(different) <= MOST_STEPS
    nominal = says(NOMINAL, stated)
    if says(ITEM, stated) and _is_rating(different):
        return Meaning("ordered", "an item of a questionnaire with the values of a rating")
    if says(MEASURED, stated) and not nominal and not says(FLAG, stated):
        banded = (says(BANDED, stated) and few) or (says(LEVEL, stated) and len(different) <= MOST_LEVELS)
        if banded and len(different) > 2:
            return Meaning("ordered", "groups of a measure, which have an order")
        return Meaning("number", "its name says that it is measured or counted")
    if len(different) > 2 and not nominal and says(SCALE, stated):
        return Meaning("ordered", "its name says that it is a scale") if few else _by_content(different, counts)
    if nominal or says(CODED, stated):
        return Meaning("label", "its name says that it is a code, which has no average")
    return _by_content(different, counts)


def _is_rating(different: npt.NDArray[np.float64]) -> bool:
    """Return whether the values lie between 0 and 10, and nearly all numbers from the lowest to the highest occur."""
    if len(different) <= 2:
        return False
    low, high = different[0], different[-1]
    return bool(0 <= low <= 1 and 3 <= high <= 10 and len(different) >= 0.7 * (high - low + 1))


def _by_content(different: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> Meaning:
    """Return what whole numbers are if the name does not decide: labels, with a question, if they may be codes."""
    distinct, rows = len(different), int(counts.sum())
    number = Meaning("number", "whole numbers that take many values")
    if distinct == 0 or rows < REPEATED * distinct or different[0] < 0 or different[-1] > LARGEST:
        return number
    if distinct <= 2:
        return Meaning("label", "two values are codes, or yes and no") if rows >= OFTEN * distinct else number
    first, last = YEARS
    if distinct >= FEW_YEARS and first <= different[0] and different[-1] <= last and _are_years(different):
        return Meaning("number", "whole numbers that are years")
    step = float(np.gcd.reduce(np.diff(different).astype(np.int64)))
    possible = (different[-1] - different[0]) / step + 1
    if possible > 1.5 * distinct:
        return _asked("few whole numbers with gaps between them", distinct) if _sparse(different, counts) else number
    if distinct <= FEW_VALUES and rows >= OFTEN * distinct:
        return _asked("few whole numbers, each of many rows", distinct)
    return number


def _are_years(different: npt.NDArray[np.float64]) -> bool:
    """Return whether at least half of the years from the first to the last occur."""
    return bool(len(different) >= DENSE * (different[-1] - different[0] + 1))


def _sparse(different: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> bool:
    """Return whether few of the possible values occur, as with codes, and the values are not rounded amounts.

    Only the middle eight tenths of the rows are examined, because the largest measurements are always far apart.
    """
    below = np.cumsum(counts)
    rows = int(below[-1])
    inside = (below > 0.1 * rows) & (below - counts < 0.9 * rows)
    middle, weight = different[inside], counts[inside]
    if len(middle) <= 2:
        return len(different) <= FEW_VALUES
    step = float(np.gcd.reduce(np.diff(middle).astype(np.int64)))
    dense = len(middle) >= DENSE * ((middle[-1] - middle[0]) / step + 1)
    if len(different) <= FEW_VALUES:
        return True
    rounded = int(weight[middle % 10 == 0].sum()) >= ROUND * int(weight.sum())
    return not dense and not rounded and rows >= OFTEN * len(different)


def _asked(why: str, distinct: int) -> Meaning:
    question = (
        f'are its {distinct} whole numbers codes? They are taken as such, and never averaged. Write kind = "number" '
        'if something is measured or counted, kind = "ordered" if they are a scale.'
    )
    return Meaning("label", f"{why}: taken as codes", question)
