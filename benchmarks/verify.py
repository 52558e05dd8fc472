"""How long `shoal verify` takes for k, l and t on a million rows: the target is 3 seconds on two cores.

    python benchmarks/verify.py [--rows 1000000] [--peer]

Eight quasi-identifiers, one sensitive column, groups of ten; reading the CSV is part of the time. `--peer` also runs
pycanon where it is installed, on the frame in memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from shoal.certify import verify
from shoal.policy import Policy

QUASI = [f"q{j}" for j in range(8)]
SENSITIVE = "diagnosis"


def released(n_rows: int, seed: int = 0) -> pl.DataFrame:
    """Ranges and labels, equal within each group of ten; rows shuffled."""
    rng = np.random.default_rng(seed)
    n_groups = max(n_rows // 10, 1)
    group = rng.permutation(np.arange(n_rows) % n_groups)
    columns = {}
    for j, name in enumerate(QUASI):
        low, width = rng.integers(0, 60, n_groups), rng.integers(1, 20, n_groups)
        text = (
            pl.format("[{}, {}]", pl.Series(low), pl.Series(low + width))
            if j < 4
            else pl.format("label {}", pl.Series(low % 12))
        )
        columns[name] = pl.select(text).to_series()[group]
    columns[SENSITIVE] = pl.select(pl.format("d{}", pl.Series(rng.integers(0, 30, n_rows)))).to_series()
    return pl.DataFrame(columns)


def policy(distance: str) -> Policy:
    sensitive = {"role": "sensitive", "order": [f"d{i}" for i in range(30)], "kind": "ordered"}
    return Policy.parse(
        {
            "k": 5,
            "diversity": {"l": 2},
            "closeness": {"t": 0.9, "distance": distance},
            "columns": {name: {"role": "quasi"} for name in QUASI} | {SENSITIVE: sensitive},
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peer", action="store_true")
    asked = parser.parse_args()
    frame = released(asked.rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        frame.write_csv(path)
        print(f"{asked.rows} rows, {path.stat().st_size / 1e6:.0f} MB")
        for distance in ("equal", "ordered"):
            began, used = time.perf_counter(), time.process_time()
            findings = verify(path, policy(distance))
            took, used = time.perf_counter() - began, time.process_time() - used
            print(
                f"shoal verify, k + l + t ({distance}): {took:.2f} s ({used:.2f} s of processor time), "
                f"k={findings.k} l={findings.l[SENSITIVE]:g} t={findings.t[SENSITIVE]:.3f}"
            )
    if asked.peer and importlib.util.find_spec("pycanon"):
        from pycanon import anonymity

        table = frame.to_pandas()
        for name in ("k_anonymity", "l_diversity", "t_closeness"):
            arguments = (table, QUASI) if name == "k_anonymity" else (table, QUASI, [SENSITIVE])
            began = time.perf_counter()
            print(f"pycanon {name}: {getattr(anonymity, name)(*arguments)}, {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
