"""A column of sets as attackers use it: a released cell says that a person has all of its items, and no more.

Items of a cell may be nodes of the hierarchy, which a person has who has an item below them. An item that is not in a
cell may have been left out, so a cell covers everybody who has all that it shows; one without items covers everybody.
What a set is, is not inferred: the attacker knows the items of a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.measure.equivalence_classes import Bools, Floats, Ints, numbered
from shoal.measure.questions.columns import UNIT, Units
from shoal.policy import Column as Settings
from shoal.space.hierarchy_sources import build_tree
from shoal.tables.text import text_of

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, slots=True, eq=False)
class SetColumn:
    """Sets: what every person has of the published items, and the items of every cell, as matrices of 0 and 1."""

    name: str
    has: sparse.csr_array
    """People in rows, published items and nodes in columns."""
    n_items: Ints
    """The number of items of every person."""
    shows: sparse.csr_array
    """Cells in rows."""
    of_row: Ints
    plain: bool = False

    def covers(self, cell: int, people: Ints, *, beyond: bool = False) -> Bools:
        shown = self.shows.indices[self.shows.indptr[cell] : self.shows.indptr[cell + 1]]
        found = np.asarray(self.has[people][:, shown].sum(axis=1)).reshape(-1)
        return np.asarray(found == len(shown))

    def apart(self, people: Ints) -> Units:
        """Return the share of a person's items that a cell does not show; 1 if it shows one that is not theirs."""
        shared = np.asarray((self.has[people] @ self.shows.T).toarray())
        sizes = np.diff(self.shows.indptr)
        left = 1.0 - (1.0 + shared) / (1.0 + np.maximum(self.n_items[people][:, None], shared))
        return np.asarray(np.rint(np.where(shared < sizes, 1.0, left) * UNIT), dtype=np.int32)

    def guess(self, cells: Ints, times: Floats) -> float:
        return float("nan")

    def known(self, people: Ints) -> Bools:
        return np.zeros(len(people), dtype=bool)

    def right(self, guesses: Floats, people: Ints) -> Bools:
        return np.zeros(len(people), dtype=bool)


def set_column(name: str, published: pl.Series, values: pl.Series, settings: Settings) -> SetColumn:
    """Return a column of sets from the `published` cells of all released rows, and the `values` of all people."""
    of_row = numbered(published.to_frame(), len(published))
    _, first = np.unique(of_row, return_index=True)
    cells = [_items(text, settings) for text in text_of(published[first]).to_list()]
    own = [_items(text, settings) for text in text_of(values).to_list()]
    tokens = {item: place for place, item in enumerate(sorted({item for cell in cells for item in cell}))}
    above = _above(name, sorted({item for one in own for item in one}), settings)
    had = [{tokens[node] for item in one for node in above.get(item, (item,)) if node in tokens} for one in own]
    return SetColumn(
        name=name,
        has=_matrix(had, len(tokens)),
        n_items=np.array([len(one) for one in own], dtype=np.int64),
        shows=_matrix([{tokens[item] for item in cell} for cell in cells], len(tokens)),
        of_row=of_row,
    )


def _items(text: str | None, settings: Settings) -> frozenset[str]:
    return frozenset(item.strip() for item in (text or "").split(settings.between)) - {""}


def _above(name: str, items: Sequence[str], settings: Settings) -> dict[str, tuple[str, ...]]:
    """Return every item with the names of all nodes of the hierarchy above it, if there is one."""
    if settings.hierarchy is None or not items:
        return {}
    values = pl.Series(name, list(items), dtype=pl.String)
    tree = build_tree(values, settings.hierarchy, strays=True, least_level=settings.least_level)
    found = {}
    for item, leaf in zip(items, tree.ranks(values).tolist(), strict=True):
        nodes = [tree.node_names[level][tree.ancestors[leaf, level]] for level in range(1, tree.n_levels + 1)]
        names = [item, tree.leaf_labels[leaf], *nodes]
        found[item] = tuple(str(node) for node in names if node is not None)
    return found


def _matrix(rows: Sequence[set[int]], width: int) -> sparse.csr_array:
    from scipy import sparse

    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    places = np.array([place for row in rows for place in sorted(row)], dtype=np.int64)
    return sparse.csr_array((np.ones(len(places)), places, start), shape=(len(rows), max(width, 1)))
