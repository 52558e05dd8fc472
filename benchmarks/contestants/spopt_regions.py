"""spopt's max-p heuristic: connected groups of regions above a threshold."""

import json
import sys
import time
import warnings

import geopandas
import libpysal
import numpy as np
from shapely.geometry import Point
from spopt.region import MaxPHeuristic

warnings.filterwarnings("ignore")


def main() -> None:
    given, options = np.load(sys.argv[1]), json.loads(sys.argv[3])
    edges, weights = given["edges"], given["weights"]
    neighbours: dict[int, list[int]] = {i: [] for i in range(len(weights))}
    for a, b in edges.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    frame = geopandas.GeoDataFrame({"weight": weights}, geometry=[Point(i, 0) for i in range(len(weights))])
    np.random.seed(0)
    begun = time.perf_counter()
    model = MaxPHeuristic(
        frame, libpysal.weights.W(neighbours, silence_warnings=True), ["weight"], "weight", options["k"]
    )
    model.solve()
    seconds = time.perf_counter() - begun
    np.save(sys.argv[2], np.asarray(model.labels_))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
