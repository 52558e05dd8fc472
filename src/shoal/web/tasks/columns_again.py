"""Counting again after columns changed: who is singled out by quasi-identifiers, and the classes on each level."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from shoal import api
from shoal.errors import ParameterError
from shoal.policy import Hierarchy, Policy
from shoal.web.task_reports import TaskReports
from shoal.web.tasks.kept import table_of


def singled_out(asked: dict[str, Any], _reports: TaskReports) -> dict[str, Any]:
    """Return the combinations of the chosen columns that single people out, and how many all of them do."""
    policy = None if asked["policy"] is None else Policy.parse(asked["policy"])
    found, risk = api.singled_out(
        table_of(asked), asked["columns"], k=asked["k"], person=asked["person"], policy=policy
    )
    shown = (*found.combinations, *found.growing[-1:])
    return {
        "unique_rows": risk.unique_rows,
        "rows_below_k": risk.rows_below_k,
        "average": risk.average,
        "combinations": [{"columns": list(one.columns), "unique_rows": one.unique_rows} for one in shown],
    }


def values(asked: dict[str, Any], _reports: TaskReports) -> dict[str, Any]:
    """Return the values of a column with their numbers of rows, and the groups that are proposed or written."""
    cells = table_of(asked).as_read[asked["column"]].drop_nulls().cast(pl.String)
    counted = cells.value_counts(sort=False).sort("count", asked["column"], descending=[True, False])
    if counted.height > asked["most"]:
        raise ParameterError(
            f"column {asked['column']} has {counted.height} different values, more than can be grouped by hand.",
            "round or merge them first, or take one of the other ways.",
        )
    listed = counted[asked["column"]].to_list()
    above: dict[str, list[str]] = {}
    if asked["propose"]:
        derived = api.hierarchy(table_of(asked), asked["column"], k=asked["k"], by="cover")
        above = {names[0]: list(names[1:]) for names in zip(*derived.levels, strict=True)}
    elif asked["file"]:
        above = {row[0]: row[1:] for row in _rows(asked["file"])}
    return {
        "values": [
            {"value": value, "count": count, "above": _own(value, above.get(value, []))}
            for value, count in zip(listed, counted["count"].to_list(), strict=True)
        ]
    }


def _rows(file: str) -> list[list[str]]:
    text = Path(file).read_text(encoding="utf-8")
    separator = max(",;|\t", key=text.partition("\n")[0].count)
    return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]


def _own(value: str, names: list[str]) -> list[str]:
    """Return the names above a value; where one is that of the level below it, nothing was written."""
    below = [value, *names]
    return ["" if name == under else name for under, name in zip(below, names, strict=False)]


def levels(asked: dict[str, Any], _reports: TaskReports) -> dict[str, Any]:
    """Return the classes of a column on each level of a hierarchy."""
    source = Hierarchy.model_validate(asked["hierarchy"])
    found = api.levels_of(table_of(asked), asked["column"], source, k=asked["k"])
    return {"levels": [asdict(one) for one in found]}
