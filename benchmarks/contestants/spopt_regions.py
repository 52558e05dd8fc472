"""spopt's max-p heuristic: connected groups of regions above a threshold."""

import warnings

import geopandas
import libpysal
import numpy as np
from _play import asked, play
from shapely.geometry import Point
from spopt.region import MaxPHeuristic

warnings.filterwarnings("ignore")


def main() -> None:
    source, target, options = asked()
    given = np.load(source)
    edges, weights = given["edges"], given["weights"]
    around: dict[int, list[int]] = {region: [] for region in range(len(weights))}
    for a, b in edges.tolist():
        around[a].append(b)
        around[b].append(a)
    # It wants shapes, and looks at none.
    frame = geopandas.GeoDataFrame({"weight": weights}, geometry=[Point(i, 0) for i in range(len(weights))])
    beside = libpysal.weights.W(around, silence_warnings=True)
    np.random.seed(0)
    rounds = {"max_iterations_construction": options["rounds"], "max_iterations_sa": options["rounds"]}
    model = MaxPHeuristic(frame, beside, ["weight"], "weight", options["k"], top_n=2, **rounds)
    play(model.solve)
    np.save(target, np.asarray(model.labels_))


if __name__ == "__main__":
    main()
