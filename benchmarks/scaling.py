"""How time and memory grow: with n, with d, with k, on one core and on two."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import fit
from benchmarks.process import OURS, RunError, run

SCRIPT = Path(__file__).parent / "contestants" / "shoal_scale.py"
TASKS = {
    "anonymize": "the default on a mixed table, from frame to verified release",
    "verify": "k, l and t of a released table",
    "mst": "minimum spanning tree",
    "gather": "smallest radius, within twice the best",
    "mdav": "microaggregation around far points",
    "best": "microaggregation, improved",
    "rectangles": "places into rectangles",
}
SIZES = tuple(round(10 ** (e / 2)) for e in range(6, 15))
"""1,000 to 10,000,000."""
DIMENSIONS = (2, 3, 5, 10, 20, 50)
GROUP_SIZES = (2, 5, 10, 30, 100, 300, 1_000)
BY_DIMENSION = ("mst", "gather", "mdav", "best")
BY_GROUP_SIZE = ("anonymize", "gather", "mdav", "best")
FROM = 10_000
"""Exponents of n are fitted from here on, given three such sizes; below, what is fixed hides the growth."""

Case = tuple[int, int, int]


@dataclass(frozen=True)
class Measure:
    """One task at one size; `sweep` says what grows ("n", "d" or "k"). `seconds` is None where it was not run."""

    task: str
    sweep: str
    n: int
    d: int
    k: int
    cores: int
    seconds: float | None
    cpu: float | None = None
    peak_mb: float | None = None


@dataclass(frozen=True)
class Exponent:
    """Of one sweep of one task; memory is given for the growth in n alone."""

    task: str
    sweep: str
    cores: int
    slope: float
    low: float
    high: float
    count: int
    bytes_per_record: float | None
    from_n: int


def sweep(*, quick: bool) -> list[Measure]:
    """Growth in n for every task on all cores and on one; in d and k for some."""
    found: list[Measure] = []
    cores = os.cpu_count() or 1
    ns = tuple(n for n in SIZES if not quick or n <= 320_000)
    for task in TASKS:
        print(f"growth of {task}", file=sys.stderr, flush=True)
        d = 2 if task == "rectangles" else 3
        for used, seconds in dict.fromkeys(((cores, 2.5 if quick else 150.0), (1, 1.0 if quick else 10.0))):
            found += measure(task, "n", [(n, d, 5) for n in ns], used, seconds)
    n, seconds = (2_000, 1.5) if quick else (20_000, 40.0)
    for task in BY_DIMENSION:
        found += measure(task, "d", [(n, d, 5) for d in DIMENSIONS], cores, seconds)
    for task in BY_GROUP_SIZE:
        found += measure(task, "k", [(n, 3, k) for k in GROUP_SIZES], cores, seconds)
    return found


def measure(task: str, sweep: str, cases: Sequence[Case], cores: int, seconds: float) -> list[Measure]:
    """One process goes through the cases while the next one can be expected within `seconds`."""
    asked = json.dumps({"task": task, "cases": cases, "cores": cores, "seconds": seconds})
    environment = OURS | {"POLARS_MAX_THREADS": str(cores)}
    try:
        told = run(sys.executable, SCRIPT, asked, limit=10 * seconds, environment=environment).told["cases"]
    except RunError as error:
        print(f"{task}, {sweep}: {error}", file=sys.stderr, flush=True)
        told = []
    rows = [Measure(task, sweep, *case, cores, **one) for case, one in zip(cases, told, strict=False)]
    return rows + [Measure(task, sweep, *case, cores, None) for case in cases[len(told) :]]


def exponents(measures: Sequence[Measure]) -> list[Exponent]:
    """A power for every sweep with three times at least."""
    found = []
    for task, grows, cores in dict.fromkeys((one.task, one.sweep, one.cores) for one in measures):
        rows = [one for one in measures if (one.task, one.sweep, one.cores) == (task, grows, cores)]
        rows = [one for one in rows if one.seconds]
        large = [one for one in rows if one.n >= FROM]
        rows = large if grows == "n" and len(large) >= 3 else rows
        if len(rows) < 3:
            continue
        sizes = [getattr(one, grows) for one in rows]
        fitted = fit.power(sizes, [one.seconds or math.nan for one in rows])
        memory = fit.per_record(sizes, [one.peak_mb or 0.0 for one in rows]) if grows == "n" else None
        found.append(
            Exponent(task, grows, cores, fitted.slope, fitted.low, fitted.high, fitted.count, memory, rows[0].n)
        )
    return found


def speedups(measures: Sequence[Measure]) -> list[tuple[str, int, float]]:
    """Task, largest n that both finished, and the seconds on one core over those on all."""
    found = []
    for task in TASKS:
        rows = [one for one in measures if one.task == task and one.sweep == "n" and one.seconds]
        one_core = {one.n: one.seconds for one in rows if one.cores == 1}
        all_cores = {one.n: one.seconds for one in rows if one.cores > 1}
        both = sorted(one_core.keys() & all_cores.keys())
        if both:
            n = both[-1]
            found.append((task, n, (one_core[n] or 0.0) / (all_cores[n] or math.nan)))
    return found
