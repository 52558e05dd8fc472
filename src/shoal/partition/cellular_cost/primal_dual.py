"""The primal-dual algorithm for cellular cost: from duals to groups, and from there to groups of at least r."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from shoal.kernels.cellular_duals import raise_duals
from shoal.partition.cellular_cost.groups import Clusters
from shoal.partition.result import Floats, Labels


class Paid(NamedTuple):
    """The duals and the paid balls; `witness` is the ball that stopped each record's dual (-1: none)."""

    alpha: Floats
    witness: Labels
    centers: Labels
    radii: Floats


def pay(
    matrix: Floats,
    order: Labels,
    opening: Floats,
    r: int,
    *,
    per_radius: int | None = None,
    largest: float = np.inf,
    n_suppressed: int = 0,
) -> Paid:
    """Raise all duals until at most `n_suppressed` records are without a witness; return duals and paid balls.

    The price of a ball is the opening cost of its center plus `per_radius` (r if not given) times its radius. Balls
    with fewer than r records or with a radius above `largest` are not considered. `order` sorts each row of the
    matrix.
    """
    n = len(matrix)
    smallest = matrix[np.arange(n), order[:, r - 1]] if r else np.zeros(n)
    price = float(r if per_radius is None else per_radius)
    return Paid(*raise_duals(matrix, order, opening, price, smallest, largest, n_suppressed))


def by_witness(matrix: Floats, paid: Paid) -> Clusters:
    """Return groups made of paid balls. Balls are opened from the largest to the smallest.

    A ball is opened if none of the records that pay for it is in an open ball, and then contains these records. Each
    other record joins an open ball that has a payer of its witness; that ball is at least as large as the witness, so
    the record lies within three times its radius. Records without a witness get the label -1.
    """
    owner = np.full(len(matrix), -1, dtype=np.int64)
    centers: list[int] = []
    blockers: dict[int, Labels] = {}
    for ball in np.argsort(-paid.radii, kind="stable"):
        center, radius = paid.centers[ball], paid.radii[ball]
        tight = np.flatnonzero((matrix[center] <= radius) & (paid.alpha >= radius) & (paid.witness >= 0))
        taken = np.unique(owner[tight])
        if taken[-1] < 0:
            owner[tight] = len(centers)
            centers.append(int(center))
        else:
            blockers[int(ball)] = taken[taken >= 0]
    chosen = np.array(centers, dtype=np.int64)
    for record in np.flatnonzero((owner < 0) & (paid.witness >= 0)):
        near = blockers[int(paid.witness[record])]
        owner[record] = near[np.argmin(matrix[chosen[near], record])]
    return Clusters(owner, chosen)


Away = Callable[[int, Labels], Floats]
"""A function that returns the distances from one record to an array of records."""


def of_at_least(away: Away, nearest: Labels, opening: Floats, clusters: Clusters, r: int) -> Clusters:
    """Return disjoint groups of at least r records, made from `clusters`.

    Each group is first extended by the r `nearest` records of its center, so groups may overlap. In order of radius,
    a group keeps the records that no earlier group has, if they are at least r. The rest of a smaller one is attached
    to an earlier group with which it overlaps, and the two are divided or merged into groups of at least r.
    """
    members = [np.union1d(some, near) for some, near in zip(clusters.members(), nearest, strict=True)]
    radii = np.array([away(int(center), some).max() for center, some in zip(clusters.centers, members, strict=True)])
    by_radius = np.argsort(radii, kind="stable")
    owner = np.full(len(clusters.labels), -1, dtype=np.int64)
    parent: dict[int, int] = {}
    own: dict[int, Labels] = {}
    for group in by_radius.tolist():
        owners = owner[members[group]]
        free = members[group][owners < 0]
        if len(free) >= r:
            owner[free] = group
            own[group] = free
        else:
            parent[group] = int(owners.max())
    leaves: dict[int, list[tuple[int, Labels]]] = {group: [] for group in sorted(own)}
    waiting = owner < 0
    for group in by_radius.tolist():
        if group in parent:
            free = members[group][waiting[members[group]]]
            waiting[free] = False
            leaves[parent[group]].append((int(clusters.centers[group]), free))
    labels = np.full(len(clusters.labels), -1, dtype=np.int64)
    centers: list[int] = []
    for group, remainders in leaves.items():
        for records, candidates in _regrouped(away, int(clusters.centers[group]), own[group], remainders, r):
            labels[records] = len(centers)
            prices = [len(records) * away(center, records).max() + opening[center] for center in candidates]
            centers.append(candidates[int(np.argmin(prices))])
    return Clusters(labels, np.array(centers, dtype=np.int64))


def _regrouped(
    away: Away, center: int, own: Labels, remainders: list[tuple[int, Labels]], r: int
) -> Iterator[tuple[Labels, tuple[int, ...]]]:
    """Yield the groups into which one open group and the remainders attached to it are divided.

    Each remainder has fewer than r records; they come in order of radius. Yields the records of a group and the
    records that may be its center.
    """
    pile, n_piled, last = [np.zeros(0, dtype=np.int64)], 0, center
    for its_center, records in remainders:
        if len(records):
            pile.append(records)
            n_piled, last = n_piled + len(records), its_center
        if n_piled >= r:
            yield np.concatenate(pile), (center, last)
            pile, n_piled = [np.zeros(0, dtype=np.int64)], 0
    if n_piled and n_piled + len(own) < 2 * r:
        yield np.concatenate((*pile, own)), (center, last)
        return
    if n_piled:
        lent = own[np.argsort(away(last, own), kind="stable")][: r - n_piled]
        yield np.concatenate((*pile, lent)), (center, last)
        own = np.setdiff1d(own, lent)
    yield own, (center,)
