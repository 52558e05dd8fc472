"""Check single cells of a released table on the workers: recoding, dates, numbers, rounded ends, and missing values.

Each class is looked at once, and so is every different cell of the other columns. How many rows have a cell that is
wrong is not counted.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

import polars as pl
import pyarrow as pa

from shoal.certify.criteria import check_cells
from shoal.certify.findings import Failure
from shoal.certify.open_cells import LEAST, OPEN, open_values, short_sets, shows_values
from shoal.certify.released_columns import Columns
from shoal.certify.spark.rows import CLASS, Batches, Rows
from shoal.policy import Policy

_FOUND = "found string"
_SCHEMA = pa.schema([("found", pa.string())])


def cell_failures(
    rows: Rows, used: Any, columns: Columns, policy: Policy, form: str
) -> tuple[list[Failure], list[dict[str, Any]]]:
    """Return a failure for each column with cells that are not what the policy says, and measures of open cells."""
    from pyspark.sql import functions as sql

    quasi = [rows.column(name) for name in columns.quasi]
    first = [sql.first(column).alias(column) for column in quasi]
    of_class = used.groupBy(CLASS).agg(*first, sql.count(sql.lit(1)).alias("records"))
    asked = of_class.select(CLASS, "records", *quasi)
    look = functools.partial(_look, list(columns.quasi), policy, form, frozenset(columns.absent))
    told = [json.loads(text) for text in rows.collected(rows.mapped(asked, look, _FOUND))["found"].to_list()]
    for name in rows.names:
        if name not in columns.quasi and name in policy.columns and policy.columns[name].is_recoded:
            cells = used.select(CLASS, sql.lit(1).cast("bigint").alias("records"), rows.column(name))
            own = functools.partial(_look, [name], policy, form, frozenset(columns.absent))
            cells = cells.dropDuplicates([rows.column(name)])
            told += [json.loads(text) for text in rows.collected(rows.mapped(cells, own, _FOUND))["found"].to_list()]
    failures = {}
    for one in told:
        if "check" in one:
            message = (
                f"column {one['column']}: cells are not what the policy says ({one['check']}); "
                "verify without Spark to count them"
            )
            failures[one["check"], one["column"]] = Failure(check=one["check"], column=one["column"], message=message)
    return [failures[key] for key in sorted(failures, key=str)], _opened(told, rows, columns, policy, form)


def _opened(
    told: list[dict[str, Any]], rows: Rows, columns: Columns, policy: Policy, form: str
) -> list[dict[str, Any]]:
    """Return the worst of the measures of open cells that the partitions found."""
    found = []
    for name in policy.sensitive_quasi:
        if shows_values(policy.columns[name], form) and name not in columns.absent:
            own = [one for one in told if one.get("open") == name]
            found.append(
                {
                    "criterion": OPEN,
                    "column": name,
                    "asked": LEAST,
                    "measure": min((one["measure"] for one in own), default=0.0),
                    "groups": sum(one["groups"] for one in own),
                    "records": sum(one["records"] for one in own),
                }
            )
    return found


def _look(
    names: list[str], policy: Policy, form: str, absent: frozenset[str], batches: Batches
) -> Iterator[pa.RecordBatch]:
    """Yield what is wrong with the cells of some classes, as JSON without any cell."""
    for batch in batches:
        if not batch.num_rows:
            continue
        records = pl.Series("records", batch.column(1).to_pylist(), dtype=pl.Int64)
        frame = pl.DataFrame(
            [
                pl.Series(name, batch.column(2 + place).to_pylist(), dtype=pl.String)
                for place, name in enumerate(names)
            ]
        )
        said = []
        if names:
            plain, failures = check_cells(frame, policy, form)
            said = [{"check": one.check, "column": one.column} for one in failures]
            said += _open_cells(plain, names, records, policy, form, absent)
        if said:
            yield pa.RecordBatch.from_arrays([pa.array([json.dumps(one) for one in said])], schema=_SCHEMA)


def _open_cells(
    frame: pl.DataFrame, names: list[str], records: pl.Series, policy: Policy, form: str, absent: frozenset[str]
) -> list[dict[str, Any]]:
    """Return the fewest values that cells of quasi-identifiers which are also sensitive may stand for."""
    said: list[dict[str, Any]] = []
    for name in policy.sensitive_quasi:
        parts = [part for part in (name, f"{name}_min", f"{name}_max", f"{name}_missing") if part in names]
        if not (shows_values(policy.columns[name], form) and name not in absent and parts):
            continue
        cells = frame.select(parts).with_columns(pl.Series("class", range(frame.height)))
        found = open_values(cells, policy.columns[name])
        short = found.with_columns(records=records).filter(pl.col("measure") < LEAST * (1 - 1e-9))
        lowest: Any = found["measure"].min()
        said.append(
            {
                "open": name,
                "measure": float(lowest),
                "groups": short.height,
                "records": int(short["records"].sum()),
            }
        )
        said += [{"check": one.check, "column": one.column} for one in short_sets(name, cells, policy.columns[name])]
    return said
