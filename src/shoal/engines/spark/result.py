"""A release as a Spark frame: the rows that would be written, in their final order, and verified where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.certify import Findings
from shoal.certify.spark.count import inspect_rows
from shoal.certify.spark.rows import of_frame
from shoal.engines.columns import CLASS, ROW
from shoal.engines.engine import Batches
from shoal.engines.folder import numbered
from shoal.engines.release import Rows
from shoal.engines.spark.engine import SparkData, SparkEngine
from shoal.errors import ParameterError

_KEY = "shoal: classes"
_ROWS = 50_000
"""Rows of the classes whose people are numbered in one call, about."""


@dataclass(frozen=True, slots=True)
class _AddKey:
    """A function that adds a number below `n_keys` which all rows of a class share."""

    n_keys: int

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            words = np.asarray(batch.column(batch.schema.get_field_index(CLASS)))
            keys = ((words >> 32) + 2**31) * self.n_keys >> 32
            yield batch.append_column(pa.field(_KEY, pa.int32()), pa.array(keys.astype(np.int32)))


@dataclass(frozen=True, slots=True)
class _Number:
    """A function of all rows of some classes that numbers the people of each, as in a file."""

    person: str

    def __call__(self, rows: pa.Table) -> pa.Table:
        in_order = rows.drop_columns([_KEY]).sort_by([(CLASS, "ascending"), (ROW, "ascending")])
        return numbered(in_order, self.person)


def verified_frame(rows: Rows) -> tuple[Any, Findings]:
    """Return the released rows as a Spark frame in random order, and what the verifier found; an error if they fail.

    The rows are kept by the engine until it is closed.
    """
    engine = rows.engine
    if not isinstance(engine, SparkEngine):
        raise ParameterError("only a release that was made on Spark can be a frame of Spark.", "write it instead.")
    data: SparkData = rows.data
    person = rows.policy.person
    if person is not None:
        n_keys = max(1, rows.n_rows // _ROWS)
        schema = engine.schema(data)
        with_key = pa.schema([*schema, pa.field(_KEY, pa.int32())])
        keyed = engine.map(data, _AddKey(n_keys), with_key, stage="people")
        data = engine.map_keys(keyed, _KEY, n_keys, _Number(person), schema, stage="people")
    kept = engine.keep(engine.in_order(data, [CLASS, ROW]), stage="release")
    frame = engine.frame_of(engine.select(kept, rows.schema.names))
    return frame, inspect_rows(of_frame(frame), rows.policy, rows.choice.form).require()
