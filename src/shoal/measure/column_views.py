"""A quasi-identifier as numbers, as labels, or both: each row's original value and each group's published value.

A column of numbers with a hierarchy is both: labels of its leaves for levels and entropy, numbers for means, squared
errors and distances of distributions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.policy import Policy
from shoal.publish.group_values import days
from shoal.publish.result import GroupColumn, Published
from shoal.roles.kinds import as_kind
from shoal.space.hierarchy import Tree
from shoal.space.hierarchy_sources import build_tree
from shoal.tables.text import text_of

POINTS = ("aggregate", "centers")  # forms that publish one value per group, not a set that contains all its values
NUMBERS = ("number", "date", "place")


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The number `x` of every row, NaN if missing, and what was published per group. Hidden groups have NaN as low
    and high.

    If a group is not hidden, a NaN `value` is a published missing value; a group in `or_missing` has a range that
    says "or missing".
    """

    x: Floats
    low: Floats
    high: Floats
    value: Floats
    hidden: Bools
    or_missing: Bools

    @property
    def span(self) -> float:
        """The difference of the largest and smallest value."""
        present = self.x[np.isfinite(self.x)]
        return float(np.ptp(present)) if len(present) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The code of every row in `domain`, the published cell of every group, and the codes that each cell may stand
    for.
    """

    domain: tuple[str | None, ...]
    codes: Ints
    cell: Ints
    start: Ints
    members: Ints

    @property
    def sizes(self) -> Ints:
        """The number of codes of each cell."""
        return np.diff(self.start)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One quasi-identifier; at least one of `numbers` and `labels` is not None."""

    column: GroupColumn
    numbers: Numbers | None
    labels: Labels | None
    tree: Tree | None


def views(
    original: pl.DataFrame, policy: Policy, published: Published, trees: Mapping[str, Tree] | None
) -> tuple[View, ...]:
    """Return one view per published quasi-identifier."""
    # only `generalize` publishes nodes of a hierarchy; the other forms are measured on the values themselves
    grown: Mapping[str, Tree] = {}
    if published.form == "generalize":
        grown = trees_of(original, policy) if trees is None else trees
    return tuple(
        _view(original[column.name], column, policy, published.form in POINTS, grown.get(column.name))
        for column in published.columns
    )


def trees_of(original: pl.DataFrame, policy: Policy) -> dict[str, Tree]:
    """Return the hierarchies of the quasi-identifiers that have one."""
    columns = {name: policy.columns[name] for name in policy.quasi if policy.columns[name].kind == "hierarchy"}
    return {
        name: build_tree(original[name], column.hierarchy, least_level=column.least_level)
        for name, column in columns.items()
        if column.hierarchy is not None
    }


def _view(values: pl.Series, column: GroupColumn, policy: Policy, points: bool, tree: Tree | None) -> View:
    """Return the view of one published column; `points` says that each group is published as one value."""
    if column.value is not None and column.low is not None and column.high is not None:
        x = as_floats(values, policy, column.name)
        if points:
            # as released, because the center of a group may be one of its records instead of its mean
            value = as_floats(column.published[column.name], policy, column.name)
            nowhere = np.zeros(len(value), dtype=bool)
            return View(column, Numbers(x, value, value, value, nowhere, mixed(column)), None, None)
        hidden = np.isnan(column.value) & (column.loss > 0)
        return View(column, Numbers(x, column.low, column.high, column.value, hidden, mixed(column)), None, None)
    assert column.domain is not None
    assert column.cell is not None
    assert column.member_start is not None
    assert column.members is not None
    domain, cells = column.domain, (column.cell, column.member_start, column.members)
    leaves = values if tree is None else tree.as_leaves(values)
    codes = codes_in(domain, leaves)
    if (codes == len(domain)).any():
        # values that occur only in suppressed rows are not among the published ones
        domain += tuple(text_of(leaves.filter(codes == len(domain)).unique().sort()).to_list())
        codes = codes_in(domain, leaves)
    if points:
        published = codes_in(domain, column.published[column.name])
        cells = published, np.arange(len(domain) + 1), np.arange(len(domain))
    labels = Labels(domain, codes, *cells)
    return View(column, _numbers(values, labels, column, policy), labels, tree)


def mixed(column: GroupColumn) -> Bools:
    """Return, per group, whether its published value says "or missing"."""
    return np.zeros(len(column.loss), dtype=bool) if column.or_missing is None else column.or_missing


def as_floats(values: pl.Series, policy: Policy, name: str) -> Floats:
    """Return numbers, or dates as days since 1970; NaN if missing or infinite."""
    kind = policy.columns[name].kind
    return finite(days(as_kind(values, kind if kind in NUMBERS else "number")))


def finite(floats: Floats) -> Floats:
    """Return the numbers with NaN in place of infinities, which cannot be measured."""
    return np.where(np.isfinite(floats), floats, np.nan)


def codes_in(domain: tuple[str | None, ...], values: pl.Series) -> Ints:
    """Return the index of every value in `domain`; the length of `domain` for a value that is not in it."""
    lookup = pl.DataFrame(
        {"label": pl.Series(domain, dtype=pl.String), "code": np.arange(len(domain), dtype=np.int64)}
    )
    text = pl.DataFrame({"label": text_of(values)})
    codes = text.join(lookup, on="label", how="left", nulls_equal=True, maintain_order="left")["code"]
    return codes.fill_null(len(domain)).to_numpy().astype(np.int64)


def _numbers(values: pl.Series, labels: Labels, column: GroupColumn, policy: Policy) -> Numbers | None:
    """Return the leaves as numbers; None unless the column has numbers or dates and every leaf reads as one."""
    asked = policy.columns[column.name]
    is_code = asked.hierarchy is not None and asked.hierarchy.prefix
    by_type = asked.kind == "hierarchy" and (values.dtype.is_numeric() or values.dtype.is_temporal())
    if is_code or not (by_type or asked.kind in NUMBERS):
        return None
    names = pl.Series(labels.domain, dtype=pl.String)
    leaves = days(as_kind(names, "date" if values.dtype.is_temporal() or asked.kind == "date" else "number"))
    if np.count_nonzero(np.isnan(leaves)) > names.null_count():
        return None
    hidden = (column.loss >= 1) & (labels.sizes[labels.cell] > 1) & ~mixed(column)
    low, high = (
        np.where(hidden, np.nan, end.reduceat(leaves[labels.members], labels.start[:-1])[labels.cell])
        for end in (np.fmin, np.fmax)
    )
    return Numbers(as_floats(values, policy, column.name), low, high, (low + high) / 2, hidden, mixed(column))
