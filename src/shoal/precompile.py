"""Compiling the functions that a first release needs, once: `python -m shoal.precompile`.

The result is kept in the cache folder. `--all` compiles every kernel, including those that only methods asked for by
name use. Compiling uses one core, so the work is shared by two processes.
"""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

NUMBERS: dict[str, Any] = {"quasi": ["height_cm", "weight_kg"], "sensitive": ["diagnosis"]}
MIXED: dict[str, Any] = {
    "quasi": ["sex", "zip", "height_cm", "admitted"],
    "sensitive": ["diagnosis"],
    "publish_rare": {"zip": True},  # these releases are thrown away
}
PATHS: dict[str, list[dict[str, Any]]] = {
    "numbers": [NUMBERS],
    "mixed": [
        MIXED | {"hierarchy": {"zip": {"prefix": True}}, "l": 3},
        MIXED | {"hierarchy": {"zip": {"prefix": True}}, "t": 0.3},
        MIXED | {"method": "gather"},
    ],
}


def main(*, everything: bool = False) -> None:
    """Run the default methods on a small table, showing what is compiled, and print how long it took and where it is
    kept.
    """
    begun = time.perf_counter()
    more = ["--all"] if everything else []
    with subprocess.Popen([sys.executable, "-m", "shoal.precompile", "numbers", *more]) as other:
        compiled = run("mixed", aloud=sys.stderr.isatty(), everything=everything)
        if other.wait():
            sys.exit(other.returncode)
    if compiled:
        from shoal.kernels._jit import cache_folder

        seconds = time.perf_counter() - begun
        which = "all kernels" if everything else "the kernels of the default path"
        print(f"compiled {which} in {seconds:.0f} s, kept in {cache_folder()}", file=sys.stderr)


def run(path: str, *, aloud: bool = False, everything: bool = False) -> int:
    """Run the policies of one path; return how many functions were compiled."""
    from shoal import api
    from shoal.datasets import hospital
    from shoal.kernels._compile_events import on_compile

    compiled = 0

    def count() -> None:
        nonlocal compiled
        compiled += 1
        if aloud:
            print(f"\rcompiling (once): {compiled} functions", end="", file=sys.stderr, flush=True)

    table = hospital(150, seed=1)
    with on_compile(count):
        for asked in PATHS[path]:
            used = [*asked["quasi"], *asked["sensitive"]]
            rest = [name for name in table.columns if name not in used]
            api.anonymize(table, k=5, identifier=rest, seed=1, **asked)
        if everything:
            _by_name(path)
    if aloud and compiled:
        print("\r", end="", file=sys.stderr)
    return compiled


def _by_name(path: str) -> None:
    """Run the methods that are never chosen automatically, divided so that both processes take about equally long."""
    import numpy as np

    from shoal.papers import names
    from shoal.partition import cellular, gather, intervals, microaggregate, rectangles
    from shoal.partition.generalization.annealing_records import by_kind
    from shoal.partition.generalization.start_from_cuts import cut_at_best
    from shoal.partition.microaggregation.annealing_with_rules import regroup_squared
    from shoal.partition.rules import Rule
    from shoal.space import Space
    from shoal.space.space import LINE, Axis

    points = np.random.default_rng(0).random((60, 3))
    if path == "numbers":
        microaggregate(points[:, :1], 3, method="optimal")
        for method in ("v-mdav", "mst-d", "centroid", "diameter"):
            microaggregate(points, 3, method=method)
        microaggregate(points[:30], 3, method="centroid", bound="columns")
        medians = tuple(Axis(name, LINE, median=True) for name in ("a", "b", "c"))
        microaggregate(Space(points, medians), 3, bound="groups")
        regroup_squared(points, np.arange(60) // 6, 3, [Rule(np.arange(60) % 4, 2.0)])
        return
    cellular(points, k=3)
    intervals(points[:, 0], 3)
    gather(points[:, :1], 3)
    gather([(0, 1, 1.0), (1, 2, 1.0)], 2, metric="graph")
    rectangles(points[:, :2], 3)
    space = Space.from_points(points, norm=1)
    cut_at_best(space, by_kind(space), 3, n_threads=1)
    names.measure(np.arange(1, 30))


if __name__ == "__main__":
    if "numbers" in sys.argv:
        run("numbers", everything="--all" in sys.argv)
    else:
        main(everything="--all" in sys.argv)
