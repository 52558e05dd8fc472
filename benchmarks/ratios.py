"""How far releases are from the best possible: cost over lower bound, through `shoal.anonymize` in its usual time.

python -m benchmarks.ratios [TEXT ...]   prints the cases whose name has one of the texts, with the seconds of CPU
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.data import ADULT_QUASI, SHARED, people

SALARY = "salary-class"


def adult(n: int | None = None) -> pl.DataFrame:
    """Adult, or `n` different rows of it; a generated table of the same shape where the file is not there."""
    source = SHARED / "adult" / "adult.csv"
    frame = pl.read_csv(source, separator=";") if source.exists() else people(30_162)
    return frame if n is None else frame[np.sort(np.random.default_rng(0).permutation(len(frame))[:n])]


def numbers(name: str, n: int) -> pl.DataFrame:
    """Tarragona or Census, or as many skewed numbers where the file is not there."""
    source = SHARED / f"{name}.csv"
    if source.exists():
        return pl.read_csv(source).cast(pl.Float64)
    rng = np.random.default_rng(n)
    table = np.exp(rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, 13)))
    return pl.DataFrame({f"x{j}": table[:, j] for j in range(13)})


def cases() -> Iterator[tuple[str, pl.DataFrame, dict[str, Any]]]:
    """Yield the name of each case, its table, and what is asked of `shoal.anonymize`."""
    quasi = list(ADULT_QUASI)
    asked: dict[str, Any] = {"quasi": quasi, "sensitive": [SALARY], "publish_rare": quasi, "seed": 1}
    above = {"hierarchy": {name: str(SHARED / "adult" / f"adult_hierarchy_{name}.csv") for name in quasi}}
    for size, n in (("2,000", 2000), ("30,162", None)):
        frame = adult(n)
        for k in (2, 5, 10):
            yield f"Adult {size}, hierarchies, k = {k}", frame, asked | above | {"k": k}
            yield f"Adult {size}, sets, k = {k}", frame, asked | {"k": k}
        for k, n_values in ((5, 2), (2, 2)):
            yield (
                f"Adult {size}, hierarchies, k = {k}, l = {n_values}",
                frame,
                asked | above | {"k": k, "l": n_values},
            )
            yield f"Adult {size}, sets, k = {k}, l = {n_values}", frame, asked | {"k": k, "l": n_values}
        yield f"Adult {size}, hierarchies, k = 5, t = 0.2", frame, asked | above | {"k": 5, "t": 0.2}
        for k in (2, 5, 10):
            mixed = {"k": k, "publication": "aggregate"}
            yield f"Adult {size}, mixed, k = {k}", frame, asked | mixed
    for name, n in (("Census", 1080), ("Tarragona", 834)):
        frame = numbers(name, n)
        for k in (3, 5, 10):
            yield f"{name}, k = {k}", frame, {"quasi": frame.columns, "k": k, "seed": 1}


def main() -> None:
    wanted = sys.argv[1:] or [""]
    for name, frame, asked in cases():
        if not any(text in name for text in wanted):
            continue
        begun = time.process_time()
        release = shoal.anonymize(frame, **asked)
        seconds = time.process_time() - begun
        proved = release.certificate
        cost, bound = float(proved.cost), float(proved.lower_bound)
        ratio = f"{cost / bound:.3f}" if bound else "-"
        print(f"{name:45} {ratio:>7} = {cost:.6g} / {bound:.6g}  in {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
