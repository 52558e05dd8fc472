"""Steps of Shoal timed by pytest-benchmark, in one process: what `make bench-compare` sets side by side.

Not collected by `make test`. Only names that users have are called, so that older commits can be timed, too.
"""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from benchmarks.data import people
from benchmarks.verify import policy, released
from shoal import partition
from shoal.partition.microaggregation.mst import spanning_tree

POINTS = np.random.default_rng(0).normal(size=(5_000, 3))
WEIGHTS = np.random.default_rng(0).integers(1, 500, 5_000)
PEOPLE, RELEASED = people(2_000), released(50_000)
ASKED = {"k": 5, "quasi": PEOPLE.columns[:-1], "sensitive": PEOPLE.columns[-1:], "seed": 1}
STEPS = {
    "anonymize, 2,000 people": lambda: shoal.anonymize(PEOPLE, **ASKED),
    "verify, 50,000 rows": lambda: shoal.verify(RELEASED, policy("equal")),
    "spanning tree, 5,000 x 3": lambda: spanning_tree(POINTS),
    "gather, 5,000 x 3": lambda: partition.gather(POINTS, 5),
    "mdav, 5,000 x 3": lambda: partition.microaggregate(POINTS, 5, method="mdav", bound=False),
    "best, 1,000 x 3": lambda: partition.microaggregate(POINTS[:1000], 5, method="best", bound=False),
    "optimal, 5,000 values": lambda: partition.microaggregate(POINTS[:, :1], 5, method="optimal", bound=False),
    "rectangles, 5,000 places": lambda: partition.rectangles(POINTS[:, :2], 5),
    "cover, 5,000 labels": lambda: partition.cover(WEIGHTS, 1_000),
    "intervals, 5,000 classes": lambda: partition.intervals(WEIGHTS, 1_000),
}


@pytest.mark.parametrize("name", STEPS)
def test_step(benchmark, name):
    benchmark(STEPS[name])
