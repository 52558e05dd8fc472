"""MDAV as published, one pass over the points left for each search, in compiled code: the quadratic reference."""

import json
import sys
import time

import numpy as np

from tests.oracles.mdav import plain_mdav


def main() -> None:
    points, options = np.load(sys.argv[1]), json.loads(sys.argv[3])
    plain_mdav(points[:200], options["k"])
    begun = time.perf_counter()
    labels = plain_mdav(points, options["k"])
    seconds = time.perf_counter() - begun
    np.save(sys.argv[2], labels)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
