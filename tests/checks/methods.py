"""Every partitioning method behind one call, for the suite that runs over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from shoal.partition.choose import SQUARED_ERROR
from shoal.partition.gather import gather
from shoal.partition.microaggregate import METHODS as MICROAGGREGATION
from shoal.partition.microaggregate import microaggregate
from shoal.partition.result import Partition
from shoal.space.space import Space


@dataclass(frozen=True)
class Method:
    """`run(points, k, n_threads=...)` on an array (n, d); `columns` where a method takes only so many.

    `any_column_order`: without ties, the order of columns does not change the groups. The order of records decides
    where a flow has many ways to share them out, a tree can be cut in several places, or a diameter has two ends.
    """

    name: str
    run: Callable[..., Partition]
    columns: int | None = None
    any_column_order: bool = True

    def __str__(self) -> str:
        return self.name

    def points(self, rows: np.ndarray) -> np.ndarray:
        """`rows` cut to the columns that the method takes."""
        return np.ascontiguousarray(rows[:, : self.columns])


def _table() -> Iterator[Method]:
    """What is in the tree; `test_table` says what is missing."""
    yield Method("gather", gather, any_column_order=False)
    yield Method("gather, few groups", partial(gather, max_groups=4), any_column_order=False)
    if find_spec("shoal.partition.forest"):
        forest = import_module("shoal.partition.forest").forest
        yield Method(
            "forest",
            lambda points, k, **options: forest(Space.from_points(points, norm=1), k, **options),
            any_column_order=False,
        )
    for name in SQUARED_ERROR:
        if name == "optimal" or name in MICROAGGREGATION:
            yield Method(
                name,
                partial(microaggregate, method=name),
                columns=1 if name == "optimal" else None,
                any_column_order=name not in ("diameter", "mst-d", "best"),
            )


METHODS = tuple(_table())
