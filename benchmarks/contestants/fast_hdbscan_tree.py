"""fast_hdbscan's Boruvka on the plain distances."""

import json
import sys
import time

import numpy as np
from fast_hdbscan.hdbscan import compute_minimum_spanning_tree


def main() -> None:
    points = np.load(sys.argv[1])
    compute_minimum_spanning_tree(points[:1000], min_samples=1)
    begun = time.perf_counter()
    edges = compute_minimum_spanning_tree(points, min_samples=1)[0]
    seconds = time.perf_counter() - begun
    print(json.dumps({"seconds": seconds, "loss": float(np.asarray(edges)[:, 2].sum())}))


if __name__ == "__main__":
    main()
