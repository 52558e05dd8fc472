"""The hierarchy of items as a tree in which every step up joins items: levels that join nothing are left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal._repr import brief
from shoal.space.hierarchy import Tree

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
TOP = -1


@dataclass(frozen=True, slots=True, eq=False)
class ItemTree:
    """Nodes above items: the leaves 0, 1, ... come first, in depth-first order.

    A node that has all items is not among them: it would say nothing but that there is an item.
    """

    names: tuple[str, ...]
    parent: Ints
    """The next node up, -1 at the top."""
    cost: Floats
    """The share of all items that are below a node; 0 for an item itself."""
    below: Ints
    """The first and the last leaf below every node."""
    leaf_of: Ints
    """The leaf of every item of `Items.names`."""

    def __repr__(self) -> str:
        return brief(self, f"{len(self.leaf_of)} items, {len(self.names)} nodes")


def flat_items(names: tuple[str, ...]) -> ItemTree:
    """Return the tree of items without a hierarchy: there is nothing above them."""
    every = np.arange(len(names), dtype=np.int64)
    return ItemTree(names, np.full(len(names), TOP), np.zeros(len(names)), np.stack([every, every], axis=1), every)


def item_tree(names: tuple[str, ...], tree: Tree, leaf_of: Ints) -> ItemTree:
    """Return the tree of items with the levels of a hierarchy above them; `leaf_of` has the leaf of every item.

    Leaves of the hierarchy that no item has are left out. If the leaves themselves stand for several items (a least
    level), they cost the share of the items below them.
    """
    used, leaf = np.unique(leaf_of, return_inverse=True)
    n_items = np.bincount(leaf, minlength=len(used)).astype(np.float64)
    labels = [str(tree.leaf_labels[rank]) for rank in used.tolist()]
    below = [(rank, rank) for rank in range(len(used))]
    parent = [TOP] * len(used)
    top = list(range(len(used)))  # the highest node so far above every leaf
    for level in range(1, tree.n_levels + 1):
        nodes = tree.ancestors[used, level]
        begins = [rank for rank in range(len(used)) if rank == 0 or nodes[rank] != nodes[rank - 1]]
        for first, end in zip(begins, [*begins[1:], len(used)], strict=False):
            span = (first, end - 1)
            if span == below[top[first]] or span == (0, len(used) - 1):
                continue
            labels.append(str(tree.node_names[level][nodes[first]]))
            below.append(span)
            parent.append(TOP)
            for child in {top[rank] for rank in range(span[0], span[1] + 1)}:
                parent[child] = len(below) - 1
            top[span[0] : span[1] + 1] = [len(below) - 1] * (span[1] - span[0] + 1)
    spans = np.array(below, dtype=np.int64).reshape(-1, 2)
    total = np.concatenate([[0.0], np.cumsum(n_items)])
    under = total[spans[:, 1] + 1] - total[spans[:, 0]] if len(spans) else np.zeros(0)
    cost = np.where(under > 1, under / max(len(names), 1), 0.0)
    return ItemTree(tuple(labels), np.array(parent, dtype=np.int64), cost, spans, leaf.reshape(-1).astype(np.int64))
