"""Improving groups under the cellular cost: better centers, moves, swaps, and closing, merging and splitting groups.

No step makes a group smaller than the least size.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.partition.cellular_cost.groups import Clusters, cost_of, radii_of
from shoal.partition.result import Floats, Labels

MOST_IMPROVEMENT_ROUNDS = 30
"""Rounds of all steps at most; the search ends earlier when a round gains nothing."""
MOVE_ROUNDS = 40
"""Rounds of moves within one step at most."""
SWAP_ROUNDS = 10
"""Rounds of swaps within one step at most; each takes time proportional to groups times records."""
SPLIT_TRIES = 6
"""Records, those farthest from the center, around which a split of a group is tried."""
LEAST_GAIN = 1e-12
"""Least relative gain of the cost that counts; smaller ones are rounding errors."""

Step = Callable[[Floats, Floats, Clusters, int], Clusters]


def improved(matrix: Floats, opening: Floats, clusters: Clusters, at_least: int) -> Clusters:
    """Return groups that cost no more, each with `at_least` records or more; a step is kept only if the cost fell."""
    cost = cost_of(matrix, opening, clusters)
    for _ in range(MOST_IMPROVEMENT_ROUNDS):
        before = cost
        for step in (recentered, moved, swapped, closed, merged, split):
            tried = step(matrix, opening, clusters, at_least)
            its_cost = cost_of(matrix, opening, tried)
            if its_cost < cost * (1 - LEAST_GAIN) and tried.sizes.min() >= at_least:
                clusters, cost = tried, its_cost
        if cost == before:
            break
    return clusters


def recentered(matrix: Floats, opening: Floats, clusters: Clusters, at_least: int) -> Clusters:
    """Return the same groups, each around its best record of all, at ties a member of the group."""
    centers = clusters.centers.copy()
    for group, members in enumerate(clusters.members()):
        price = len(members) * matrix[members].max(axis=0) + opening
        best = members[np.argmin(price[members])]
        other = np.argmin(price)
        centers[group] = best if price[best] <= price[other] else other
    return Clusters(clusters.labels, centers)


def moved(matrix: Floats, opening: Floats, clusters: Clusters, at_least: int) -> Clusters:
    """Move records to other groups if that lowers the cost; in a round, best moves first and each group once."""
    n = len(matrix)
    labels, centers = clusters.labels.copy(), clusters.centers
    for _ in range(MOVE_ROUNDS):
        sizes, reach = Clusters(labels, centers).sizes, matrix[centers]
        # A group saves more if its farthest record leaves: its radius falls to the second largest distance.
        _, left, radii = _without_each(reach, labels, sizes)
        saved = sizes[labels] * radii[labels] - (sizes[labels] - 1) * left
        alone = sizes[labels] == 1
        saved[alone] += opening[centers[labels[alone]]]
        saved[(sizes[labels] <= at_least) & ~alone] = -np.inf
        if at_least > 1:
            saved[alone] = -np.inf
        asked = (sizes[:, None] + 1) * np.maximum(radii[:, None], reach) - (sizes * radii)[:, None]
        asked[sizes == 0] = np.inf
        asked[labels, np.arange(n)] = np.inf
        goal = asked.argmin(axis=0)
        gain = saved - asked[goal, np.arange(n)]
        least = LEAST_GAIN * float((sizes * radii).sum() + opening[centers].sum())
        hopeful = np.flatnonzero(gain > least)
        if not len(hopeful):
            break
        touched = np.zeros(len(centers), dtype=bool)
        for record in hopeful[np.argsort(-gain[hopeful], kind="stable")]:
            if not touched[labels[record]] and not touched[goal[record]]:
                touched[[labels[record], goal[record]]] = True
                labels[record] = goal[record]
    return _without_empty(labels, centers)


def swapped(matrix: Floats, opening: Floats, clusters: Clusters, at_least: int) -> Clusters:
    """Swap the farthest records of groups for records of other groups if that lowers the cost, best swaps first.

    If all groups have the least size, no record can move and swaps are the only change. Each group swaps once a
    round.
    """
    labels, centers, sizes = clusters.labels.copy(), clusters.centers, clusters.sizes
    everyone, reach = np.arange(len(matrix)), matrix[clusters.centers]
    for _ in range(SWAP_ROUNDS):
        far, left, radii = _without_each(reach, labels, sizes)
        here, price = labels[far], sizes * radii
        # Row g, column i: the farthest record of group g is swapped for record i; the new radii of both groups.
        mine = np.maximum(left[far][:, None], reach[here])
        theirs = np.maximum(left, reach[:, far][labels].T)
        gain = price[here][:, None] + price[labels] - sizes[here][:, None] * mine - sizes[labels] * theirs
        gain[labels == here[:, None]] = -np.inf
        comes = gain.argmax(axis=1)
        best = gain[np.arange(len(far)), comes]
        hopeful = np.flatnonzero(best > LEAST_GAIN * float(price.sum() + opening[centers].sum()))
        if not len(hopeful):
            break
        touched = np.zeros(len(centers), dtype=bool)
        for place in hopeful[np.argsort(-best[hopeful], kind="stable")]:
            pair = everyone[[far[place], comes[place]]]
            if not touched[labels[pair]].any():
                touched[labels[pair]] = True
                labels[pair] = labels[pair[::-1]]
    return Clusters(labels, centers)


def _without_each(reach: Floats, labels: Labels, sizes: Labels) -> tuple[Labels, Floats, Floats]:
    """Return the farthest record of each non-empty group, each record's group radius without it, and all radii."""
    own = reach[labels, np.arange(len(labels))]
    far_first = np.lexsort((-own, labels))
    starts = np.cumsum(sizes) - sizes
    radii, second = np.zeros(len(sizes)), np.zeros(len(sizes))
    radii[sizes > 0] = own[far_first[starts[sizes > 0]]]
    second[sizes > 1] = own[far_first[starts[sizes > 1] + 1]]
    farthest = far_first[starts[sizes > 0]]
    left = radii[labels]
    left[farthest] = second[labels[farthest]]
    return farthest, left, radii


