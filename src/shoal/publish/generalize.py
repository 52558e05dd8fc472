"""The forms `generalize` and `suppress`: each group gets one value that is true of all its members.

Numbers, dates and places become ranges, ordered values ranges of their order, labels and regions sets, and
hierarchies the lowest node above the group. If some cells of a group are missing and others are not, the value is
true of the others and says "or missing". Its loss is what the space in which groups are made (`space.build`) charges:
half of a range's loss and a half, one label more in a set, everything in a hierarchy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.policy import Column, Kind, Period
from shoal.publish.group_values import Bools, Floats, Ints, Ranges, codes_of, days, ranges, sets
from shoal.publish.notation import HIDDEN, OR_MISSING, quoted, write_alone, write_set
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

    If some values of a group are missing, it is `[a, b] or missing`, or `x_missing` is true; if all are, the cell is.
    With `step`, the ends are rounded outwards to multiples of it, and `exact_loss` is the loss without rounding.
    """
    found = ranges(values, labels)
    exact = _lost(found, days(found.low), days(found.high))
    if step is not None:
        least, most = outwards(found.low, found.high, step)
        found = replace(found, low=least, high=most)
    low, high = days(found.low), days(found.high)
    loss = exact if step is None else _lost(found, low, high)
    return GroupColumn(
        name=name,
        kind=kind,
        loss=loss,
        published=(_in_two if two_columns else _in_brackets)(name, found),
        low=low,
        high=high,
        value=(low + high) / 2,
        or_missing=found.mixed,
        exact_loss=None if step is None else exact,
    )


def _in_two(name: str, found: Ranges) -> pl.DataFrame:
    """Return the ends of the ranges in two columns and, if values are missing, in a third whether some are."""
    ends = {f"{name}_min": found.low, f"{name}_max": found.high}
    if found.missing.any():
        ends[f"{name}_missing"] = pl.Series(found.missing > 0)
    return pl.DataFrame(ends)


def _in_brackets(name: str, found: Ranges) -> pl.DataFrame:
    """Return the ranges as texts: `[a, b]`, or `a` if both ends are equal, with ` or missing` if some are missing."""
    text = pl.DataFrame({"low": text_of(found.low), "high": text_of(found.high), "mixed": found.mixed})
    stated = pl.when(pl.col("low") == pl.col("high")).then("low").otherwise(pl.format("[{}, {}]", "low", "high"))
    return text.select(pl.when("mixed").then(stated + OR_MISSING).otherwise(stated).alias(name))


def _lost(found: Ranges, low: Floats, high: Floats) -> Floats:
    """Return, per group, the width of its range as a share of the column's range, `or_missing` where some are."""
    span = float(np.nanmax(high) - np.nanmin(low)) if not found.empty.all() else 0.0
    share = (high - low) / span if span > 0 else np.zeros(len(low))
    share = np.where(found.empty, 0.0, np.nan_to_num(share))
    return np.where(found.mixed, or_missing(share), share)


def or_missing(share: Floats) -> Floats:
    """Return the loss of ranges "or missing": half of what they lose without it, and a half."""
    return (1 + share) / 2


def label_sets(name: str, kind: Kind, values: pl.Series, labels: Ints, n_groups: int) -> GroupColumn:
    """Return sets `{a, b}`, or the label alone if all members have it. A set of s of m labels has loss s / m.

    Missing counts as one of the labels, and is written behind the others: `{a, b} or missing`.
    """
    domain, codes = codes_of(values)
    cell, different = sets(domain, codes, labels, n_groups).different()
    size = np.array([len(own) for own in different], dtype=np.int64)
    loss = np.where(size > 1, size / max(len(domain), 1), 0.0)[cell]
    each = [set_text(domain, own) for own in different]
    texts = [each[place] for place in cell.tolist()]
    return with_members(name, kind, loss, texts, (cell, *one_after_other(different)), domain)


def order_ranges(name: str, column: Column, values: pl.Series, labels: Ints, n_groups: int) -> GroupColumn:
    """Return ranges `[low, high]` in the order of the values.

    Missing is not part of the order. A group with missing and other values is published as `[low, high] or missing`,
    or as `{value} or missing` if the others agree.
    """
    domain, codes = codes_of(values, column.order)
    found = sets(domain, codes, labels, n_groups)
    present = len(domain) - (domain[-1:] == (None,))
    first, last = found.codes[found.start[:-1]], found.codes[found.start[1:] - 1]
    mixed = (last >= present) & (first < present)
    last = np.where(mixed, found.codes[found.start[1:] - 1 - mixed], last)  # missing has the last code of a group
    share = (last - first) / max(present - 1, 1)
    loss = np.where(mixed, or_missing(share), share)
    ends = zip(first.tolist(), last.tolist(), mixed.tolist(), strict=True)
    texts = [order_text(domain[a], domain[b], missing=missing) for a, b, missing in ends]
    cells = _runs(first, last, mixed, present)
    return replace(with_members(name, "ordered", loss, texts, cells, domain), or_missing=mixed)


