"""The forms `generalize` and `suppress`: each group gets one value that is true of all its members.

Numbers, dates and places become ranges, ordered values ranges of their order, labels and regions sets, and
hierarchies the lowest node above the group. If some cells of a group are missing and others are not, a number is
hidden (`*`), because a range would be false for the missing cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.policy import Column, Kind, Period
from shoal.publish.group_values import Floats, Ints, Ranges, codes_of, days, ranges, sets
from shoal.publish.notation import HIDDEN, quoted, write_set
from shoal.publish.result import GroupColumn, Legend
from shoal.publish.rounding import outwards
from shoal.space.hierarchy import Tree
from shoal.tables.text import text_of


def number_ranges(
    name: str,
    kind: Kind,
    values: pl.Series,
    labels: Ints,
    *,
    two_columns: bool = False,
    step: float | Period | None = None,
) -> GroupColumn:
    """Return ranges `[a, b]`, or columns `x_min` and `x_max`; the exact value if all members of the group have it.

    With `step`, the ends are rounded outwards to multiples of it, and `exact_loss` is the loss without rounding.
    """
    found = ranges(values, labels)
    exact = _lost(found, days(found.low), days(found.high))
    if step is not None:
        least, most = outwards(found.low, found.high, step)
        found = replace(found, low=least, high=most)
    low, high = days(found.low), days(found.high)
    loss = exact if step is None else _lost(found, low, high)
    mixed = pl.Series(found.mixed)
    if two_columns:
        # whether values are missing in a group is hidden by publishing the column's whole range
        limits = pl.DataFrame({"low": found.low, "high": found.high, "mixed": mixed})
        released = limits.select(
            pl.when("mixed").then(pl.col("low").min()).otherwise("low").alias(f"{name}_min"),
            pl.when("mixed").then(pl.col("high").max()).otherwise("high").alias(f"{name}_max"),
        )
    else:
        text = pl.DataFrame({"low": text_of(found.low), "high": text_of(found.high), "mixed": mixed})
        released = text.select(
            pl.when("mixed")
            .then(pl.lit(HIDDEN))
            .when(pl.col("low") == pl.col("high"))
            .then("low")
            .otherwise(pl.format("[{}, {}]", "low", "high"))
            .alias(name)
        )
    hide = np.where(found.mixed, np.nan, 1.0)
    return GroupColumn(
        name=name,
        kind=kind,
        loss=loss,
        published=released,
        low=low * hide,
        high=high * hide,
        value=(low + high) / 2 * hide,
        exact_loss=None if step is None else exact,
    )


def _lost(found: Ranges, low: Floats, high: Floats) -> Floats:
    """Return, per group, the width of its range as a share of the column's range; 1 if it is hidden."""
    span = float(np.nanmax(high) - np.nanmin(low)) if not found.empty.all() else 0.0
    share = (high - low) / span if span > 0 else np.zeros(len(low))
    return np.where(found.mixed, 1.0, np.where(found.empty, 0.0, np.nan_to_num(share)))


def label_sets(name: str, kind: Kind, values: pl.Series, labels: Ints, n_groups: int) -> GroupColumn:
    """Return sets `{a, b}`, or the label alone if all members have it. A set of s of m labels has loss s / m."""
    domain, codes = codes_of(values)
    cell, different = sets(domain, codes, labels, n_groups).different()
    size = np.array([len(own) for own in different], dtype=np.int64)
    loss = np.where(size > 1, size / max(len(domain), 1), 0.0)[cell]
    each = [set_text(domain, own) for own in different]
    texts = [each[place] for place in cell.tolist()]
    return with_members(name, kind, loss, texts, (cell, *one_after_other(different)), domain)


