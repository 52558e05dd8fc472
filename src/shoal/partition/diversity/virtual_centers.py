"""Assigning records to virtual centers (hosts), each of which forms several groups; some may be suppressed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.partition.diversity.colored_points import Colored
from shoal.partition.result import Floats, Labels
from shoal.space.metric import Precomputed
from shoal.space.neighbors import Neighbors

WIDTH = 8
"""Nearest hosts that are listed for each record at first; four times as many whenever no flow is found."""
STEPS, SMALL = 14, 5_000
"""Steps of the bisection over distances, for at most SMALL records; in proportion fewer (at least 4) for more."""


class Hosts(NamedTuple):
    """Virtual centers: the record `records[h]` is the center of `copies[h]` groups."""

    records: Labels
    copies: Labels


class Pairs(NamedTuple):
    """Possible assignments: `record[i]` may go to host `host[i]`, at distance `distance[i]`."""

    record: Labels
    host: Labels
    distance: Floats

    def upto(self, reach: float) -> Pairs:
        near = self.distance <= reach
        return Pairs(self.record[near], self.host[near], self.distance[near])


def serve(
    records: Colored, popular: Labels, groups: int, others: int, hosts: Hosts, limit: float, at_least: float
) -> Labels | None:
    """Return the host of every record (-1 if suppressed), or None if not all can be assigned within `limit`.

    The largest distance is made as small as the bisection finds, but not below `at_least`. A host of m groups gets m
    records of each popular color, at most m of each other color, and at least m x `others` records of the other
    colors together. Only records of popular colors are suppressed.
    """
    wanted = np.isin(records.color, popular)
    width = min(WIDTH, len(hosts.records))
    while True:
        pairs = _pairs(records, hosts, width, limit)
        found = _flows(records, wanted, groups, others, hosts, pairs)
        if found is not None or width == len(hosts.records):
            break
        width = min(4 * width, len(hosts.records))
    if found is None:
        return None
    low, high = at_least, _farthest(records, hosts, found)
    for _ in range(max(4, round(STEPS * min(1.0, SMALL / len(records))))):
        reach = low + (high - low) / 2
        if not low < reach < high:
            break
        better = _flows(records, wanted, groups, others, hosts, pairs.upto(reach))
        if better is None:
            low = reach
        else:
            found, high = better, _farthest(records, hosts, better)
    return found


def _farthest(records: Colored, hosts: Hosts, host: Labels) -> float:
    """Return the largest distance between a record and its host."""
    kept = np.flatnonzero(host >= 0)
    return float(records.metric.distance(kept, hosts.records[host[kept]]).max(initial=0.0))


def _pairs(records: Colored, hosts: Hosts, width: int, limit: float) -> Pairs:
    """Return each record with its `width` nearest hosts, as far as these are within `limit`."""
    metric = records.metric
    if isinstance(metric, Precomputed):
        table = metric.matrix[:, hosts.records]
        near = np.argsort(table, axis=1, kind="stable")[:, :width]
        distance = np.take_along_axis(table, near, axis=1)
    else:
        tree = Neighbors(metric.space.take(hosts.records), n_threads=metric.n_threads)
        distance, near = tree.nearest(width, metric.space.coordinates)
    i, j = np.nonzero(distance <= limit)
    return Pairs(i, near[i, j], distance[i, j])


def _flows(
    records: Colored, popular: np.ndarray, groups: int, others: int, hosts: Hosts, pairs: Pairs
) -> Labels | None:
    """Return the host of every record by two flows, one for popular and one for other colors; None if one fails."""
    host = np.full(len(records), -1, dtype=np.int64)
    asked = popular[pairs.record]
    n_popular = len(np.unique(records.color[popular]))
    n_others = int(np.count_nonzero(~popular))
    for some, value, lower in ((asked, groups * n_popular, None), (~asked, n_others, others)):
        if not value:
            continue
        flow = _flow(records, hosts, pairs.record[some], pairs.host[some], value, lower)
        if flow is None:
            return None
        host[flow[0]] = flow[1]
    return host


def _flow(
    records: Colored, hosts: Hosts, record: Labels, host: Labels, value: int, lower: int | None
) -> tuple[Labels, Labels] | None:
    """Return records and their hosts from a flow of the given value, or None if there is none.

    The flow goes from records to seats (a host and a color, one record per group of the host), to hosts, to the sink.
    With `lower`, host h gets at least lower x copies[h] records: this much flows directly to the sink, and only the
    excess over the sum of these amounts may take the way through a common node.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    if not len(record):
        return None
    n_hosts = len(hosts.records)
    seat, column = np.unique(host * records.n_colors + records.color[record], return_inverse=True)
    points, point = np.unique(record, return_inverse=True)
    source, sink, common, first = 0, 1, 2, 3
    host_node, seat_node = np.arange(n_hosts) + first, np.arange(len(seat)) + first + n_hosts
    point_node = np.arange(len(points)) + first + n_hosts + len(seat)
    n_nodes = first + n_hosts + len(seat) + len(points)
    at = seat // records.n_colors
    arcs = [
        (np.full(len(points), source), point_node, np.ones(len(points))),
        (point_node[point], seat_node[column], np.ones(len(record))),
        (seat_node, host_node[at], hosts.copies[at]),
    ]
    if lower is None:
        arcs.append((host_node, np.full(n_hosts, sink), np.full(n_hosts, value)))
    else:
        arcs.append((host_node, np.full(n_hosts, sink), lower * hosts.copies))
        arcs.append((host_node, np.full(n_hosts, common), np.full(n_hosts, value)))
        arcs.append((np.array([common]), np.array([sink]), np.array([value - lower * hosts.copies.sum()])))
    tail, head, capacity = (np.concatenate(some) for some in zip(*arcs, strict=True))
    network = csr_array((capacity.astype(np.int32), (tail, head)), shape=(n_nodes, n_nodes))
    found = maximum_flow(network, source, sink, method="dinic")
    if found.flow_value < value:
        return None
    flow = found.flow.tocoo()
    used = (flow.data > 0) & (flow.row >= point_node[0]) & (flow.col >= first)
    return points[flow.row[used] - point_node[0]], at[flow.col[used] - first - n_hosts]
