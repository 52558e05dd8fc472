"""fast_hdbscan's Boruvka on the plain distances."""

import numpy as np
from _play import asked, play
from fast_hdbscan.hdbscan import compute_minimum_spanning_tree


def main() -> None:
    points = np.load(asked()[0])
    play(
        lambda: compute_minimum_spanning_tree(points, min_samples=1)[0],
        lambda: compute_minimum_spanning_tree(points[:1000], min_samples=1),
        loss=lambda edges: float(np.asarray(edges, dtype=np.float64)[:, 2].sum()),
    )


if __name__ == "__main__":
    main()
