"""Recognizing codes such as postal codes, ICD codes and area numbers, whose first characters name the larger unit."""

from __future__ import annotations

import re

import polars as pl

from shoal.roles.kinds import is_text

CODE = r"^[A-Z0-9]{3,10}(?:[. ][A-Z0-9]{1,4})?$"
LETTER_AND_DIGITS = re.compile(r"[A-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?")
FEWEST = 8
"""The fewest different values of a column that is treated as a code; fewer can as well be published as a set."""


def is_code(values: pl.Series) -> bool:
    """Return whether the values look like codes.

    They do if there are at least `FEWEST` different ones, of capital letters and digits with at least one digit, and
    they are all of one length or have the form of ICD codes.
    """
    if not is_text(values.dtype):
        return False
    texts = values.drop_nulls().unique().cast(pl.String)
    if len(texts) < FEWEST or not (texts.str.contains(CODE) & texts.str.contains(r"\d")).all():
        return False
    one_length = texts.str.len_chars().n_unique() == 1
    return one_length or all(map(LETTER_AND_DIGITS.fullmatch, texts.to_list()))
