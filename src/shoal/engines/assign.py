"""Choosing rows, and putting them into blocks: each by its own cells, or all of a person where most belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.engines.block import Shaped
from shoal.engines.columns import BLOCK, PERSON
from shoal.engines.cut_tree import CutTree
from shoal.engines.engine import Batches
from shoal.engines.outline import Outline
from shoal.engines.row_hash import cell_words
from shoal.partition.methods.choose import choose
from shoal.partition.result import Labels
from shoal.pipeline.selection import rows_where
from shoal.policy import Policy
from shoal.roles.null_values import is_missing
from shoal.tables.from_frame import from_arrow


@dataclass(frozen=True, slots=True, eq=False)
class AddBlock:
    """A function of one partition that adds the block of every row."""

    outline: Outline
    tree: CutTree

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            if batch.num_rows:
                found = self.blocks(pa.Table.from_batches([batch]))
                yield batch.append_column(pa.field(BLOCK, pa.int32()), pa.array(found.astype(np.int32)))

    def blocks(self, rows: pa.Table) -> Labels:
        """Return the block of every row by its own cells."""
        frame = from_arrow(rows.select(self.outline.policy.quasi), "parquet").frame
        table = self.outline.typed(frame)
        return self.tree.blocks(Shaped.of(self.outline, table.frame, choose(self.outline.policy)).space.coordinates)


@dataclass(frozen=True, slots=True)
class KeepWhere:
    """A function of one partition that keeps the rows which meet the condition of the policy."""

    policy: Policy
    """The policy as it was asked, without identifiers."""

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            if batch.num_rows:
                rows = rows_where(from_arrow(pa.Table.from_batches([batch]), "parquet"), self.policy)
                yield batch.take(rows)


@dataclass(frozen=True, slots=True)
class WithoutCodes:
    """A function of one partition that makes cells missing which the policy lists as such (`null_values`)."""

    codes: Mapping[str, tuple[str, ...]]
    """Per column, the texts, numbers and dates that mean missing."""

    @classmethod
    def of(cls, policy: Policy) -> WithoutCodes:
        """Return the function for a policy; columns that are published as they were read are not changed."""
        return cls({name: one.null_values for name, one in policy.columns.items() if one.role != "other"})

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            for name, codes in self.codes.items():
                if codes and batch.num_rows:
                    batch = self._without(batch, name, codes)
            yield batch

    def _without(self, batch: pa.RecordBatch, name: str, codes: tuple[str, ...]) -> pa.RecordBatch:
        place = batch.schema.get_field_index(name)
        values = from_arrow(pa.Table.from_batches([batch.select([name])]), "parquet").frame[name]
        there = pa.array(np.arange(batch.num_rows), pa.int64(), mask=is_missing(values, codes).to_numpy())
        return batch.set_column(place, batch.schema.field(place), batch.column(place).take(there))


@dataclass(frozen=True, slots=True)
class AddPerson:
    """A function of one partition that adds a number below `n_keys` which all rows of a person have."""

    person: str
    n_keys: int

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            if batch.num_rows:
                cells = from_arrow(pa.Table.from_batches([batch.select([self.person])]), "parquet").frame
                keys = (cell_words(cells[self.person]) >> np.uint64(32)) * np.uint64(self.n_keys) >> np.uint64(32)
                yield batch.append_column(pa.field(PERSON, pa.int32()), pa.array(keys.astype(np.int32)))


@dataclass(frozen=True, slots=True, eq=False)
class AssignPeople:
    """A function of all rows of some people that adds the block of each person: where most of the rows belong."""

    by_row: AddBlock
    person: str

    def __call__(self, rows: pa.Table) -> pa.Table:
        rows = rows.drop_columns([PERSON])
        people = from_arrow(rows.select([self.person]), "parquet").frame[self.person]
        frame = pl.DataFrame({"person": people, "block": self.by_row.blocks(rows)})
        votes = frame.group_by("person", "block").len().sort("len", "block", descending=[True, False])
        most = votes.group_by("person", maintain_order=True).agg(pl.col("block").first())
        found = frame.select("person").join(most, on="person", how="left", nulls_equal=True, maintain_order="left")
        return rows.append_column(pa.field(BLOCK, pa.int32()), pa.array(found["block"].to_numpy().astype(np.int32)))


@dataclass(frozen=True, slots=True, eq=False)
class Renumber:
    """A function of one partition that replaces the blocks by unions of them."""

    into: Labels

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            place = batch.schema.get_field_index(BLOCK)
            new = self.into[batch.column(place).to_numpy(zero_copy_only=False)].astype(np.int32)
            yield batch.set_column(place, batch.schema.field(place), pa.array(new))
