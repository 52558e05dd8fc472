"""Made tables of patients, visits and tests of the same people, and a slow and obvious count of a linked release."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

SECRET = bytes(range(32))


def linked_tables(n: int, seed: int, *, mean: float = 2.0, nobody: float = 0.0) -> dict[str, pl.DataFrame]:
    """Patients, their visits (some have none, some many) and laboratory tests; `nobody` is the share of strangers."""
    rng = np.random.default_rng(seed)
    people = np.array([f"P{one:04d}" for one in range(n)])
    patients = pl.DataFrame(
        {
            "patient": people,
            "age": rng.integers(20, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "blood": rng.choice(["A", "B", "0"], n),
        }
    )
    visits = np.repeat(people, np.minimum(rng.geometric(1 / (mean + 1), n) - 1, 12))
    tests = np.repeat(people, rng.integers(0, 3, n))
    tables = {
        "patients": patients.filter(rng.random(n) >= nobody),
        "visits": pl.DataFrame(
            {
                "who": visits,
                "day": rng.integers(1, 1000, len(visits)),
                "ward": rng.choice(["a", "b", "c"], len(visits)),
                "diagnosis": rng.choice(["flu", "gout", "mumps", "cold"], len(visits)),
            }
        ),
        "tests": pl.DataFrame(
            {"id": tests, "year": rng.integers(2000, 2020, len(tests)), "value": rng.integers(1, 9, len(tests))}
        ),
    }
    return {name: table.sample(fraction=1, shuffle=True, seed=seed) for name, table in tables.items()}


def linked_policy(*names: str, **shared: Any) -> dict[str, Any]:
    tables: dict[str, Any] = {
        "patients": {
            "columns": {
                "patient": {"role": "person"},
                "age": {"role": "quasi"},
                "sex": {"role": "quasi"},
                "blood": {"role": "sensitive"},
            }
        },
        "visits": {
            "columns": {
                "who": {"role": "person"},
                "day": {"role": "quasi"},
                "ward": {"role": "quasi", "kind": "label"},
                "diagnosis": {"role": "sensitive", "diversity": {"l": 2}},
            }
        },
        "tests": {
            "columns": {"id": {"role": "person"}, "year": {"role": "quasi"}, "value": {"role": "other"}},
        },
    }
    asked = {"k": 3, "max_suppressed": 0.5, "effort": 1}
    return asked | shared | {"tables": {name: tables[name] for name in names or ("patients", "visits")}}


PERSON = {"patients": "patient", "visits": "who", "tests": "id"}
QUASI = {"patients": ("age", "sex"), "visits": ("day", "ward"), "tests": ("year",)}


def rows_of(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def profiles(released: dict[str, list[dict[str, str]]]) -> dict[str, tuple[Any, ...]]:
    """What all tables together publish of every person: the cells of all rows in each table."""
    people = {row[PERSON[name]] for name, rows in released.items() for row in rows}
    found = {}
    for person in people:
        found[person] = tuple(
            tuple(sorted(tuple(row[column] for column in QUASI[name]) for row in rows if row[PERSON[name]] == person))
            for name, rows in released.items()
        )
    return found


def fewest_alike(released: dict[str, list[dict[str, str]]]) -> int:
    """The fewest people with one profile."""
    return min(Counter(profiles(released).values()).values())


def fewest_values(released: dict[str, list[dict[str, str]]], table: str, column: str, *, by_cells: bool) -> int:
    """The fewest different values in a class of people with one profile, or in their rows with equal cells."""
    of = profiles(released)
    held = defaultdict(set)
    for row in released[table]:
        cells = tuple(row[one] for one in QUASI[table]) if by_cells else None
        held[of[row[PERSON[table]]], cells].add(row[column])
    return min(map(len, held.values()))
