"""mlpack's dual-tree Boruvka."""

import mlpack
import numpy as np
from _play import asked, play


def main() -> None:
    points = np.load(asked()[0])
    play(
        lambda: mlpack.emst(points, copy_all_inputs=True)["output"],
        lambda: mlpack.emst(points[:1000], copy_all_inputs=True),
        loss=lambda edges: float(edges[:, 2].sum()),
    )


if __name__ == "__main__":
    main()
