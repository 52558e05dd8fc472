"""Published cells as shares of the whole table, where rows were suppressed.

Cells are derived from the released rows alone, so that they reveal nothing about the others. Their loss is measured
against the whole table, as it is when groups are made: for a range as a share of the range of all rows, for a set
or a node as a share of the labels or leaves of all rows. Otherwise suppressing a row would change the loss of others.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from shoal.measure.column_views import Labels, View, mixed
from shoal.measure.equivalence_classes import Bools, Floats, Ints
from shoal.publish.generalize import or_missing
from shoal.publish.group_values import codes_of
from shoal.space.hierarchy import Tree


def in_whole_table(view: View, values: pl.Series, order: tuple[str, ...] | None, tree: Tree | None) -> View:
    """Return the view of a column of ranges, sets or nodes with its cells and their loss in terms of all rows.

    `values` are those of all rows, and `tree` is the hierarchy of all rows if the column has one. A cell that hides
    everything keeps its loss.
    """
    column, labels = view.column, view.labels
    if labels is None:
        return replace(view, column=replace(column, loss=_of_ranges(view)))
    if view.tree is not None and tree is not None:
        labels, loss = _of_nodes(view, labels, values, tree)
    elif column.kind == "ordered":
        labels, loss = _of_runs(view, labels, *codes_of(values, order))
    else:
        loss = np.where(labels.sizes > 1, labels.sizes / max(len(labels.domain), 1), 0.0)[labels.cell]
    return replace(view, labels=labels, column=replace(column, loss=loss))


def _of_ranges(view: View) -> Floats:
    """Return the loss of ranges as a share of the range of all rows."""
    column, numbers = view.column, view.numbers
    assert numbers is not None
    assert column.low is not None
    assert column.high is not None
    if not numbers.span or np.isnan(column.low).all():
        return column.loss
    ratio = float(np.nanmax(column.high) - np.nanmin(column.low)) / numbers.span
    at = mixed(column)
    share = np.where(at, 2 * column.loss - 1, column.loss) * ratio
    return np.where(numbers.hidden, column.loss, np.where(at, or_missing(share), share))


def _of_runs(view: View, labels: Labels, domain: tuple[str | None, ...], codes: Ints) -> tuple[Labels, Floats]:
    """Return ranges of an order with all labels of the table between their ends, and their loss."""
    place = {label: code for code, label in enumerate(domain)}
    present = len(domain) - (domain[-1:] == (None,))
    ends = [_ends(labels, cell, place) for cell in range(len(labels.sizes))]
    first, last = (np.array(one, dtype=np.int64) for one in zip(*ends, strict=True))
    at = mixed(view.column)
    share = ((last - first) / max(present - 1, 1))[labels.cell]
    holds = np.zeros(len(first), dtype=bool)
    holds[labels.cell[at]] = True
    return _renamed(labels, domain, codes, first, last, holds), np.where(at, or_missing(share), share)


def _of_nodes(view: View, labels: Labels, values: pl.Series, tree: Tree) -> tuple[Labels, Floats]:
    """Return nodes with all leaves of the table below them, and their loss."""
    domain = tree.leaf_labels
    place = {label: code for code, label in enumerate(domain)}
    ends = [_ends(labels, cell, place) for cell in range(len(labels.sizes))]
    first, last = (np.array(one, dtype=np.int64) for one in zip(*ends, strict=True))
    level = (tree.ancestors[first] != tree.ancestors[last]).sum(axis=1).astype(np.int64)
    assert view.tree is not None
    assert view.column.level is not None
    if view.tree.n_levels == tree.n_levels:  # then a level is the same in both, also one that was asked for
        level[labels.cell] = view.column.level
    first, last = tree.leaves_below(first, level)
    at = mixed(view.column)
    share = np.where(level > 0, (last - first + 1) / max(tree.n_leaves, 1), 0.0)[labels.cell]
    holds = np.zeros(len(first), dtype=bool)
    holds[labels.cell[at]] = True
    return _renamed(labels, domain, tree.ranks(values), first, last, holds), np.where(at, 1.0, share)


def _ends(labels: Labels, cell: int, place: dict[str | None, int]) -> tuple[int, int]:
    """Return the first and last place of a cell's members; missing counts only if it stands alone."""
    members = [labels.domain[code] for code in labels.members[labels.start[cell] : labels.start[cell + 1]].tolist()]
    places = [place[label] for label in members if label is not None] or [place[None]]
    return min(places), max(places)


def _renamed(
    labels: Labels, domain: tuple[str | None, ...], codes: Ints, first: Ints, last: Ints, holds: Bools
) -> Labels:
    """Return labels in another domain whose cells are the runs first .. last; those of `holds` have missing too."""
    runs = [
        [*range(a, b + 1), *([len(domain) - 1] if one else [])]
        for a, b, one in zip(first.tolist(), last.tolist(), holds.tolist(), strict=True)
    ]
    start = np.cumsum([0, *map(len, runs)], dtype=np.int64)
    members = np.concatenate([np.zeros(0, dtype=np.int64), *(np.array(run, dtype=np.int64) for run in runs)])
    return Labels(domain, codes, labels.cell, start, members)
