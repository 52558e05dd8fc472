"""Singling out by all published columns, not only by quasi-identifiers.

Columns with the role `sensitive` or `other` are published unchanged. A row that is unique once they are included can
be recognized by whoever knows them; and a description made from it (`born in this range, in this ward, 17 days`) may
fit exactly one person of the original table, and then singles that person out by the file alone (A. Cohen, K. Nissim:
Toward formalizing the GDPR's notion of singling out, PNAS 2020). k-anonymity guarantees nothing about either, so both
are counted. Of a column of sets, whole sets are compared for the first, and no description is made.

Numbers that count people within a class are nobody's value and are not included. In the form `centers` no row is
about one person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
import polars as pl

from shoal.measure.column_views import POINTS, views
from shoal.measure.date_cells import dates_in_iso
from shoal.measure.equivalence_classes import Bools, Ints, class_of_group, numbered
from shoal.measure.published_cells import PublishedCells, cells_of
from shoal.measure.released_table import typed
from shoal.measure.risk_result import Singled, SinglingColumn
from shoal.policy import Policy
from shoal.publish.result import Published
from shoal.tables.text import text_of

TRIED = 1_000  # the most unique rows whose description is compared with the original table
WORK = 10_000_000  # the most original records that descriptions are compared with, over all rows
MOST_COLUMNS = 12  # the most columns whose own contribution is counted, those with the most values
_ROOM = np.iinfo(np.int64).max  # joined keys must stay below this


def singled(original: pl.DataFrame, policy: Policy, published: Published) -> Singled:
    """Return how many published rows are unique, and how many descriptions made from them fit one original person."""
    if published.form == "centers":
        return NOBODY
    of_group = class_of_group(published)
    _, groups = np.unique(of_group, return_index=True)

    def cells(rows: Ints) -> Mapping[str, PublishedCells]:
        seen = views(
            original[rows], policy, published, {}
        )  # no trees are needed, because nodes of a hierarchy are compared by their leaves
        return cells_of(seen, np.arange(len(rows)), groups)

    limits = None if published.form in POINTS else cells
    released = dates_in_iso(published.frame, policy)
    return singled_rows(released, of_group[published.groups], original, policy, limits)


NOBODY = Singled(rows=0, unique=0, unique_sensitive=0, tried=0, isolated=0, columns=())
"""The result for a release in which no row is about one person."""


def singled_rows(
    released: pl.DataFrame,
    of_row: Ints,
    original: pl.DataFrame,
    policy: Policy,
    limits: Callable[[Ints], Mapping[str, PublishedCells]] | None,
) -> Singled:
    """Return the counts for rows of classes `of_row`; `limits` compares some records with the cells of every class.

    Without `limits` (means and modes limit nothing) a description has only the columns that are published unchanged.
    """
    names = [name for name in policy.unchanged if name in released.columns]
    both = {name: _codes(released[name], original[name]) for name in names}
    n = len(released)
    here = {name: codes[:n] for name, codes in both.items()}
    if (sets := policy.set_column) is not None and sets in released.columns:  # k^m limits few items, not whole sets
        here[sets] = numbered(released.select(sets), n)
    seen = list(here)
    numbers = released[policy.person] if policy.person and policy.person in released.columns else None
    people = None if numbers is None else numbered(numbers.to_frame(), n)

    def key(chosen: Sequence[str]) -> Ints:
        return together([of_row, *(here[name] for name in chosen)])

    def unique(chosen: Sequence[str]) -> int:
        return n_alone(key(chosen)) if people is None else int(np.count_nonzero(held_by_one(key(chosen), people)))

    alone = held_by_one(key(seen), people)
    ranked = sorted(seen, key=lambda name: -int(here[name].max(initial=0)))[:MOST_COLUMNS]
    columns = tuple(
        SinglingColumn(
            name=name,
            role=_role(name, policy),
            alone=unique([name]),
            without=unique([other for other in seen if other != name]),
        )
        for name in ranked
    )
    values = together(list(both.values())) if both else np.zeros(n + len(original), dtype=np.int64)
    tried, isolated = _isolated(np.flatnonzero(alone), of_row, values[:n], values[n:], original, policy, limits)
    return Singled(
        rows=n,
        unique=int(np.count_nonzero(alone)),
        unique_sensitive=unique([name for name in seen if name in policy.sensitive or name == sets]),
        tried=tried,
        isolated=isolated,
        columns=tuple(sorted(columns, key=lambda column: (column.without, -column.alone))),
    )


def _role(name: str, policy: Policy) -> Literal["sensitive", "weight", "other", "quasi"]:
    """Return the role of a column in which the rows of a group differ."""
    if name in policy.sensitive:
        return "sensitive"
    return "weight" if name == policy.weight else "quasi" if name == policy.set_column else "other"


def _codes(released: pl.Series, original: pl.Series) -> Ints:
    """Return codes, equal for equal values: first of the released rows, then of the original rows."""
    released = typed(released, original.dtype)
    if released.dtype.is_numeric() and original.dtype.is_numeric():
        released, original = released.cast(pl.Float64), original.cast(pl.Float64)
    elif released.dtype != original.dtype:
        released, original = text_of(released), text_of(original)
    values = pl.concat([released.rename("v"), original.rename("v")])
    return numbered(values.to_frame(), len(values))


def together(columns: Sequence[Ints]) -> Ints:
    """Return a code for every row; two rows have the same one if and only if they are equal in every column."""
    found, size = columns[0], int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        if size > _ROOM // width:
            _, found = np.unique(found, return_inverse=True)
            size = int(found.max(initial=0)) + 1
        found, size = found * width + column, size * width
    return np.asarray(found, dtype=np.int64)


def n_alone(keys: Ints) -> int:
    """Return how many keys occur once. Sorting the keys is several times faster than sorting the rows by them."""
    ordered = np.sort(keys)
    changes = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    return int(np.count_nonzero(changes[1:] & changes[:-1])) if len(keys) else 0


def held_by_one(keys: Ints, people: Ints | None) -> Bools:
    """Return which rows have a key that no other row has, or that only other rows of the same person have."""
    order = np.argsort(keys, kind="stable") if people is None else np.lexsort((people, keys))
    first = np.ones(len(keys), dtype=bool)
    first[1:] = keys[order][1:] != keys[order][:-1]
    start = np.flatnonzero(first)
    sizes = np.diff(np.append(start, len(keys)))
    if people is None:
        one = sizes == 1
    else:
        last = start + sizes - 1
        one = people[order][start] == people[order][last]
    found = np.empty(len(keys), dtype=bool)
    found[order] = np.repeat(one, sizes)
    return found


def _isolated(
    unique: Ints,
    of_row: Ints,
    released: Ints,
    originals: Ints,
    table: pl.DataFrame,
    policy: Policy,
    limits: Callable[[Ints], Mapping[str, PublishedCells]] | None,
) -> tuple[int, int]:
    """Return how many descriptions of unique rows were tried, and how many of them fit exactly one person."""
    order = np.argsort(originals, kind="stable")
    keys = originals[order]
    chosen = np.random.default_rng(0).permutation(unique)[:TRIED]
    begin, end = (np.searchsorted(keys, released[chosen], side=side) for side in ("left", "right"))
    n_tried = int(np.searchsorted(np.cumsum(end - begin), WORK, side="right"))
    chosen, begin, end = chosen[:n_tried], begin[:n_tried], end[:n_tried]
    change = np.zeros(len(keys) + 1, dtype=np.int64)
    np.add.at(change, begin, 1)
    np.add.at(change, end, -1)
    needed = np.flatnonzero(np.cumsum(change)[:-1] > 0)
    rows = order[needed]
    cells = limits(rows) if limits is not None else {}
    who = numbered(table.select(policy.person)[rows], len(rows)) if policy.person else np.arange(len(rows))
    isolated = 0
    for row, a, b in zip(chosen.tolist(), begin.tolist(), end.tolist(), strict=True):
        fitting = np.arange(*np.searchsorted(needed, (a, b)))
        for column in cells.values():
            if len(fitting) == 0:
                break
            fitting = fitting[column.holds(int(of_row[row]), fitting)]
        isolated += len(fitting) > 0 and bool((who[fitting] == who[fitting[0]]).all())
    return n_tried, isolated
