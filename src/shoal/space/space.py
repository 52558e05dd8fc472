"""Records as points of a metric space, whatever their columns are.

A coordinate is a LINE (numbers, dates, ordered values: distance |x - y|, scale and weight already in it) or a
TREE (labels and hierarchies: the coordinate is the leaf's rank in depth-first order, and two leaves are as far
apart as the level at which they first meet). Both are metrics, and so is their sum (`norm` 1) or their
Euclidean join (`norm` 2). On either kind of axis the point of an interval nearest to x is x itself or the nearer
end, because leaves below one node have consecutive ranks; that is what lets one box tree serve all columns.
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
    """One coordinate. `ancestors` and `level_cost` belong to a TREE and are None on a LINE."""

    column: str
    kind: int
    ancestors: npt.NDArray[np.int32] | None = None
    """(n_leaves, n_levels + 1): the node above leaf `rank` at each level; level 0 is the leaf, the last the root."""
    level_cost: Floats | None = None
    """(n_levels + 1,): distance of two leaves that first meet at a level, weight included; level_cost[0] = 0."""
    label_cost: float = 0.0
    """Above 0: the axis holds labels that are published as sets, and a set of s > 1 of them costs s times this."""
    median: bool = False
    """A LINE on which the median stands for a group, not the mean: loss is the distance to it, not its square."""

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
    """A new array of numbers; what is none is refused without being shown."""
    try:
        return np.array(points, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ParameterError(
            "points must be rows of numbers, as many in each; these are not.",
            "let shoal.anonymize code labels and dates.",
        ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """`coordinates` (n, d) on `axes`, joined by `norm`."""

    coordinates: Floats
    axes: tuple[Axis, ...]
    norm: int = 2

    def __repr__(self) -> str:
        return brief(self, f"{len(self)} records on {len(self.axes)} axes")

    @classmethod
    def from_points(cls, points: npt.ArrayLike, *, norm: int = 2) -> Space:
        """Plain coordinates; every axis is a line. One dimension of numbers is one column."""
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
        """Labels of any type, equidistant: every column is a tree of one level, two labels are 1 apart."""
        array = np.asarray(labels)
        if array.ndim == 1:
            array = array[:, None]
        if array.ndim != 2:
            raise ParameterError(f"labels must be an array of n rows and d columns; it has {array.ndim} dimensions.")
        coordinates = np.empty(array.shape)
        axes = []
        for j in range(array.shape[1]):
            column = array[:, j]
            # Values of mixed types cannot be sorted; what they are written as can.
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
        """Every axis a line and Euclidean distance: the fast paths apply."""
        return self.norm == 2 and all(axis.kind == LINE for axis in self.axes)

    def take(self, rows: npt.NDArray[np.intp] | Ints) -> Space:
        return replace(self, coordinates=np.ascontiguousarray(self.coordinates[rows]))

    def canonical_order(self) -> Ints:
        """Rows sorted by coordinates: what makes an algorithm independent of the order of rows."""
        if self._is_sorted():
            return np.arange(len(self), dtype=np.int64)
        return np.lexsort(self.coordinates.T[::-1]).astype(np.int64)

    def _is_sorted(self) -> bool:
        """Sorting again would take as long as the first time."""
        if self.coordinates.shape[1] == 0 or len(self) < 2:
            return True
        below, above = self.coordinates[:-1], self.coordinates[1:]
        first = (below != above).argmax(axis=1)[:, None]
        return bool((np.take_along_axis(below, first, axis=1) <= np.take_along_axis(above, first, axis=1)).all())

    def distinct(self) -> tuple[Space, Ints, Ints]:
        """Distinct records (sorted), how often each occurs, and which of them each row is."""
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
        """Coordinates with the lines first, then the trees, and the axes to match: what kernels read."""
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
