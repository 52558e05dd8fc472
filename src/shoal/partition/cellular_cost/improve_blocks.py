"""Improving many records under the cellular cost, in blocks of a few hundred records.

Each block is a set of whole groups around a randomly chosen record, small enough for a matrix of its distances. Its
new groups are kept only if its cost falls. Each pass draws other blocks, so that records can move across former
borders.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.kernels import box_tree as boxtree
from shoal.partition.cellular_cost.groups import Clusters, cost_of
from shoal.partition.cellular_cost.improve import LEAST_GAIN, improved
from shoal.partition.radius.balls import Metric, nearest_center
from shoal.partition.result import Floats, Labels
from shoal.space.neighbors import Neighbors

BLOCK_RECORDS, BLOCK_GROUPS, LARGEST_BLOCK = 250, 12, 2_400
"""Average size of a block: BLOCK_RECORDS records, or BLOCK_GROUPS groups of r if that is more. Blocks of more
than LARGEST_BLOCK records are cut (a matrix of 46 MB), and single groups larger than that are left as they are."""


class RecordPoints(NamedTuple):
    """Records, equal ones adjacent: the point of each record, and the first record of each point."""

    metric: Metric
    point: Labels
    first: Labels

    @classmethod
    def of(cls, metric: Metric) -> RecordPoints:
        point = np.repeat(np.arange(len(metric)), metric.counts)
        return cls(metric, point, np.cumsum(metric.counts) - metric.counts)

    def away(self, center: int, some: Labels) -> Floats:
        """Return the distances from one record to an array of records."""
        return self.metric.distance(self.point[center], self.point[some])

    def matrix(self, some: Labels) -> Floats:
        """Return the matrix of distances among some records."""
        points = self.point[some]
        return self.metric.distance(points[:, None], points[None, :])

    def radii(self, clusters: Clusters) -> Floats:
        """Return the radius of each group around its center."""
        radii, kept = np.zeros(len(clusters.centers)), np.flatnonzero(clusters.labels >= 0)
        group = clusters.labels[kept]
        np.maximum.at(radii, group, self.metric.distance(self.point[kept], self.point[clusters.centers[group]]))
        return radii

    def prices(self, clusters: Clusters, opening: Floats) -> Floats:
        """Return the cost of each group: size x radius plus the opening cost of its center."""
        return clusters.sizes * self.radii(clusters) + opening[clusters.centers]

    def nearest(self, centers: Labels, r: int) -> Labels:
        """Return the r records nearest to each center, itself among them."""
        asked = self.point[centers]
        if isinstance(self.metric, Neighbors):
            _, near = self.metric.nearest_rows(r, asked)
        else:
            _, near = self.metric.nearest(r, rows=asked)
        held = np.where(near < 0, 0, self.metric.counts[near])
        taken = np.minimum(held, np.maximum(r - (np.cumsum(held, axis=1) - held), 0)).ravel()
        begins = np.cumsum(taken) - taken
        rows = np.repeat(self.first[near.ravel()] - begins, taken) + np.arange(taken.sum())
        return rows.reshape(len(centers), r)


def leaves(records: RecordPoints, kept: Labels, r: int) -> Clusters:
    """Return the leaves of a box tree over the kept records as groups of at least r (r to 2r - 1 without ties)."""
    assert isinstance(records.metric, Neighbors)
    axes, inside = records.metric._axes, np.ascontiguousarray(records.metric._coordinates[records.point[kept]])
    tree = boxtree.build_tree(axes, inside, np.ones(len(kept), dtype=np.int64), 2 * r - 1)
    ends = np.sort(tree.nodes[tree.nodes[:, boxtree.RIGHT] == 0, boxtree.END])
    cuts = [0]
    for end in ends.tolist():
        if end - cuts[-1] >= r and (len(kept) - end >= r or end == len(kept)):
            cuts.append(end)
    labels = np.full(len(records.point), -1, dtype=np.int64)
    labels[kept[tree.order]] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    middle = (np.array(cuts[1:]) + np.array(cuts[:-1])) // 2
    return Clusters(labels, kept[tree.order[middle]])


def improved_in_blocks(records: RecordPoints, opening: Floats, clusters: Clusters, r: int, turn: int) -> Clusters:
    """Return the groups after one pass over all blocks; they cost no more and have at least r records.

    `turn` is the number of the pass and decides the blocks.
    """
    blocks = _blocks(records, clusters, r, turn)
    labels, centers = clusters.labels.copy(), [clusters.centers[:0]]
    n_groups, members, prices = 0, clusters.members(), records.prices(clusters, opening)
    with progress.step("cheaper groups", total=len(blocks)) as advance:
        for block in blocks:
            inside = np.sort(np.concatenate([members[group] for group in block]))
            its_labels, its_centers = np.searchsorted(block, clusters.labels[inside]), clusters.centers[block]
            if len(inside) <= LARGEST_BLOCK:
                matrix = records.matrix(inside)
                # A center may be outside the block; any member will do, because the first step finds the best center.
                starts = np.where(np.isin(its_centers, inside), its_centers, [members[group][0] for group in block])
                found = Clusters(its_labels, np.searchsorted(inside, starts))
                found = improved(matrix, opening[inside], found, r)
                if cost_of(matrix, opening[inside], found) < prices[block].sum() * (1 - LEAST_GAIN):
                    its_labels, its_centers = found.labels, inside[found.centers]
            labels[inside] = n_groups + its_labels
            centers.append(its_centers)
            n_groups += len(its_centers)
            advance(1)
    return Clusters(labels, np.concatenate(centers))


def _blocks(records: RecordPoints, clusters: Clusters, r: int, turn: int) -> list[Labels]:
    """Return the blocks: some groups are drawn, each other group joins the nearest of them, large blocks are cut."""
    size = min(max(BLOCK_RECORDS, BLOCK_GROUPS * r), LARGEST_BLOCK // 2)
    n_groups, n_blocks = len(clusters.centers), -(-int(np.count_nonzero(clusters.labels >= 0)) // size)
    drawn = np.random.default_rng([turn, 0xB10C]).choice(n_groups, min(n_blocks, n_groups), replace=False)
    at = records.point[clusters.centers]
    hub = nearest_center(records.metric, at[np.sort(drawn)])[1][at]
    blocks: list[list[int]] = []
    size, now = 0, -1
    sizes = clusters.sizes
    for group in np.argsort(hub, kind="stable").tolist():
        if hub[group] != now or size + sizes[group] > LARGEST_BLOCK:
            blocks.append([group])
            size, now = 0, hub[group]
        else:
            blocks[-1].append(group)
        size += int(sizes[group])
    return [np.array(block) for block in blocks]
