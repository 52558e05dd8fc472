"""Keyed hashes of people, by which a history recognizes them without naming them."""

from __future__ import annotations

import hmac

import polars as pl

from shoal.caller import setting
from shoal.errors import SchemaError
from shoal.tables.text import text_of

KEY_BYTES = 32  # the length of the key in bytes, that of a SHA-256 digest


def marks(people: pl.Series, key: bytes) -> pl.Series:
    """Return the HMAC-SHA256 of every cell; equal for equal texts, whatever type they were read as.

    Every row must be about a different person; otherwise a `SchemaError` is raised, because a person with two rows
    cannot be followed.
    """
    texts = _written(people)
    missing = texts.null_count()
    if missing:
        raise SchemaError(
            f"{missing} of {len(texts)} rows have no value in {people.name}, by which people are followed.",
            "fill it in, or leave out those rows before.",
        )
    several = len(texts) - texts.n_unique()
    if several:
        raise SchemaError(
            f"{several} rows share a value of {people.name} with another row; people are followed by one row each.",
            f"give a column that is different in every row ({setting('link', 'COLUMN')}), or one row per person.",
        )
    return _hashed(texts, key)


def value_marks(values: pl.Series, key: bytes) -> pl.Series:
    """Return the hashes of sensitive values, which may repeat; missing stays missing."""
    return _hashed(text_of(values), key)


def _written(people: pl.Series) -> pl.Series:
    """Return the cells as text, with 7 and 7.0 as one number and without surrounding blanks."""
    if people.dtype.is_float():
        whole = people.drop_nulls()
        if len(whole) and bool((whole == whole.round()).all()) and float(whole.abs().max()) < 2**53:  # type: ignore[arg-type]
            people = people.cast(pl.Int64)
    return text_of(people).str.strip_chars()


def _hashed(texts: pl.Series, key: bytes) -> pl.Series:
    found = [None if text is None else hmac.digest(key, text.encode(), "sha256") for text in texts.to_list()]
    return pl.Series(texts.name, found, dtype=pl.Binary)