def closed(matrix: Floats, opening: Floats, clusters: Clusters, at_least: int) -> Clusters:
    """Close groups, costliest first, if their records together cost less in other groups."""
    labels, centers = clusters.labels.copy(), clusters.centers
    sizes, radii, reach = clusters.sizes, radii_of(matrix, clusters), matrix[clusters.centers]
    members = clusters.members()
    grown = np.zeros(len(centers), dtype=bool)
    for group in np.argsort(-(sizes * radii + opening[centers]), kind="stable"):
        if grown[group]:
            continue
        budget = sizes[group] * radii[group] + opening[centers[group]]
        new_sizes, new_radii = sizes.copy(), radii.copy()
        goals: list[int] = []
        for record in members[group]:
            wider = np.maximum(new_radii, reach[:, record])
            asked = (new_sizes + 1) * wider - new_sizes * new_radii
            asked[new_sizes == 0] = np.inf
            asked[group] = np.inf
            goal = int(asked.argmin())
            budget -= asked[goal]
            if not budget > 0:
                break
            goals.append(goal)
            new_sizes[goal], new_radii[goal] = new_sizes[goal] + 1, wider[goal]
        else:
            labels[members[group]] = goals
            grown[goals] = True
            new_sizes[group], new_radii[group] = 0, 0.0
            sizes, radii = new_sizes, new_radii
    return _without_empty(labels, centers)


def merged(matrix: Floats, opening: Floats, clusters: Clusters, at_least: int) -> Clusters:
    """Merge pairs of groups around one of their centers if that lowers the cost, best pairs first, each group once.

    Without opening costs merging never lowers the cost, because the radius of the union is at least that of each
    part.
    """
    if not opening.any():
        return clusters
    labels, centers, sizes = clusters.labels.copy(), clusters.centers, clusters.sizes
    by_group = np.argsort(labels, kind="stable")
    reach = np.maximum.reduceat(matrix[centers][:, by_group], np.cumsum(sizes) - sizes, axis=1)
    price = sizes * reach.diagonal() + opening[centers]
    joint = (sizes[:, None] + sizes) * np.maximum(reach, reach.diagonal()[:, None]) + opening[centers][:, None]
    gain = price[:, None] + price - joint
    np.fill_diagonal(gain, -np.inf)
    stays, goes = np.nonzero(gain > LEAST_GAIN * float(price.sum()))
    touched = np.zeros(len(centers), dtype=bool)
    for pair in np.argsort(-gain[stays, goes], kind="stable"):
        into, merged_group = stays[pair], goes[pair]
        if not touched[into] and not touched[merged_group]:
            touched[[into, merged_group]] = True
            labels[clusters.labels == merged_group] = into
    return _without_empty(labels, centers)


def split(matrix: Floats, opening: Floats, clusters: Clusters, at_least: int) -> Clusters:
    """Split groups of at least twice the least size if cheaper: a far record with its nearest ones, and the rest."""
    labels, centers = clusters.labels.copy(), clusters.centers.tolist()
    for group, members in enumerate(clusters.members()):
        size = len(members)
        if size < 2 * at_least:
            continue
        away = matrix[clusters.centers[group], members]
        best = size * float(away.max()) + float(opening[clusters.centers[group]])
        inside = matrix[np.ix_(members, members)]
        found: tuple[Labels, int, int] | None = None
        for far in np.argsort(-away, kind="stable")[:SPLIT_TRIES]:
            near_first = np.argsort(inside[far], kind="stable")
            for part in sorted({at_least, size // 2, size - at_least}):
                near, rest = near_first[:part], near_first[part:]
                prices = (size - part) * inside[rest].max(axis=0) + opening[members]
                its_center = int(np.argmin(prices))
                price = part * inside[far, near[-1]] + opening[members[far]] + prices[its_center]
                if price < best:
                    best, found = float(price), (members[near], int(members[far]), int(members[its_center]))
        if found is not None:
            near, far_center, rest_center = found
            labels[near] = len(centers)
            centers[group] = rest_center
            centers.append(far_center)
    return Clusters(labels, np.array(centers, dtype=np.int64))


def _without_empty(labels: Labels, centers: Labels) -> Clusters:
    """Return the groups that have records, numbered from 0."""
    kept, dense = np.unique(labels, return_inverse=True)
    return Clusters(dense.astype(np.int64), centers[kept])
