"""microagg1d's optimum of one column."""

import json
import sys
import time

import numpy as np
from microagg1d import univariate_microaggregation


def main() -> None:
    values, options = np.load(sys.argv[1])[:, 0], json.loads(sys.argv[3])
    univariate_microaggregation(values[:200], options["k"])
    begun = time.perf_counter()
    labels = univariate_microaggregation(values, options["k"])
    seconds = time.perf_counter() - begun
    np.save(sys.argv[2], labels)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
