"""What is counted of a released table on Spark, in the place of what is counted while a file is read."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.certify.equivalence_classes import Classes
from shoal.certify.forms import EXACT
from shoal.certify.reduced import Reduced
from shoal.certify.released_columns import sort_columns
from shoal.certify.spark.count import MOST_VALUES, check_scope, inspect_rows
from shoal.certify.spark.rows import Rows, counting
from shoal.errors import ParameterError
from shoal.policy import Policy


def reduce_rows(rows: Rows, policy: Policy, form: str, *, with_cells: bool) -> Reduced:
    """Return what Spark measured under a policy; `with_cells` also every different cell and its frequency."""
    check_scope(policy, form)
    if with_cells and policy.ranges == "columns":
        raise ParameterError(
            "a release with ranges in two columns is not compared with its codebook on Spark.",
            "verify it without Spark, which reads it in parts.",
        )
    findings = inspect_rows(rows, policy, form)
    with counting():
        times = {name: _times(rows, name) for name in rows.names} if with_cells else {}
    longest = max((counts.height for counts in times.values()), default=0)
    none = pl.Series([], dtype=pl.String)
    cells = {name: times[name]["cell"] if with_cells else none for name in rows.names}
    frame = pl.DataFrame(
        {
            name: column.append(column.head(1).new_from_index(0, longest - len(column))) if len(column) else column
            for name, column in cells.items()
        }
    )
    columns = sort_columns(rows.names, policy, form, findings.rows)
    empty = Classes(pl.DataFrame(schema={"class": pl.Int64, "people": pl.Int64, "records": pl.Int64}))
    return Reduced(rows.names, findings.rows, columns, empty, frame, times, np.zeros(0, dtype=np.int64), findings)


def _times(rows: Rows, name: str) -> pl.DataFrame:
    """Return the different cells of a column and how often each occurs."""
    from pyspark.sql import functions as sql

    cell = sql.col(rows.column(name))
    counted = rows.frame.groupBy(cell.alias("cell")).agg(sql.count(sql.lit(1)).alias("times"))
    found = rows.collected(counted.limit(MOST_VALUES + 1))
    if found.height > MOST_VALUES:
        raise ParameterError(
            f"column {name} has more than {MOST_VALUES} different cells, too many to compare with the codebook here.",
            "verify the release without Spark, which reads it in parts.",
        )
    return found


def all_points(rows: Rows, policy: Policy) -> bool:
    """Return whether all cells of the quasi-identifiers are single numbers or dates, or missing."""
    from pyspark.sql import functions as sql

    there = [name for name in policy.quasi if name in rows.names]
    if len(there) < len(policy.quasi):
        return False
    other, pattern = None, EXACT.removesuffix("$") + r"\z"  # in Java, `$` is also before a last line end
    for name in there:
        cell = sql.col(rows.column(name))
        wrong = cell.isNotNull() & ~cell.rlike(pattern)
        other = wrong if other is None else other | wrong
    with counting():
        return other is None or not rows.frame.filter(other).limit(1).collect()
