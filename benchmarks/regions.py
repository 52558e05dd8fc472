"""US counties in connected groups, beside the max-p heuristic of spopt: `python -m benchmarks.regions DATA [PYTHON]`.

DATA is the folder with county_edges_2010.csv and county_nodes_2010.csv; PYTHON an interpreter that has spopt, in an
environment of its own. Weights are random; every connected part with k people or more is partitioned by itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import networkx as nx
import numpy as np
import polars as pl

from shoal.partition import regions

KS = (2, 5, 10, 100, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000)
BESIDE = (10_000, 20_000, 50_000, 100_000)
HEAVIEST = 20_000
CONTESTANT = Path(__file__).parent / "contestants" / "spopt_maxp.py"


def counties(folder: Path) -> tuple[nx.Graph, np.ndarray]:
    """All counties and who is beside whom; a random number of people in each."""
    names = pl.read_csv(folder / "county_nodes_2010.csv", infer_schema=False)["fips"].to_list()
    number = {name: place for place, name in enumerate(names)}
    pairs = pl.read_csv(folder / "county_edges_2010.csv", infer_schema=False).rows()
    graph = nx.Graph((number[a], number[b]) for a, b in pairs)
    graph.add_nodes_from(range(len(names)))
    return graph, np.random.default_rng(0).integers(1, HEAVIEST + 1, len(names))


def parts_of(graph: nx.Graph, weights: np.ndarray) -> list[tuple[list[list[int]], list[int]]]:
    """Edges and weights of every connected part, the largest first."""
    found = []
    for part in sorted(nx.connected_components(graph), key=len, reverse=True):
        inside = nx.convert_node_labels_to_integers(graph.subgraph(sorted(part)), ordering="sorted")
        found.append(([list(edge) for edge in inside.edges], weights[sorted(part)].tolist()))
    return found


def run(folder: Path, peer: str | None) -> list[dict]:
    graph, weights = counties(folder)
    parts = parts_of(graph, weights)
    rows = []
    for k in KS:
        usable = [part for part in parts if sum(part[1]) >= k]
        begun, wall = time.process_time(), time.perf_counter()
        found = [regions(edges, held, k) for edges, held in usable]
        rows.append(
            {
                "k": k,
                "parts": len(usable),
                "too light": len(parts) - len(usable),
                "groups": sum(one.n_groups for one in found),
                "heaviest": max(one.cost for one in found),
                "mean ratio seen": float(np.mean([one.ratio_seen for one in found])),
                "worst ratio seen": max(one.ratio_seen for one in found),
                "worst ratio proved": float(max(one.ratio_proved for one in found)),
                "degree": max(one.details["degree"] for one in found),
                "main part": found[0].cost,
                "cpu": time.process_time() - begun,
                "wall": time.perf_counter() - wall,
            }
        )
        print({key: round(value, 3) for key, value in rows[-1].items()}, flush=True)
    print("mean ratio seen over all k and parts' means:", round(np.mean([row["mean ratio seen"] for row in rows]), 3))
    if peer:
        edges, held = parts[0]
        job = {"edges": edges, "weights": held, "ks": BESIDE, "seed": 0, "construct": 2, "sa": 2}
        done = subprocess.run([peer, CONTESTANT], input=json.dumps(job), capture_output=True, text=True, check=True)
        for told in json.loads(done.stdout):
            ours = next(row for row in rows if row["k"] == told["k"])
            print(
                f"k={told['k']}: heaviest group {ours['main part']:.0f} here, {told['largest']:.0f} by max-p; {told}"
            )
    return rows


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
