"""Small instances of every shape: lines, grids, duplicates, ties, labels, hierarchies, shortest paths in graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse.csgraph import shortest_path

from shoal.space.space import LINE, TREE, Axis, Space, set_costs
from tests.oracles.generalization import Column, Ranges, Sets, Tree

Rng = np.random.Generator


@dataclass(frozen=True)
class Metric:
    """`points` and `metric` as Shoal's functions take them, and the same distances, to the `power`, as integers."""

    points: Any
    metric: str | None
    distance: list[list[int]]
    power: int


def values(rng: Rng, n: int, d: int) -> np.ndarray:
    """Integer points, often equal, in ties or far apart."""
    spread = int(rng.choice([1, 3, 10, 40]))
    rows = rng.integers(-spread, spread + 1, (n, d))
    if rng.random() < 0.3:
        rows = rows[rng.integers(0, n, n)]
    return rows


def a_metric(rng: Rng, n: int) -> Metric:
    """Points on a line, in a grid (Euclid or city block), of labels with a hierarchy, or vertices of a graph."""
    kind = rng.choice(["line", "euclid", "city", "tree", "graph"])
    if kind == "graph":
        table = graph_distances(rng, n)
        if n > 1 and rng.random() < 0.5:  # the same distances, as edges that lead there
            edges = [(a, b, table[a, b]) for a in range(n) for b in range(a)]
            return Metric(edges, "graph", table.tolist(), 1)
        return Metric(table.astype(float), "precomputed", table.tolist(), 1)
    if kind == "tree":
        rows, space = labeled(rng, n)
        table = np.abs(rows[:, None, 0] - rows[None, :, 0]) + meeting_level(rows[:, None, 1], rows[None, :, 1])
        return Metric(space, None, table.tolist(), 1)
    rows = values(rng, n, 1 if kind == "line" else int(rng.integers(1, 4)))
    difference = np.abs(rows[:, None] - rows[None])
    if kind == "city":
        return Metric(Space.from_points(rows, norm=1), None, difference.sum(axis=2).tolist(), 1)
    return Metric(rows.astype(float), None, (difference**2).sum(axis=2).tolist(), 2)


