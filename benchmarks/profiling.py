"""How long `shoal profile` takes on a million rows of thirty columns: the target is 10 seconds and 2 GiB.

    python benchmarks/profiling.py [--rows 1000000]

The columns are as people export them: numbers of people, names, notes, dates in several forms, codes, amounts with
decimals, missing values by several spellings. The command is run as a user runs it, in a process of its own; reading
the CSV is part of the time. Wall time, time of all cores together and the most memory are printed.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl


def exported(n_rows: int, seed: int = 0) -> pl.DataFrame:
    """Return thirty columns of text as an export has them."""
    rng = np.random.default_rng(seed)

    def whole(low: int, high: int) -> pl.Series:
        return pl.Series(rng.integers(low, high, n_rows))

    def days(form: str) -> pl.Series:
        return (pl.Series(rng.integers(0, 18_000, n_rows)).cast(pl.Int32).cast(pl.Date)).dt.strftime(form)

    def of(*values: str) -> pl.Series:
        return pl.Series(np.array(values)[rng.integers(0, len(values), n_rows)])

    def text(form: str, *parts: pl.Series) -> pl.Series:
        return pl.select(pl.format(form, *parts)).to_series()

    names = of("Ottokar", "Gudrun", "Percival", "Beatrix", "Sixten"), of("Wolverton", "Bergåker", "Hufnagl", "Tanner")
    missing = rng.random(n_rows) < 0.03
    spelled = pl.Series(np.where(missing, "k.A.", rng.integers(140, 205, n_rows).astype(str)))
    columns = {
        "patient_id": text("P{}", pl.Series(rng.permutation(n_rows) + 1_000_000)),
        "name": text("{} {}", *names),
        "phone": text("+49 {} {}", whole(151, 180), whole(1_000_000, 9_999_999)),
        "note": text("call {} on {} about the visit of {}", names[0], whole(10**6, 10**7), days("%d.%m.")),
        "birth": days("%d.%m.%Y"),
        "admitted": days("%Y-%m-%d"),
        "discharged": days("%m/%d/%Y"),
        "seen": text("{} {}:{}", days("%Y-%m-%d"), whole(10, 24), whole(10, 60)),
        "month": days("%Y-%m"),
        "compact": days("%Y%m%d"),
        "sex": whole(1, 3),
        "marital": whole(1, 6),
        "region": whole(100, 240),
        "occupation": whole(1000, 9999),
        "zip": text("0{}", whole(1000, 1400)),
        "icd": text("{}{}.{}", of("A", "C", "E", "I", "J"), whole(10, 99), whole(0, 10)),
        "latitude": pl.Series(rng.normal(51, 0.5, n_rows).round(5)),
        "longitude": pl.Series(rng.normal(13, 0.5, n_rows).round(5)),
        "age": whole(0, 95),
        "height": spelled,
        "weight": pl.Series(rng.normal(76, 13, n_rows).round(1)),
        "income": text("{} €", whole(900, 9000)),
        "share": text("{}%", whole(0, 101)),
        "amount": pl.Series(rng.lognormal(6, 1, n_rows).round(2)),
        "satisfaction": whole(1, 6),
        "ward": of("surgery", "medicine", "urology", "pediatrics"),
        "smoker": of("yes", "no", "unknown"),
        "diagnosis": of("asthma", "diabetes", "migraine", "none"),
        "weight_survey": pl.Series(rng.normal(400, 90, n_rows).round(4)),
        "steps": whole(200, 21_000),
    }
    return pl.DataFrame(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exported.csv"
        exported(asked.rows).write_csv(path)
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-m", "shoal", "profile", str(path)], check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{asked.rows:,} rows: {wall:.1f} s by the clock, {used.ru_utime + used.ru_stime:.1f} s of all cores, "
        f"{used.ru_maxrss / 2**20:.2f} GiB"
    )


if __name__ == "__main__":
    main()
