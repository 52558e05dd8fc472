"""A released table in several files: each is a random part of the rows, so that the file of a row says nothing.

Guarantee   The rows are put in an order drawn from the secret, every order being equally likely, which is cut into
            files whose sizes differ by at most one row. So every file is a uniformly random part of the table,
            whatever the rows hold (PRIVACY-6, docs/proofs/privacy.md).
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import polars as pl

from shoal.caller import named, setting
from shoal.certify.several_files import file_names, files_of
from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.secret import Secret
from shoal.tables import Dialect, write_file


def check_several(policy: Policy, called: str, *, excel: bool) -> None:
    """Raise a ParameterError if a release cannot be written to several files; `called` is the name of its table."""
    own = named("rows_per_file")
    if called.endswith(".xlsx") or excel:
        raise ParameterError(f"{own} is not for spreadsheets.", f"use {setting('format', 'parquet')} or csv.")
    if policy.synthetic is not None:
        raise ParameterError(f"synthetic rows cannot be beside several files of {own}.", "leave one of the two out.")
    if policy.metadata is not None and policy.metadata.formats:
        raise ParameterError(
            f"descriptions for catalogs are of one file, not of several ({own}).",
            "leave one of the two out; datapackage.json, which is always written, describes several files.",
        )


def write_several(frame: pl.DataFrame, file: Path, ends: list[int], secret: Secret, dialect: Dialect | None) -> Path:
    """Write a table to several files that end after the rows `ends` of a random order; return the first of them."""
    names = file_names(len(ends), file.suffix.removeprefix("."))
    # the values of an Enum are part of its type: a file without some of them would have another type
    texts = frame.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))
    order = secret.permutation("files", frame.height)
    for name, (start, end) in zip(names, pairwise([0, *ends]), strict=True):
        write_file(texts[order[start:end]], file.with_name(name), dialect=dialect)
    return file.with_name(names[0])


def shown_names(file: Path) -> str:
    """Return the name of a released file, or the first and the last of several."""
    first, last = files_of(file)[0].name, files_of(file)[-1].name
    return first if first == last else f"{first} to {last}"
