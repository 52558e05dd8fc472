"""Flows of `gather` by several solvers: `python benchmarks/flow.py --n 100000 --d 5 --peers OTHER/bin/python`.

Two networks of the same question, whether every center gets r records out of its ball, at the threshold where most
is borrowed: the *plain* one (source, centers, points, sink) and the *residual* one that `gather` solves (only what
centers borrow that are short after the nearest assignment). OR-tools is no dependency: `--peers` names a Python that
has it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np


def networks(n: int, d: int, r: int, folder: Path) -> list[Path]:
    """The largest residual network of a run, and the plain one of the same threshold, as files."""
    import scipy.sparse.csgraph as csgraph

    from shoal.partition.radius import assignment as _assign
    from shoal.partition.radius import threshold as _threshold
    from shoal.partition.radius.gather import gather

    asked: list[Any] = []
    largest: dict[str, Any] = {"edges": -1}
    solve, assign = csgraph.maximum_flow, _assign.assign

    def watched_flow(network: Any, source: int, sink: int, **options: Any) -> Any:
        if network.nnz > largest["edges"]:
            largest.update(edges=network.nnz, residual=network.tocoo(), balls=asked[-1])
        return solve(network, source, sink, **options)

    def watched_assign(balls: Any, radius: float, counts: Any, needed: int) -> Any:
        asked.append((balls, radius))
        return assign(balls, radius, counts, needed)

    csgraph.maximum_flow, _threshold.assign = watched_flow, watched_assign
    points = np.random.default_rng(1).random((n, d))  # even density: many centers, and many of them short
    try:
        begun = time.perf_counter()
        gather(points, r)
        print(f"gather of {n:,} x {d}, r = {r}: {time.perf_counter() - begun:.1f} s")
    finally:
        csgraph.maximum_flow, _threshold.assign = solve, assign
    if largest["edges"] < 0:
        sys.exit("this run needed no flow.")
    residual, (balls, radius) = largest["residual"], largest["balls"]
    near = balls.distances <= radius
    ball, member, n_balls = balls.ball[near], balls.members[near], len(balls.centers)
    tail = np.concatenate((np.zeros(n_balls), ball + 2, np.arange(n) + 2 + n_balls)).astype(np.int64)
    head = np.concatenate((np.arange(n_balls) + 2, member + 2 + n_balls, np.ones(n))).astype(np.int64)
    capacity = np.concatenate((np.full(n_balls, r), np.ones(len(ball) + n))).astype(np.int64)
    files = [folder / "plain.npz", folder / "residual.npz"]
    np.savez(files[0], tail=tail, head=head, capacity=capacity)
    np.savez(files[1], tail=residual.row, head=residual.col, capacity=residual.data)
    return files


def by_scipy(tail: Any, head: Any, capacity: Any) -> tuple[int, float]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    n = int(max(tail.max(), head.max())) + 1
    begun = time.process_time()
    network = coo_array((capacity.astype(np.int32), (tail, head)), shape=(n, n)).tocsr()
    return int(maximum_flow(network, 0, 1, method="dinic").flow_value), time.process_time() - begun


def by_or_tools(tail: Any, head: Any, capacity: Any) -> tuple[int, float]:
    from ortools.graph.python import max_flow

    begun = time.process_time()
    solver = max_flow.SimpleMaxFlow()
    solver.add_arcs_with_capacity(tail.astype(np.int32), head.astype(np.int32), capacity.astype(np.int64))
    solver.solve(0, 1)
    return int(solver.optimal_flow()), time.process_time() - begun


def solved(file: Path, solver: str) -> dict[str, float]:
    """The flow and the fastest of three runs."""
    found = np.load(file)
    parts = found["tail"], found["head"], found["capacity"]
    runs = [(by_scipy if solver == "scipy" else by_or_tools)(*parts) for _ in range(3)]
    return {"flow": runs[0][0], "seconds": min(seconds for _, seconds in runs), "edges": len(parts[0])}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, default=100_000)
    options.add_argument("--d", type=int, default=5)
    options.add_argument("--r", type=int, default=10)
    options.add_argument("--peers", help="a Python with ortools")
    options.add_argument("--solve", nargs=2, metavar=("FILE", "SOLVER"), help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.solve:
        print(json.dumps(solved(Path(asked.solve[0]), asked.solve[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        for file in networks(asked.n, asked.d, asked.r, Path(folder)):
            for solver, python in (("scipy", sys.executable), ("or-tools", asked.peers)):
                if python:
                    command = [python, __file__, "--solve", str(file), solver]
                    out = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                    print(
                        f"{file.stem:9} {solver:9} {out['edges']:>10,} edges {out['seconds']:7.3f} s  {out['flow']:,}"
                    )


if __name__ == "__main__":
    main()
