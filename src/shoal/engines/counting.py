"""Which blocks can meet the requirements: their rows, people and sensitive values, counted exactly.

Guarantee   Every block has at least TIMES_K times k people and LEAST_ROWS rows, and meets every requirement as one
            group; its distribution of a column with t is near enough to that of the table to leave half of t to its
            groups. Where the whole table misses one of these, it is one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.engines.engine import Batches
from shoal.engines.outline import Outline
from shoal.engines.row_hash import cell_words
from shoal.partition.blocks.feasible import LEAST_ROWS, TIMES_K
from shoal.partition.result import Floats, Labels
from shoal.pipeline.counted_values import counted
from shoal.requirements import Counts, Records, Requirement, Sparse, TCloseness
from shoal.requirements import build as build_requirements
from shoal.tables.from_frame import from_arrow
from shoal.tables.text import text_of

_FIELDS: list[pa.Field[Any]] = [
    pa.field("block", pa.int64()),
    pa.field("column", pa.int32()),
    pa.field("value", pa.large_string()),
    pa.field("rows", pa.int64()),
    pa.field("people", pa.int64()),
]
COUNTED = pa.schema(_FIELDS)
ROOM = 0.5
"""The share of t that is left for the groups of a block, at least."""
DOWN = 1 - 1e-9
"""t of a block is rounded down by this factor: far more than floating-point sums can be wrong by."""


@dataclass(frozen=True, slots=True)
class CountBlocks:
    """A function of one partition that counts the rows and people of its blocks, and who has which value."""

    block: str
    columns: tuple[str, ...]
    """The columns with requirements."""
    person: str | None
    outline: Outline

    def __call__(self, batches: Batches) -> Batches:
        kept: list[pl.DataFrame] = []
        for batch in batches:
            if not batch.num_rows:
                continue
            rows = pa.Table.from_batches([batch])
            table = self.outline.typed(from_arrow(rows.drop_columns([self.block]), "parquet").frame)
            frame = pl.DataFrame({"block": rows[self.block].to_numpy().astype(np.int64)})
            shown = table.as_read
            frame = frame.with_columns(text_of(shown[name]).alias(f"v{i}") for i, name in enumerate(self.columns))
            if self.person is not None:
                kept.append(frame.with_columns(pl.Series("person", cell_words(shown[self.person]))))
            else:
                kept.append(self._counted(frame, pl.len()))
        if not kept:
            yield from COUNTED.empty_table().to_batches()
            return
        whole = pl.concat(kept)
        if self.person is not None:  # all rows of a person are in this partition
            whole = self._counted(whole, pl.col("person").n_unique())
        yield from whole.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(COUNTED).to_batches()

    def _counted(self, frame: pl.DataFrame, people: pl.Expr) -> pl.DataFrame:
        parts = []
        for i, by in enumerate([None, *(f"v{i}" for i in range(len(self.columns)))]):
            keys = ["block"] if by is None else ["block", by]
            found = frame.group_by(keys).agg(rows=pl.len().cast(pl.Int64), people=people.cast(pl.Int64))
            value = pl.lit(None, pl.String) if by is None else pl.col(by)
            parts.append(
                found.select("block", column=pl.lit(i - 1, pl.Int32), value=value, rows="rows", people="people")
            )
        return pl.concat(parts)


@dataclass(frozen=True, slots=True, eq=False)
class BlockCounts:
    """The counts of all blocks, as the requirements read them."""

    rows: Labels
    people: Labels
    held: dict[str, Labels]
    """Per column, a matrix of blocks and codes of values: how many people of a block have each value."""
    requirements: Sequence[Requirement]
    records: Records

    @classmethod
    def of(cls, table: pa.Table, outline: Outline, columns: Sequence[str], n_blocks: int) -> BlockCounts:
        """Return the counts of a table of COUNTED."""
        counted_rows = pl.from_arrow(table)
        assert isinstance(counted_rows, pl.DataFrame)
        added = counted_rows.group_by("block", "column", "value").agg(pl.col("rows").sum(), pl.col("people").sum())
        requirements, records = build_requirements(
            outline.policy, counted(outline.table, outline.policy), check=False
        )
        rows, people = np.zeros(n_blocks, dtype=np.int64), np.zeros(n_blocks, dtype=np.int64)
        whole = added.filter(pl.col("column") == -1)
        rows[whole["block"].to_numpy()] = whole["rows"].to_numpy()
        people[whole["block"].to_numpy()] = whole["people"].to_numpy()
        held = {}
        shown = outline.table.as_read
        for i, name in enumerate(columns):
            codes = pl.DataFrame({"value": text_of(shown[name]), "code": records.sensitive[name]}).unique()
            own = added.filter(pl.col("column") == i).join(codes, on="value", how="left", nulls_equal=True)
            matrix = np.zeros((n_blocks, int(records.sensitive[name].max()) + 1), dtype=np.int64)
            np.add.at(matrix, (own["block"].to_numpy(), own["code"].to_numpy()), own["people"].to_numpy())
            held[name] = matrix
        return cls(rows, people, held, requirements, records)

    def good(self, k: int) -> _Good:
        """Return a function that says which unions of blocks may be blocks."""
        return _Good(self, k)

    def counts(self, sums: Labels) -> Counts:
        """Return the counts of unions of blocks: `sums` has a row per union and a column per block."""
        totals = {name: matrix.sum(axis=0) for name, matrix in self.held.items()}
        sensitive = {name: _sparse(sums @ matrix) for name, matrix in self.held.items()}
        return Counts(sums @ self.people, sensitive, totals, self.records.ancestors, self.records.missing)

    def distances(self, asked: TCloseness, sums: Labels) -> Floats:
        """Return the distances of unions of blocks from the whole table, in a column with t-closeness."""
        return asked.measure(self.counts(sums))

    def t_of_blocks(self) -> dict[str, tuple[float, ...]]:
        """Return, per column with t-closeness, the t that groups of each block are made with; 0 without rows."""
        held = np.flatnonzero(self.rows)  # along borders, a block may have given all of its groups away
        each = np.eye(len(self.rows), dtype=np.int64)[held]
        found = {}
        for one in self.requirements:
            if isinstance(one, TCloseness):
                left = np.zeros(len(self.rows))
                left[held] = np.maximum(one.t - self.distances(one, each), 0.0) * DOWN
                found[one.column] = tuple(left.tolist())
        return found

    def joined(self, into: Labels) -> BlockCounts:
        """Return the counts of unions of blocks; `into` has the union of each block."""
        sums = np.zeros((int(into.max()) + 1, len(self.rows)), dtype=np.int64)
        sums[into, np.arange(len(self.rows))] = 1
        held = {name: sums @ matrix for name, matrix in self.held.items()}
        return BlockCounts(sums @ self.rows, sums @ self.people, held, self.requirements, self.records)


@dataclass(frozen=True, slots=True, eq=False)
class _Good:
    counts: BlockCounts
    k: int

    def __call__(self, sums: Labels) -> Sequence[bool]:
        own = self.counts
        good = (sums @ own.people >= TIMES_K * self.k) & (sums @ own.rows >= LEAST_ROWS)
        there = np.flatnonzero(good)
        if not len(there):
            return [bool(one) for one in good]
        found = own.counts(sums[there])
        for one in own.requirements:
            if isinstance(one, TCloseness):
                near = one.measure(found) <= (1 - ROOM) * one.t
                if one.distance != "equal":  # the ground distance counts the values that occur
                    held = sums[there] @ own.held[one.column]
                    near &= ((held > 0) == (own.held[one.column].sum(axis=0) > 0)).all(axis=1)
                good[there] &= near
            else:
                good[there] &= one.holds(found)
        return [bool(one) for one in good]


def _sparse(matrix: Labels) -> Sparse:
    group, code = np.nonzero(matrix)
    start = np.concatenate(([0], np.cumsum(np.bincount(group, minlength=len(matrix)))))
    return Sparse(start.astype(np.int64), code.astype(np.int64), matrix[group, code])
