"""The result of publishing: the released table, and (private) how each column and row was published."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.policy import Kind
from shoal.publish.set_cells import SetColumn

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


Legend = tuple[tuple[str | None, tuple[str | None, ...]], ...]
"""Every class of a recoded column: its name, and the labels in it (None is missing)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecodedInto:
    """The classes of labels or areas of places that took the place of a column's values before groups were made.

    A cell leaves some of them open, and its loss is about them; what they lose by themselves is `lost`.
    """

    n_values: int
    """The number of classes or areas; missing values that are no part of one are one more."""
    n_open: Ints
    """Per group, how many of them its cell leaves open."""
    lost: float
    """The mean, over the released rows, of the share of all labels in a row's class, 0 for a class of one label; or
    of the side of its area as a share of the side of all areas."""
    rows: int
    """The number of released rows whose class or area stands for more than their own value."""

    def __repr__(self) -> str:
        return brief(self, f"{self.n_values} classes, {self.lost:.1%} lost")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupColumn:
    """What each group is published as in one quasi-identifier.

    `published` has one row per group with the column as released (all of them, for a range in two columns). `loss`
    is the normalized certainty penalty of the published value: 0 is exact, 1 says nothing.

    Numbers, dates and places have `low`, `high` and `value` in the column's own unit (dates in days since 1970).
    `value` represents the group: the aggregate, or the middle of the range; NaN if all of the group's values are
    missing, or it is hidden. Labels, ordered values, hierarchies and regions have the `domain` of all values (None
    for missing) and, per group g with ``c = cell[g]``, the codes that the published value may stand for:
    ``members[member_start[c]:member_start[c + 1]]``. Groups share cells, because a node near the root may have more
    leaves than the table has rows, and most groups may be published as that node.
    """

    name: str
    kind: Kind
    loss: Floats
    published: pl.DataFrame
    low: Floats | None = None
    high: Floats | None = None
    value: Floats | None = None
    domain: tuple[str | None, ...] | None = None
    cell: Ints | None = None
    member_start: Ints | None = None
    members: Ints | None = None
    level: Ints | None = None
    """The levels of the published nodes, if the column has a hierarchy."""
    legend: Legend | None = None
    into: RecodedInto | None = None
    """The classes or areas that the column was recoded into; None if it was not, or if a plan gave the cells."""
    or_missing: npt.NDArray[np.bool_] | None = None
    """Per group, whether the published value says "or missing", because some of its cells are missing and others are
    not; None if no group does."""
    exact_loss: Floats | None = None
    """What `loss` would be with exact ends of ranges or exact means, if they were rounded."""

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.kind}: {len(self.loss)} groups")

    def by_groups(self, places: Ints) -> GroupColumn:
        """Return what groups are published as whose values are those of the groups `places` of this column."""
        per_group = ("loss", "low", "high", "value", "cell", "level", "or_missing", "exact_loss")
        moved = {name: found[places] for name in per_group if (found := getattr(self, name)) is not None}
        into = None if self.into is None else replace(self.into, n_open=self.into.n_open[places])
        return replace(self, published=self.published[places], into=into, **moved)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published:
    """The released table `frame`, with what must stay private.

    `rows[i]` is the original row of released row i and `groups[i]` its group. The form `centers` has one released row
    per group: there `rows` is empty and `groups[i]` is the group of released row i.
    """

    frame: pl.DataFrame
    form: str
    rows: Ints
    groups: Ints
    columns: tuple[GroupColumn, ...]
    sets: tuple[SetColumn, ...] = ()
    """The column of sets, if a quasi-identifier is one."""

    def __repr__(self) -> str:
        return brief(self, f"{self.frame.height} rows, {self.frame.width} columns, {self.form}")

    @property
    def legends(self) -> dict[str, Legend]:
        """The labels behind the names of classes, by column. They may be published: a class is a set of labels."""
        return {column.name: column.legend for column in self.columns if column.legend is not None}

    @property
    def alike(self) -> Ints:
        """Per group, the first group with the same published cells; the two are one equivalence class to a reader."""
        return published_alike(self.columns)


def published_alike(columns: tuple[GroupColumn, ...]) -> Ints:
    """Return, per group, the first group with the same published cells."""
    if not columns:  # without quasi-identifiers to form groups on, all rows are one group
        return np.zeros(1, dtype=np.int64)
    cells = [series.cast(pl.String) for column in columns for series in column.published.get_columns()]
    table = pl.DataFrame([cell.alias(str(place)) for place, cell in enumerate(cells)])
    first = table.with_row_index("group").select(pl.col("group").first().over(table.columns))
    return first.to_series().to_numpy().astype(np.int64)


def prices_of(published: Published, sizes: Ints) -> list[str]:
    """Return sentences on the loss caused by rounding ends of ranges or means; `sizes` are the rows of the groups."""
    sentences = []
    what = "means" if published.form in ("aggregate", "centers") else "ends of ranges"
    for column in published.columns:
        if column.exact_loss is not None:
            before, after = (float(np.average(lost, weights=sizes)) for lost in (column.exact_loss, column.loss))
            sentences.append(f"{column.name}: rounded {what} lose {after:.2%}, exact ones would lose {before:.2%}")
    return sentences
