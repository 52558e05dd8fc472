"""One task of Shoal's at growing sizes, in one process: seconds of the work alone, and the peak so far."""

import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

ASKED = json.loads(sys.argv[1])
if ASKED["cores"] == 1:  # before anything counts the cores
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np  # noqa: E402

import shoal  # noqa: E402
from benchmarks.data import people  # noqa: E402
from benchmarks.verify import policy, released  # noqa: E402
from shoal.partition import gather, microaggregate, rectangles  # noqa: E402
from shoal.partition.microaggregation.mst import spanning_tree  # noqa: E402


def work(task: str, n: int, d: int, k: int) -> Callable[[], object]:
    """The task with its input made."""
    if task == "anonymize":
        frame = people(n)
        quasi = frame.columns[:-1]
        asked = {"quasi": quasi, "publish_rare": quasi, "sensitive": [frame.columns[-1]], "seed": 1}
        return lambda: shoal.anonymize(frame, k=k, **asked)
    if task == "verify":
        frame = released(n)
        return lambda: shoal.verify(frame, policy("equal"))
    points, cores = np.random.default_rng([n, d]).normal(size=(n, d)), ASKED["cores"]
    tasks: dict[str, Callable[[], object]] = {
        "mst": lambda: spanning_tree(points, n_threads=cores),
        "mdav": lambda: microaggregate(points, k, method="mdav", bound=False),
        "best": lambda: microaggregate(points, k, method="best", bound=False, n_threads=cores),
        "gather": lambda: gather(points, k, n_threads=cores),
        "rectangles": lambda: rectangles(points, k),
    }
    return tasks[task]


def peak_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def timed(todo: Callable[[], object]) -> dict[str, float]:
    """The fastest run of up to three, as many as fit into a second."""
    runs = []
    while not runs or (len(runs) < 3 and runs[0][0] < 0.4):
        begun, cpu = time.perf_counter(), time.process_time()
        todo()
        runs.append((time.perf_counter() - begun, time.process_time() - cpu))
    seconds, cpu = min(runs)
    return {"seconds": seconds, "cpu": cpu, "peak_mb": peak_mb()}


def main() -> None:
    task, cases = ASKED["task"], ASKED["cases"]
    work(task, max(1000, 2 * cases[0][2]), *cases[0][1:])()
    print("ready", flush=True)
    found: list[dict[str, float]] = []
    for at, (n, d, k) in enumerate(cases):
        if at:
            # As the last two grew, and at least in proportion to what grows.
            last, before = found[-1]["seconds"], found[-2]["seconds"] if at > 1 else 0.0
            grown = max(a / b for a, b in zip((n, d, k), cases[at - 1], strict=True))
            if (
                last > 0.5
                and last * max(grown if n > cases[0][0] else 1.0, last / (before or math.inf)) > ASKED["seconds"]
            ):
                break
        found.append(timed(work(task, n, d, k)))
    print(json.dumps({"cases": found}))


if __name__ == "__main__":
    main()
