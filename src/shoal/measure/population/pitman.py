"""Pitman's estimate of the number of people who are unique in the population.

Assumption   Sample and population are drawn one person after the other by Pitman's two-parameter model: after m
             people in u classes, the next one opens a new class with probability (theta + u alpha) / (theta + m), and
             joins a class of size j with probability (j - alpha) / (theta + m).

The parameters are those of the largest likelihood, 0 < alpha < 1 and theta > -alpha. In a population of N people, N
times the rising factorial of theta + alpha over that of theta + 1, both of N - 1 factors, are expected to be unique.

References
----------
.. [1] N. Hoshino (2001). "Applying Pitman's sampling formula to microdata disclosure risk assessment." Journal of
   Official Statistics 17(4), 499-520.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln

from shoal.measure.equivalence_classes import Floats
from shoal.measure.population.class_sizes import ClassSizes

EDGE = 1e-6
"""A parameter alpha nearer than this to 0 or 1 has run to the edge of the model: there is no largest likelihood."""
_BLOCK = 65_536  # logarithms that are summed at a time, which bounds the memory


def unique_by_pitman(found: ClassSizes, population: int) -> float | None:
    """Return the expected number of people who are unique in the population, or None if no parameters fit best."""
    if not found.of_size(1):
        return 0.0
    fitted = fit_pitman(found)
    if fitted is None:
        return None
    theta, alpha = fitted
    logs = gammaln(theta + alpha + population - 1) - gammaln(theta + alpha)
    logs -= gammaln(theta + population) - gammaln(theta + 1)
    return float(min(population * np.exp(logs), population))


def fit_pitman(found: ClassSizes) -> tuple[float, float] | None:
    """Return theta and alpha of the largest likelihood; None if it has no maximum inside the model.

    There is none where all people are unique, or all are in one class.
    """
    if found.n_classes == found.n_people or found.n_classes == 1:
        return None

    def worse(parameters: Floats) -> float:
        alpha = float(expit(parameters[0]))
        return -_log_likelihood(found, float(np.exp(parameters[1])) - alpha, alpha)

    starts = [(a, t) for a in (-2.0, 0.0, 2.0) for t in (0.0, np.log(found.n_classes))]
    best = min((minimize(worse, start, method="Nelder-Mead") for start in starts), key=lambda fit: float(fit.fun))
    fit = minimize(worse, best.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    alpha = float(expit(fit.x[0]))
    if not EDGE < alpha < 1.0 - EDGE:
        return None
    return float(np.exp(fit.x[1])) - alpha, alpha


def _log_likelihood(found: ClassSizes, theta: float, alpha: float) -> float:
    """Return the logarithm of the probability of these sizes of classes, but for a constant."""
    opened = 0.0
    for begin in range(1, found.n_classes, _BLOCK):
        opened += float(np.log(theta + alpha * np.arange(begin, min(begin + _BLOCK, found.n_classes))).sum())
    drawn = float(gammaln(theta + found.n_people) - gammaln(theta + 1.0))
    joined = float((gammaln(found.sizes - alpha) - gammaln(1.0 - alpha)) @ found.classes)
    return opened - drawn + joined
