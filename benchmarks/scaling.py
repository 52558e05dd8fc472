"""How time and memory grow: with n, with d, with k, and from one thread to two."""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from benchmarks.process import RunError, run

SCRIPT = Path(__file__).parent / "contestants" / "shoal_scale.py"
ROOT = Path(__file__).resolve().parents[1]
SIZES = {
    "anonymize": (1_000, 10_000, 100_000, 1_000_000),
    "mst": (1_000, 10_000, 100_000, 1_000_000),
    "gather": (1_000, 10_000, 100_000, 1_000_000),
    "best": (1_000, 10_000, 100_000, 1_000_000),
    "rectangles": (10_000, 100_000, 1_000_000, 10_000_000),
    "mdav": (1_000, 10_000, 100_000),
}
DIMENSIONS = (2, 3, 5, 10, 20, 50)
GROUP_SIZES = (2, 5, 10, 100, 1_000)


@dataclass(frozen=True)
class Measure:
    """One task at one size."""

    task: str
    n: int
    d: int
    k: int
    threads: int
    seconds: float | None
    cpu: float | None
    peak_mb: float | None


@dataclass(frozen=True)
class Exponent:
    """Seconds grow as n to the power `slope`, with a 90 % interval; memory by `bytes_per_record`."""

    task: str
    slope: float
    low: float
    high: float
    bytes_per_record: float


def measure(task: str, n: int, d: int = 3, k: int = 5, threads: int | None = None, limit: float = 600.0) -> Measure:
    """In a process of its own; None for what did not end in time."""
    threads = threads or os.cpu_count() or 1
    asked = json.dumps({"task": task, "n": n, "d": d, "k": k, "threads": threads})
    try:
        one = run(sys.executable, SCRIPT, asked, limit=limit, environment={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"})
    except RunError:
        return Measure(task, n, d, k, threads, None, None, None)
    return Measure(task, n, d, k, threads, one.seconds, float(one.told["cpu"]), one.peak_mb)


def sweep(*, quick: bool) -> list[Measure]:
    """Growth in n for every task; in d, k and threads for some."""
    most = 100_000 if quick else 10**9
    found = [
        measure(task, n, 2 if task == "rectangles" else 3) for task, ns in SIZES.items() for n in ns if n <= most
    ]
    n = 10_000 if quick else 50_000
    found += [measure("mst", n, d) for d in DIMENSIONS if d != 3]
    found += [measure("anonymize", n, k=k) for k in GROUP_SIZES if k != 5]
    found += [measure(task, 10 * n, threads=1) for task in ("mst", "gather", "best")]
    return found


def exponents(measures: list[Measure]) -> list[Exponent]:
    """Least squares on the logarithms of the sizes from 10,000 on; below, what is fixed hides the growth."""
    found = []
    for task in SIZES:
        rows = [m for m in measures if m.task == task and m.k == 5 and m.threads > 1 and m.n >= 10_000 and m.seconds]
        rows = [m for m in rows if m.d == (2 if task == "rectangles" else 3)]
        if len(rows) < 2:
            continue
        x, y = np.log([m.n for m in rows]), np.log([m.seconds or math.nan for m in rows])
        slope, start = np.polyfit(x, y, 1)
        error = math.nan
        if len(rows) > 2:
            left = ((y - start - slope * x) ** 2).sum() / (len(rows) - 2)
            error = float(student.ppf(0.95, len(rows) - 2) * math.sqrt(left / ((x - x.mean()) ** 2).sum()))
        last, first = rows[-1], rows[0]
        growth = ((last.peak_mb or 0) - (first.peak_mb or 0)) * 2**20 / (last.n - first.n)
        found.append(Exponent(task, float(slope), float(slope) - error, float(slope) + error, growth))
    return found
