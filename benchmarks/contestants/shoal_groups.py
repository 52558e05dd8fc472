"""Shoal on points: an array in, a group for each point out, by the method asked for."""

import json
import sys
import time

import numpy as np

from shoal.partition import microaggregate


def main() -> None:
    points, options = np.load(sys.argv[1]), json.loads(sys.argv[3])
    k, method = options.pop("k"), options.pop("method")
    microaggregate(points[:200], k, method=method, bound=False)
    begun = time.perf_counter()
    found = microaggregate(points, k, method=method, bound=False, **options)
    seconds = time.perf_counter() - begun
    np.save(sys.argv[2], found.labels)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
