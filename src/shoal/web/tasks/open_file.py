"""Opening a table: reading it, its profile, and a copy of its cells that the server shows page by page."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal import api
from shoal.errors import ShoalError
from shoal.report import profile_text
from shoal.web.draft import plain
from shoal.web.task_reports import TaskReports
from shoal.web.tasks.kept import table_of

ROW_GROUP = 8_192  # rows that are read at once to show some of them
MOST_FREQUENT = 6  # values that are shown of a column
SAMPLE, MOST_WORDS = 1_000_000, 3  # bytes of a file in which words with other letters are looked for, and how many
MAYBE = ("cp1252", "cp850", "cp1250", "mac-roman")
"""Encodings in which exports are written that are not UTF-8."""


def open_example(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Write the bundled table to `path`, and open it as any other file."""
    api.example_table().write_csv(asked["path"])
    return open_file(asked, reports)


def open_file(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Return what the pages show of a table: how it was read, its columns, and the policy that is proposed."""
    table = table_of(asked)
    cells = table.as_read.select(pl.all().cast(pl.String, strict=False))
    with _step(reports, "preview"):
        cells.write_parquet(asked["rows"], compression="zstd", row_group_size=ROW_GROUP)
    profile = api.profile(table, preset=asked.get("preset"), **asked["reading"])
    dialect = table.origin.dialect
    return {
        "n_rows": len(table),
        "format": table.origin.kind,
        "bytes": Path(asked["path"]).stat().st_size,
        "dialect": {
            name: getattr(dialect, name)
            for name in ("separator", "quote", "decimal", "encoding")
            if dialect is not None
        },
        "notes": list(table.notes),
        "letters": letters(Path(asked["path"]), dialect.encoding if dialect is not None else "utf-8"),
        "columns": [_column(profile, place, cells) for place in range(len(profile.columns))],
        "policy": plain(profile.policy),
        "by_role": _by_role(profile),
        "k": profile.k,
        "risk": {
            name: getattr(profile.risk, name)
            for name in ("unique_rows", "rows_below_k", "smallest", "highest", "average", "columns")
        },
        "risk_sentence": profile_text.risk_before(profile),
        "combinations": [
            {"columns": list(one.columns), "unique_rows": one.unique_rows, "rows_below_k": one.rows_below_k}
            for one in (*profile.uniqueness.combinations, *profile.uniqueness.growing[-1:])
        ],
        "limits": list(profile.uniqueness.limits),
    }


def letters(path: Path, encoding: str) -> list[list[str]]:
    """Return how some words of a text file look in the encodings that it may have; none if it is UTF-8."""
    if encoding.startswith("utf") or path.suffix.lower() in (".gz", ".zip"):
        return []
    with path.open("rb") as file:
        words = re.findall(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*", file.read(SAMPLE))
    some = list(dict.fromkeys(words))[:MOST_WORDS]
    found = []
    for one in dict.fromkeys([encoding, *MAYBE]):
        with suppress(UnicodeError):
            found.append([one, ", ".join(word.decode(one) for word in some)])
    return found if some else []


def _step(reports: TaskReports, name: str) -> Any:
    return reports.step(name, None)


def _column(profile: Any, place: int, cells: pl.DataFrame) -> dict[str, Any]:
    column = profile.columns[place]
    fields = ("name", "type", "distinct", "missing", "unique_rows", "role", "kind", "reason", "n_rare")
    values = cells[column.name].drop_nulls().value_counts(sort=True).head(MOST_FREQUENT)
    repeated = values.filter(pl.col("count") > 1)
    return {name: getattr(column, name) for name in fields} | {
        "questions": list(column.questions),
        "null_values": list(column.null_values),
        "frequent": [[value, count] for value, count in repeated.rows()],
    }


def _by_role(profile: Any) -> dict[str, dict[str, Any]]:
    """Return the settings that would be proposed for every column if it were a quasi-identifier or sensitive."""
    found: dict[str, dict[str, Any]] = {}
    for column in profile.columns:
        found[column.name] = {}
        for role in ("quasi", "sensitive"):
            alone = replace(profile, columns=(replace(column, role=role, longitude=None, questions=()),), reading={})
            try:
                proposed = plain(alone.policy)["columns"][column.name]
            except (ShoalError, ValueError):  # what was found of an identifier need not fit another role
                proposed = {"role": role}
            found[column.name][role] = proposed
    return found
