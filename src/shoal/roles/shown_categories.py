"""Whether the values of a column can be shown to be categories, under a heading that is not known here.

No list of names is complete, and neither is one of headings: colleagues, relatives and whoever signed stand in
columns called `Maatje`, `SDR` or `2nd signature`, by first name, nickname or initials. By their form, such values
cannot be told from labels. So it is the label that has to be shown: by ordinary words, by lower case, by digits, by
the codes of countries and currencies. What cannot be shown is not published by default, and the profile asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

from shoal.roles.distinct_values import some_of
from shoal.roles.frequent_names import GIVEN
from shoal.roles.known_places import PLACES
from shoal.roles.ordinary_words import CODES, ORDINARY
from shoal.roles.scales import order_of

SOME = 1_000  # how many different values are looked at, at most
HALF = 0.5
PLACED = 0.3
"""The least share of well-known places among places."""
LONG = 4  # letters of a word in lower case that is neither a sign of somebody nor their initials
_WORD = re.compile(r"[^\W\d_]+")
_NAME_INSIDE = re.compile(r"[^\W\d_A-Z] [^\W\d_a-z]['’]?[^\W\d_A-Z]+")
_COMPANY = re.compile(
    r"\b(?:GmbH|AG|KG|SE|Ltd|LLC|Inc|Corp|PLC|plc|Oy|AB|ASA|SpA|SARL|SAS|Lda|Kft|Zrt)\b|S\.A|N\.V|B\.V|S\.L|z o\.o"
)
_GENOTYPE = re.compile(r"[ACGT]{1,2}|[ACGT]/[ACGT]")
_GIVEN = frozenset(GIVEN)
QUESTION = (
    "its heading is not known here, and its values cannot be shown to be categories: they may name people, such as "
    "colleagues or relatives, so it is removed. If they were chosen from a list, write "
    'role = "quasi", kind = "label".'
)


def shown_to_be_categories(values: pl.Series) -> bool:
    """Return whether the different `values` are categories by their own form, whatever the heading says."""
    texts = [text for text in some_of(values, SOME).str.strip_chars().to_list() if text]
    if not texts or order_of(texts[:50]):
        return True
    if _share(texts, _is_code) >= HALF or all(sum(map(str.isalpha, text)) <= 1 for text in texts):
        return True
    if all(text in CODES for text in texts) or all(map(_GENOTYPE.fullmatch, texts)):
        return True
    if _share(texts, _is_place) >= PLACED or all(map(_COMPANY.search, texts)):
        return True
    ordinary = [text for text in texts if _is_ordinary(text)]
    others = [text for text in texts if not _is_ordinary(text)]
    if any(word.casefold() in _GIVEN for text in others for word in _WORD.findall(text)):
        return False
    capitalized = [text for text in others if _is_capitalized(text)]
    in_words = [text for text in others if any(len(word) >= LONG and word.islower() for word in _WORD.findall(text))]
    if not capitalized and len(ordinary) + len(in_words) >= HALF * len(texts):
        return True
    phrases = [text for text in others if _is_phrase(text)]
    inside = any(map(_NAME_INSIDE.search, others))
    return not inside and len(ordinary) + len(phrases) >= HALF * len(texts) and bool(phrases)


def _share(texts: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, texts)) / len(texts)


def _is_code(text: str) -> bool:
    return any(map(str.isdigit, text)) or text[-1:] in "+-"


def _is_place(text: str) -> bool:
    return text.casefold() in PLACES


def _is_ordinary(text: str) -> bool:
    return all(word in ORDINARY for word in _WORD.findall(text.casefold()))


def _is_capitalized(text: str) -> bool:
    """Return whether a word begins as names do, or is in a script without capital letters."""
    words = _WORD.findall(text)
    return any(
        (word[0].isupper() and word[1:].islower()) or not (word[0].isupper() or word[0].islower()) or len(word) > LONG
        for word in words
        if not word.islower()
    )


def _is_phrase(text: str) -> bool:
    """Return whether words in lower case follow the first word, or are joined to it by a hyphen or a line below."""
    words = _WORD.findall(text)
    return len(words) > 1 and any(len(word) >= LONG - 1 and word.islower() for word in words[1:])
