"""Recognizing what a column holds from its name and from the form of its values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import polars as pl

from shoal.policy import Role

ANY = r"(?s).*"
_PROBE = 20  # values that are checked first, so that most recognizers are ruled out quickly
_LETTERS = str.maketrans({"ı": "i", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae"})
"""Letters that are no base letter with an accent, so that decomposing leaves them as they are."""
_MISREAD = re.compile("[ÂÃÄÅ][\\u0080-\\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€")
_MARKS = r"\u05b0-\u05c7\u064b-\u0652\u0900-\u0dff\u0e31-\u0ecd\u1000-\u109f\u1780-\u17d3"
_WORD = re.compile(rf"[^\W_](?:[^\W_]|[{_MARKS}])*")
"""A word; vowels that are written above or below a letter, as in Thai and Hindi, belong to it."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Recognizer:
    """How to recognize one kind of content.

    A column is recognized if its name matches *and* at least a `share` of its different values have the form (so that
    `phone = yes/no` is not taken for a telephone number), or if a share of at least `alone` of its values have the
    form, whatever its name is; `alone` is None for forms that are not specific enough for that.
    """

    what: str
    safe_harbor: str = ""
    """The letter in 45 CFR 164.514(b)(2)(i), HIPAA's list of identifiers to be removed from a Safe Harbor release."""
    names: str = ""
    """A pattern that is searched in the column's name as whole words; see `words`."""
    values: str = ANY
    """A pattern that a whole value must match."""
    share: float = 0.5
    alone: float | None = None
    least: int = 1
    """The fewest different values for which `alone` is used: a check digit is right by chance one time in ten."""
    check: Callable[[str], bool] | None = None
    role: Role = "identifier"
    person: bool = False
    """Whether it identifies one person, so that a repeating column may be the person column."""
    prefix: bool = False
    """Whether it is a code whose first characters name the larger unit."""


def words(name: str) -> str:
    """Return a column's name as lower-case words without accents: `GeburtsDatum_2` becomes `geburts datum 2`.

    The marks of Japanese kana are kept because they are not accents: without them マイナンバー would be another word.
    """
    split = _CAMEL.sub(" ", plain(well_read(name)))
    return " ".join(_WORD.findall(split.casefold()))


def plain(text: str) -> str:
    """Return a text without the accents of Latin, Greek and Cyrillic letters; the vowels of other scripts stay."""
    whole = unicodedata.normalize("NFKD", text).translate(_LETTERS)
    return unicodedata.normalize("NFC", "".join(one for one in whole if not "\u0300" <= one <= "\u036f"))


def well_read(text: str) -> str:
    """Return a text that was written in UTF-8 and read as Windows-1252 as it was meant: `StraÃŸe` is `Straße`."""
    if not _MISREAD.search(text):
        return text
    try:
        return text.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return text


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def says(entry: Recognizer, name_words: str) -> bool:
    """Return whether a column's name, given as `words`, matches the entry."""
    return bool(entry.names) and _compiled(rf"(?<!\S)(?:{entry.names})(?!\S)").search(name_words) is not None


def share_of_form(entry: Recognizer, values: Sequence[str]) -> float:
    """Return the share of `values` that have the entry's form; 1 if there are no values."""
    form = _compiled(entry.values)

    def fits(value: str) -> bool:
        return form.fullmatch(value) is not None and (entry.check is None or entry.check(value))

    probe = values[:: len(values) // _PROBE + 1]
    if not probe:
        return 1.0
    if sum(map(fits, probe)) < 0.25 * len(probe):  # no entry's share is that low
        return 0.0
    return sum(map(fits, values)) / len(values)


def with_single_blanks(texts: pl.Series) -> pl.Series:
    """Return texts with one blank in the place of every run of white space, tabs and line ends included."""
    if not texts.str.contains(r"\s\s|[^\S ]").any():  # a search is several times faster than the replacement
        return texts
    return texts.str.replace_all(r"\s+", " ")


def share(flags: pl.Series) -> float:
    """Return the share of values for which a flag is true; 0 if there are none."""
    return int(flags.sum()) / max(len(flags), 1)


def recognize(entries: Sequence[Recognizer], name: str, values: Sequence[str]) -> tuple[Recognizer, str] | None:
    """Return the first entry that the column's name or its different `values` match, and the reason in words."""
    name_words = words(name)
    for entry in entries:
        if says(entry, name_words) and (fitting := share_of_form(entry, values)) >= entry.share:
            form = "" if entry.values == ANY or not values else f" and {fitting:.0%} of the values have the form"
            return entry, f"the column's name says so{form}"
    for entry in entries:
        if entry.alone is None or len(values) < entry.least:
            continue
        if (fitting := share_of_form(entry, values)) >= entry.alone:
            return entry, f"{fitting:.0%} of the values have the form"
    return None
