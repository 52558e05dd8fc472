"""Cutting points of the plane or of the Earth into disjoint rectangles.

Problem     cut the plane into axis-parallel rectangles of weight at least k each, minimizing the heaviest; points at
            one place stay together.
Guarantee   the heaviest rectangle weighs at most kappa + 4 (k - 1), where kappa is the larger of k and the heaviest
            place: at most 5 times the optimum (RECTANGLES-1, docs/proofs/rectangles.md).
Complexity  expected O(n log(n / k)) time, O(n) memory; deterministic, and independent of the order of points.

References
----------
.. [1] W. Du, D. Eppstein, M. T. Goodrich and G. S. Lueker (2009). "On the approximability of geometric and geographic
   generalization and the min-max bin covering problem." WADS 2009, theorem 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError, ParameterError, whole_number
from shoal.kernels._jit import int64
from shoal.kernels.rectangles import kd_cuts
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Floats, Labels, Partition
from shoal.partition.single_attribute.weights import class_bound, whole_weights
from shoal.space.space import as_numbers


@guarantee(objective="largest class", ratio=Fraction(5), theorem="RECTANGLES-1")
@checked
def rectangles(
    points: npt.ArrayLike, k: int, *, weights: npt.ArrayLike | None = None, geographic: bool = False
) -> Partition:
    """Return disjoint rectangles with weight at least `k` each, the heaviest at most 5 times the lightest possible.

    The ratio is proved: theorem RECTANGLES-1, docs/proofs/rectangles.md. Points at one place stay together.

    Parameters
    ----------
    points : array of shape (n, 2)
        Points of the plane; with `geographic`, latitudes and longitudes in degrees.
    k : int
        The least weight of a rectangle, at least 1.
    weights : array of shape (n,), optional
        The number of people at every point; 1 where not given.
    geographic : bool, default False
        Whether points are places on the Earth. A rectangle whose west is larger than its east crosses the date line.

    Returns
    -------
    Partition
        ``details.rectangles`` has a row low, high, low, high per group (south, north, west, east). Together the
        rectangles cover the box around all points; a point on a shared side belongs to the upper or eastern one.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the points are not pairs of finite numbers.
    InfeasibleError
        If there are fewer than `k` people.

    Examples
    --------
    >>> from shoal.partition import rectangles
    >>> found = rectangles([[0, 0], [1, 1], [0, 1], [8, 8], [9, 9], [8, 9]], k=3)
    >>> found.labels.tolist(), found.cost
    ([0, 0, 0, 1, 1, 1], 3.0)
    """
    k = whole_number("k", k, 1)
    given = as_numbers(points)
    if given.ndim != 2 or given.shape[1] != 2 or not np.isfinite(given).all():
        raise ParameterError(
            f"rectangles takes pairs of finite numbers; the array has the shape {given.shape}.",
            "leave out missing places first.",
        )
    if weights is None and len(given) < k:
        raise InfeasibleError.too_few_rows(len(given), k)
    held = whole_weights(
        np.ones(len(given), dtype=np.int64) if weights is None else weights, k, what="points", n=len(given)
    )
    if geographic:
        given = unwrapped(given)
    tree = cut(given, held, k, geographic=geographic)
    group = tree.groups()
    sizes = tree.nodes[tree.leaves, WEIGHT]
    bound = class_bound(held, k)
    # If a heavy rectangle could not be cut, most of its weight may be at one place, which is a lower bound too.
    uncut = (sizes >= max(bound + 1, 2 * k))[group]
    if uncut.any():
        place = np.unique(given[uncut], axis=0, return_inverse=True)[1].reshape(-1)
        bound = max(bound, int(np.bincount(place, weights=held[uncut]).max()))
    labels = number_groups(group)
    _, first = np.unique(labels, return_index=True)
    boxes = tree.boxes()[tree.leaves][group[first]]
    return Partition(
        labels=labels,
        method="rectangles",
        objective="largest class",
        cost=float(sizes.max()),
        lower_bound=float(bound),
        ratio_proved=1 + Fraction(4 * (k - 1), bound),
        theorem="RECTANGLES-1",
        details=Details(rectangles=wrapped(boxes) if geographic else boxes, class_weights=sizes[group[first]]),
    )


# -- the tree of cuts -----------------------------------------------------------------------------------------

BEGIN, END, WEIGHT, LEFT, AXIS = range(5)


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """The tree of cuts. The points of a node are `rows[begin:end]`, and `box` is the box around all points.

    `nodes` has a row begin, end, weight, left child (-1 for a leaf; the right child is the next node), axis; `cuts`
    has the coordinate at which the node is cut.
    """

    nodes: Labels
    cuts: Floats
    rows: Labels
    box: Floats

    @property
    def leaves(self) -> Labels:
        """The leaves in the order of their points in `rows`."""
        found = np.flatnonzero(self.nodes[:, LEFT] < 0)
        return found[np.argsort(self.nodes[found, BEGIN], kind="stable")]

    def groups(self) -> Labels:
        """Return the position in `leaves` of every point's leaf."""
        leaves = self.leaves
        group = np.empty(len(self.rows), dtype=np.int64)
        group[self.rows] = np.repeat(np.arange(len(leaves)), np.diff(self.nodes[leaves][:, [BEGIN, END]]).reshape(-1))
        return group

    def boxes(self) -> Floats:
        """Return the box of every node as a row low, high, low, high."""
        boxes = np.empty((len(self.nodes), 4))
        boxes[0] = self.box
        level = np.zeros(1, dtype=np.int64)
        while len(level := level[self.nodes[level, LEFT] >= 0]):
            left, axis, cut = self.nodes[level, LEFT], self.nodes[level, AXIS], self.cuts[level]
            boxes[left] = boxes[left + 1] = boxes[level]
            boxes[left, 2 * axis + 1] = cut
            boxes[left + 1, 2 * axis] = cut
            level = np.concatenate([left, left + 1])
        return boxes


