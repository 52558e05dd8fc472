"""Assigning records to centers so that every group has at least l colors and no color twice (Li, Yi and Zhang).

M-TEST matches the records of each color to different centers. F-TEST is a flow that assigns l - 1 other colors to
each center. If both pass, their results are combined (Lemma 2 of the paper). Both tests start with short neighbor
lists, which grow only if a test fails because of them; a test reports failure only when the lists are complete.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.errors import CertificateError
from shoal.partition.diversity.colored_points import Among, Colored, Lists, Mask
from shoal.partition.result import Floats, Labels

WIDTH = 8
"""Nearest centers that are listed for each record at first."""
DRAWN = 16
"""Centers drawn at random for each record whose list is not enough."""


class Violator(NamedTuple):
    """The proof that M-TEST fails: records of some colors, each of which has fewer centers within reach than records.

    `centers` are all centers within reach of these records, each with the color of the records (`center_color`).
    `missing` is, for each color, by how many the centers are too few.
    """

    records: Labels
    centers: Labels
    center_color: Labels
    missing: Labels


class Short(NamedTuple):
    """The proof that F-TEST fails: `centers` that cannot all have l colors at any threshold below `until`."""

    centers: Labels
    until: float


class Stock(NamedTuple):
    """The result of F-TEST: `record[i]` goes to `center[i]` (a position); l - 1 colors per center, records once."""

    center: Labels
    record: Labels


def match(records: Colored, centers: Labels, threshold: float) -> Labels | Violator:
    """Run M-TEST: return the center of every record, as a position in `centers`, or the violator that refutes it.

    No center gets a color twice, and centers are their own.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    place = np.full(len(records), -1, dtype=np.int64)
    place[centers] = np.arange(len(centers))
    rows = np.flatnonzero(place < 0)
    lists = Lists(Among(records, centers), rows, threshold, WIDTH)
    row, other = lists.row, lists.other
    random = np.random.default_rng(0)
    while True:
        seat, column = _seats(records, place[other], rows[row])
        shape = (len(rows), max(len(seat), 1))
        graph = csr_array((np.ones(len(column), dtype=np.int8), (row, column)), shape=shape)
        mate = maximum_bipartite_matching(graph, perm_type="column").astype(np.int64)
        if (mate >= 0).all():
            owner = place.copy()
            owner[rows] = seat[mate] // records.n_colors
            return owner
        reached, taken = _reached(row, column, mate, shape[1])
        at, color = np.divmod(seat[taken], records.n_colors) if len(seat) else (taken, taken)
        unmatched = np.bincount(records.color[rows[mate < 0]], minlength=records.n_colors)
        more, closed = _more(records, centers, rows[reached], threshold, at, color, random)
        if closed.any():
            mine = closed[records.color[rows[reached]]]
            return Violator(
                rows[reached[mine]], centers[at[closed[color]]], color[closed[color]], np.where(closed, unmatched, 0)
            )
        row, other = np.concatenate((row, reached[more[0]])), np.concatenate((other, more[1]))


def _more(
    records: Colored,
    centers: Labels,
    rows: Labels,
    threshold: float,
    at: Labels,
    color: Labels,
    random: np.random.Generator,
) -> tuple[tuple[Labels, Labels], Mask]:
    """Return further centers within the threshold of `rows`, and the colors that have no further center.

    `at` and `color` are the centers and colors of the seats reached so far. If a color has no further center, these
    are all seats that its rows can reach.
    """
    closed: Mask = np.zeros(records.n_colors, dtype=bool)
    found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    for own in np.unique(records.color[rows]):
        unreached = records.color[centers] != own
        unreached[at[color == own]] = False
        mine, pool = np.flatnonzero(records.color[rows] == own), centers[unreached]
        if len(pool):
            # Rows that lie close together have the same nearest centers; random centers differ from row to row.
            drawn = pool[random.integers(0, len(pool), (len(mine), DRAWN))]
            gap = records.metric.distance(np.broadcast_to(rows[mine, None], drawn.shape), drawn)
            i, j = np.nonzero(gap <= threshold)
            found.append((mine[i], drawn[i, j]))
            rest = np.setdiff1d(np.arange(len(mine)), i)
            distance, near = Among(records, pool).nearest(rows[mine[rest]], WIDTH)
            i, j = np.nonzero((near >= 0) & (distance <= threshold))
            found.append((mine[rest[i]], near[i, j]))
        closed[own] = not len(pool) or not len(found[-1][0]) + len(found[-2][0])
    row, other = (np.concatenate(some) for some in zip(*found, strict=True))
    return (row, other), closed


def _seats(records: Colored, center: Labels, record: Labels) -> tuple[Labels, Labels]:
    """Return the different seats (a seat is a center and a color), and the position of each pair's seat in them."""
    seat, column = np.unique(center * records.n_colors + records.color[record], return_inverse=True)
    return seat, column


