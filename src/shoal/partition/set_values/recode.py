"""Recoding sets of items so that every combination of at most m of them is shared: k^m-anonymity in every class.

Problem     Given classes of records, each record a set of items, publish every item of a class as itself, as a node
            of the hierarchy above it, or not at all, the same in all records of the class, so that every combination
            of at most m published items that occurs in a class is had by at least k people of the class. The less is
            lost, the better: an item costs the share of all items below its node, 1 if it is dropped.
Guarantee   The requirement holds (PRIVACY-9, docs/proofs/privacy.md). No ratio is proved of the loss.
Complexity  O(R * sum over records of s^m / m!) for records of s items and R rounds; at most one round per item and
            level, usually few. Memory O(items + rare combinations handled at a time). Deterministic; the order of
            records decides nothing.

Notes       The sizes 1, 2, ..., m are handled in this order, as in the Apriori-based anonymization of the paper.
            Raising a node takes in all items below the next one, also those dropped before; as combinations may
            come up by this, the sizes begin anew then. In every round the nodes to be raised or dropped are a greedy
            hitting set of the rare combinations: most combinations for the least loss first, and none that could be
            left out. The paper recodes the whole table alike and knows no other quasi-identifiers; it drops no item,
            so its topmost node is published where nothing else holds.

References  M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. PVLDB 1(1),
            2008, section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal._repr import brief
from shoal.errors import ParameterError
from shoal.kernels.item_recoding import recode_classes
from shoal.partition.set_values.item_tree import ItemTree
from shoal.partition.set_values.items import Items

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_RARE = 2_000_000
"""Rare combinations that are handled at a time: 48 MB of triples."""
MOST_COUNTED = 2_000_000_000
"""Combinations of m items that are counted at most; a kernel counts about 200 million of them in a second, in each
of a few rounds."""


@dataclass(frozen=True, slots=True, eq=False)
class RecodedItems:
    """What the items of every record are published as, and what that loses."""

    start: Ints
    """Record r has the places ``start[r]:start[r + 1]``, one for each of its items."""
    nodes: Ints
    """The node of the tree that each item is published as, -1 if it is dropped."""
    lost: Floats
    """The sum, over the items of the records of every class, of what each loses: between 0 and 1."""

    def __repr__(self) -> str:
        return brief(self, f"{len(self.start) - 1} records in {len(self.lost)} classes")


def recode_items(
    items: Items, tree: ItemTree, classes: Ints, people: Ints | None, *, k: int, m: int, n_classes: int
) -> RecodedItems:
    """Return items of which every combination of at most `m` in a class is had by at least `k` of its people.

    `classes` has the class of every record, 0 .. `n_classes` - 1, and `people` its person, None if every record is a
    person of its own. Where a person has several records in a class, combinations within one record and combinations
    within all of these records together are counted.
    """
    check_work(items, people, m)
    owner = np.arange(len(items), dtype=np.int64) if people is None else people.astype(np.int64)
    order = np.lexsort((owner, classes))
    sorted_items = items.taken(order)
    codes = tree.leaf_of[sorted_items.codes] if len(sorted_items.codes) else sorted_items.codes
    class_start = np.searchsorted(classes[order], np.arange(n_classes + 1)).astype(np.int64)
    joint = joined_records(classes[order], owner[order], sorted_items, codes) if people is not None else None
    empty = np.zeros(1, dtype=np.int64)
    joint_start = empty
    if joint is not None:
        opens = np.ones(len(order), dtype=bool)
        opens[1:] = (np.diff(classes[order]) != 0) | (np.diff(owner[order]) != 0)
        joint_start = np.searchsorted(classes[order][opens], np.arange(n_classes + 1)).astype(np.int64)
    nodes, lost = recode_classes(
        class_start,
        sorted_items.start,
        np.ascontiguousarray(codes),
        np.ascontiguousarray(owner[order]),
        joint_start,
        *(joint if joint is not None else (empty, empty[:0])),
        tree.parent,
        tree.cost,
        tree.below,
        k,
        m,
        MOST_RARE,
    )
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    found = Items((), sorted_items.start, nodes).taken(back)
    return RecodedItems(found.start, found.codes, lost)


def check_work(items: Items, people: Ints | None, m: int) -> None:
    """Raise a ParameterError if there are too many combinations of m items to be counted."""
    sizes = items.sizes
    if people is not None and len(sizes):  # at most all items of a person are counted together
        sizes = np.bincount(np.unique(people, return_inverse=True)[1].reshape(-1), weights=sizes).astype(np.int64)
    different, times = np.unique(sizes, return_counts=True)
    work = sum(math.comb(size, m) * count for size, count in zip(different.tolist(), times.tolist(), strict=True))
    if work > MOST_COUNTED:
        raise ParameterError(
            f"cells of sets have up to {int(sizes.max())} items: {work:,} combinations of {m} are too many to count.",
            "take a smaller m, or merge items in the table.",
        )


def joined_records(classes: Ints, owner: Ints, items: Items, codes: Ints) -> tuple[Ints, Ints] | None:
    """Return one record per person and class with the items of all its records; None if each has one record.

    `classes` and `owner` are sorted, in this order; the records returned are in the same order.
    """
    opens = np.ones(len(items), dtype=bool)
    opens[1:] = (classes[1:] != classes[:-1]) | (owner[1:] != owner[:-1])
    if opens.all():
        return None
    whose = np.cumsum(opens) - 1
    pairs = np.unique(np.stack([np.repeat(whose, items.sizes), codes]), axis=1)
    start = np.searchsorted(pairs[0], np.arange(whose[-1] + 2)).astype(np.int64)
    return start, np.ascontiguousarray(pairs[1])
