"""Recognizing codes of people, files and machines by their length and number, whatever the column is called.

A code that belongs to no classification and names no place is a label only if it has few different values or few
digits, as `3A12` and `G0008` do. A long one, or one of which there are nearly as many as rows, numbers somebody or
something that belongs to somebody: a card, a file, an account, a device. To mask such a code from the right, as is
done with postal codes, would publish its beginning.
"""

from __future__ import annotations

import polars as pl

from shoal.roles.known_headings import is_known
from shoal.roles.number_names import MEASURED
from shoal.roles.recognize import Recognizer, says, share

CODE = Recognizer("code of somebody or something", "R")
QUESTION = (
    "long or many codes are mostly numbers of a person, a file, a card or a device, so they are removed. If they "
    'only say where or what (a shop, a product), write role = "quasi", kind = "label".'
)
MANY = 20
"""The fewest different values of codes that are not removed because of letters before a long number."""
OFTEN_DIFFERENT = 0.2
"""Shorter codes are removed if there are at least this many different ones per row."""
MANY_CODES = 40
"""So many are removed however many rows each has: a member or a card has many rows in a table of all visits."""
SHARE = 0.9
LONG_NUMBER = 9
"""Whole numbers that all have so many digits, or more, number something; amounts differ in length or are rounded."""
ROUND = 0.4
_FORM = r"^[\pL\pN]+(?:[\-./ _#][\pL\pN]+){0,4}$"
_HEXADECIMAL = r"^(?:[0-9A-F]{8,}|[0-9a-f]{8,})$"
_YEARS = r"^(?:\D*)(?:19|20)\d{2}"


def code_of_somebody(values: pl.Series, name_words: str, present: int) -> str | None:
    """Return why the different `values` are codes that tell people apart; None if they are not.

    `present` is the number of cells that are not missing. Values that say in which classification or at which place
    something is must not be given here.
    """
    if not len(values) or says(MEASURED, name_words):
        return None
    if values.dtype.is_numeric():
        return _long_numbers(values)
    texts = values.cast(pl.String).str.strip_chars()
    digits = texts.str.count_matches(r"\d")
    if len(texts) >= MANY and share(texts.str.contains(_HEXADECIMAL)) >= SHARE and texts.str.contains(r"\pL").any():
        return f"{len(texts)} different hexadecimal codes of eight characters or more"
    if share(digits >= 3) < SHARE or share(texts.str.contains(_FORM)) < SHARE:
        return None
    lettered = texts.str.contains(r"\pL")
    numbered = lettered & texts.str.contains(r"\d{5}") & ~texts.str.contains(_YEARS)
    if len(texts) >= 2 and share(numbered) >= SHARE and not is_known(name_words):
        return "letters with a number of five digits or more"
    if len(texts) < MANY:
        return None
    whole = (lettered | texts.str.contains(r"^\d+$")) & ~texts.str.contains(_YEARS)  # 120/80 is no code, nor 2023-W05
    if share(whole & (texts.str.len_chars() >= 9) & (digits >= 5)) >= SHARE:
        return f"{len(texts)} different codes of nine characters or more"
    if is_known(name_words):  # areas and wards have many short codes
        return None
    many = len(texts) >= OFTEN_DIFFERENT * present or len(texts) >= MANY_CODES
    if many and share(whole & (texts.str.len_chars() >= 4)) >= SHARE:
        return f"{len(texts)} different codes in {present} cells"
    return None


def _long_numbers(values: pl.Series) -> str | None:
    """Return why whole numbers are codes: many that all have the same length of nine digits or more."""
    if len(values) < MANY:
        return None
    texts = values.cast(pl.Int64, strict=False).cast(pl.String)
    lengths = texts.str.len_chars().unique().to_list()
    if texts.null_count() or len(lengths) != 1 or lengths[0] < LONG_NUMBER:
        return None
    if share(texts.str.ends_with("00")) >= ROUND:
        return None
    return f"{len(texts)} different numbers of {lengths[0]} digits"
