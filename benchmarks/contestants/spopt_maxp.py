"""The max-p heuristic of spopt on a graph with weights: a job as JSON in, the sizes of its regions as JSON out."""

from __future__ import annotations

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
    job = json.load(sys.stdin)
    n = len(job["weights"])
    around: dict[int, list[int]] = {region: [] for region in range(n)}
    for a, b in job["edges"]:
        around[a].append(b)
        around[b].append(a)
    neighbours = libpysal.weights.W(around, silence_warnings=True)
    held = np.array(job["weights"])
    rows = []
    for k in job["ks"]:
        points = [Point(region % 60, region // 60) for region in range(n)]  # it wants shapes, and looks at none
        frame = geopandas.GeoDataFrame({"people": held}, geometry=points)
        np.random.seed(job["seed"])
        begun = time.process_time()
        model = MaxPHeuristic(
            frame,
            neighbours,
            ["people"],
            "people",
            k,
            top_n=2,
            max_iterations_construction=job["construct"],
            max_iterations_sa=job["sa"],
        )
        model.solve()
        label = np.array(model.labels_)
        loads = np.bincount(label[label > 0], weights=held[label > 0])[1:]
        rows.append(
            {
                "k": k,
                "groups": int(model.p),
                "largest": float(loads.max()),
                "least": float(loads.min()),
                "left out": int((label <= 0).sum()),
                "cpu": time.process_time() - begun,
            }
        )
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