def cut(points: Floats, held: Labels, k: int, *, geographic: bool = False, grid: float | None = None) -> Cuts:
    """Cut finite `points` until no line leaves weight `k` on both sides; `held` has the points' weights.

    With `grid`, `points` are multiples of it, and cuts and box are in units of it.
    """
    moved, weights, rows = points.copy(), held.copy(), np.arange(len(points), dtype=np.int64)
    most = 2 * min(len(points), int(held.sum()) // k) + 2
    nodes, cuts = np.zeros((most, 5), dtype=np.int64), np.zeros((most, 2))
    nodes[0, :LEFT] = 0, len(points), held.sum()
    n_nodes = kd_cuts(moved, weights, rows, int64(k), float(geographic), nodes, cuts, np.zeros(most, dtype=np.int64))
    low, high = points.min(axis=0), points.max(axis=0)
    between = cuts[:n_nodes]
    if grid is not None:
        between, low, high = (np.rint(some / grid) for some in (between, low, high))
    return Cuts(
        nodes[:n_nodes], roundest(between[:, 0], between[:, 1]), rows, np.array([low[0], high[0], low[1], high[1]])
    )


def roundest(below: Floats, above: Floats) -> Floats:
    """Return the numbers with the fewest decimals that are above `below` and at most `above`.

    Published as sides of rectangles, they reveal least about the coordinates on both sides of a cut.
    """
    found = above.copy()
    left = below < above
    for decimals in range(-2, 15):
        with np.errstate(over="ignore", invalid="ignore"):
            candidate = (np.floor(below * 10.0**decimals) + 1) / 10.0**decimals
        fits = left & (below < candidate) & (candidate <= above)
        found[fits] = candidate[fits]
        left &= ~fits
    return found


# -- the Earth ------------------------------------------------------------------------------------------------


def check_degrees(places: Floats) -> None:
    """Raise a ParameterError unless all latitudes and longitudes are in the ranges of degrees."""
    latitude, longitude = places[:, 0], places[:, 1]
    if (np.abs(latitude) > 90).any() or (longitude < -180).any() or (longitude > 360).any():
        raise ParameterError(
            "latitudes run from -90 to 90 degrees, longitudes from -180 to 180 or from 0 to 360; some are beyond.",
            "give the latitude first, in degrees.",
        )


def unwrapped(places: Floats) -> Floats:
    """Return latitudes and longitudes as points of a plane: the Earth is cut open along the widest gap of longitudes.

    At a pole all longitudes are the same place and get the same coordinate.
    """
    check_degrees(places)
    latitude, longitude = places[:, 0], places[:, 1]
    turned = np.where(longitude >= 180, longitude - 360, longitude)
    at_pole = np.abs(latitude) == 90
    if not at_pole.all():
        different = np.unique(turned[~at_pole])
        gaps = np.diff(different, append=different[0] + 360)
        first = different[(int(gaps.argmax()) + 1) % len(different)]
        turned = np.where(turned >= first, turned, turned + 360)
        turned[at_pole] = first
    else:
        turned = np.zeros(len(turned))
    return np.column_stack([latitude, turned])


def wrapped(boxes: Floats) -> Floats:
    """Return the boxes with sides beyond 180 degrees as longitudes again; west may then be larger than east."""
    back = boxes.copy()
    back[:, 2:] = np.where(back[:, 2:] >= 180, back[:, 2:] - 360, back[:, 2:])
    return back
