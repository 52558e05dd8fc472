"""Records as points of a metric space, whatever their columns are.

A coordinate is a LINE (numbers, dates, ordered values: distance |x - y|, with scale and weight already applied) or a
TREE (labels and hierarchies: the coordinate is the leaf's rank in depth-first order, and the distance of two leaves
depends on the level at which they first meet). Both are metrics, and so is their sum (`norm` 1) or their Euclidean
combination (`norm` 2). On either kind of axis the point of an interval nearest to x is x itself or the nearer end,
because leaves below one node have consecutive ranks; therefore one box tree serves columns of all kinds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal._repr import brief
from shoal.errors import ParameterError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LINE, TREE = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One coordinate. `ancestors` and `level_cost` are set for a TREE and None for a LINE."""

    column: str
    kind: int
    ancestors: npt.NDArray[np.int32] | None = None
    """(n_leaves, n_levels + 1): the node above leaf `rank` at each level; level 0 is the leaf, the last the root."""
    level_cost: Floats | None = None
    """(n_levels + 1,): distance of two leaves that first meet at a level, weight included; level_cost[0] = 0."""
    label_cost: float = 0.0
    """Above 0 if the axis has labels that are published as sets: a set of s > 1 labels costs s times this."""
    median: bool = False
    """Whether this LINE represents a group by its median, so that the loss is the distance, not its square."""

    def __repr__(self) -> str:
        return brief(self, f"{self.column!r}, {'tree' if self.kind == TREE else 'line'}")


class Packed(NamedTuple):
    """The axes as flat arrays, for kernels: lines first, then trees."""

    norm: int
    n_lines: int
    trees: Ints
    """(n_trees, 3): number of levels, where the tree begins in `ancestors` and in `costs`"""
    ancestors: npt.NDArray[np.int32]
    costs: Floats


def as_numbers(points: npt.ArrayLike) -> Floats:
    """Return a new array of numbers; raise a `ParameterError`, which shows no value, if some are not numbers."""
    try:
        return np.array(points, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ParameterError(
            "points must be rows of numbers, equally many in each; these are not.",
            "use shoal.anonymize, which encodes labels and dates.",
        ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Points with `coordinates` (n, d) on `axes`; their distances on the axes are combined by `norm`."""

    coordinates: Floats
    axes: tuple[Axis, ...]
    norm: int = 2

    def __repr__(self) -> str:
        return brief(self, f"{len(self)} records on {len(self.axes)} axes")

    @classmethod
    def from_points(cls, points: npt.ArrayLike, *, norm: int = 2) -> Space:
        """Return the space of plain coordinates: every axis is a line. A one-dimensional array is one column."""
        array = as_numbers(points)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2:
            raise ParameterError(f"points must be an array of n rows and d columns; it has {array.ndim} dimensions.")
        if not np.isfinite(array).all():
            raise ParameterError(
                "points must be finite; some are missing or infinite.",
                "code missing values as a column of their own, or let shoal.anonymize do it.",
            )
        return cls(array, tuple(Axis(f"x{j}", LINE) for j in range(array.shape[1])), norm)

    @classmethod
    def from_labels(cls, labels: npt.ArrayLike) -> Space:
        """Return the space of labels of any type: every column is a tree of one level, and different labels are 1
        apart.
        """
        array = np.asarray(labels)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2:
            raise ParameterError(f"labels must be an array of n rows and d columns; it has {array.ndim} dimensions.")
        coordinates = np.empty(array.shape)
        axes = []
        for j in range(array.shape[1]):
            column = array[:, j]
            # values of mixed types cannot be sorted, but their representations can
            named = np.array([repr(value) for value in column], dtype=str) if column.dtype == object else column
            found, ranks = np.unique(named, return_inverse=True)
            coordinates[:, j] = ranks
            ancestors = np.zeros((len(found), 2), dtype=np.int32)
            ancestors[:, 0] = np.arange(len(found))
            axes.append(Axis(f"x{j}", TREE, ancestors, np.array([0.0, 1.0])))
        return cls(coordinates, tuple(axes), 1)

    def __len__(self) -> int:
        return len(self.coordinates)

    @property
    def is_euclidean(self) -> bool:
        """Whether every axis is a line and the distance Euclidean, for which there are faster algorithms."""
        return self.norm == 2 and all(axis.kind == LINE for axis in self.axes)

    def take(self, rows: npt.NDArray[np.intp] | Ints) -> Space:
        return replace(self, coordinates=np.ascontiguousarray(self.coordinates[rows]))

    def canonical_order(self) -> Ints:
        """Return the rows sorted by coordinates, which makes algorithms independent of the original order of rows."""
        if self._is_sorted():
            return np.arange(len(self), dtype=np.int64)
        return np.lexsort(self.coordinates.T[::-1]).astype(np.int64)

    def _is_sorted(self) -> bool:
        """Return whether the rows are sorted already, which is faster to check than to sort again."""
        if self.coordinates.shape[1] == 0 or len(self) < 2:
            return True
        below, above = self.coordinates[:-1], self.coordinates[1:]
        first = (below != above).argmax(axis=1)[:, None]
        return bool((np.take_along_axis(below, first, axis=1) <= np.take_along_axis(above, first, axis=1)).all())

    def distinct(self) -> tuple[Space, Ints, Ints]:
        """Return the distinct records (sorted), how often each occurs, and the distinct record of each row."""
        order = self.canonical_order()
        rows = self.coordinates[order]
        begins = np.ones(len(rows), dtype=bool)
        begins[1:] = (rows[1:] != rows[:-1]).any(axis=1)
        first = np.flatnonzero(begins)
        which = np.empty(len(rows), dtype=np.int64)
        which[order] = np.cumsum(begins) - 1
        counts = np.diff(first, append=len(rows)).astype(np.int64)
        return replace(self, coordinates=np.ascontiguousarray(rows[first])), counts, which

    def packed(self) -> tuple[Floats, Packed]:
        """Return coordinates with the lines first and then the trees, and the axes in the same order, as kernels need
        them.
        """
        lines = [j for j, axis in enumerate(self.axes) if axis.kind == LINE]
        trees = [j for j, axis in enumerate(self.axes) if axis.kind == TREE]
        table = np.zeros((len(trees), 3), dtype=np.int64)
        ancestors: list[npt.NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
        costs: list[Floats] = [np.zeros(0)]
        ancestors_end = costs_end = 0
        for row, j in enumerate(trees):
            above, cost = self.axes[j].ancestors, self.axes[j].level_cost
            assert above is not None
            assert cost is not None
            table[row] = above.shape[1] - 1, ancestors_end, costs_end
            ancestors.append(above.ravel())
            costs.append(cost)
            ancestors_end += above.size
            costs_end += len(cost)
        axes = Packed(self.norm, len(lines), table, np.concatenate(ancestors), np.concatenate(costs))
        return np.ascontiguousarray(self.coordinates[:, lines + trees], dtype=np.float64), axes
