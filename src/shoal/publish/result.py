"""What the publishing step hands on: the released table, and (private) what became of each column and row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.policy import Kind

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


Legend = tuple[tuple[str | None, tuple[str | None, ...]], ...]
"""Every class of a column that was recoded as a whole: its name, and the labels in it (None: missing)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupColumn:
    """One quasi-identifier, group by group.

    `published` has one row per group and the column (or, for a range in two columns, both) as released.
    `loss` is the normalized certainty penalty of the published value: 0 exact, 1 says nothing.

    Numbers, dates and places have `low`, `high` and `value` in the column's own unit (dates in days since 1970;
    `value` stands for the group: the aggregate, or the middle of the range; NaN where the group's values are
    missing or hidden). Labels, ordered values, hierarchies and regions have the `domain` of all values (None for
    missing) and, per group g with ``c = cell[g]``, the codes that the published value may stand for:
    ``members[member_start[c]:member_start[c + 1]]``. Groups share cells: a node near the root may have more leaves
    than the table has rows, and most groups may be published as it.
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
    """Of the published nodes, where the column has a hierarchy."""
    legend: Legend | None = None
    exact_loss: Floats | None = None
    """What `loss` would have been with exact ends, where ends were rounded."""

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.kind}: {len(self.loss)} groups")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published:
    """`frame` may be released. All else stays home.

    `rows[i]` is the input row behind released row i and `groups[i]` its group; for the form `centers`, one
    released row per group, `rows` is empty and `groups[i]` is the group of released row i.
    """

    frame: pl.DataFrame
    form: str
    rows: Ints
    groups: Ints
    columns: tuple[GroupColumn, ...]

    def __repr__(self) -> str:
        return brief(self, f"{self.frame.height} rows, {self.frame.width} columns, {self.form}")

    @property
    def legends(self) -> dict[str, Legend]:
        """What the names of classes stand for, by column. Public: a set of labels under another name."""
        return {column.name: column.legend for column in self.columns if column.legend is not None}

    @property
    def alike(self) -> Ints:
        """Per group, the first group with the same published cells: nobody can tell the two apart."""
        return published_alike(self.columns)


def published_alike(columns: tuple[GroupColumn, ...]) -> Ints:
    """Per group, the first group with the same published cells."""
    cells = [series.cast(pl.String) for column in columns for series in column.published.get_columns()]
    table = pl.DataFrame([cell.alias(str(place)) for place, cell in enumerate(cells)])
    first = table.with_row_index("group").select(pl.col("group").first().over(table.columns))
    return first.to_series().to_numpy().astype(np.int64)


def prices_of(published: Published, sizes: Ints) -> list[str]:
    """What rounding the ends of ranges costs, in words; `sizes` are the rows of every group."""
    told = []
    for column in published.columns:
        if column.exact_loss is not None:
            before, after = (float(np.average(lost, weights=sizes)) for lost in (column.exact_loss, column.loss))
            told.append(f"{column.name}: rounded ends of ranges lose {after:.2%}, exact ones would lose {before:.2%}")
    return told
