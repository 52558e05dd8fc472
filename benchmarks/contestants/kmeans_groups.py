"""k-means with a smallest size of k, and as many clusters as that allows."""

import json
import sys
import time

import numpy as np
from k_means_constrained import KMeansConstrained


def main() -> None:
    points, options = np.load(sys.argv[1]), json.loads(sys.argv[3])
    k = options["k"]
    model = KMeansConstrained(n_clusters=len(points) // k, size_min=k, random_state=0, n_init=1)
    begun = time.perf_counter()
    labels = model.fit_predict(points)
    seconds = time.perf_counter() - begun
    np.save(sys.argv[2], labels)
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