def weights(rng: Rng) -> tuple[list[int], int]:
    """People per label and a k that they can meet: around k / 2, just below k, above k; some labels nobody has."""
    while True:
        k, n = int(rng.choice([2, 3, 7, 10, 20, 101])), int(rng.integers(1, 9))
        some = rng.random(n) < 0.6
        held = {
            "any": rng.integers(0, k + 2, n),
            "half": rng.integers(max(k // 2 - 2, 0), k // 2 + 3, n),
            "large": np.where(some, rng.integers(k // 2 + 1, k + 1, n), rng.integers(1, k // 2 + 2, n)),
            "full": np.where(some, k - 1, rng.integers(0, max(k // 4, 2), n)),
            "oversize": rng.integers(1, 2 * k, n),
        }[rng.choice(["any", "half", "large", "full", "oversize"])]
        if held.sum() >= k:
            return held.tolist(), k


def added_distances(metric: Metric) -> list[list[Fraction]]:
    """Distances that can be added: of Euclidean ones the floating-point numbers next to them, taken as exact."""
    return [
        [Fraction(math.sqrt(value)) if metric.power == 2 else Fraction(value) for value in row]
        for row in metric.distance
    ]


def graph_distances(rng: Rng, n: int) -> np.ndarray:
    """Shortest paths in a connected random graph with small whole lengths."""
    weights, least = np.zeros((n, n)), int(rng.choice([1, 4]))
    for vertex in range(1, n):
        weights[vertex, rng.integers(vertex)] = rng.integers(least, 7)
    extra = rng.random((n, n)) < rng.choice([0, 0.2])
    weights[extra] = rng.integers(least, 7, int(extra.sum()))
    np.fill_diagonal(weights, 0)
    return shortest_path(weights, directed=False).round().astype(int)


# Leaves 0..5 under nodes {0, 1, 2}, {3, 4}, {5}, all under the root: they meet at level 1 or 2.
PARENT = np.array([0, 0, 0, 1, 1, 2])


def meeting_level(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The level at which two leaves of the small hierarchy first meet."""
    return np.where(a == b, 0, np.where(PARENT[a] == PARENT[b], 1, 2))


ANCESTORS = np.column_stack((np.arange(6), 6 + PARENT, np.full(6, 9))).astype(np.int32)


def mixed_table(rng: Rng, n: int) -> tuple[list[list[int]], list[Column], Space]:
    """Numbers, hierarchies, labels and sets of labels, as rows with the oracle's columns and as a space."""
    rows, columns, axes = [], [], []
    flat = np.column_stack((np.arange(6), np.full(6, 6))).astype(np.int32)
    for j in range(int(rng.integers(1, 4))):
        kind = rng.choice(["number", "hierarchy", "label", "set"])
        top = int(rng.choice([2, 6]))
        rows.append(rng.integers(0, top, n))
        if kind == "number":
            columns.append(Ranges(1))
            axes.append(Axis(f"c{j}", LINE))
        elif kind == "hierarchy":
            columns.append(Tree(ANCESTORS.tolist(), weight=2))
            axes.append(Axis(f"c{j}", TREE, ANCESTORS, np.array([0.0, 1.0, 2.0])))
        elif kind == "label":
            columns.append(Tree(flat.tolist(), weight=3))
            axes.append(Axis(f"c{j}", TREE, flat, np.array([0.0, 3.0])))
        else:
            columns.append(Sets(1))
            axes.append(Axis(f"c{j}", TREE, flat, np.array([0.0, 2.0]), by_count=set_costs(1.0, 6)))
    table = np.column_stack(rows)
    return table.tolist(), columns, Space(table.astype(float), tuple(axes), norm=1)


def labeled(rng: Rng, n: int) -> tuple[np.ndarray, Space]:
    """A number and a label with a hierarchy, as rows of integers and as a space that adds both distances."""
    rows = np.column_stack((rng.integers(0, int(rng.choice([2, 5])), n), rng.integers(0, 6, n)))
    axes = (Axis("number", LINE), Axis("label", TREE, ANCESTORS, np.array([0.0, 1.0, 2.0])))
    return rows, Space(rows.astype(float), axes, norm=1)


def random_column(rng: Rng, n: int):
    """A column three times: its values, as the oracle sees it, and as an axis. Powers of two keep floats exact."""
    kind, weight = rng.integers(0, 4), int(rng.integers(1, 4))
    values = rng.integers(0, rng.integers(1, 6), n)
    if kind == 0:
        return values, Ranges(8, weight), values / 8 * weight, Axis("number", LINE)
    n_labels = 8
    codes = np.arange(n_labels, dtype=np.int32)
    if kind == 1:
        above = np.stack([codes, np.zeros(n_labels, dtype=np.int32)], axis=1)
        axis = Axis("label", TREE, above, np.array([0.0, float(weight)]))
        return values, Tree.labels(n_labels, weight), values.astype(float), axis
    if kind == 2:
        above = np.stack([codes, np.zeros(n_labels, dtype=np.int32)], axis=1)
        axis = Axis(
            "set",
            TREE,
            above,
            np.array([0.0, 2 * weight / n_labels]),
            by_count=set_costs(weight / n_labels, n_labels),
        )
        return values, Sets(Fraction(weight, n_labels)), values.astype(float), axis
    # A hierarchy of four levels over eight leaves: every level keeps some of the cuts below it.
    cuts = np.ones((n_labels, 5), dtype=bool)
    for level in range(1, 5):
        cuts[:, level] = cuts[:, level - 1] & (rng.random(n_labels) < 0.7)
    cuts[1:, 4] = False
    cuts[0] = True
    above = (np.cumsum(cuts, axis=0) - 1).astype(np.int32)
    axis = Axis("hierarchy", TREE, above, np.arange(5) / 4 * weight)
    paths = [[(level, int(node)) for level, node in enumerate(path)] for path in above]
    return values, Tree(paths, weight), values.astype(float), axis


def random_table(rng: Rng, n: int, d: int) -> tuple[list[tuple[int, ...]], list[Column], Space]:
    """Columns of any kind and weight, hierarchies of four random levels."""
    columns = [random_column(rng, n) for _ in range(d)]
    rows = [tuple(int(values[i]) for values, *_ in columns) for i in range(n)]
    coordinates = np.stack([points for *_, points, _ in columns], axis=1) if d else np.empty((n, 0))
    return rows, [oracle for _, oracle, *_ in columns], Space(coordinates, tuple(axis for *_, axis in columns), 1)


def any_table(rng: Rng, n: int) -> tuple[list, list[Column], Space]:
    """A table with one small hierarchy, or with random ones and random weights."""
    return mixed_table(rng, n) if rng.random() < 0.5 else random_table(rng, n, int(rng.integers(1, 4)))
