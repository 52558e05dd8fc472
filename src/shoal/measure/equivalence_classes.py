"""Equivalence classes before and after the release, and the people in them.

Before: rows with equal original quasi-identifiers, a missing value being equal to a missing value only. After: rows
with equal published ones; two groups with equal published values are one class, because nobody can tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.policy import Policy
from shoal.publish.result import Published
from shoal.publish.set_cells import sharers
from shoal.requirements.counts import Counts, Records, count

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_ROW = "\0row"


@dataclass(frozen=True, slots=True, eq=False)
class EquivalenceClasses:
    """`of_row` is each row's class, -1 if the row is suppressed; `counts` has the people of every class."""

    of_row: Ints
    counts: Counts
    sharing: Ints | None = None
    """Per row, the fewest people of its class who share what may be known of its items; None without sets."""

    @property
    def rows(self) -> Ints:
        """The number of rows of each class."""
        return np.bincount(self.of_row[self.of_row >= 0], minlength=len(self.counts.people)).astype(np.int64)


def classes_before(original: pl.DataFrame, policy: Policy, records: Records) -> EquivalenceClasses:
    """Return the equivalence classes of the original table."""
    of_row = numbered(original.select(policy.quasi), len(original))
    sharing = None
    if (name := policy.set_column) is not None:
        sharing = sharers(original[name], policy.columns[name], of_row, records.people, policy.known_items)
    return EquivalenceClasses(of_row, count(of_row, records), sharing)


def classes_after(published: Published, labels: Ints, records: Records, policy: Policy) -> EquivalenceClasses:
    """Return the equivalence classes of the release; `labels` is the group of every original row."""
    of_group = class_of_group(published)
    of_row = np.where(labels < 0, -1, np.append(of_group, -1)[labels])
    sharing = None
    if published.sets:
        one, kept = published.sets[0], of_row >= 0
        people = None if records.people is None else records.people[kept]
        sharing = np.zeros(len(of_row), dtype=np.int64)
        column = policy.columns[one.name]
        sharing[kept] = sharers(one.cells, column, of_row[kept], people, policy.known_items)
    return EquivalenceClasses(of_row, count(of_row, records), sharing)


def class_of_group(published: Published) -> Ints:
    """Return the class of every group; groups with equal published values have the same one."""
    return np.unique(published.alike, return_inverse=True)[1].reshape(-1).astype(np.int64)


def numbered(frame: pl.DataFrame, n_rows: int) -> Ints:
    """Return a number for every row, 0, 1, ... by first row; rows that are equal in every column have the same."""
    found = np.zeros(n_rows, dtype=np.int64)
    if frame.width == 0 or n_rows == 0:
        return found
    rows = frame.with_row_index(_ROW).group_by(frame.columns, maintain_order=True).agg(pl.col(_ROW))[_ROW]
    lengths = rows.list.len().to_numpy().astype(np.int64)
    found[rows.explode().to_numpy()] = np.repeat(np.arange(len(rows)), lengths)
    return found
