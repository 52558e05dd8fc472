"""Recognizing addresses by house numbers, whatever the street is called: `14 Tannery Row`, `Lindenweg 5`.

A label with a number in it, such as `Ward 7` or `Pixel 6`, has few words before many numbers, or few values in all.
Of addresses there are many, and both the words and the numbers vary.
"""

from __future__ import annotations

import polars as pl

from shoal.roles.recognize import share

FEWEST, STREETS = 20, 3
"""The fewest different addresses, and the fewest different streets in them."""
NUMBERS = 8
"""The fewest different house numbers."""
SHARE = 0.8
_BEFORE = r"^(\d{1,4})[A-Za-z]?,? ((?:\p{Lu}|d[eiou]|la|le|el)[\pL .'’\-]{2,40})(?:,.*)?$"
_AFTER = r"^(\p{Lu}[\pL .'’\-]{2,40}?),? (?:[Nn]r\.? ?|[Nn]o\.? ?|n[°º] ?)?(\d{1,4}) ?[A-Za-z]?(?:[,/ \-].*)?$"


def house_numbers(values: pl.Series) -> str | None:
    """Return why the different `values` are addresses; None if they are not."""
    for form, number, street in ((_BEFORE, 0, 1), (_AFTER, 1, 0)):
        parts = values.str.strip_chars().str.extract_groups(form).struct.unnest().drop_nulls()
        if parts.height < FEWEST or parts.height < SHARE * len(values):
            continue
        numbers, streets = (parts.to_series(at).n_unique() for at in (number, street))
        one_letter = share(parts.to_series(street).str.len_chars() < 4) > 0.5
        if numbers >= NUMBERS and streets >= STREETS and not one_letter:
            return f"{parts.height} of {len(values)} different values are words and a house number"
    return None
