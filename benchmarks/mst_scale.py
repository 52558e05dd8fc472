"""Spanning trees and MDAV at scale: seconds, exponents, and the peers in an environment of their own.

    python -m benchmarks.mst_scale [tree] [paper] [million] [mdav] [mdav-million] [peers]

`tree`      100,000 x 10, and 100,000 and 1,000,000 x 3 with the exponent between them (30 s, at most 1.2)
`paper`     SIM_14, 120,000 x 10, by `mst-d` from points to groups (10 s; printed: 33,894 s)
`million`   the tree of 1,000,000 x 10: one normal cloud, a mixture of 100, a uniform cube (300 s, 4 GiB)
`mdav`      100,000 x 10, k = 5, against plain compiled passes (5 times faster, the same groups), and 200,000
`mdav-million`  1,000,000 x 10, k = 5 (600 s)
`peers`     the trees of SIM_13 and of 100,000 x 10 by mlpack and (in 32 bits) fast_hdbscan: as heavy, more time.
            They are installed into an environment of their own, SHOAL_PEERS or a temporary folder, and kept there

Points are normal where nothing else is said. Kernels are compiled before the clock starts. CPU seconds beside wall
seconds show whether the machine was shared.
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
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
    n = 1_000_000
    rng = np.random.default_rng(1)
    centers = rng.uniform(-1, 1, (100, 10))
    clouds = {
        "normal": normal(n, 10),
        "mixture": centers[rng.integers(0, 100, n)] + 0.1 * rng.normal(size=(n, 10)),
        "cube": rng.random((n, 10)),
    }
    for name in list(clouds):
        points = clouds.pop(name)
        timed(f"tree 1,000,000 x 10, {name}", lambda points=points: spanning_tree(points, n_threads=THREADS))


def by_tree_and_by_passes() -> None:
    points = normal(100_000, 10)
    ours, fast = timed("mdav 100,000 x 10, k = 5", lambda: mdav(points, 5))
    plain, slow = timed("plain passes", lambda: plain_mdav(points, 5))
    print(f"{'times faster; same groups':44s} {slow / fast:8.2f}   {np.array_equal(ours, plain)}")
    _, twice = timed("mdav 200,000 x 10, k = 5", lambda: mdav(normal(200_000, 10), 5))
    print(f"{'exponent':44s} {math.log2(twice / fast):8.2f}")


def mdav_million() -> None:
    timed("mdav 1,000,000 x 10, k = 5", lambda: mdav(normal(1_000_000, 10), 5))


PEERS = {
    "mlpack": """
import mlpack
work = lambda p: mlpack.emst(p, copy_all_inputs=True)["output"][:, 2].sum()
""",
    "fast_hdbscan": """
import numba
from fast_hdbscan.hdbscan import compute_minimum_spanning_tree
numba.set_num_threads(THREADS)
work = lambda p: compute_minimum_spanning_tree(p, min_samples=1)[0][:, 2].sum()
""",
}
PATIENCE = 600
TIMING = """
import sys, time, numpy as np
points = np.load(sys.argv[1])
work(points[:2000])  # compiled before the clock starts
cpu, wall = time.process_time(), time.perf_counter()
weight = work(points)
print(time.perf_counter() - wall, time.process_time() - cpu, weight)
"""


def peers() -> None:
    folder = Path(os.environ.get("SHOAL_PEERS") or Path(tempfile.gettempdir()) / "shoal-peers")
    python, file = folder / "bin" / "python", folder / "points.npy"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    for data, points in (("SIM_13", simulated(13)[0]), ("normal", normal(100_000, 10))):
        ours, fast = timed(
            f"tree 100,000 x 10, {data}", lambda points=points: spanning_tree(points, n_threads=THREADS)
        )
        np.save(file, points)
        for name, work in PEERS.items():
            command = [python, "-c", f"THREADS = {THREADS}\n{work}{TIMING}", file]
            try:
                ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                print(f"{name:44s} not done after {PATIENCE} s", flush=True)
                continue
            wall, cpu, weight = map(float, ran.stdout.split()[-3:])
            same = math.isclose(weight, ours.lengths.sum(), rel_tol=1e-6)
            print(
                f"{name:44s} {wall:8.2f} s   cpu {cpu:8.2f} s   {wall / fast:.1f} x ours, same weight: {same}",
                flush=True,
            )


def main() -> None:
    steps = {
        "tree": tree,
        "paper": paper,
        "million": million,
        "mdav": by_tree_and_by_passes,
        "mdav-million": mdav_million,
        "peers": peers,
    }
    warm = normal(1000, 3)
    microaggregate(warm, 3, method="mst-d", bound=False)
    mdav(warm, 3)
    plain_mdav(warm, 3)
    for name in sys.argv[1:] or ("tree", "paper", "mdav"):
        steps[name]()


if __name__ == "__main__":
    main()
