"""What a release keeps when NCP is minimized, and when the information lost is: real tables, measured on both.

    python -m benchmarks.cell_loss [--statsmodels FOLDER] [--rows N] [--json FILE]

Adult, Census and Tarragona are read from ../shared/data; the others are tables of the package statsmodels (public
domain), read from where it is installed or unpacked. Tables that are not there are left out. Per table and loss: the
NCP and the information that were lost, the share of cells that are still exact, the accuracy that a prediction
keeps, the mean distance of the columns' distributions, the distance from the best that is proved, and seconds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.data import SHARED
from shoal.secret import Secret

K = 5
LOSSES = ("ncp", "information")
COLUMNS = ("NCP", "information", "exact", "accuracy kept", "drift", "at most x best", "seconds")


@dataclass(frozen=True)
class Task:
    """A table, its quasi-identifiers with the settings of each, and the column that is predicted."""

    name: str
    table: pl.DataFrame
    quasi: dict[str, dict[str, Any]]
    target: str

    def policy(self, loss: str) -> dict[str, Any]:
        columns = {name: {"role": "quasi", "publish_rare": True} | settings for name, settings in self.quasi.items()}
        columns[self.target] = {"role": "sensitive"}
        kept = self.table.select(*columns)
        return {
            "k": K,
            "loss": loss,
            "publication": "generalize",
            "columns": {name: columns[name] for name in kept.columns},
        }


def tasks(statsmodels: Path | None, rows: int) -> Iterator[Task]:
    """The tables that are there, at most `rows` rows of each, drawn at random."""

    def some(table: pl.DataFrame) -> pl.DataFrame:
        return table if table.height <= rows else table.sample(rows, seed=1)

    adult = SHARED / "adult" / "adult.csv"
    names = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
    if adult.exists():
        table = some(pl.read_csv(adult, separator=";"))
        yield Task("Adult, sets and ranges", table, {name: {} for name in names}, "salary-class")
        nodes = {n: {"hierarchy": {"file": str(adult.with_name(f"adult_hierarchy_{n}.csv"))}} for n in names}
        yield Task("Adult, hierarchies", table, nodes, "salary-class")
    numbers = {
        "Census": ({"AGI": {}, "FEDTAX": {}, "POTHVAL": {}, "FICA": {}}, "TAXINC"),
        "Tarragona": ({"SALES": {}, "LABOR.COSTS": {}, "FIXED.ASSETS": {}, "TREASURY": {}}, "NET.PROFIT"),
    }
    for name, (quasi, target) in numbers.items():
        if (SHARED / f"{name}.csv").exists():
            yield Task(name, some(pl.read_csv(SHARED / f"{name}.csv")), quasi, target)
    if statsmodels is None:
        return
    label, number = {"kind": "label"}, {"kind": "number"}
    affairs = {
        "age": number,
        "yrs_married": number,
        "children": number,
        "educ": number,
        "religious": {"kind": "ordered"},
    }
    affairs |= {"occupation": label, "occupation_husb": label}
    table = pl.read_csv(statsmodels / "fair" / "fair.csv")
    yield Task("Affairs", some(table), affairs, "rate_marriage")
    survey = {
        "popul": label,
        "age": number,
        "educ": {"kind": "ordered"},
        "income": {"kind": "ordered"},
        "TVnews": number,
    }
    table = pl.read_csv(statsmodels / "anes96" / "anes96.csv", separator="\t", quote_char="'")
    yield Task("Election survey 1996, town as a label", some(table), survey, "vote")
    table = pl.read_csv(statsmodels / "randhie" / "src" / "randhie.csv", infer_schema_length=None)
    insured = {"site": label, "xage": number, "educdec": number, "female": label, "black": label, "income": number}
    insured |= {"num": number}
    table = table.select(*(name for name in (*insured, "mdvis") if name in table.columns)).drop_nulls()
    yield Task("Health insurance", some(table), {n: s for n, s in insured.items() if n in table.columns}, "mdvis")


def measured(task: Task, loss: str) -> dict[str, float | None]:
    """What one release of the table lost."""
    begun = time.perf_counter()
    release = shoal.anonymize(
        task.table.select(*task.quasi, task.target), task.policy(loss), secret=Secret(bytes(32))
    )
    found, seen = release.loss, release.certificate.ratio_seen
    numbers = (
        found.gcp,
        found.information,
        found.exact,
        found.accuracy.kept if found.accuracy is not None else None,
        float(np.mean([column.distance for column in found.columns])),
        None if seen is None else float(seen),
        time.perf_counter() - begun,
    )
    return dict(zip(COLUMNS, numbers, strict=True)) | {
        f"exact {column.name}": column.exact for column in found.columns
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--statsmodels", type=Path, help="the folder statsmodels/datasets, where it is not installed")
    asked.add_argument("--rows", type=int, default=5000, help="the most rows of a table")
    asked.add_argument("--json", type=Path, help="where to write all numbers")
    given = asked.parse_args()
    folder = given.statsmodels
    if folder is None and (found := importlib.util.find_spec("statsmodels")) is not None and found.origin:
        folder = Path(found.origin).parent / "datasets"
    kept: dict[str, dict[str, dict[str, float | None]]] = {}
    print(f"| table | minimized | {' | '.join(COLUMNS)} |")
    print("|---|---|" + "---|" * len(COLUMNS))
    for task in tasks(folder, given.rows):
        kept[task.name] = {}
        for loss in LOSSES:
            kept[task.name][loss] = found_here = measured(task, loss)
            cells = ["" if (n := found_here[name]) is None else f"{n:.3f}" for name in COLUMNS]
            print(f"| {task.name} ({task.table.height}) | {loss} | {' | '.join(cells)} |", flush=True)
    if given.json is not None:
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
