"""A hierarchy as text: one line per node, indented below its parent."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from shoal.report.formatting import count, shortened
from shoal.space.hierarchy import Tree

WIDTH = 60  # the most characters of a name
CHILDREN = 12
"""The most nodes shown below one node."""


def tree_lines(tree: Tree, *, most: int = 60, people: Callable[[str | None], int] | None = None) -> list[str]:
    """Return the tree from its root, in at most `most` lines; `people` returns the number of rows with a leaf."""
    lines: list[str] = []
    for line in _below(tree, tree.n_levels, 0, tree.n_leaves, "", people):
        if len(lines) == most:
            return [*lines, f"... ({count(tree.n_leaves)} values in {tree.n_levels} levels)"]
        lines.append(line)
    return lines


def _below(
    tree: Tree, level: int, first: int, last: int, indent: str, people: Callable[[str | None], int] | None
) -> Iterator[str]:
    """Yield the node above the leaves first .. last - 1 and the nodes below it.

    A node whose only child has the same name is shown once.
    """
    name = tree.node_names[level][tree.ancestors[first, level]]
    while level and last - first == 1 and tree.node_names[level - 1][tree.ancestors[first, level - 1]] == name:
        level -= 1
    shown = "(missing)" if name is None else shortened(name, WIDTH)
    rows = f"  {count(sum(people(tree.leaf_labels[i]) for i in range(first, last)))}" if people else ""
    leaves = f" ({count(last - first)} values)" if level and last - first > 1 else ""
    yield f"{indent}{shown}{leaves}{rows}"
    if not level:
        return
    starts = first + np.flatnonzero(np.diff(tree.ancestors[first:last, level - 1], prepend=-1))
    for start, end in list(zip(starts, np.append(starts[1:], last), strict=True))[:CHILDREN]:
        yield from _below(tree, level - 1, int(start), int(end), indent + "  ", people)
    if len(starts) > CHILDREN:
        yield f"{indent}  ... and {count(len(starts) - CHILDREN)} more"
