"""The first steps of a run, which read the source and resolve roles."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import progress
from shoal.certify.files import CERTIFICATE, UnsafeError, sha256_of
from shoal.certify.several_files import files_of
from shoal.certify.stated import stated_encoding
from shoal.clock import Clock
from shoal.partition.methods.choose import choose
from shoal.pipeline.reporting import read_options
from shoal.policy import Policy
from shoal.publish.set_cells import sorted_sets
from shoal.roles import (
    assign,
    decimals_as_read,
    labeled,
    remarks,
    typed,
    with_decimal_commas,
    with_decimals,
    with_default_kinds,
    with_numbers,
    without_null_values,
)
from shoal.roles.rare_values import with_merged_values
from shoal.roles.recode import with_limits, with_merged_labels
from shoal.tables import ReadOptions, Table, read, read_back
from shoal.tables.database.source import DatabaseSource
from shoal.tables.store import StoredSource

Source = Any
"""A path, a table of a database, or a polars, pandas or pyarrow frame."""
PolicyLike = Policy | str | Path | dict[str, Any] | None
"""A policy, the path of its TOML file, or its settings as a dictionary."""


def read_source(source: Source, policy: Policy, clock: Clock) -> Table:
    """Return the table of a file or a frame, read as the policy says; remarks on the table are reported."""
    with clock("read"):
        table = read(source, read_options(policy))
        for remark in table.notes:
            progress.note(remark)
    return table


def resolve_roles(table: Table, policy: Policy, clock: Clock) -> tuple[Table, Policy]:
    """Return the table with texts converted to the numbers or dates of the policy, and the resolved policy.

    Columns that are published unchanged or compared as labels keep the text that was read. Values are recoded as the
    policy states, and all later steps use the recoded table. Remarks on single columns are reported.
    """
    with clock("roles"):
        table, policy = with_numbers(without_null_values(table, policy), policy)
        policy = with_decimal_commas(table, with_default_kinds(table, policy))
        decimals = decimals_as_read(table, policy)
        table, absent = with_merged_labels(labeled(table, policy), policy)
        resolved = assign(table, policy)
        form = choose(resolved).form
        texts = form == "suppress" or (form == "generalize" and resolved.ranges == "brackets")
        resolved = with_decimals(resolved, decimals) if texts else resolved  # otherwise means and ends stay numbers
        table = _with_sorted_sets(with_limits(typed(table, resolved), resolved), resolved)
        table, merged = with_merged_values(table, resolved)
        found = (*absent, *merged, *remarks(table.frame, resolved))
    for remark in found:
        progress.note(remark)
    return replace(table, notes=(*table.notes, *found)), resolved


def _with_sorted_sets(table: Table, policy: Policy) -> Table:
    """Return the table with the items of every set sorted, so that nothing depends on their order in the source."""
    name = policy.set_column
    if name is None:
        return table
    sets = sorted_sets(table.frame[name], policy.columns[name])
    texts = table.texts.drop(name) if name in table.texts.columns else table.texts
    return replace(table, frame=table.frame.with_columns(sets), texts=texts)


def as_released(released: Source) -> pl.DataFrame:
    """Return a released table as any reader would read it; from a file, every cell is the text that is written."""
    if not isinstance(released, str | Path):
        return read(released).frame
    options = ReadOptions(encoding=stated_encoding(Path(released).parent / CERTIFICATE))
    return pl.concat([read_back(file, options) for file in files_of(Path(released))])


def name_of(source: Source) -> str:
    """Return the name of a source for reports: that of the file, or for example "a pandas frame"."""
    if isinstance(source, DatabaseSource | StoredSource):
        return source.name
    return Path(source).name if isinstance(source, str | Path) else f"a {type(source).__module__.split('.')[0]} frame"


def sha256_of_source(source: Source) -> str | None:
    """Return the SHA-256 of the file that a table was read from, which a dossier compares; None if it was no file."""
    try:
        return sha256_of(Path(source), follow=True) if isinstance(source, str | Path) else None
    except (OSError, ValueError, UnsafeError):  # a database, a folder of parts, a pipe
        return None


def numbers_may_be_huge() -> AbstractContextManager[Any]:
    """Return a context in which NumPy does not warn of overflow.

    Squares of the largest numbers overflow to infinity; the measures then report infinity, so no warning is needed.
    """
    return np.errstate(over="ignore", invalid="ignore")
