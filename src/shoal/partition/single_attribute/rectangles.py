"""Cutting points of the plane or of the Earth into disjoint rectangles.

Problem     cut the plane into axis-parallel rectangles of weight at least k each, minimizing the heaviest; points at
            one place stay together.
Guarantee   the heaviest rectangle weighs at most OPT + 3 (k - 1), OPT the optimum: less than 4 times the optimum
            (RECTANGLES-2). On the Earth that is claimed where the lower bound shows it, and otherwise
            kappa + 4 (k - 1), where kappa is the larger of k and the heaviest place: less than 5 times the optimum
            (RECTANGLES-1). docs/proofs/rectangles.md
Complexity  expected O(n log(n / k)) time, O(n) memory, and O(n log n) time where a rectangle weighs more than the
            lower bound by more than 3 (k - 1); deterministic, and independent of the order of points.

References
----------
.. [1] W. Du, D. Eppstein, M. T. Goodrich and G. S. Lueker (2009). "On the approximability of geometric and geographic
   generalization and the min-max bin covering problem." WADS 2009, theorem 4.
.. [2] P. Berman and S. Raskhodnikova (2014). "Approximation algorithms for min-max generalization problems."
   ACM Transactions on Algorithms 11(1): a better ratio than that of [1]. Strips and their proof are our own.
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
from shoal.partition.single_attribute.rectangle_strips import Strips, row_strips
from shoal.partition.single_attribute.weights import class_bound, whole_weights
from shoal.space.space import as_numbers


@guarantee(objective="largest class", ratio=Fraction(4), theorem="RECTANGLES-2")
@guarantee(objective="largest class", ratio=Fraction(5), theorem="RECTANGLES-1")
@checked
def rectangles(
    points: npt.ArrayLike, k: int, *, weights: npt.ArrayLike | None = None, geographic: bool = False
) -> Partition:
    """Return disjoint rectangles with weight at least `k` each, the heaviest below 4 times the lightest possible.

    The ratio is proved: theorem RECTANGLES-2, docs/proofs/rectangles.md. On the Earth it may be 5, RECTANGLES-1;
    `theorem` says which. Points at one place stay together.

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
    tree, bound = light_cuts(given, held, k, class_bound(held, k), geographic=geographic)
    group = tree.groups()
    sizes = tree.nodes[tree.leaves, WEIGHT]
    ratio, theorem = claim(int(sizes.max()), bound, k)
    labels = number_groups(group)
    _, first = np.unique(labels, return_index=True)
    boxes = tree.boxes()[tree.leaves][group[first]]
    return Partition(
        labels=labels,
        method="rectangles",
        objective="largest class",
        cost=float(sizes.max()),
        lower_bound=float(bound),
        ratio_proved=ratio,
        theorem=theorem,
        details=Details(rectangles=wrapped(boxes) if geographic else boxes, class_weights=sizes[group[first]]),
    )


def claim(heaviest: int, bound: int, k: int) -> tuple[Fraction, str]:
    """Return the ratio that is proved of a run, and its theorem; `bound` is a lower bound of the optimum."""
    if heaviest <= bound + 3 * (k - 1):
        return 1 + Fraction(3 * (k - 1), bound), "RECTANGLES-2"
    return 1 + Fraction(4 * (k - 1), bound), "RECTANGLES-1"


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


def light_cuts(
    points: Floats, held: Labels, k: int, bound: int, *, geographic: bool = False, grid: float | None = None
) -> tuple[Cuts, int]:
    """Return cuts into rectangles of at most OPT + 3 (k - 1), and a lower bound of OPT, `bound` or higher.

    On the Earth rectangles may cross the line along which it was cut open, which not all bounds of strips allow for;
    so a rectangle may weigh up to kappa + 4 (k - 1) there.
    """
    tree = cut(points, held, k, geographic=geographic, grid=grid)
    sizes = tree.nodes[tree.leaves, WEIGHT]
    # If a heavy rectangle could not be cut, most of its weight may be at one place, which is a lower bound too.
    uncut = (sizes >= max(bound + 1, 2 * k))[tree.groups()]
    if uncut.any():
        bound = max(bound, _heaviest_place(points[uncut], held[uncut]))
    if sizes.max() > bound + 3 * (k - 1):
        kappa = max(k, _heaviest_place(points, held))
        strips, proved = row_strips(points, held, k, kappa)
        other = cut(points, held, k, geographic=geographic, grid=grid, strips=strips)
        if other.nodes[other.leaves, WEIGHT].max() < sizes.max():
            tree = other
        bound = max(bound, kappa, 0 if geographic else proved)
    return tree, bound


