"""Recognizing columns that may hold names of people which no list contains, by the heading of the column.

Lists of frequent names lack most family names, and by their form alone Eschweiler may be a person or a town. So the
heading decides. Capitalized words under `patient`, `Betreuer` or `created by` are names of people. A heading such as
`B` or `col_2` says nothing, and one in a language that is not known here says no more; capitalized words under it are
taken for names, and so not published, unless many of them are well-known places. Where that is wrong, a column is
removed that could have been published, and the profile asks; the other way round a name would be published.
"""

from __future__ import annotations

import re
from functools import cache

import polars as pl

from shoal.roles.known_attributes import AGE, DATE, PLACES, SENSITIVE
from shoal.roles.known_places import holds_places
from shoal.roles.number_names import BANDED, CODED, FLAG, ITEM, LEVEL, MEASURED, NOMINAL, SCALE
from shoal.roles.people_words import HEADING, OF_THINGS
from shoal.roles.recognize import Recognizer, says, share
from shoal.roles.scales import order_of

_PEOPLE = re.compile(HEADING)
_SAYS_NOTHING = re.compile(
    r"[a-z]{0,2} ?\d*|(?:col(?:umn)?|fields?|feld|spalte|var(?:iable)?|attr(?:ibute)?|colonne|columna|coluna|champ|"
    r"campo|kolom|unnamed|data|daten|values?|wert|text|string) ?\d*"
)
_PARTICLE = r"(?:(?:von|van|de|der|den|di|da|del|della|dos|du|le|la|el|al|bin|ibn|zu|zum|ter|ten) )*"
_WORD = r"(?:(?:Mc|Mac|O['’]|D['’])?\p{Lu}\p{Ll}+(?:['’\-]\p{Lu}\p{Ll}+)*|\p{Lu}{4,}(?:['’\-]\p{Lu}{2,})*)"
_ATTRIBUTES = (
    *(MEASURED, BANDED, LEVEL, FLAG, SCALE, ITEM, NOMINAL, CODED, AGE, DATE),
    *(*PLACES, *SENSITIVE),
    Recognizer("name of a thing", names=OF_THINGS),
)
"""What a heading may say if it is known here: then its column is judged by that."""
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau|Mme|M|Sr|Sra|Don|Doña)\.? )?"
_LATIN = rf"{_TITLE}{_PARTICLE}(?:\p{{Lu}}\.? )*{_WORD}(?:,? {_PARTICLE}(?:{_WORD}|\p{{Lu}}\.?)){{0,3}}"
_SCRIPT = r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}]"
_NAME = rf"^(?:{_LATIN})$"
_OF_PEOPLE = rf"^(?:{_LATIN}|{_SCRIPT}{{1,7}}[ 　]?{_SCRIPT}{{1,7}}|\p{{Lu}}{{2,4}})$"
"""Under a heading that means a person, initials and names in other scripts count as well."""
FEWEST, OF_NOTHING = 5, 8
"""A column with fewer different values is not taken for names, but for answers chosen from a list; the second number
is for headings that say nothing."""
SHARE = 0.8


def likely_names(values: pl.Series, name_words: str) -> str | None:
    """Return why the different `values` may be names of people, given the words of the heading; None if not."""
    of_people = _PEOPLE.fullmatch(name_words) is not None
    says_nothing = _SAYS_NOTHING.fullmatch(name_words) is not None
    fewest = OF_NOTHING if says_nothing and not of_people else FEWEST
    if len(values) < fewest or not (of_people or says_nothing or not _is_known(name_words)):
        return None
    form = values.str.contains(_OF_PEOPLE if of_people else _NAME)
    if share(form) < SHARE or order_of(values.head(50).to_list()) or (not of_people and holds_places(values)):
        return None
    unclear = "the heading says nothing" if says_nothing else "the heading is not known to mean something else"
    heading = "the heading means a person" if of_people else unclear
    return f"{heading}, and {int(form.sum())} of {len(values)} different values may be names"


@cache
def _is_known(name_words: str) -> bool:
    """Return whether a heading says a property, a place or a thing that is known here."""
    return any(says(entry, name_words) for entry in _ATTRIBUTES)


QUESTION = (
    'its values look like names of people. If they are names of other things, write role = "quasi", and '
    'publish_rare = "merged" if some occur once.'
)