def _reached(row: Labels, column: Labels, mate: Labels, n_seats: int) -> tuple[Labels, Labels]:
    """Return the rows and the seats on alternating paths from unmatched rows.

    All listed seats of a reached row are reached, and each of them is matched to a reached row.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    n_rows = len(mate)
    unmatched, matched = np.flatnonzero(mate < 0), np.flatnonzero(mate >= 0)
    source, n_nodes = n_rows + n_seats, n_rows + n_seats + 1
    tail = np.concatenate((np.full(len(unmatched), source), row, n_rows + mate[matched]))
    head = np.concatenate((unmatched, n_rows + column, matched))
    paths = csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(n_nodes, n_nodes))
    found = np.sort(breadth_first_order(paths, source, return_predecessors=False)).astype(np.int64)
    return found[found < n_rows], found[(found >= n_rows) & (found < source)] - n_rows


def stock(
    whole: Among,
    near: tuple[Floats, Labels],
    centers: Labels,
    threshold: float,
    l: int,  # noqa: E741 (the field's own name)
) -> Stock | Short:
    """Run F-TEST: return l - 1 records of different other colors for each center, or the centers that refute it.

    `near` are the first neighbor lists of all records.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    records = whole.records
    is_center: Mask = np.zeros(len(records), dtype=bool)
    is_center[centers] = True
    lists = Lists(whole, centers, threshold, (near[0][centers], near[1][centers]), never=is_center)
    demand, n_centers = l - 1, len(centers)
    while True:
        seat, column = _seats(records, lists.row, lists.other)
        points, point = np.unique(lists.other, return_inverse=True)
        source, sink, first = 0, 1, 2 + n_centers
        n_nodes = first + len(seat) + len(points)
        center_node, seat_node = np.arange(n_centers) + 2, np.arange(len(seat)) + first
        point_node = np.arange(len(points)) + first + len(seat)
        tail = np.concatenate(
            (np.full(n_centers, source), seat // records.n_colors + 2, seat_node[column], point_node)
        )
        head = np.concatenate((center_node, seat_node, point_node[point], np.full(len(points), sink)))
        capacity = np.ones(len(tail), dtype=np.int32)
        capacity[:n_centers] = demand
        network = csr_array((capacity, (tail, head)), shape=(n_nodes, n_nodes))
        found = maximum_flow(network, source, sink, method="dinic")
        if found.flow_value == demand * n_centers:
            flow = found.flow.tocoo()
            used = (flow.data > 0) & (flow.row >= first) & (flow.col >= first + len(seat))
            taken = seat[flow.row[used] - first] // records.n_colors
            return Stock(taken, points[flow.col[used] - first - len(seat)])
        residual = csr_array(network - found.flow)
        residual.data = np.maximum(residual.data, 0)
        residual.eliminate_zeros()
        reached = breadth_first_order(residual, source, return_predecessors=False)
        failing = reached[(reached >= 2) & (reached < first)].astype(np.int64) - 2
        if not lists.grow(failing):
            return Short(centers[failing], float(lists.beyond[failing].min()))


def put_together(records: Colored, owner: Labels, wanted: Stock, n_centers: int) -> Labels:
    """Return an assignment of all records in which every center has the colors that `wanted` gives it.

    The records and seats of both results form paths and cycles. A path that ends in a seat that only `wanted` fills
    has at its other end a seat that only `owner` fills. So along this path `wanted` assigns all records and can
    replace `owner`.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n, n_colors = len(records), records.n_colors
    moved = wanted.record
    rows = np.concatenate((np.arange(n), moved))
    seats = np.concatenate((owner, wanted.center)) * n_colors + records.color[rows]
    seat, column = np.unique(seats, return_inverse=True)
    size = n + len(seat)
    pairs = csr_array((np.ones(len(rows), dtype=np.int8), (rows, n + column)), shape=(size, size))
    component = connected_components(pairs, directed=False)[1]
    filled = np.zeros(len(seat), dtype=bool)
    filled[column[:n]] = True
    by_stock = np.zeros(size, dtype=bool)
    by_stock[component[n + np.flatnonzero(~filled)]] = True
    combined = owner.copy()
    changed = by_stock[component[moved]]
    combined[moved[changed]] = wanted.center[changed]
    return combined


def share_out(
    whole: Among,
    near: tuple[Floats, Labels],
    centers: Labels,
    threshold: float,
    l: int,  # noqa: E741
) -> Labels | Violator | Short:
    """Return the center of every record, within `threshold`, such that each group has at least l colors, none twice.

    If that is impossible, returns the proof of it: the Violator of M-TEST or the Short of F-TEST.
    """
    owner = match(whole.records, centers, threshold)
    if isinstance(owner, Violator):
        return owner
    if np.bincount(owner, minlength=len(centers)).min() >= l:
        return owner
    wanted = stock(whole, near, centers, threshold, l)
    if isinstance(wanted, Short):
        return wanted
    owner = put_together(whole.records, owner, wanted, len(centers))
    check_stars(whole.records, owner, len(centers), l)
    return owner


def check_stars(records: Colored, owner: Labels, n_centers: int, l: int) -> None:  # noqa: E741
    """Raise a CertificateError unless every group has at least l records, all of different colors."""
    kept = owner >= 0
    seats = owner[kept] * records.n_colors + records.color[kept]
    if len(np.unique(seats)) < len(seats) or np.bincount(owner[kept], minlength=n_centers).min() < l:
        raise CertificateError(
            f"internal check failed: a group has fewer than {l} records or one color twice; please report this."
        )
