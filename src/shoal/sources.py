"""What stands around the steps of `api` and `applying`: a source read as asked, its rows in their own order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

from shoal import progress
from shoal.kernels._jit import on_compile
from shoal.policy import Policy
from shoal.roles import assign, remarks, typed
from shoal.shortcuts import SOURCE
from shoal.tables import ReadOptions, Table, read, read_back

Source = Any
"""A path, or a polars, pandas or pyarrow frame."""


def with_roles(table: Table, policy: Policy) -> tuple[Table, Policy]:
    """The resolved policy, and the table with text read as the numbers or dates that the policy says it is.

    What there is to say of single columns is noted.
    """
    resolved = assign(table, policy)
    table = typed(table, resolved)
    found = remarks(table.frame, resolved)
    for remark in found:
        progress.note(remark)
    return replace(table, notes=(*table.notes, *found)), resolved


def in_own_order(table: Table) -> tuple[Table, npt.NDArray[np.int64]]:
    """Rows sorted by all their cells, and where each stood: the input's order decides nothing, not even a tie."""
    keys = _keys(table.frame.with_columns((cs.categorical() | cs.enum()).cast(pl.String)))
    order = keys.select(pl.arg_sort_by(keys.columns)).to_series().to_numpy().astype(np.int64)
    return replace(table, frame=table.frame[order]), order


def _keys(frame: pl.DataFrame) -> pl.DataFrame:
    """Whole numbers that sort as the cells do, several columns in one where they fit: quicker to sort than text."""
    keys: list[npt.NDArray[np.int64]] = []
    most = 0
    for column in frame.get_columns():
        cells = column.alias("cell").to_frame()
        ranked = cells.unique().sort("cell").with_row_index("rank")
        ranks = cells.join(ranked, on="cell", how="left", nulls_equal=True, maintain_order="left")["rank"].to_numpy()
        if most and most * len(ranked) < 2**63:
            keys[-1] = keys[-1] * len(ranked) + ranks
            most *= len(ranked)
        else:
            keys.append(ranks.astype(np.int64))
            most = len(ranked)
    return pl.DataFrame({str(place): key for place, key in enumerate(keys)})


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
def told_of_compilation() -> Iterator[None]:
    """A first run that must compile says so, once."""
    said = False

    def say() -> None:
        nonlocal said
        if not said:
            said = True
            progress.note("first run: compiling; this takes up to half a minute and is kept for later runs")

    with on_compile(say):
        yield
