"""Groups along the borders between blocks: which they are, a sample of them, and other blocks for them.

Guarantee   All rows of a group go to one block. Where a row goes depends on the middle of its group and on the tree
            of cuts only, and the sample neither on the engine nor on how rows are spread over partitions.

A record gains nothing by a group across a cut if it would be farther from that group's records than its present group
costs it, as in `partition.blocks.search`, whose second step this is for tables that are larger than memory.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.engines.columns import BLOCK, KEY, PLACE
from shoal.engines.cut_tree import CutTree
from shoal.engines.engine import Batches
from shoal.engines.row_hash import row_words
from shoal.engines.survey import HASH, PICKLED, Survey
from shoal.partition.blocks.search import NEAR_BORDER
from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space
from shoal.tables.from_frame import from_arrow


def middles_near_borders(space: Space, labels: Labels, apart: Floats) -> pa.Array[Any]:
    """Return for each row the middle of its group as bytes if the group is near another block, and null if not.

    `apart` is at most the distance of a row to other blocks. The middle has on each axis the lower median of the
    group: where most of a group is on one side of a cut between numbers, or has one label, its middle is there.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    near = np.minimum.reduceat(apart[order], starts) < NEAR_BORDER * cost_of_groups(space, order, starts)
    middles = np.empty((len(starts), len(space.axes)))
    for j in range(len(space.axes)):
        along = space.coordinates[np.lexsort((space.coordinates[:, j], labels)), j]
        middles[:, j] = along[starts + (sizes - 1) // 2]
    packed = [middle.tobytes() if is_near else None for middle, is_near in zip(middles, near.tolist(), strict=True)]
    of_row = np.empty(len(order), dtype=np.int64)
    of_row[order] = np.repeat(np.arange(len(starts)), sizes)
    return pa.array(packed, pa.binary()).take(of_row)


@dataclass(frozen=True, slots=True)
class SampleBorders:
    """A function of one partition that returns a sample of the rows of groups near borders, as a pickled survey."""

    quasi: tuple[str, ...]
    size: int
    copies: int

    def __call__(self, batches: Batches) -> Batches:
        whole = Survey()
        for batch in batches:
            near = batch.filter(batch.column(batch.schema.get_field_index(PLACE)).is_valid())
            if near.num_rows:
                known = from_arrow(pa.Table.from_batches([near.select(list(self.quasi))]), "parquet").frame
                hashed = known.with_columns(pl.Series(HASH, row_words(known)))
                whole.add(Survey(n_rows=near.num_rows, sample=hashed), self.size, self.copies)
        yield pa.record_batch([pa.array([pickle.dumps(whole)], pa.binary())], schema=PICKLED)


@dataclass(frozen=True, slots=True, eq=False)
class AddKey:
    """A function of one partition that adds the number of the block in which a row is published.

    That is its own block; or, if its group is near a border, a block of `tree`, numbered from `first` on.
    """

    tree: CutTree
    first: int

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            keys = batch.column(batch.schema.get_field_index(BLOCK)).to_numpy(zero_copy_only=False).astype(np.int32)
            place = batch.column(batch.schema.get_field_index(PLACE))
            near = place.is_valid().to_numpy(zero_copy_only=False)
            if near.any():
                packed: list[Any] = place.drop_null().to_pylist()
                middles = np.frombuffer(b"".join(packed), dtype=np.float64)
                keys[near] = self.first + self.tree.blocks(middles.reshape(int(near.sum()), -1))
            yield batch.append_column(pa.field(KEY, pa.int32()), pa.array(keys))


def add_own_key(batches: Batches) -> Batches:
    """Yield the rows with their own block as the one in which they are published."""
    for batch in batches:
        block = batch.column(batch.schema.get_field_index(BLOCK))
        yield batch.append_column(pa.field(KEY, pa.int32()), block)
