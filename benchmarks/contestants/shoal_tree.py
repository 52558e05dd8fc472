"""Shoal's Euclidean minimum spanning tree."""

import json
import os
import sys
import time

import numpy as np

from shoal.partition.mst import spanning_tree


def main() -> None:
    points = np.load(sys.argv[1])
    threads = os.cpu_count() or 1
    spanning_tree(points[:1000], n_threads=threads)
    begun = time.perf_counter()
    tree = spanning_tree(points, n_threads=threads)
    seconds = time.perf_counter() - begun
    print(json.dumps({"seconds": seconds, "loss": float(tree.lengths.sum())}))


if __name__ == "__main__":
    main()