def order_text(low: str | None, high: str | None, *, missing: bool) -> str | None:
    """Return a range of an order as it is published; a label alone if both ends are equal."""
    if low != high:
        return f"[{quoted(low)}, {quoted(high)}]" + OR_MISSING * missing
    return write_set([low, None]) if missing else write_alone(low)


def tree_nodes(
    name: str, tree: Tree, ranks: Ints, labels: Ints, n_groups: int, *, level: int | None = None
) -> GroupColumn:
    """Return the lowest node above the whole group, or the one at `level`.

    A node above s of m leaves has loss s / m; a leaf has none. Missing is a leaf directly below the root, so a group
    with missing and other values has the loss of the root; it is published as the lowest node above the others with
    ` or missing`, or as the root if that is the lowest node or if a node of the tree has such a name itself.
    """
    mixed = np.zeros(n_groups, dtype=bool)
    if level is None and tree.leaf_labels[-1:] == (None,) and not _says_missing(tree):
        missing = ranks == tree.n_leaves - 1
        held = np.bincount(labels, weights=missing, minlength=n_groups)
        mixed = (held > 0) & (held < np.bincount(labels, minlength=n_groups))
        counted = ~(missing & mixed[labels])
        ranks, labels = ranks[counted], labels[counted]
    node_level, first, last = tree.lowest_common(ranks, labels, n_groups)
    if level is not None:
        node_level = np.full(n_groups, level, dtype=np.int64)
        first, last = tree.leaves_below(first, node_level)
    names = tree.names(first, node_level)
    whole = mixed & np.array([one == HIDDEN for one in names], dtype=bool)
    mixed &= ~whole
    node_level[whole], first[whole], last[whole] = tree.n_levels, 0, tree.n_leaves - 1
    loss = np.where(node_level > 0, (last - first + 1) / max(tree.n_leaves, 1), 0.0)
    texts = [f"{one}{OR_MISSING}" if missing else one for one, missing in zip(names, mixed.tolist(), strict=True)]
    cells = _runs(first, last, mixed, tree.n_leaves - 1)
    column = with_members(name, "hierarchy", np.where(mixed, 1.0, loss), texts, cells, tree.leaf_labels)
    return replace(column, level=node_level, or_missing=mixed)


def _says_missing(tree: Tree) -> bool:
    """Return whether some node's own name ends like that of a node "or missing"."""
    return any(one is not None and one.endswith(OR_MISSING) for names in tree.node_names for one in names)


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


def _runs(first: Ints, last: Ints, mixed: Bools | None = None, missing: int = -1) -> tuple[Ints, Ints, Ints]:
    """Return ranges first .. last of codes as cells: each different range once, with the start and codes of each.

    The cells of `mixed` groups have the code `missing` besides the range.
    """
    also = np.zeros(len(first), dtype=np.int64) if mixed is None else mixed.astype(np.int64)
    span = int(last.max(initial=0)) + 1
    different, cell = np.unique((first * span + last) * 2 + also, return_inverse=True)
    ends, also = np.divmod(different, 2)
    first, last = np.divmod(ends, span)
    lengths = last - first + 1 + also
    start = np.zeros(len(first) + 1, dtype=np.int64)
    np.cumsum(lengths, out=start[1:])
    members = np.arange(start[-1], dtype=np.int64) - np.repeat(start[:-1] - first, lengths)
    members[start[1:][also > 0] - 1] = missing
    return cell.reshape(-1).astype(np.int64), start, members


def set_text(domain: Sequence[str | None], codes: Ints) -> str | None:
    """Return a label alone, or a set `{a, b}`."""
    return write_alone(domain[codes[0]]) if len(codes) == 1 else write_set([domain[code] for code in codes.tolist()])


def one_after_other(cells: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the start of each cell's codes, and all codes concatenated."""
    start = np.cumsum([0, *map(len, cells)], dtype=np.int64)
    return start, np.concatenate([np.zeros(0, dtype=np.int64), *cells])
