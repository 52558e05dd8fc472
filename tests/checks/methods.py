"""Every partitioning method behind one call, for the suite that runs over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature

import numpy as np

from shoal import method_table
from shoal.method_table import OBJECTIVES, MethodRecord
from shoal.partition.diversity.diverse import diverse
from shoal.partition.methods.cost import loaded
from shoal.partition.radius.gather import gather
from shoal.partition.result import Partition
from shoal.partition.single_attribute.rectangles import rectangles
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
    random: bool = False
    """Takes a seed."""
    counts: bool = False
    """The cost is the people of a class, which equal records have too."""
    only_k: int | None = None
    """The one k that the method is for."""
    mixed: bool = False
    """Takes a Space with labels and hierarchies too."""

    def __str__(self) -> str:
        return self.name

    def k(self, k: int) -> int:
        """The k to ask for: `k`, or the only one."""
        return self.only_k or k

    def points(self, rows: np.ndarray) -> np.ndarray:
        """`rows` cut to the columns that the method takes."""
        return np.ascontiguousarray(rows[:, : self.columns])


def _by_record(record: MethodRecord, points: np.ndarray | Space, k: int, **options: object) -> Partition:
    """The method as a release runs it, by its record in the table; without threads where its function has none."""
    function = loaded(record.function)
    norm = OBJECTIVES[record.objective].norm
    space = points if isinstance(points, Space) else Space.from_points(points, norm=norm)
    given = {keyword: k for keyword, fact in record.takes.items() if fact == "k"}
    if "n_threads" not in signature(function).parameters:
        options.pop("n_threads", None)
    return function(space, **given, **record.options, **options)


def _diverse(points: np.ndarray | Space, k: int, **options: object) -> Partition:
    """Every record has a color of its own, which depends on its values alone."""
    rows = points.coordinates if isinstance(points, Space) else np.asarray(points, dtype=float)
    ranks = np.empty(len(rows), dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        ranks[np.lexsort((*rows.T, np.sort(rows, axis=1).sum(axis=1)))] = np.arange(len(rows))
    return diverse(points, ranks, k, **options)


def _rectangles(points: np.ndarray, k: int, *, n_threads: int | None = None) -> Partition:
    """One thread always."""
    return rectangles(points, k)


ANY_COLUMN_ORDER = ("mdav", "v-mdav", "mst", "mst-c", "centroid", "optimal")

METHODS = (
    *(
        Method(
            record.name,
            partial(_by_record, record),
            columns=1 if record.one_number else None,
            any_column_order=record.name in ANY_COLUMN_ORDER,
            random="seed" in record.takes.values(),
            only_k=record.only_k,
            mixed=not record.one_number,
        )
        for record in method_table.METHODS.values()
    ),
    Method("rectangles", _rectangles, columns=2, any_column_order=False, counts=True),
    Method(
        "cellular, on a grid",
        partial(_by_record, method_table.METHODS["cellular"], exact=False),
        any_column_order=False,
        mixed=True,
    ),
    Method("diverse", _diverse, any_column_order=False, mixed=True),
    Method("gather, few groups", partial(gather, max_groups=4), any_column_order=False, mixed=True),
)
"""Every method of the table, and what no policy can name: variants, and functions for other problems."""
