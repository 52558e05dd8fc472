"""One task of Shoal's at one size: seconds of the work alone."""

import json
import sys
import time
from collections.abc import Callable

import numpy as np

import shoal
from benchmarks.data import people
from shoal.partition import gather, microaggregate, rectangles
from shoal.partition.mst import spanning_tree


def work(task: str, n: int, d: int, k: int, threads: int) -> Callable[[], object]:
    """The task with its input made."""
    if task == "anonymize":
        frame = people(n)
        asked = {"quasi": frame.columns[:-1], "sensitive": [frame.columns[-1]], "seed": 1}
        return lambda: shoal.anonymize(frame, k=k, **asked)
    points = np.random.default_rng([n, d]).normal(size=(n, d))
    tasks: dict[str, Callable[[], object]] = {
        "mst": lambda: spanning_tree(points, n_threads=threads),
        "mdav": lambda: microaggregate(points, k, method="mdav", bound=False),
        "best": lambda: microaggregate(points, k, method="best", bound=False, n_threads=threads),
        "gather": lambda: gather(points, k, n_threads=threads),
        "rectangles": lambda: rectangles(points, k),
    }
    return tasks[task]


def main() -> None:
    options = json.loads(sys.argv[1])
    work(options["task"], max(1000, 2 * options["k"]), options["d"], options["k"], options["threads"])()
    todo = work(**options)
    begun, cpu = time.perf_counter(), time.process_time()
    todo()
    print(json.dumps({"seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}))


if __name__ == "__main__":
    main()
