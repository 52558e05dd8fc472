"""Publishing a column of sets: the items of every record as they are recoded in its equivalence class.

Unlike other quasi-identifiers, the cells of one class differ: what is limited is how few people share a combination
of items (PRIVACY-9, docs/proofs/privacy.md). Items are sorted, so that their order tells nothing. A record of which
no item is published has a missing cell, whether it had none, its cell was missing, or all were dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal._repr import brief
from shoal.errors import SchemaError
from shoal.partition.set_values.item_tree import ItemTree, flat_items, item_tree
from shoal.partition.set_values.items import Items, read_items
from shoal.partition.set_values.recode import RecodedItems, recode_items
from shoal.partition.set_values.sharing import fewest_sharers
from shoal.policy import Column, Policy
from shoal.publish.group_values import Ints, codes_of
from shoal.space.hierarchy_sources import build_tree


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetColumn:
    """The published sets of the released rows, in the order of the input, and (private) what they lose."""

    name: str
    cells: pl.Series
    n_items: int
    """The number of items of all rows, before."""
    kept: int
    """How many of them are published as they are."""
    generalized: int
    """How many are published as a node of the hierarchy above them."""
    dropped: int
    lost: float
    """The mean loss of an item: 0 as it is, the share of all items below its node, 1 if it is dropped."""
    distinct: int
    """The number of different items before."""
    published: int
    """The number of different published items and nodes."""
    has_hierarchy: bool

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}: {self.n_items} items, {self.lost:.1%} lost")


def publish_sets(values: pl.Series, policy: Policy, classes: Ints, people: pl.Series | None, form: str) -> SetColumn:
    """Return the column of sets with every combination of at most m items in a class had by at least k people.

    `values` are the released rows, `classes` the equivalence class of each (any whole numbers).
    """
    column = policy.columns[values.name]
    different, of_row = np.unique(classes, return_inverse=True)
    of_class = of_row.reshape(-1).astype(np.int64)
    items, recoded, tree = recoded_sets(values, policy, of_class, people, form, len(different))
    shown = recoded.nodes >= 0
    nodes = recoded.nodes[shown]
    raised = int((tree.cost[nodes] > 0).sum()) if len(nodes) else 0
    return SetColumn(
        name=values.name,
        cells=_cells(values.name, items, tree, recoded.nodes, column.separator),
        n_items=len(items.codes),
        kept=len(nodes) - raised,
        generalized=raised,
        dropped=int((~shown).sum()),
        lost=float(recoded.lost.sum()) / max(len(items.codes), 1),
        distinct=len(items.names),
        published=len({tree.names[node] for node in np.unique(nodes).tolist()}),
        has_hierarchy=column.hierarchy is not None and form != "suppress",
    )


def recoded_sets(
    values: pl.Series, policy: Policy, classes: Ints, people: pl.Series | None, form: str, n_classes: int
) -> tuple[Items, RecodedItems, ItemTree]:
    """Return the items of every cell, what they are published as in the classes 0, 1, ..., and their tree."""
    column = policy.columns[values.name]
    items = read_items(values, column.between)
    tree = items_above(values.name, items, column, hide=form == "suppress")
    whose = None if people is None else codes_of(people)[1]
    return (
        items,
        recode_items(items, tree, classes, whose, k=policy.k, m=policy.known_items, n_classes=n_classes),
        tree,
    )


def sorted_sets(values: pl.Series, column: Column) -> pl.Series:
    """Return cells in which a set is written in one way: its different items, sorted; missing if there are none."""
    items = read_items(values, column.between)
    every = flat_items(items.names)
    return _cells(values.name, items, every, items.codes, column.separator)


def sharers(values: pl.Series, column: Column, classes: Ints, people: Ints | None, m: int) -> Ints:
    """Return, for every cell, the fewest people of its class who share up to `m` of its items."""
    return fewest_sharers(read_items(values, column.between), classes, people, m=m)


def n_items(values: pl.Series, column: Column) -> int:
    """Return the number of different items of all cells, added up."""
    return len(read_items(values, column.between).codes)


def items_above(name: str, items: Items, column: Column, *, hide: bool = False) -> ItemTree:
    """Return the tree of the items of a column; with `hide`, or without a hierarchy, they can only be dropped."""
    if column.hierarchy is None or hide:
        return flat_items(items.names)
    values = pl.Series(name, list(items.names), dtype=pl.String)
    built = build_tree(values, column.hierarchy, least_level=column.least_level)
    found = item_tree(items.names, built, built.ranks(values))
    odd = [label for label in found.names if column.between in label or label != label.strip() or not label]
    if odd:
        raise SchemaError(
            f"column {name}: {len(odd)} names in the hierarchy of its items are empty, begin or end with a blank, or "
            "contain the separator of its items.",
            "rename them, or take another separator in the table.",
        )
    return found


def _cells(name: str, items: Items, tree: ItemTree, nodes: Ints, separator: str) -> pl.Series:
    """Return the published cell of every record: its different items, sorted; missing if there are none."""
    rows = np.repeat(np.arange(len(items)), items.sizes)
    shown = nodes >= 0
    names = pl.Series(list(tree.names), dtype=pl.String).gather(nodes[shown])
    found = (
        pl.DataFrame({"row": rows[shown], "item": names}, schema_overrides={"item": pl.String})
        .unique()
        .sort("row", "item")
        .group_by("row", maintain_order=True)
        .agg(pl.col("item").str.join(separator))
    )
    cells: list[str | None] = [None] * len(items)
    for row, cell in zip(found["row"].to_list(), found["item"].to_list(), strict=True):
        cells[row] = cell
    return pl.Series(name, cells, dtype=pl.String)
