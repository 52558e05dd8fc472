"""The form `aggregate`: each group's mean, median or mode is published, so numbers stay numbers and dates stay dates.

The mean of numbers or dates is the mean of the values that are present. A column beside it, `x_missing`, says how
many of the group's values are missing; the mean itself is missing only if all of them are. The median of an order is
missing if more than half of the group's cells are. For a mode, and for the nearest leaf of a hierarchy, missing is a
value. Means are published in the type of the column (`means`), and the loss is measured on what is published.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.policy import Column
from shoal.publish.group_values import Floats, Ints, codes_of, days, ranges, sets
from shoal.publish.means import exact_means, in_type
from shoal.publish.result import GroupColumn
from shoal.space.build import aggregate_of
from shoal.space.group_centers import tree_medians
from shoal.space.hierarchy import Tree
from shoal.tables.date_text import truncated


def number_aggregates(name: str, column: Column, values: pl.Series, labels: Ints) -> GroupColumn:
    """Return mean, median or mode per group; `loss` is the mean distance to it as a share of the column's range.

    A mean is rounded to the type of the column, and `exact_loss` is the loss without rounding.
    """
    kind = column.kind or "number"
    how = aggregate_of(column)
    found = ranges(values, labels)
    cell = pl.col("v")
    exact: Floats | None = None
    if how == "mean":
        exact, first = exact_means(values, labels, len(found.cells))
        result = truncated(in_type(exact, first, values, found.low, found.high), column.date_format)
    else:
        # the lower median is a value that occurs, so the column keeps its type
        middle = cell.sort().get((cell.count().cast(pl.Int64) - 1) // 2 + cell.null_count().cast(pl.Int64))
        chosen = middle if how == "median" else cell.drop_nulls().mode().min()
        result = pl.DataFrame({"g": labels, "v": values}).group_by("g").agg(chosen).sort("g")["v"]
    published = {name: result}
    if found.missing.any():
        published[f"{name}_missing"] = pl.Series(found.missing)
    value = days(result)
    own = days(values)
    loss = _mean_distance(own, value, labels, found.cells)
    unrounded = None
    if exact is not None and not values.dtype.is_temporal():
        unrounded = _mean_distance(own, np.where(np.isnan(value), np.nan, exact), labels, found.cells)
    return GroupColumn(
        name=name,
        kind=kind,
        loss=loss,
        published=pl.DataFrame(published),
        low=days(found.low),
        high=days(found.high),
        value=value,
        or_missing=found.mixed,
        exact_loss=unrounded,
    )


def label_aggregates(
    name: str, column: Column, values: pl.Series, labels: Ints, n_groups: int, tree: Tree | None = None
) -> GroupColumn:
    """Return, per group, the most frequent label, the median of an order, or the hierarchy's leaf nearest to all
    members.

    `loss` is the share of cells that differ from it.
    """
    kind = column.kind or "label"
    domain, codes = codes_of(values, column.order if kind == "ordered" else None)
    if aggregate_of(column) == "mode":
        chosen = sets(domain, codes, labels, n_groups).modes()
    elif tree is not None:
        leaves = tree.ranks(values)
        nearest, _ = tree_medians(leaves, labels, n_groups, tree.ancestors, np.arange(tree.n_levels + 1.0))
        code_of = np.zeros(tree.n_leaves, dtype=np.int64)
        code_of[leaves] = codes
        chosen = code_of[nearest]
    else:
        chosen = _medians(codes, np.array([label is None for label in domain]), labels, n_groups)
    wrong = np.bincount(labels, weights=codes != chosen[labels], minlength=n_groups)
    row_of = np.zeros(len(domain), dtype=np.int64)
    row_of[codes] = np.arange(
        len(codes)
    )  # a row with each label, so that values are taken from the column and keep its type
    return GroupColumn(
        name=name,
        kind=kind,
        loss=wrong / np.bincount(labels, minlength=n_groups),
        published=pl.DataFrame({name: values[row_of[chosen]]}),
        domain=domain,
        cell=chosen,
        member_start=np.arange(len(domain) + 1, dtype=np.int64),
        members=np.arange(len(domain), dtype=np.int64),
    )


def _medians(codes: Ints, is_missing: npt.NDArray[np.bool_], labels: Ints, n_groups: int) -> Ints:
    """Return the lower median of the codes that are present; the missing code, the last, if more than half are
    missing.
    """
    cells = np.bincount(labels, minlength=n_groups)
    missing = np.bincount(labels, weights=is_missing[codes], minlength=n_groups).astype(np.int64)
    counted = np.where(2 * missing > cells, cells, cells - missing)
    order = np.lexsort((codes, labels))
    chosen: Ints = codes[order][np.cumsum(cells) - cells + (counted - 1) // 2]
    return np.where(2 * missing > cells, codes.max(initial=0), chosen)


def _mean_distance(values: Floats, centers: Floats, labels: Ints, cells: Ints) -> Floats:
    """Return, per group, the mean of |x - center| / range; a cell that is missing on one side only counts 1."""
    present = values[~np.isnan(values)]
    span = float(present.max() - present.min()) if len(present) else 0.0
    mine = centers[labels]
    apart = np.abs(values - mine) / span if span > 0 else np.zeros(len(values))
    apart = np.where(np.isnan(values) & np.isnan(mine), 0.0, np.where(np.isnan(apart), 1.0, apart))
    if span == 0:
        apart = np.where(np.isnan(values) != np.isnan(mine), 1.0, 0.0)
    return np.bincount(labels, weights=apart, minlength=len(cells)) / cells
