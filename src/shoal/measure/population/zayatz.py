"""Zayatz's estimate of the number of people who are unique in the population.

Assumption   The sizes of classes in the population are distributed as those in the sample, and the sample is a simple
             random one. The first is wrong where the sampling fraction is small: then the estimate is far too high.

By Bayes' rule, a class of one person in the sample is one of one person in the population with probability
p(1) h(1) / sum over sizes j of p(j) h(j), where p(j) is the share of sample classes of size j, and h(j) the
probability (hypergeometric) that a sample of n out of N people has exactly one person of a class of j.

References
----------
.. [1] L. V. Zayatz (1991). "Estimation of the percent of unique population elements on a microdata file using the
   sample." Statistical Research Division Report RR-91/08, U.S. Bureau of the Census.
"""

from __future__ import annotations

import numpy as np

from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.population.class_sizes import ClassSizes


def unique_by_zayatz(found: ClassSizes, population: int) -> float:
    """Return the expected number of people who are unique in a population of so many, by Zayatz's estimate."""
    uniques, n = found.of_size(1), found.n_people
    if not uniques:
        return 0.0
    once = _exactly_one(found.sizes, n, population)
    stays_unique = uniques * once[0] / float(found.classes @ once)
    return float(uniques * stays_unique * population / n)


def _exactly_one(sizes: Ints, n: int, population: int) -> Floats:
    """Return the probability that a sample of `n` has exactly one member of a class, for every size of the class.

    It is j (n / N) times the product, over i = 0 ... j - 2, of (N - n - i) / (N - 1 - i).
    """
    steps = np.arange(max(int(sizes.max()) - 1, 0), dtype=np.float64)
    left = np.maximum(population - n - steps, 0.0)
    with np.errstate(divide="ignore"):
        logs = np.log(left) - np.log(population - 1.0 - steps)
    products = np.exp(np.concatenate([[0.0], np.cumsum(logs)]))
    return np.asarray(sizes * (n / population) * products[sizes - 1], dtype=np.float64)