def _heaviest_place(points: Floats, held: Labels) -> int:
    """Return the weight of the heaviest place."""
    place = np.unique(points, axis=0, return_inverse=True)[1].reshape(-1)
    return int(np.bincount(place, weights=held).max())


def cut(
    points: Floats,
    held: Labels,
    k: int,
    *,
    geographic: bool = False,
    grid: float | None = None,
    strips: Strips | None = None,
) -> Cuts:
    """Cut finite `points` until no line leaves weight `k` on both sides; `held` has the points' weights.

    With `grid`, `points` are multiples of it, and cuts and box are in units of it. With `strips`, the points are
    first cut into these strips along the first axis, and each strip into its pieces along the second.
    """
    most = 2 * min(len(points), int(held.sum()) // k) + 2
    nodes, cuts = np.zeros((most, 5), dtype=np.int64), np.zeros((most, 2))
    stack = np.zeros(most, dtype=np.int64)
    rows = np.arange(len(points), dtype=np.int64)
    n_nodes = depth = 1
    if strips is None:
        nodes[0, :LEFT] = 0, len(points), held.sum()
    else:
        rows, n_nodes, depth = _cut_into_strips(points, held, strips, nodes, cuts, stack)
    moved, weights = points[rows], held[rows]
    n_nodes = kd_cuts(
        moved,
        weights,
        rows,
        int64(k),
        float(geographic),
        nodes,
        cuts,
        int64(n_nodes),
        stack,
        int64(depth),
    )
    low, high = points.min(axis=0), points.max(axis=0)
    between = cuts[:n_nodes]
    if grid is not None:
        between, low, high = (np.rint(some / grid) for some in (between, low, high))
    return Cuts(
        nodes[:n_nodes], roundest(between[:, 0], between[:, 1]), rows, np.array([low[0], high[0], low[1], high[1]])
    )


def _cut_into_strips(
    points: Floats, held: Labels, strips: Strips, nodes: Labels, cuts: Floats, stack: Labels
) -> tuple[Labels, int, int]:
    """Fill in the nodes that cut the points into strips and these into pieces, and the pieces as those to cut next.

    Returns the points in the order of pieces, the number of nodes, and the number of pieces.
    """
    rows = np.concatenate([piece for strip in strips for piece in strip])
    ends = np.cumsum([len(piece) for strip in strips for piece in strip])
    weight = np.concatenate([[0], np.cumsum(held[rows])])
    firsts = np.cumsum([0] + [len(strip) for strip in strips])  # the first piece of every strip
    n_nodes, depth = 1, 0
    waiting = [(0, 0, len(strips), 0, len(ends))]  # a node, its strips if there are several, its pieces
    while waiting:
        node, strip, last_strip, piece, last_piece = waiting.pop()
        begin, end = (0 if piece == 0 else int(ends[piece - 1])), int(ends[last_piece - 1])
        nodes[node, :LEFT] = begin, end, weight[end] - weight[begin]
        if last_piece - piece == 1:
            stack[depth] = node
            depth += 1
            continue
        axis = 0 if last_strip - strip > 1 else 1
        between_strips = (strip + last_strip) // 2
        between = int(firsts[between_strips]) if axis == 0 else (piece + last_piece) // 2
        middle = int(ends[between - 1])
        nodes[node, LEFT], nodes[node, AXIS] = n_nodes, axis
        cuts[node] = points[rows[begin:middle], axis].max(), points[rows[middle:end], axis].min()
        lower, upper = ((strip, between_strips), (between_strips, last_strip)) if axis == 0 else ((0, 1), (0, 1))
        waiting += [(n_nodes, *lower, piece, between), (n_nodes + 1, *upper, between, last_piece)]
        n_nodes += 2
    return rows, n_nodes, depth


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
