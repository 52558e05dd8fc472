"""Microaggregation by cutting a minimum spanning tree.

Problem     split n points into groups of at least k, minimizing the squared distances to the groups' means.
Guarantee   the tree is a minimum spanning tree (lemma MST-1) and the groups are those of the paper's edge cutting
            (lemma MST-2, docs/proofs/microaggregation.md); nothing is proved about the squared error.
Complexity  a few rounds of tree searches, near n log n in few dimensions; cutting O(n log n); O(n d) memory.

References
----------
.. [1] M. Laszlo and S. Mukherjee (2005). "Minimum spanning tree partitioning algorithm for microaggregation."
   IEEE TKDE 17(7), 902-911.
.. [2] W. B. March, P. Ram and A. G. Gray (2010). "Fast Euclidean minimum spanning tree: algorithm, analysis, and
   applications." KDD 2010, 603-612.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.kernels.euclid_tree import EuclidTree, build_tree, in_slots, nearest_neighbors
from shoal.kernels.mst import cut_tree, join_components, known_partners, search_partners
from shoal.partition.result import Floats, Labels

LISTED = 4
"""Length of the neighbor list of each point, which serves the first rounds without a search of the tree."""


@dataclass(frozen=True, slots=True, eq=False)
class SpanningTree:
    """A spanning tree: `ends` (n - 1, 2) are the rows joined by each edge, longest first; `lengths` are Euclidean."""

    ends: npt.NDArray[np.int64]
    lengths: Floats

    def groups(self, k: int) -> Labels:
        """Return the groups after cutting, longest first, every edge that leaves at least `k` points on both sides.

        The same tree serves any k.
        """
        if len(self.ends) == 0:
            return np.zeros(1, dtype=np.int64)
        labels: Labels = cut_tree(self.ends, k)
        return labels


def spanning_tree(points: Floats, *, n_threads: int = 1) -> SpanningTree:
    """Return an exact Euclidean minimum spanning tree of `points` (float64, C-contiguous, finite)."""
    n = len(points)
    if n == 1:
        return SpanningTree(np.empty((0, 2), dtype=np.int64), np.empty(0))
    tree = build_tree(points)
    near, who = nearest_neighbors(tree, min(LISTED, n - 1), n_threads)
    component = np.arange(n)
    node_component = np.full(2 << tree.depth, -1, dtype=np.int64)
    size = np.ones(n, dtype=np.int64)
    partner = np.full(n, -1, dtype=np.int64)
    reach = np.zeros(n)
    ends = np.empty((n - 1, 2), dtype=np.int64)
    n_edges = 0
    with progress.step("spanning tree", n - 1) as advance:
        while n_edges < n - 1:
            n_components = n - n_edges
            largest = int(np.argmax(size[:n_components])) if n_components < n else -1
            edges = _shortest_outgoing(
                tree, component, node_component, n_components, largest, near, who, partner, reach, n_threads
            )
            before = n_edges
            n_edges = join_components(tree, edges, component, node_component, size, ends, n_edges)
            advance(n_edges - before)
    off = tree.points[ends[:, 0]] - tree.points[ends[:, 1]]
    lengths = np.sqrt(np.einsum("ij,ij->i", off, off))
    rows = np.sort(tree.row[ends], axis=1)
    order = np.argsort(-lengths)
    lengths = lengths[order]
    equal = np.flatnonzero(np.diff(lengths) == 0)
    tied = np.union1d(equal, equal + 1)  # edges of equal length are ordered by their rows
    own = order[tied]
    order[tied] = own[np.lexsort((rows[own, 1], rows[own, 0], -lengths[tied]))]
    return SpanningTree(np.ascontiguousarray(rows[order]), lengths)


def _shortest_outgoing(
    tree: EuclidTree,
    component: Labels,
    node_component: Labels,
    n_components: int,
    largest: int,
    near: Floats,
    who: Labels,
    partner: Labels,
    reach: Floats,
    n_threads: int,
) -> Labels:
    """Return the shortest outgoing edge of every component but the `largest`, shortest first."""
    n = len(component)
    best, source = np.full(n_components, np.inf), np.full(n_components, -1, dtype=np.int64)
    known_partners(0, n, component, largest, near, who, partner, reach, best, source)
    # Each thread improves its own copy; of edges of equal length the one with the first source counts.
    cuts = np.linspace(0, n, n_threads + 1).astype(np.int64)
    copies = [(best.copy(), source.copy()) for _ in range(n_threads)]

    def search(thread: int, _stop: int) -> None:
        search_partners(
            tree,
            int(cuts[thread]),
            int(cuts[thread + 1]),
            component,
            node_component,
            largest,
            partner,
            reach,
            *copies[thread],
        )

    in_slots(search, n_threads, n_threads, slot=1)
    for other, other_source in copies:
        better = (other < best) | ((other == best) & (other_source < source))
        best[better], source[better] = other[better], other_source[better]
    chosen = np.flatnonzero(source >= 0)
    chosen = chosen[np.argsort(best[chosen], kind="stable")]
    return np.stack([source[chosen], partner[source[chosen]]], axis=1)
