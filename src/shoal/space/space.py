"""Records as points of a metric space, whatever their columns are.

A coordinate is a LINE (numbers, dates, ordered values: distance |x - y|, with scale and weight already applied) or a
TREE (labels and hierarchies: the coordinate is the leaf's rank in depth-first order, and the distance of two leaves
depends on the level at which they first meet). Both are metrics, and so is their sum (`norm` 1) or their Euclidean
combination (`norm` 2). On either kind of axis the point of an interval nearest to x is x itself or the nearer end,
because leaves below one node have consecutive ranks; therefore one box tree serves columns of all kinds.

What a published cell costs is defined here once, for the search, the bounds and the reported cost: `Axis.spanned`
for ranges and nodes, `Axis.by_count` for sets.
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
    """One coordinate. `ancestors` and `level_cost` are set for a TREE and None for a LINE.

    With `by_count`, a cell costs by the number of values that it leaves open. On a LINE the coordinate is then the
    rank of the value, and a range from rank a to rank b leaves b - a + 1 values open; on a TREE the leaves are labels
    that are published as sets.
    """

    column: str
    kind: int
    ancestors: npt.NDArray[np.int32] | None = None
    """(n_leaves, n_levels + 1): the node above leaf `rank` at each level; level 0 is the leaf, the last the root."""
    level_cost: Floats | None = None
    """(n_levels + 1,): distance of two leaves that first meet at a level, weight included; level_cost[0] = 0.
    With `node_cost`, the largest such distance of each level."""
    node_cost: Floats | None = None
    """(n_leaves, n_levels + 1), if nodes of one level differ in cost: the cost of the node above each leaf."""
    by_count: Floats | None = None
    """The cost of a cell that leaves s values open, at index s - 1; by_count[0] = 0, and it never falls."""
    median: bool = False
    """Whether this LINE represents a group by its median, so that the loss is the distance, not its square."""
    missing: int = 0
    """1 or -1 if this LINE is one of the two halves of a column with missing numbers, which stand at its upper (1) or
    lower (-1) end; the upper half comes first, and both have the same coordinates for all other numbers."""
    gaps: str = ""
    """Set if values of a mean, median or mode are missing, who are then no part of it: "counted" if the number of
    missing values is published beside it, "voted" if the group is published as missing where most of it is. On a LINE
    the next axis is above 0 for missing values; on a TREE missing is the last leaf."""
    weight: float = 0.0
    """Of a plain LINE: the least that a cell costs that says nothing, whatever the range of the points. It is half of
    the column's weight on each half of a column with missing numbers. Other axes have it among their costs."""

    def __repr__(self) -> str:
        return brief(self, f"{self.column!r}, {'tree' if self.kind == TREE else 'line'}")

    @property
    def in_sets(self) -> bool:
        """Whether the leaves are labels that are published as sets."""
        return self.kind == TREE and self.by_count is not None

    @property
    def counted(self) -> bool:
        """Whether this is a LINE of ranks, on which a range costs by the number of values that it leaves open."""
        return self.kind == LINE and self.by_count is not None

    def node_costs(self) -> Floats:
        """Return the cost of the node above each leaf of a TREE at each level, (n_leaves, n_levels + 1)."""
        assert self.ancestors is not None
        assert self.level_cost is not None
        found = self.level_cost if self.node_cost is None else self.node_cost
        return np.ascontiguousarray(np.broadcast_to(found, self.ancestors.shape), dtype=np.float64)

    def spanned(self, low: Floats, high: Floats) -> Floats:
        """Return what each range from `low` to `high` costs, or the lowest node above the leaves `low` and `high`.

        Leaves are ranked depth-first, so if these are the first and the last leaf of a group, that node is the lowest
        one above the whole group. On labels that are published as sets, it is the cost of two different labels.
        """
        if self.ancestors is None or self.level_cost is None:
            return high - low if self.by_count is None else np.take(self.by_count, (high - low).astype(np.int64))
        first, last = low.astype(np.int64), high.astype(np.int64)
        level = (self.ancestors[first] != self.ancestors[last]).sum(axis=1)
        found: Floats = self.level_cost[level] if self.node_cost is None else self.node_cost[first, level]
        return found

    @property
    def most(self) -> float:
        """What the costliest cell of a TREE or a line of ranks costs: the root, or the set or range of all values."""
        costs = self.level_cost if self.by_count is None else self.by_count
        assert costs is not None
        return float(costs.max(initial=0.0))

    @property
    def farthest(self) -> float | None:
        """The largest distance on a TREE or a line of ranks; None on a plain line, whose points decide."""
        if self.level_cost is not None:
            return float(self.level_cost.max(initial=0.0))
        return None if self.by_count is None else float(self.by_count[-1])


class Packed(NamedTuple):
    """The axes as flat arrays, for kernels: plain lines first, then trees, then lines of ranks (`Axis.counted`)."""

    norm: int
    n_lines: int
    """The number of plain lines."""
    trees: Ints
    """(n_trees + n_counted, 3): number of levels (-1 for a line of ranks), where the tree begins in `ancestors`, and
    where its costs begin in `costs`."""
    ancestors: npt.NDArray[np.int32]
    costs: Floats
    """Of a tree: the costs of the nodes, in the order of `ancestors`; of a line of ranks: `Axis.by_count`."""


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
        return self.norm == 2 and all(axis.kind == LINE and axis.by_count is None for axis in self.axes)

    def hidden_cost(self) -> float:
        """Return what a record costs that says nothing on any axis, as a suppressed one does; no cell costs more."""
        if not len(self):
            return 0.0
        widths = np.ptp(self.coordinates, axis=0)
        each = [
            max(axis.weight, float(width)) if axis.farthest is None else axis.most
            for axis, width in zip(self.axes, widths, strict=True)
        ]
        return float(sum(each))

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
        """Return coordinates with the axes in the order of `Packed`, and the axes, as kernels need them."""
        lines = [j for j, axis in enumerate(self.axes) if axis.kind == LINE and not axis.counted]
        trees = [j for j, axis in enumerate(self.axes) if axis.kind == TREE]
        ranked = [j for j, axis in enumerate(self.axes) if axis.counted]
        table = np.zeros((len(trees) + len(ranked), 3), dtype=np.int64)
        ancestors: list[npt.NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
        costs: list[Floats] = [np.zeros(0)]
        ancestors_end = costs_end = 0
        for row, j in enumerate(trees + ranked):
            above, by_count = self.axes[j].ancestors, self.axes[j].by_count
            if above is not None:
                table[row] = above.shape[1] - 1, ancestors_end, costs_end
                ancestors.append(above.ravel())
                costs.append(self.axes[j].node_costs().ravel())
                ancestors_end += above.size
            else:
                assert by_count is not None
                table[row] = -1, 0, costs_end
                costs.append(by_count)
            costs_end += len(costs[-1])
        axes = Packed(self.norm, len(lines), table, np.concatenate(ancestors), np.concatenate(costs))
        return np.ascontiguousarray(self.coordinates[:, lines + trees + ranked], dtype=np.float64), axes


def set_costs(each: float, n_labels: int) -> Floats:
    """Return `Axis.by_count` of a set of s > 1 labels that costs s times `each`; a single label costs nothing."""
    costs: Floats = each * np.arange(1, max(n_labels, 2) + 1, dtype=np.float64)
    costs[0] = 0.0
    return costs
