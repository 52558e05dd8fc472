"""The experiments of Laszlo and Mukherjee (2005): tables 5 to 11 and figure 3, printed and measured side by side."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.errors import TableError
from shoal.papers import mst_printed as printed
from shoal.partition.microaggregation.microaggregate import microaggregate, standardize
from shoal.partition.microaggregation.mst import spanning_tree
from shoal.partition.microaggregation.sse import sort_points, sse
from shoal.partition.result import Floats, Labels

K = (3, 4, 5, 10)


class Row(NamedTuple):
    """One figure of one table: the value that the paper prints, and the value measured here."""

    table: int
    data: str
    k: int
    what: str
    printed: float
    measured: float


def simulated(number: int, seed: int = 0) -> tuple[Floats, Labels]:
    """Return the points of a data set SIM_1 to SIM_29 of section 4.1, and the cluster of each point.

    A data set has 200 Gaussian clusters around centers that are uniform in [-1, 1]^d. `number` decides the dimension,
    the standard deviation and the sizes of the clusters.
    """
    rng = np.random.default_rng([seed, number])
    d, sigma, least, most = 10, 0.1, 10, 100
    if number <= 8:
        sigma = printed.SIGMA[number - 1]
    elif number <= 14:
        least = most = 100 * (number - 8)
    elif number <= 20:
        d, least, most = (20, 40, 60, 80, 100, 200)[number - 15], 50, 50
    else:
        sigma, least, most = 0.01, number - 13, number - 13
    sizes = rng.integers(least, most + 1, 200)
    cluster = np.repeat(np.arange(200), sizes)
    centers = rng.uniform(-1, 1, (200, d))
    return centers[cluster] + sigma * rng.normal(size=(len(cluster), d)), cluster


def run(folder: Path | None = None, *, tables: tuple[int, ...] = (5, 6, 7, 8, 9, 10, 11), seed: int = 0) -> list[Row]:
    """Measure the tables and return one row per figure.

    The data sets Tarragona and Census are read from `folder`, and are skipped where it is None. All others are
    generated from `seed`.
    """
    steps = {5: _table_5, 6: _table_6, 7: _table_7, 8: _table_8, 9: _table_9, 10: _table_10, 11: _table_11}
    rows: list[Row] = []
    with progress.step("tables of the paper", len(tables)) as advance:
        for table in tables:
            rows += steps[table](folder, seed)
            advance(1)
    return rows


def loss(points: Floats, method: str, k: int) -> float:
    """Return the information loss 100 SSE / SST of a method; ties go to the earlier row, as in the paper."""
    found = microaggregate(points, k, method=printed.METHODS[method], bound=False, keep_order=True)
    assert found.details.loss is not None
    return found.details.loss


def _data(folder: Path | None, seed: int) -> Iterator[tuple[str, Floats]]:
    """Yield name and standardized points of the data sets of tables 5 and 6; raise a TableError without a file."""
    for name in ("Tarragona", "Census") if folder is not None else ():
        file = Path(folder or "") / f"{name}.csv"
        if not file.is_file():
            raise TableError(
                f"{file.name} is not in the folder.", "give the folder with Tarragona.csv and Census.csv."
            )
        yield name, standardize(np.loadtxt(file, delimiter=",", skiprows=1))
    yield "SIM_1", standardize(simulated(1, seed)[0])


def _table_5(folder: Path | None, seed: int) -> Iterator[Row]:
    """Measure the information loss of every method for k = 3, 4, 5 and 10."""
    for name, points in _data(folder, seed):
        for method, figures in printed.TABLE_5[name].items():
            for k, figure in zip(K, figures, strict=True):
                yield Row(5, name, k, method, figure, loss(points, method, k))


def _table_6(folder: Path | None, seed: int) -> Iterator[Row]:
    """Measure the share and the mean size of groups with 2k or more points after cutting the spanning tree."""
    for name, points in _data(folder, seed):
        tree = spanning_tree(points)
        for k, (share, mean) in zip(K, printed.TABLE_6[name], strict=True):
            sizes = np.bincount(tree.groups(k))
            large = sizes >= 2 * k
            yield Row(6, name, k, "% oversized", share, 100 * float(large.mean()))
            yield Row(6, name, k, "mean size", mean, float(sizes[large].mean()) if large.any() else 0.0)


def _table_7(_folder: Path | None, seed: int) -> Iterator[Row]:
    """Measure the information loss as the clusters of SIM_1 to SIM_8 overlap more and more."""
    for number in range(1, 9):
        raw, cluster = simulated(number, seed)
        points = standardize(raw)
        for method, figures in printed.TABLE_7.items():
            measured = _known_clusters(points, cluster, 4) if method == "UB" else loss(points, method, 4)
            yield Row(7, f"SIM_{number}", 4, method, figures[number - 1], measured)


def _known_clusters(points: Floats, cluster: Labels, k: int) -> float:
    """Return the paper's upper bound (UB) on the information loss.

    It is the loss if each cluster that was generated is partitioned alone, by D everywhere or by C everywhere,
    whichever loses less.
    """
    total = sse(points, np.zeros(len(points), dtype=np.int64))
    clusters = [points[cluster == c] for c in np.unique(cluster)]
    sums = [
        sum(microaggregate(own, k, method=method, bound=False).cost for own in clusters)
        for method in ("diameter", "centroid")
    ]
    return 100 * min(sums) / total


def _table_8(_folder: Path | None, seed: int) -> Iterator[Row]:
    """Measure the information loss for clusters of 8 to 16 points, SIM_21 to SIM_29."""
    for number in range(21, 30):
        points = standardize(simulated(number, seed)[0])
        for method, figures in printed.TABLE_8.items():
            yield Row(8, f"SIM_{number}", 4, method, figures[number - 21], loss(points, method, 4))


def _table_9(_folder: Path | None, seed: int) -> Iterator[Row]:
    """Measure the running time by the number of points, SIM_9 to SIM_14."""
    for number in range(9, 15):
        tree, cutting = _seconds(number, seed)
        phases = {"total": tree + cutting, "tree": tree, "cutting": cutting}
        for phase, seconds in phases.items():
            yield Row(9, f"SIM_{number}", 4, f"M, {phase}, s", printed.TABLE_9[phase][number - 9], seconds)


def _table_10(_folder: Path | None, seed: int) -> Iterator[Row]:
    """Measure the running time by the number of dimensions, SIM_15 to SIM_20."""
    for number in range(15, 21):
        yield Row(10, f"SIM_{number}", 4, "M, total, s", printed.TABLE_10[number - 15], sum(_seconds(number, seed)))


def _table_11(_folder: Path | None, _seed: int) -> Iterator[Row]:
    """Count the partitions of n points into groups of k to 2k - 1."""
    for n, counts in printed.TABLE_11.items():
        for k, count in zip(K, counts, strict=True):
            yield Row(11, f"{n} points", k, "partitions", count, float(n_partitions(n, k)))


def n_partitions(n: int, k: int) -> int:
    """Return the number of partitions of n points into groups of k to 2k - 1 (appendix A).

    The group of the last point has m points: m - 1 others are chosen, and the rest is partitioned.
    """
    counts = [1]
    for points in range(1, n + 1):
        sizes = range(k, min(2 * k - 1, points) + 1)
        counts.append(sum(math.comb(points - 1, m - 1) * counts[points - m] for m in sizes))
    return counts[n]


def _seconds(number: int, seed: int) -> tuple[float, float]:
    """Return the seconds for building the spanning tree, on all cores, and for cutting it at k = 4.

    A small run before compiles the code, so that the time for compiling is not counted.
    """
    spanning_tree(np.random.default_rng(0).normal(size=(100, 3))).groups(4)
    points = sort_points(simulated(number, seed)[0]).points
    begin = time.perf_counter()
    tree = spanning_tree(points, n_threads=os.cpu_count() or 1)
    built = time.perf_counter()
    tree.groups(4)
    return built - begin, time.perf_counter() - built


def ratios(rows: list[Row]) -> dict[str, list[float]]:
    """Return the two curves of figure 3, as printed and as measured, for SIM_1 to SIM_8.

    Each value is the smallest loss of the fixed-size methods (D, C) divided by that of the tree-based ones (M, M-d,
    M-c). `rows` must include table 7.
    """
    curves: dict[str, list[float]] = {"printed": [], "measured": []}
    for number in range(1, 9):
        own = {row.what: row for row in rows if row.table == 7 and row.data == f"SIM_{number}"}
        for name, values in curves.items():
            fixed, tree = (min(getattr(own[m], name) for m in ms) for ms in (("D", "C"), ("M", "M-d", "M-c")))
            values.append(fixed / tree)
    return curves
