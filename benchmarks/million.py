"""What perturbation, synthetic rows, evidence and risk take at a million rows.

    python -m benchmarks.million [--rows N] [--only WORD] [--json FILE]

The table is the generated hospital. Seconds are of the step itself, of the clock on the wall and of the processor;
reading and grouping are timed elsewhere (`benchmarks.scaling`).
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from shoal.datasets import hospital

QUASI = ["birth_date", "sex", "zip", "height_cm", "weight_kg", "ward"]
ROLES: dict[str, Any] = {"quasi": QUASI, "sensitive": "diagnosis", "other": "length_of_stay"}
FAST: dict[str, Any] = {"k": 5, "method": "mondrian", "publication": "generalize"}
PERTURBED = {
    "pram": {"diagnosis": {"method": "pram", "keep": 0.8}},
    "rank swapping": {"length_of_stay": {"method": "rank-swap", "window": 0.05}},
    "noise": {"length_of_stay": {"method": "noise", "spread": 0.1}},
}


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Return what `work` returns, and the seconds that it took."""
    begun, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, {"seconds": time.perf_counter() - begun, "cpu": time.process_time() - cpu}


def steps(table: pl.DataFrame) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of every step, and what does it."""
    for name, asked in PERTURBED.items():
        yield f"release with {name}", partial(shoal.anonymize, table, perturb=asked, **FAST, **ROLES)
    yield "release", lambda: shoal.anonymize(table, **FAST, **ROLES)
    made: list[Any] = []

    def release() -> Any:
        made.append(shoal.anonymize(table, synthetic="copula", **FAST, **ROLES))
        return made[-1]

    def drawn(variant: str) -> Any:
        return replace(made[-1], policy=made[-1].policy.model_copy(update={"synthetic": variant})).synthetic_rows()

    yield "release for synthetic rows", release
    for variant in ("marginals", "copula"):
        yield f"synthetic rows, {variant}", partial(drawn, variant)
    yield "risk in the population", lambda: shoal.population_risk(table, population=83_000_000, **ROLES)
    yield "evidence, with the release", lambda: shoal.anonymize(table, evidence=True, **FAST, **ROLES)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--only", default="", help="only steps whose name has this word")
    asked.add_argument("--json", type=Path, help="where to write all numbers")
    given = asked.parse_args()
    table = hospital(given.rows).select([*QUASI, "diagnosis", "length_of_stay"])
    shoal.anonymize(table.head(2_000), **FAST, **ROLES)  # whatever compiles, compiles here
    shoal.population_risk(table.head(2_000), population=10_000, **ROLES)
    kept = {}
    for name, work in steps(table):
        if given.only not in name:
            continue
        found, taken = timed(work)
        by_step = {step: round(seconds, 1) for step, seconds in getattr(found, "seconds", {}).items()}
        kept[name] = taken | {"steps": by_step}
        print(f"{name}: {taken['seconds']:.1f} s, processor {taken['cpu']:.1f} s {by_step or ''}", flush=True)
    kept["memory, GB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"memory at most {kept['memory, GB']:.1f} GB")
    if given.json is not None:
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
