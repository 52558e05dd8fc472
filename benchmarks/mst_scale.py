"""Spanning trees and MDAV at scale: seconds, exponents, and the peers where they are installed.

    python -m benchmarks.mst_scale [tree] [paper] [million] [mdav] [peers]

`tree`      100,000 x 10, and 100,000 and 1,000,000 x 3 with the exponent between them (30 s, at most 1.2)
`paper`     SIM_14, 120,000 x 10, by `mst-d` from points to groups (10 s; printed: 33,894 s)
`million`   the tree of 1,000,000 x 10 (300 s)
`mdav`      100,000 x 10, k = 5, against plain compiled passes (5 times faster, the same groups), and 200,000
`peers`     the tree of 100,000 x 10 by mlpack and fast_hdbscan: the same weight, more time

Points are normal. Kernels are compiled before the clock starts. CPU seconds beside wall seconds show whether the
machine was shared.
"""

from __future__ import annotations

import importlib.util
import math
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from shoal.bench.mst import simulated
from shoal.partition.mdav import mdav
from shoal.partition.microaggregate import microaggregate, standardize
from shoal.partition.mst import spanning_tree
from tests.oracles.mdav import plain_mdav

T = TypeVar("T")
THREADS = os.cpu_count() or 1


def timed(name: str, work: Callable[[], T]) -> tuple[T, float]:
    """Run once, print wall and CPU seconds and the peak memory of the process so far."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    seconds = time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:44s} {seconds:8.2f} s   cpu {time.process_time() - cpu:8.2f} s   peak {peak:6.0f} MB", flush=True)
    return result, seconds


def normal(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def tree() -> None:
    timed("tree 100,000 x 10", lambda: spanning_tree(normal(100_000, 10), n_threads=THREADS))
    _, small = timed("tree 100,000 x 3", lambda: spanning_tree(normal(100_000, 3), n_threads=THREADS))
    _, large = timed("tree 1,000,000 x 3", lambda: spanning_tree(normal(1_000_000, 3), n_threads=THREADS))
    print(f"{'exponent':44s} {math.log10(large / small):8.2f}")


def paper() -> None:
    points = standardize(simulated(14)[0])
    timed("SIM_14 by mst-d, k = 3", lambda: microaggregate(points, 3, method="mst-d", bound=False))


def million() -> None:
    timed("tree 1,000,000 x 10", lambda: spanning_tree(normal(1_000_000, 10), n_threads=THREADS))


def by_tree_and_by_passes() -> None:
    points = normal(100_000, 10)
    ours, fast = timed("mdav 100,000 x 10, k = 5", lambda: mdav(points, 5))
    plain, slow = timed("plain passes", lambda: plain_mdav(points, 5))
    print(f"{'times faster; same groups':44s} {slow / fast:8.2f}   {np.array_equal(ours, plain)}")
    _, twice = timed("mdav 200,000 x 10, k = 5", lambda: mdav(normal(200_000, 10), 5))
    print(f"{'exponent':44s} {math.log2(twice / fast):8.2f}")


def peers() -> None:
    points = normal(100_000, 10)
    ours, _ = timed("tree 100,000 x 10", lambda: spanning_tree(points, n_threads=THREADS))
    print(f"{'weight':44s} {ours.lengths.sum():.6f}")
    if importlib.util.find_spec("mlpack"):
        import mlpack

        found, _ = timed("mlpack emst", lambda: mlpack.emst(points)["output"])
        print(f"{'weight':44s} {found[:, 2].sum():.6f}")
    if importlib.util.find_spec("fast_hdbscan"):
        from fast_hdbscan.hdbscan import compute_minimum_spanning_tree

        compute_minimum_spanning_tree(normal(1000, 10), min_samples=1)
        found, _ = timed("fast_hdbscan", lambda: compute_minimum_spanning_tree(points, min_samples=1)[0])
        print(f"{'weight':44s} {np.asarray(found)[:, 2].sum():.6f}")


def main() -> None:
    steps = {"tree": tree, "paper": paper, "million": million, "mdav": by_tree_and_by_passes, "peers": peers}
    warm = normal(1000, 3)
    microaggregate(warm, 3, method="mst-d", bound=False)
    mdav(warm, 3)
    plain_mdav(warm, 3)
    for name in sys.argv[1:] or ("tree", "paper", "mdav"):
        steps[name]()


if __name__ == "__main__":
    main()
