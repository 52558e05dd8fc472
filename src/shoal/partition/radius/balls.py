"""Greedily chosen centers and the points in the balls around them, for coordinates, distance matrices and graphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.kernels import ball_opening as kernels
from shoal.partition.result import Floats, Labels
from shoal.space.graph import Paths
from shoal.space.metric import Precomputed
from shoal.space.neighbors import Neighbors

Metric = Neighbors | Precomputed | Paths


class Balls(NamedTuple):
    """`members[starts[b]:starts[b + 1]]` are the points listed around `centers[b]`, with their `distances`.

    `owner` is the nearest ball that covers each point, -1 if none does, and `gap` the distance to its center.
    """

    centers: Labels
    starts: Labels
    members: Labels
    distances: Floats
    owner: Labels
    gap: Floats

    @property
    def ball(self) -> Labels:
        """The ball in whose list each entry of `members` stands."""
        return np.repeat(np.arange(len(self.centers)), np.diff(self.starts))


def open_balls(
    metric: Metric,
    sequence: Labels,
    radius: float,
    *,
    pick: Labels | None = None,
    reach: float | None = None,
    needed: int = 0,
    most: int | None = None,
) -> Balls:
    """Open a ball for each point p of `sequence` that no earlier ball covers: around p, or around pick[p].

    Without `pick`, the centers are more than `radius` apart; if `sequence` has all points, they are a maximal
    separated set. `needed`, `most` and `reach` have the meaning that they have in
    `shoal.kernels.ball_opening.open_balls`.
    """
    n = len(metric)
    centers = np.arange(n) if pick is None else pick
    limits = (radius, radius if reach is None else reach, needed, n if most is None else most)
    if not isinstance(metric, Neighbors):
        return _open_by_row(metric, sequence, centers, *limits)
    return Balls(*kernels.open_balls(metric._axes, metric._tree, metric._coordinates, sequence, centers, *limits))


def _open_by_row(
    metric: Precomputed | Paths, sequence: Labels, pick: Labels, radius: float, reach: float, needed: int, most: int
) -> Balls:
    """Do what the kernel does for metrics without coordinates, one row of distances at a time."""
    owner, gap = np.full(len(metric), -1, dtype=np.int64), np.full(len(metric), np.inf)
    centers: list[int] = []
    listed: list[tuple[Labels, Floats]] = [(np.zeros(0, dtype=np.int64), np.zeros(0))]
    for uncovered in sequence:
        if owner[uncovered] >= 0 and needed >= 0:
            continue
        if len(centers) == most:
            break
        members, away = metric.ball(int(pick[uncovered]), reach)
        inside = away <= radius
        if metric.counts[members[inside & (owner[members] < 0)]].sum() < needed:
            continue
        nearer = inside & (away < gap[members])
        owner[members[nearer]], gap[members[nearer]] = len(centers), away[nearer]
        centers.append(int(pick[uncovered]))
        listed.append((members, away))
    starts = np.cumsum([len(members) for members, _ in listed])
    members, distances = (np.concatenate(some) for some in zip(*listed, strict=True))
    return Balls(np.array(centers, dtype=np.int64), starts, members, distances, owner, gap)


def around(metric: Neighbors, centers: Labels, some: Neighbors, radius: float) -> tuple[Labels, Labels]:
    """Return, for each center, the points of `some`, a subset of `metric`, that are within `radius`.

    The result is where the list of each center starts, and the points as positions in `some`.
    """
    every, limits = np.arange(len(metric)), (radius, radius, -1, len(metric))
    found = kernels.open_balls(metric._axes, some._tree, metric._coordinates, centers, every, *limits)
    return found[1], found[2]


def nearest_center(metric: Metric, centers: Labels) -> tuple[Floats, Labels]:
    """Return, for every point, the distance to the nearest of `centers` and its position in `centers`."""
    if not isinstance(metric, Neighbors):
        return metric.nearest_of(centers)
    only_centers = Neighbors(metric.space.take(centers), n_threads=metric.n_threads)
    gaps, found = only_centers.nearest(1, metric.space.coordinates)
    return gaps[:, 0], found[:, 0]


def subset(metric: Neighbors | Precomputed, points: Labels) -> Metric:
    """Return the metric restricted to `points`."""
    if isinstance(metric, Precomputed):
        return metric.take(points)
    return Neighbors(metric.space.take(points), metric.counts[points], n_threads=metric.n_threads)
