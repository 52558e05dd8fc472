"""The first steps of a run, and what stands around all of them: a source read as asked, roles, remarks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import progress
from shoal.clock import Clock
from shoal.errors import TableError
from shoal.kernels._jit import cache_folder, cache_trouble, on_compile
from shoal.policy import Policy
from shoal.policy.keywords import SOURCE
from shoal.roles import assign, labeled, remarks, typed
from shoal.tables import ReadOptions, Table, read, read_back

Source = Any
"""A path, or a polars, pandas or pyarrow frame."""
PolicyLike = Policy | str | Path | dict[str, Any] | None
"""A policy, the path of its TOML file, or its settings as a dictionary."""


def read_source(source: Source, policy: Policy, clock: Clock) -> Table:
    """The table of a file or a frame, read as the policy says; what is odd about it is noted."""
    with clock("read"):
        table = read(source, read_options(policy))
        for remark in table.notes:
            progress.note(remark)
    return table


def resolve_roles(table: Table, policy: Policy, clock: Clock) -> tuple[Table, Policy]:
    """The resolved policy, and the table with text read as the numbers or dates that the policy says it is.

    What is published as it is, or compared as a label, is the text that was read.
    What there is to say of single columns is noted.
    """
    with clock("roles"):
        table = labeled(table, policy)
        resolved = assign(table, policy)
        table = typed(table, resolved)
        found = remarks(table.frame, resolved)
    for remark in found:
        progress.note(remark)
    return replace(table, notes=(*table.notes, *found)), resolved


def as_released(released: Source) -> pl.DataFrame:
    """A released table as anyone reads it: every cell as it is written."""
    return read_back(released) if isinstance(released, str | Path) else read(released).frame


def read_options(policy: Policy) -> ReadOptions:
    return ReadOptions(**{name: getattr(policy.source, name) for name in SOURCE})


def name_of(source: Source) -> str:
    return Path(source).name if isinstance(source, str | Path) else f"a {type(source).__module__.split('.')[0]} frame"


def numbers_may_be_huge() -> AbstractContextManager[Any]:
    """Squares of the largest numbers are infinite. The measures then say so, and nobody needs a warning."""
    return np.errstate(over="ignore", invalid="ignore")


@contextmanager
def reporting_compilation() -> Iterator[None]:
    """A first run that must compile says so, once."""
    said = False

    def say() -> None:
        nonlocal said
        if not said:
            said = True
            trouble = cache_trouble()
            kept = "is kept for later runs" if trouble is None else f"is not kept in {cache_folder()}: {trouble}"
            progress.note(f"first run: compiling; this takes up to half a minute and {kept}")

    with on_compile(say), reporting_memory():
        yield


@contextmanager
def reporting_memory() -> Iterator[None]:
    """One sentence where memory runs out; a library in Rust then panics, which is no Exception."""
    try:
        yield
    except MemoryError:
        raise TableError.no_memory() from None
    except BaseException as fault:
        told = str(fault).lower()
        if type(fault).__name__ == "PanicException" and ("memory" in told or "alloc" in told or "spawn" in told):
            raise TableError.no_memory() from None
        raise
