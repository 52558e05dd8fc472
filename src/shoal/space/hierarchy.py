"""Hierarchies over the values of a column, with leaves in depth-first order, so that leaves below a node are
consecutive.

A hierarchy comes from a file (one line per value, each further column one level up), from widths of intervals for
numbers, from periods for dates, or from masking codes one character at a time. A missing value is a leaf of its own
directly below the root, so that it is never confused with another value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.errors import SchemaError
from shoal.tables.text import text_of

Ints = npt.NDArray[np.int64]
ROOT = "*"


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A hierarchy: `ancestors[rank, level]` is the node above a leaf, numbered per level; level 0 is the leaf."""

    column: str
    leaf_labels: tuple[str | None, ...]
    ancestors: npt.NDArray[np.int32]
    node_names: tuple[tuple[str | None, ...], ...]
    """The names of the nodes, by level and then by node."""
    leaf_of: Mapping[str, str] | None = None
    """The leaf of every value, if values themselves are finer than the least level that is published; else None."""

    def __repr__(self) -> str:
        return brief(self, f"of {self.column!r}: {self.n_leaves} leaves, {self.n_levels} levels")

    @property
    def n_leaves(self) -> int:
        return len(self.leaf_labels)

    @property
    def n_levels(self) -> int:
        return int(self.ancestors.shape[1]) - 1

    def as_leaves(self, values: pl.Series) -> pl.Series:
        """Return the values as text, each as the leaf that stands for it."""
        text = text_of(values)
        return text if self.leaf_of is None else text.replace(dict(self.leaf_of))

    def ranks(self, values: pl.Series) -> Ints:
        """Return the leaf of every cell. A cell whose value the tree does not have is an error."""
        codes = pl.DataFrame(
            {"v": self.leaf_labels, "rank": np.arange(self.n_leaves)}, schema_overrides={"v": pl.String}
        )
        found = pl.DataFrame({"v": self.as_leaves(values)}).join(
            codes, on="v", how="left", nulls_equal=True, maintain_order="left"
        )["rank"]
        absent = found.null_count()
        if absent:
            raise SchemaError(f"column {self.column}: {absent} cells hold values that its hierarchy does not have.")
        return found.to_numpy().astype(np.int64)

    def lowest_common(self, ranks: Ints, labels: Ints, n_groups: int) -> tuple[Ints, Ints, Ints]:
        """Return for each group the level of the lowest node above all its records, and that node's first and last
        leaf.
        """
        low = np.full(n_groups, self.n_leaves, dtype=np.int64)
        high = np.full(n_groups, -1, dtype=np.int64)
        np.minimum.at(low, labels, ranks)
        np.maximum.at(high, labels, ranks)
        # ranks are depth-first, so the lowest node above the first and last member is above all members
        level = (self.ancestors[low] != self.ancestors[high]).sum(axis=1).astype(np.int64)
        return level, *self.leaves_below(low, level)

    def leaves_below(self, leaf: Ints, level: Ints) -> tuple[Ints, Ints]:
        """Return the first and last leaf below the node that is above `leaf` at `level`."""
        node = self.ancestors[leaf, level]
        first, last = leaf.copy(), leaf.copy()
        for h in range(self.n_levels + 1):
            here = level == h
            if here.any():
                first[here] = np.searchsorted(self.ancestors[:, h], node[here], side="left")
                last[here] = np.searchsorted(self.ancestors[:, h], node[here], side="right") - 1
        return first, last

    def sizes(self) -> Ints:
        """Return the number of leaves below the node above each leaf at each level, (n_leaves, n_levels + 1)."""
        found = np.empty(self.ancestors.shape, dtype=np.int64)
        for level in range(self.n_levels + 1):
            found[:, level] = np.bincount(self.ancestors[:, level])[self.ancestors[:, level]]
        return found

    def names(self, leaf: Ints, level: Ints) -> list[str | None]:
        """Return the names of the nodes that are above each `leaf` at `level`."""
        nodes = self.ancestors[leaf, level].tolist()
        return [self.node_names[h][node] for h, node in zip(level.tolist(), nodes, strict=True)]


def tree_of_levels(column: str, levels: Sequence[Sequence[str]], *, missing: bool) -> Tree:
    """Return the tree with the given names per level, `levels[0]` being the values; a root is added if there is none.

    The levels must nest: values that share a node must share all nodes above it. Otherwise a `SchemaError` is raised.
    """
    table = pl.DataFrame({str(h): names for h, names in enumerate(levels)}, schema_overrides=dict.fromkeys(
        (str(h) for h in range(len(levels))), pl.String
    ))  # fmt: skip
    if table["0"].n_unique() < table.height:
        repeated = table.height - table["0"].n_unique()
        raise SchemaError(
            f"column {column}: its hierarchy lists {repeated} values more than once.", "keep one line per value."
        )
    top_names = table[str(len(levels) - 1)].unique().to_list()
    # a root such as 02*** describes all values, but not a missing one
    if len(levels) == 1 or len(top_names) != 1 or (missing and top_names != [ROOT]):
        table = table.with_columns(pl.lit(ROOT).alias(str(len(levels))))
    top = table.width - 1
    for h in range(1, top):
        split = table.group_by(str(h)).agg(pl.col(str(h + 1)).n_unique()).filter(pl.col(str(h + 1)) > 1).height
        if split:
            raise SchemaError(
                f"column {column}: level {h} of its hierarchy is not a tree: {split} of its nodes lie below "
                f"two nodes of level {h + 1}.",
                "values that share a node must share all levels above it.",
            )
    table = table.sort([str(h) for h in range(top, -1, -1)])
    leaves: list[str | None] = table["0"].to_list()
    names: list[list[str | None]] = [leaves]
    ancestors = np.zeros((len(leaves) + missing, top + 1), dtype=np.int32)
    ancestors[: len(leaves), 0] = np.arange(len(leaves))
    for h in range(1, top + 1):
        level = table[str(h)]
        begins = np.flatnonzero((level != level.shift()).fill_null(True).to_numpy())
        ancestors[: len(leaves), h] = np.searchsorted(begins, np.arange(len(leaves)), side="right") - 1
        names.append(level.gather(begins).to_list() or [ROOT])
    if missing:
        # missing gets a node of its own on every level below the root, after all others
        for h in range(top):
            ancestors[-1, h] = len(names[h])
            names[h] = [*names[h], None]
        ancestors[-1, top] = 0
        leaves = names[0]
    return Tree(column, tuple(leaves), ancestors, tuple(tuple(level) for level in names))


def flat_tree(column: str, values: pl.Series) -> Tree:
    """Return the tree of labels without a hierarchy: every value directly below the root."""
    present = values.drop_nulls().unique().sort()
    return tree_of_levels(column, [text_of(present).to_list()], missing=values.null_count() > 0)
