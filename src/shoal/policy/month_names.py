"""Names of the months in the languages in which dates may be written."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Literal

Language = Literal["en", "de", "fr", "es", "it"]


def _listed(names: str) -> tuple[str, ...]:
    return tuple(names.split())


LONG: dict[Language, tuple[str, ...]] = {
    "en": _listed("January February March April May June July August September October November December"),
    "de": _listed("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    "fr": _listed("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    "es": _listed("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    "it": _listed("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
}
SHORT: dict[Language, tuple[str, ...]] = {
    "en": _listed("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
    "de": _listed("Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
    "fr": _listed("janv févr mars avr mai juin juil août sept oct nov déc"),
    "es": _listed("ene feb mar abr may jun jul ago sep oct nov dic"),
    "it": _listed("gen feb mar apr mag giu lug ago set ott nov dic"),
}
_OTHER: dict[Language, dict[str, int]] = {
    "en": {"sept": 9, "june": 6, "july": 7},
    "de": {"jän": 1, "jänner": 1, "feber": 2, "mrz": 3, "maerz": 3, "mar": 3, "juni": 6, "juli": 7, "sept": 9},
    "fr": {"jan": 1, "fév": 2, "mar": 3, "jui": 6, "jul": 7, "aou": 8, "sep": 9},
    "es": {"sept": 9, "set": 9, "setiembre": 9},
    "it": {"sett": 9},
}
"""Spellings that are read besides the long and the short names."""


def plain(name: str) -> str:
    """Return a name as it is compared: in lower case, without accents and without a dot at its end."""
    letters = unicodedata.normalize("NFKD", name.rstrip("."))
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).casefold()


@cache
def numbers_of_months(language: Language) -> dict[str, int]:
    """Return the month, 1 to 12, of every spelling that is read in a language, as `plain` gives it."""
    found = {plain(name): month for name, month in _OTHER[language].items()}
    for names in (LONG[language], SHORT[language]):
        found.update({plain(name): place for place, name in enumerate(names, start=1)})
    return found
