"""Whether the texts of a column identify people: identifiers inside them, names of people, or free text."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.roles.free_text import NOTES, free_text, names_in_phrases
from shoal.roles.house_numbers import house_numbers
from shoal.roles.inside_text import identifiers_inside
from shoal.roles.known_headings import is_known
from shoal.roles.likely_names import QUESTION, likely_names, means_people, means_property
from shoal.roles.person_names import holds_names
from shoal.roles.recognize import says, share
from shoal.roles.shown_categories import QUESTION as CATEGORY_QUESTION
from shoal.roles.shown_categories import shown_to_be_categories

ADDRESS_QUESTION = (
    'its values look like addresses. If they are labels with a number, write role = "quasi", kind = "label".'
)
CODE_QUESTION = (
    "its heading means a person, and its values are codes, so it is removed. If they say what somebody is, and not "
    'who, write role = "quasi", kind = "label".'
)
SIGNS = 0.5
"""The least share of codes, such as the number of a badge, among the different values below a word for people."""
_SIGN = r"^\pL{1,4}[\-/ .]?\d{3,}$|^\d{4,}$"
TEXT_QUESTION = (
    "its values look like typed text, in which people may be named. If they were chosen from a list, write "
    'role = "quasi", kind = "label".'
)


@dataclass(frozen=True, slots=True)
class Identifying:
    """What was found, the reason in words with counts, and the letter in HIPAA's Safe Harbor list."""

    what: str
    safe_harbor: str
    why: str
    questions: tuple[str, ...] = ()


def identifying_text(
    values: pl.Series, counts: pl.Series, name_words: str, *, is_place: bool = False
) -> Identifying | None:
    """Return why the different `values` identify people; None if they look like labels.

    `counts` has the number of cells with each value, and `name_words` the words of the column's name. With `is_place`
    values are not taken for names of people, because many places are named after somebody.
    """
    if found := identifiers_inside(values, counts):
        first = found[0]
        others = sorted({one.what for one in found} - {first.what})
        beside = f"; also {', '.join(others)}" if others else ""
        n_cells = int(counts.sum())
        return Identifying(
            first.what,
            first.safe_harbor,
            f"inside {first.n_cells} of {n_cells} cells ({first.n_values} of {len(values)} different values){beside}",
        )
    if not is_place and (n_names := holds_names(values, counts)):
        return Identifying(
            "name of a person", "A", f"{n_names} of {len(values)} different values look like names of people"
        )
    if not is_place and (why := likely_names(values, name_words)):
        return Identifying("name of a person", "A", why, (QUESTION,))
    if why := house_numbers(values):
        return Identifying("street address", "B", why, (ADDRESS_QUESTION,))
    if why := free_text(values, counts, named=says(NOTES, name_words)):
        return Identifying("free text", "R", f"{why}; it may name people")
    if not is_place and (why := names_in_phrases(values, name_words)):
        return Identifying("free text", "R", f"{why}; it may name people", (TEXT_QUESTION,))
    if means_people(name_words) and share(values.str.contains(_SIGN)) >= SIGNS:
        why = f"the heading means a person, and {len(values)} different values are codes"
        return Identifying("code of another person", "R", why, (CODE_QUESTION,))
    known = (is_known(name_words) and not means_people(name_words)) or means_property(name_words)
    if not is_place and not known and not shown_to_be_categories(values):
        why = f"{len(values)} different values under a heading that is not known, which may name people"
        return Identifying("text of unknown meaning", "R", why, (CATEGORY_QUESTION,))
    return None
