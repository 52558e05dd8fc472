"""Every partitioning method behind one call, for the suite that runs over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.partition.cellular_cost.cellular import cellular
from shoal.partition.diversity.diverse import diverse
from shoal.partition.generalization.forest import forest
from shoal.partition.generalization.full_domain import datafly, full_domain
from shoal.partition.generalization.mondrian import mondrian
from shoal.partition.generalization.pairs import pairs
from shoal.partition.generalization.triples import triples
from shoal.partition.methods.choose import SQUARED_ERROR
from shoal.partition.microaggregation.microaggregate import microaggregate
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


def _forest(points: np.ndarray | Space, k: int, **options: object) -> Partition:
    return forest(points if isinstance(points, Space) else Space.from_points(points, norm=1), k, **options)


def _cellular(points: np.ndarray | Space, k: int, **options: object) -> Partition:
    return cellular(points, r=k, **options)


def _alone(method: Callable[..., Partition], points: np.ndarray | Space, k: int, n_threads: int = 1) -> Partition:
    """A method that has no threads."""
    return method(points if isinstance(points, Space) else Space.from_points(points, norm=1), k)


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


def _factor(method: Callable[..., Partition], points: np.ndarray | Space, _k: int, n_threads: int = 1) -> Partition:
    space = points if isinstance(points, Space) else Space.from_points(points, norm=1)
    return method(space, n_threads=n_threads)


METHODS = (
    Method("rectangles", _rectangles, columns=2, any_column_order=False, counts=True),
    Method("pairs", partial(_factor, pairs), any_column_order=False, only_k=2, mixed=True),
    Method("triples", partial(_factor, triples), any_column_order=False, only_k=3, mixed=True),
    Method("mondrian", partial(_alone, mondrian), any_column_order=False, mixed=True),
    Method("mondrian-relaxed", partial(_alone, partial(mondrian, relaxed=True)), any_column_order=False, mixed=True),
    Method("full-domain", partial(_alone, full_domain), any_column_order=False, mixed=True),
    Method("datafly", partial(_alone, datafly), any_column_order=False, mixed=True),
    Method("cellular", _cellular, any_column_order=False, mixed=True),
    Method("cellular, on a grid", partial(_cellular, exact=False), any_column_order=False, mixed=True),
    Method("diverse", _diverse, any_column_order=False, mixed=True),
    Method("gather", gather, any_column_order=False, mixed=True),
    Method("gather, few groups", partial(gather, max_groups=4), any_column_order=False, mixed=True),
    Method("forest", _forest, any_column_order=False, mixed=True),
    *(
        Method(
            name,
            partial(microaggregate, method=name),
            columns=1 if name == "optimal" else None,
            any_column_order=name not in ("diameter", "mst-d", "best"),
            random=name == "best",
            mixed=name != "optimal",
        )
        for name in SQUARED_ERROR
    ),
)
