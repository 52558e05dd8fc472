"""Numbers of people in released rows: from 1 within each class, in whatever blocks its rows were published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.engines.columns import CLASS, PERSON, ROW
from shoal.engines.engine import Batches, Data, Engine

_KEY = "shoal: classes"
_ROWS = 50_000
"""Rows of the classes whose people are numbered in one call, about."""


def with_numbered_people(engine: Engine, data: Data, person: str, n_rows: int) -> Data:
    """Return released rows with people numbered 1 .. m within each class, in the random order of its rows."""
    n_keys = max(1, n_rows // _ROWS)
    schema = engine.schema(data)
    with_key = pa.schema([*schema, pa.field(_KEY, pa.int32())])
    keyed = engine.map(data, _AddKey(n_keys), with_key, stage="people")
    return engine.map_keys(keyed, _KEY, n_keys, _Number(person), schema, stage="people")


def numbered(table: pa.Table, person: str) -> pa.Table:
    """Return rows of whole classes with people numbered within each, in the order in which they are met."""
    place = table.schema.get_field_index(person)
    whose = pl.DataFrame({"class": table[CLASS].to_numpy(), "person": table[PERSON].to_numpy()})
    people = whose.unique(maintain_order=True).with_columns(number=pl.int_range(1, pl.len() + 1).over("class"))
    numbers = whose.join(people, on=whose.columns, how="left", maintain_order="left")["number"]
    field = table.schema.field(place)
    return table.set_column(place, field, pa.chunked_array([numbers.to_numpy()]).cast(field.type))


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
