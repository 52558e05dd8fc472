"""The algorithms by themselves: points in, groups with a guarantee out."""

import numpy as np

from shoal.partition import forest, gather, microaggregate

points = np.random.default_rng(0).normal(size=(300, 2))

circles = gather(points, k=5)
print(f"largest radius {circles.cost:.3f}, nobody gets below {circles.lower_bound:.3f}")
assert circles.cost <= circles.ratio_proved * circles.lower_bound * 2

averages = microaggregate(points, 5, method="best", seed=1)
assert averages.sizes.min() >= 5
assert averages.lower_bound <= averages.cost

answers = np.random.default_rng(0).integers(0, 3, size=(200, 4))
rows = forest(answers, 4)
print(f"at most {rows.ratio_proved} times the best by {rows.theorem}, {rows.ratio_seen:.2f} seen")
