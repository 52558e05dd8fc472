"""The summaries that blocks leave in their first rows, gathered in one process."""

from __future__ import annotations

import pickle
from typing import Any, Protocol

import pyarrow as pa

from shoal.engines.columns import SUMMARY
from shoal.engines.engine import Batches, Data, Engine
from shoal.engines.survey import PICKLED


class Summary(Protocol):
    """What is known of some rows of a block, or of all of them."""

    @property
    def n_rows(self) -> int:
        """How many rows these are."""

    @property
    def cost(self) -> float:
        """What they cost."""


Summaries = tuple[Summary, ...]


def summaries_of(engine: Engine, rows: Data) -> Summaries:
    """Return all summaries among the rows, in an order of their own."""
    chosen = engine.map(engine.select(rows, [SUMMARY]), _only_summaries, PICKLED, stage="summary")
    packed: list[Any] = engine.collect(chosen, stage="summary")["pickled"].to_pylist()
    found: list[Summary] = [one for some in packed for one in pickle.loads(some)]
    return tuple(sorted(found, key=lambda one: (one.cost, one.n_rows)))


def _only_summaries(batches: Batches) -> Batches:
    for batch in batches:
        place = batch.schema.get_field_index(SUMMARY)
        cells = batch.column(place).drop_null()
        if len(cells):
            yield pa.record_batch([cells], schema=PICKLED)
