"""Shoal's connected groups of regions: the heaviest group is the loss."""

import json
import sys
import time

import numpy as np

from shoal.partition import regions


def main() -> None:
    given, options = np.load(sys.argv[1]), json.loads(sys.argv[3])
    begun = time.perf_counter()
    found = regions(given["edges"], given["weights"], options["k"])
    seconds = time.perf_counter() - begun
    np.save(sys.argv[2], found.labels)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
