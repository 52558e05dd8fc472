"""Releases of every form with columns that are hard to describe, for the tests of codebooks and of reading."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl

import shoal

LONG = "a name of exactly sixty characters, which is what some have!"
SCRIPT = "<script>alert('x')</script> & \"more\""
FORMS = ("generalize", "aggregate", "centers", "suppress")
FORMATS = ("csv", "parquet", "arrow")
FILES = (*FORMATS, "xlsx")


def german(path: Path, n: int = 60) -> Path:
    """A semicolon file in cp1252: decimal commas, dates of German form, missing cells, a person in two rows."""
    random.seed(5)
    lines = ["Patient;Größe;Geburt;Straße <b>fett</b>;Diagnose;Kosten;Notiz"]
    for row in range(n):
        size = "" if row % 17 == 3 else f"{150 + row % 9 * 5},{row % 2 * 5}"
        born = (date(1950, 1, 1) + timedelta(days=400 * (row % 12))).strftime("%d.%m.%Y")
        illness = random.choice(["Grippe", "Gürtelrose", "Röteln"])
        costs = f"{random.randrange(10, 99)},{random.randrange(10)}0"
        lines.append(f"p{row // 2};{size};{born};{random.choice(['Nö', 'Sü', 'Ös'])};{illness};{costs};{row % 3}")
    path.write_bytes(("\n".join(lines) + "\n").encode("cp1252"))
    return path


GERMAN: dict[str, Any] = {
    "k": 3,
    "columns": {
        "Patient": {"role": "person"},
        "Größe": {"role": "quasi", "kind": "number"},
        "Geburt": {"role": "quasi", "kind": "date", "format": "%d.%m.%Y"},
        "Straße <b>fett</b>": {"role": "quasi", "kind": "label"},
        "Diagnose": {"role": "sensitive"},
        "Kosten": {"role": "sensitive"},
        "Notiz": {"role": "other"},
    },
}


def people(n: int = 60) -> pl.DataFrame:
    """Numbers, dates, labels, an order, codes and a sensitive column; one column is named like a script."""
    random.seed(3)
    return pl.DataFrame(
        {
            "age": [None if row % 19 == 4 else 20 + row % 11 * 4 for row in range(n)],
            "born": [date(1960, 1, 1) + timedelta(days=311 * (row % 13)) for row in range(n)],
            LONG: [["low", "mid", "high"][row % 3] for row in range(n)],
            SCRIPT: [None if row % 23 == 5 else ["a, b", "c", 'd"e'][row % 3] for row in range(n)],
            "zip": [f"0{1 + row % 3}{row % 4}5" for row in range(n)],
            "illness": [random.choice(["flu", "cold", None, "gout"]) for _ in range(n)],
            "cost": [round(random.random() * 100, 2) for _ in range(n)],
            "code": [f"00{row % 4}" for row in range(n)],
        }
    )


def policy(form: str, **settings: Any) -> dict[str, Any]:
    columns = {
        "age": {"role": "quasi", "kind": "number"},
        "born": {"role": "quasi", "kind": "date"},
        LONG: {"role": "quasi", "kind": "ordered", "order": ["low", "mid", "high"]},
        SCRIPT: {"role": "quasi", "kind": "label"},
        "zip": {"role": "quasi", "hierarchy": {"prefix": True}},
        "illness": {"role": "sensitive"},
        "cost": {"role": "sensitive"},
        "code": {"role": "other"},
    }
    return {"k": 3, "publication": form, "columns": columns, "seed": 1, **settings}


def write(folder: Path, form: str, **settings: Any) -> Path:
    """The public folder of a release of `people`; `format` is that of its file."""
    kind = settings.pop("format", "csv")
    shoal.anonymize(people(), policy(form, **settings), secret=bytes(32)).write(folder / "out", format=kind)
    return folder / "out"
