"""Headings that are known to name a property, a place or a thing: their columns are judged by that."""

from __future__ import annotations

from functools import cache

from shoal.roles.attributes_of_languages import ENDINGS, HEADINGS
from shoal.roles.known_attributes import AGE, DATE, PLACES, SENSITIVE
from shoal.roles.number_names import BANDED, CODED, FLAG, ITEM, LEVEL, MEASURED, NOMINAL, SCALE
from shoal.roles.people_words import OF_THINGS
from shoal.roles.recognize import Recognizer, says

_ATTRIBUTES = (
    *(MEASURED, BANDED, LEVEL, FLAG, SCALE, ITEM, NOMINAL, CODED, AGE, DATE),
    *(*PLACES, *SENSITIVE),
    Recognizer("name of a thing", names=OF_THINGS),
    Recognizer("attribute", names=rf"^(?:{HEADINGS}|{ENDINGS})(?: \d+)?$"),
)


@cache
def is_known(name_words: str) -> bool:
    """Return whether a heading, given as `words`, says a property, a place or a thing that is known here."""
    if name_words == "kind":  # in German a child
        return False
    return any(says(entry, name_words) for entry in _ATTRIBUTES)
