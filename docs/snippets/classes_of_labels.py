"""Labels without order, and values with one: classes of at least k people, the largest as small as can be."""

import numpy as np

from shoal.partition import cover, intervals

people = np.random.default_rng(0).zipf(1.5, 400).clip(max=200)  # who holds each of 400 labels
classes = cover(people, 200)
print(f"{classes.n_groups} classes, the largest {classes.cost:.0f}; nobody gets below {classes.lower_bound:.0f}")
assert classes.details.class_weights.min() >= 200
assert classes.cost <= 2 * classes.lower_bound

ages = np.random.default_rng(1).integers(18, 90, 1000)
runs = intervals(ages, 50)
assert runs.cost == runs.lower_bound  # exact
