"""Adult with 8 quasi-identifiers, and a million rows: what generalization loses, in which time and memory.

NCP counts a set of s > 1 labels as s / all, a range as its share, a node of a hierarchy as its leaves / all. Every
line is a process of its own, from reading the file to the verified release. `--peers PYTHON` also runs anonypy in
the environment of that interpreter; `--large` the two tables of a million rows.

    python -m benchmarks.generalization [--large] [--peers /path/to/python]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult"
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
LONG = 600
"""Effort of the long run: about 30 seconds on two cores."""
TARGETS = {
    ("sets", 5): (0.0250, 0.0205),
    ("sets", 10): (0.0450, 0.0380),
    ("hierarchies", 5): (0.0560, 0.0470),
}
"""NCP at most: of the default, and of the long run."""

OURS = """
import sys, shoal
source, k, effort, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
quasi = {quasi!r}
more = {{}} if effort == "-" else {{"effort": float(effort)}}
if folder != "-":
    more["hierarchy"] = {{name: f"{{folder}}/adult_hierarchy_{{name}}.csv" for name in quasi}}
release = shoal.anonymize(source, k=k, quasi=quasi, sensitive=["salary-class"], seed=1, **more)
print(release.loss.gcp, release.findings.holds)
"""

ANONYPY = """
import sys, anonypy, pandas as pd
source, k = sys.argv[1], int(sys.argv[2])
quasi = {quasi!r}
table = pd.read_csv(source, sep=";")
labels = [name for name in quasi if name != "age"]
for name in labels + ["salary-class"]:
    table[name] = table[name].astype("category")
rows = pd.DataFrame(anonypy.Preserver(table, quasi, "salary-class").anonymize_k_anonymity(k=k))
ages = table["age"].max() - table["age"].min()
sizes = {{name: table[name].nunique() for name in labels}}
def lost(row):
    total = 0.0
    for name in quasi:
        cell = str(row[name])
        if name == "age":
            ends = [float(part) for part in cell.split("-")]
            total += (ends[-1] - ends[0]) / ages
        else:
            found = set(cell.split(","))
            total += len(found) / sizes[name] if len(found) > 1 else 0.0
    return total / len(quasi)
counts = rows["count"]
print((rows.apply(lost, axis=1) * counts).sum() / counts.sum(), rows.groupby(quasi)["count"].sum().min() >= k)
"""

LARGE = """
import sys
import numpy as np, polars as pl
source, target, distinct = sys.argv[1], sys.argv[2], sys.argv[3] == "distinct"
rng = np.random.default_rng(0)
table = pl.read_csv(source, separator=";")
n = 1_000_000
table = table[rng.integers(0, len(table), n)]
if distinct:
    ages = pl.Series("age", table["age"].to_numpy() + rng.permutation(n) / n)
else:
    ages = table["age"] + pl.Series(rng.integers(-2, 3, n))
table.with_columns(ages.alias("age")).write_csv(target)
"""


def run(python: str, code: str, *arguments: str | Path) -> tuple[str, float, float, float]:
    """What the code prints last, wall seconds, CPU seconds, peak MiB of the process."""
    begun = time.perf_counter()
    process = subprocess.Popen([python, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    out = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("a run failed")
    wall = time.perf_counter() - begun
    return (
        out.strip().splitlines()[-1] if out.strip() else "",
        wall,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
    )


def show(name: str, found: tuple[str, float, float, float], most: float | None = None) -> None:
    ncp, holds = found[0].split()
    limit = "" if most is None else f"{most:9.4f}"
    print(
        f"{name:44} {float(ncp):8.4f} {limit:>9} {found[1]:7.1f} {found[2]:7.1f} {found[3]:8.0f}  {holds}", flush=True
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--large", action="store_true", help="also a million rows, with copies and all distinct")
    asked.add_argument("--peers", metavar="PYTHON", help="an interpreter that has anonypy")
    options = asked.parse_args()
    if not ADULT.is_dir():
        sys.exit("the reference data is not beside this checkout")
    ours, csv = OURS.format(quasi=list(QUASI)), ADULT / "adult.csv"
    print(f"{'':44} {'NCP':>8} {'at most':>9} {'seconds':>7} {'CPU':>7} {'peak MiB':>8}  verified")
    run(sys.executable, ours, csv, "50", "1", "-")  # compiles
    for (kind, k), (quick, slow) in TARGETS.items():
        folder = ADULT if kind == "hierarchies" else "-"
        show(f"shoal, k={k}, {kind}", run(sys.executable, ours, csv, k, "-", folder), quick)
        show(f"shoal, k={k}, {kind}, effort {LONG}", run(sys.executable, ours, csv, k, LONG, folder), slow)
        if options.peers and kind == "sets":
            show(f"anonypy (Mondrian), k={k}", run(options.peers, ANONYPY.format(quasi=list(QUASI)), csv, k))
    if options.large:
        with tempfile.TemporaryDirectory() as name:
            for kind, most in (("copies", 0.0030), ("distinct", None)):
                table = Path(name) / f"{kind}.csv"
                run(sys.executable, LARGE, csv, table, kind)
                show(f"shoal, k=5, 1,000,000 rows, {kind}", run(sys.executable, ours, table, 5, "-", "-"), most)


if __name__ == "__main__":
    main()
