"""Shoal's Euclidean minimum spanning tree, on all cores."""

import os

import numpy as np
from _play import asked, play

from shoal.partition.microaggregation.mst import spanning_tree


def main() -> None:
    points, threads = np.load(asked()[0]), os.cpu_count() or 1
    play(
        lambda: spanning_tree(points, n_threads=threads),
        lambda: spanning_tree(points[:1000], n_threads=threads),
        loss=lambda tree: float(tree.lengths.sum()),
    )


if __name__ == "__main__":
    main()
