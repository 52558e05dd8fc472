"""Whether a column's name and the form of its values speak of a kind of thing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from shoal.policy import Role

ANY = r"(?s).*"
_PROBE = 20  # values looked at before all of them are
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Recognizer:
    """One kind of thing that a column may hold.

    Recognized where the column's name says so *and* a `share` of its different values have the form (so that
    `phone = yes/no` is no telephone number), or where the form is so telling that `alone` it is enough.
    """

    what: str
    safe_harbor: str = ""
    """The letter in 45 CFR 164.514(b)(2)(i), HIPAA's list of what a safe harbour release leaves out."""
    names: str = ""
    """Looked for in the column's name as whole words; see `words`."""
    values: str = ANY
    """The form of a whole value."""
    share: float = 0.5
    alone: float | None = None
    least: int = 1
    """Different values needed before their form alone decides: a check digit fits by chance one time in ten."""
    check: Callable[[str], bool] | None = None
    role: Role = "identifier"
    person: bool = False
    """Names one person, so that it is the person column where it repeats."""
    prefix: bool = False
    """A code whose first signs name the larger unit."""


def words(name: str) -> str:
    """A column's name as lower-case words without accents: `GeburtsDatum_2` -> `geburts datum 2`."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    split = _CAMEL.sub(" ", unicodedata.normalize("NFC", bare))
    return " ".join(re.findall(r"[^\W_]+", split.casefold()))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def says(entry: Recognizer, name_words: str) -> bool:
    """Whether a column's name, as `words`, speaks of the entry."""
    return bool(entry.names) and _compiled(rf"\b(?:{entry.names})\b").search(name_words) is not None


def share_of_form(entry: Recognizer, values: Sequence[str]) -> float:
    """The share of `values` that have the entry's form; 1 where there are none to speak against it."""
    form = _compiled(entry.values)

    def fits(value: str) -> bool:
        return form.fullmatch(value) is not None and (entry.check is None or entry.check(value))

    probe = values[:: len(values) // _PROBE + 1]
    if not probe:
        return 1.0
    if sum(map(fits, probe)) < 0.25 * len(probe):  # far below every share asked for
        return 0.0
    return sum(map(fits, values)) / len(values)


def recognize(entries: Sequence[Recognizer], name: str, values: Sequence[str]) -> tuple[Recognizer, str] | None:
    """The first entry that the column's name and its different `values` fit, with the reason in words."""
    name_words = words(name)
    for entry in entries:
        if says(entry, name_words) and (share := share_of_form(entry, values)) >= entry.share:
            form = "" if entry.values == ANY or not values else f" and {share:.0%} of the values have the form"
            return entry, f"the column's name says so{form}"
    for entry in entries:
        if entry.alone is None or len(values) < entry.least:
            continue
        if (share := share_of_form(entry, values)) >= entry.alone:
            return entry, f"{share:.0%} of the values have the form"
    return None