def order_ranges(name: str, column: Column, values: pl.Series, labels: Ints, n_groups: int) -> GroupColumn:
    """Return ranges `[low, high]` in the order of the values.

    Missing is not part of the order, so a group with missing and other values is hidden (`*`).
    """
    domain, codes = codes_of(values, column.order)
    found = sets(domain, codes, labels, n_groups)
    present = len(domain) - (domain[-1:] == (None,))
    first, last = found.codes[found.start[:-1]], found.codes[found.start[1:] - 1]
    beside = (last >= present) & (first < present)
    loss = np.where(beside, 1.0, (last - first) / max(present - 1, 1))
    texts: list[str | None] = []
    for a, b, hidden in zip(first.tolist(), last.tolist(), beside.tolist(), strict=True):
        if hidden:
            texts.append(HIDDEN)
        else:
            texts.append(domain[a] if a == b else f"[{quoted(domain[a])}, {quoted(domain[b])}]")
    first, last = np.where(beside, 0, first), np.where(beside, len(domain) - 1, last)
    return with_members(name, "ordered", loss, texts, _runs(first, last), domain)


def tree_nodes(
    name: str, tree: Tree, ranks: Ints, labels: Ints, n_groups: int, *, level: int | None = None
) -> GroupColumn:
    """Return the lowest node above the whole group, or the one at `level`.

    A node above s of m leaves has loss s / m; a leaf has none.
    """
    node_level, first, last = tree.lowest_common(ranks, labels, n_groups)
    if level is not None:
        node_level = np.full(n_groups, level, dtype=np.int64)
        first, last = tree.leaves_below(first, node_level)
    leaves = last - first + 1
    loss = np.where(node_level > 0, leaves / max(tree.n_leaves, 1), 0.0)
    texts = tree.names(first, node_level)
    column = with_members(name, "hierarchy", loss, texts, _runs(first, last), tree.leaf_labels)
    return replace(column, level=node_level)


def hidden_or_equal(name: str, kind: Kind, values: pl.Series, labels: Ints, n_groups: int) -> GroupColumn:
    """Return the common value of the group, or `*` if its members differ."""
    domain, codes = codes_of(values)
    found = sets(domain, codes, labels, n_groups)
    agrees = found.sizes == 1
    only = found.codes[found.start[:-1]].tolist()
    texts = [domain[code] if same else HIDDEN for code, same in zip(only, agrees.tolist(), strict=True)]
    first = np.where(agrees, only, 0)
    runs = _runs(first, np.where(agrees, first, len(domain) - 1))
    return with_members(name, kind, np.where(agrees, 0.0, 1.0), texts, runs, domain)


def with_members(
    name: str,
    kind: Kind,
    loss: Floats,
    texts: list[str | None],
    cells: tuple[Ints, Ints, Ints],
    domain: tuple[str | None, ...],
    *,
    legend: Legend | None = None,
) -> GroupColumn:
    """Return a column of texts; `cells` are each group's cell, and the starts and codes of the cells' members."""
    return GroupColumn(
        name=name,
        kind=kind,
        loss=loss.astype(np.float64),
        published=pl.DataFrame({name: pl.Series(texts, dtype=pl.String)}),
        domain=domain,
        cell=cells[0],
        member_start=cells[1],
        members=cells[2],
        legend=legend,
    )


def _runs(first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Return ranges first .. last of codes as cells: each different range once, with the start and codes of each."""
    span = int(last.max(initial=0)) + 1
    different, cell = np.unique(first * span + last, return_inverse=True)
    first, last = np.divmod(different, span)
    lengths = last - first + 1
    start = np.zeros(len(first) + 1, dtype=np.int64)
    np.cumsum(lengths, out=start[1:])
    members = np.arange(start[-1], dtype=np.int64) - np.repeat(start[:-1] - first, lengths)
    return cell.reshape(-1).astype(np.int64), start, members


def set_text(domain: Sequence[str | None], codes: Ints) -> str | None:
    """Return a label alone, or a set `{a, b}`."""
    return domain[codes[0]] if len(codes) == 1 else write_set([domain[code] for code in codes.tolist()])


def one_after_other(cells: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the start of each cell's codes, and all codes concatenated."""
    start = np.cumsum([0, *map(len, cells)], dtype=np.int64)
    return start, np.concatenate([np.zeros(0, dtype=np.int64), *cells])
