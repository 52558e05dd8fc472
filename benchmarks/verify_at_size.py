"""What `shoal verify` takes for a large release: time, memory, and the same by the verifier that reads it whole.

`python -m benchmarks.verify_at_size --rows 10000000` writes a generated release of so many rows in a temporary folder
(groups of 10 rows, six quasi-identifiers, two sensitive columns, one number of its own in every row) as CSV and as
Parquet, and verifies each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

GROUP = 10
POLICY = {
    "k": GROUP,
    "diversity": {"l": 2},
    "publication": "generalize",
    "columns": {
        **{name: {"role": "quasi"} for name in ("age", "born", "zip", "sex", "job", "income")},
        "illness": {"role": "sensitive"},
        "ward": {"role": "sensitive"},
        "cost": {"role": "other"},
    },
}


def write(rows: int, folder: Path, groups: int) -> None:
    """Write the release; every group differs from all others."""
    chance = np.random.default_rng(1)
    of_row = np.arange(rows) % groups
    low = pl.Series(np.arange(groups))
    cells = pl.DataFrame(
        {
            "age": pl.select(pl.format("[{}, {}]", low % 70, low % 70 + 9)).to_series(),
            "born": pl.select(pl.format("[19{}-01-01, 1999-12-31]", low // 70 % 90 + 10)).to_series(),
            "zip": pl.select(pl.format("{}**", low // 6300 % 900 + 100)).to_series(),
            "sex": pl.select(pl.when(low % 2 == 0).then(pl.lit("f")).otherwise(pl.lit("{f, m}"))).to_series(),
            "job": pl.Series([f"{{job {n}, job {n + 1}}}" for n in range(12)]).gather(low % 12),
            "income": pl.select(pl.format("[{}, {}]", low * 7, low * 7 + 500)).to_series(),
        }
    )
    frame = pl.DataFrame(
        {
            **{name: cells[name].gather(of_row) for name in cells.columns},
            "illness": pl.Series([f"illness {n}" for n in range(40)]).gather(np.arange(rows) // groups % 40),
            "ward": pl.Series([f"ward {n}" for n in range(9)]).gather(chance.integers(0, 9, rows)),
            "cost": chance.integers(100, 90_000, rows),
        }
    )
    frame.write_csv(folder / "release.csv")
    frame.write_parquet(folder / "release.parquet", row_group_size=1 << 18)


def verify(path: str, whole: bool) -> None:
    """Verify one file in this process, and print what that took."""
    import shoal
    from shoal.certify import reading

    if whole:
        reading.LARGE.update(dict.fromkeys(reading.LARGE, 1 << 60))
    begin = time.process_time()
    found = shoal.verify(path, POLICY)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    seconds = time.process_time() - begin
    print(json.dumps({"file": Path(path).name, "whole": whole, "holds": found.holds, "k": found.k, "rows": found.rows,
                      "groups": found.groups, "gib": round(used, 2), "cpu_seconds": round(seconds)}))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--groups", type=int, help="by default a tenth of the rows")
    parser.add_argument("--whole", action="store_true", help="also by the verifier that reads all rows at once")
    parser.add_argument("--file", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.file:
        verify(given.file, given.whole)
        return
    with tempfile.TemporaryDirectory() as name:
        write(given.rows, Path(name), given.groups or given.rows // GROUP)
        for file in ("release.csv", "release.parquet"):
            for whole in (False, True) if given.whole else (False,):
                path = Path(name) / file
                command = [sys.executable, "-m", "benchmarks.verify_at_size", "--file", str(path)]
                subprocess.run([*command, "--whole"] if whole else command, check=True)


if __name__ == "__main__":
    main()
