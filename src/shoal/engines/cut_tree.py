"""The blocks of a table that is larger than memory: a tree of cuts, found in a sample and sent to every worker.

Guarantee   Every record is in one block, found from its own cells. `apart` is at most the distance of a record to any
            record of another block (BLOCKS-2, docs/proofs/blocks.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.partition.blocks.cuts import Cut, Sides, distance_across
from shoal.partition.blocks.plan import Grouped, best_cut
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space


@dataclass(frozen=True, slots=True)
class Node:
    """A cut and the numbers of the nodes on its two sides; or a block, if there is no cut."""

    cut: Cut | None = None
    first: int = -1
    second: int = -1
    block: int = -1


@dataclass(frozen=True, slots=True)
class CutTree:
    """Nodes of which the first is the root; `near` has, for cuts of labels, a bound for every label."""

    nodes: tuple[Node, ...]
    near: tuple[Floats | None, ...]
    """Per node, the distance of every leaf of the axis to the other side; None for lines and blocks."""

    @property
    def n_blocks(self) -> int:
        """The number of blocks."""
        return sum(node.cut is None for node in self.nodes)

    def blocks(self, coordinates: Floats) -> Labels:
        """Return the block of every record."""
        return self._walk(coordinates)[0]

    def apart(self, coordinates: Floats) -> Floats:
        """Return for every record a lower bound on its distance to the records of other blocks."""
        return self._walk(coordinates)[1]

    def _walk(self, coordinates: Floats) -> tuple[Labels, Floats]:
        block = np.full(len(coordinates), -1, dtype=np.int64)
        apart = np.full(len(coordinates), np.inf)
        pending = [(0, np.arange(len(coordinates)))]
        while pending:
            number, rows = pending.pop()
            node = self.nodes[number]
            if node.cut is None:
                block[rows] = node.block
                continue
            inside = coordinates[rows]
            side, column = node.cut.first_side(inside), inside[:, node.cut.axis]
            near = self.near[number]
            # on a line the other side begins beyond the cut, however near to it its first record is
            across = np.abs(column - (node.cut.until or 0.0)) if near is None else near[column.astype(np.int64)]
            apart[rows] = np.minimum(apart[rows], across)
            pending.append((node.second, rows[~side]))
            pending.append((node.first, rows[side]))
        return block, apart

    def joined(self, good: Callable[[Labels], Sequence[bool]]) -> tuple[CutTree, Labels]:
        """Return the tree without the cuts that leave a side which is not `good`, and the new block of each old one.

        `good` says of unions of blocks, given as a matrix with a row per node and a column per block, which are
        good. The whole table is kept as one block if nothing smaller is good.
        """
        held = np.zeros((len(self.nodes), self.n_blocks), dtype=np.int64)
        for number in range(len(self.nodes) - 1, -1, -1):  # children come after their parents
            node = self.nodes[number]
            if node.cut is None:
                held[number, node.block] = 1
            else:
                held[number] = held[node.first] + held[node.second]
        fine = list(good(held))
        cut_kept = [node.cut is not None for node in self.nodes]
        for number in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[number]
            if node.cut is not None and not (fine[node.first] and fine[node.second]):
                cut_kept[number] = False
            # a side that is divided into good blocks is good, as requirements hold of unions
        return self._with(cut_kept, held)

    def _with(self, cut_kept: Sequence[bool], held: Labels) -> tuple[CutTree, Labels]:
        """Return the tree in which only these nodes are cut; `held` says which blocks are below each node."""
        into = np.zeros(self.n_blocks, dtype=np.int64)
        nodes: list[Node] = []
        near: list[Floats | None] = []
        n_blocks = 0
        pending = [(0, -1, True)]
        while pending:
            number, parent, is_first = pending.pop()
            node, place = self.nodes[number], len(nodes)
            if parent >= 0:
                nodes[parent] = _with_side(nodes[parent], place, is_first=is_first)
            if cut_kept[number]:
                nodes.append(Node(node.cut))
                near.append(self.near[number])
                pending += [(node.second, place, False), (node.first, place, True)]
            else:
                nodes.append(Node(block=n_blocks))
                near.append(None)
                into[held[number] > 0] = n_blocks
                n_blocks += 1
        return CutTree(tuple(nodes), tuple(near)), into


def cut_tree(space: Space, sample: Grouped, outline: Space, *, counted: Sides, size: float, least: float) -> CutTree:
    """Return cuts that leave at most `size` of the `counted` rows of a sample in every block, where cuts can be made.

    At least `least` rows are on either side of a cut. `space` has the records of the sample, `outline` every value of
    every label, on the same axes.
    """
    nodes: list[Node] = []
    near: list[Floats | None] = []
    n_blocks = 0
    pending = [(sample, -1, True)]

    def admissible(rows: Labels, first: Sides) -> bool:
        return bool(min(first.sum(), len(rows) - first.sum()) >= least)

    while pending:
        known, parent, is_first = pending.pop()
        place = len(nodes)
        if parent >= 0:
            nodes[parent] = _with_side(nodes[parent], place, is_first=is_first)
        found = best_cut(space, known.rows, known, None, admissible) if counted[known.rows].sum() > size else None
        if found is None:
            nodes.append(Node(block=n_blocks))
            near.append(None)
            n_blocks += 1
            continue
        cut, first = found
        nodes.append(Node(cut))
        near.append(_near(outline, cut))
        pending.append((Grouped(known.rows[~first], known.labels[~first]), place, False))
        pending.append((Grouped(known.rows[first], known.labels[first]), place, True))
    return CutTree(tuple(nodes), tuple(near))


def _with_side(node: Node, place: int, *, is_first: bool) -> Node:
    """Return a node with the number of the node on one of its sides."""
    return replace(node, first=place) if is_first else replace(node, second=place)


def _near(outline: Space, cut: Cut) -> Floats | None:
    """Return the distance of every leaf of a tree to the other side of a cut, among all values of the table."""
    axis = outline.axes[cut.axis]
    if axis.ancestors is None:
        return None
    across = distance_across(outline, np.arange(len(outline)), cut)
    found = np.zeros(len(axis.ancestors))
    found[outline.coordinates[:, cut.axis].astype(np.int64)] = across
    return found
