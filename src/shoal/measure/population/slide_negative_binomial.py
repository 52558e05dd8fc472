"""The slide negative binomial estimate of the number of people who are unique in the population.

Assumption   A class of the population has 1 + X people, X negative binomial with parameters a and b, and every person
             is in the sample with the same probability, independently.

With probability generating function z A(z), A(z) = (b / (1 - (1 - b) z))^a, of the size of a class, the number of its
people in a sample of fraction q has the function evaluated at 1 - q + q s. Hence the expected shares of classes that
have one and two people in the sample; a and b are chosen so that these are the shares found. The number K of classes
in the population is Shlosser's estimate as modified by Haas and Stokes, and K b^a of them have one person.

References
----------
.. [1] G. Chen and S. Keller-McNulty (1998). "Estimation of identification disclosure risk in microdata." Journal of
   Official Statistics 14(1), 79-95.
.. [2] P. J. Haas and L. Stokes (1998). "Estimating the number of classes in a finite population." Journal of the
   American Statistical Association 93, 1475-1487.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

from shoal.measure.equivalence_classes import Floats
from shoal.measure.population.class_sizes import ClassSizes

SOLVED = 1e-6
"""How far the expected shares of classes of one and two may be from those found, in relation to them."""
_STARTS = [(a, b) for a in (-2.0, 0.0, 2.0) for b in (-4.0, -1.0, 2.0)]


def unique_by_slide_negative_binomial(found: ClassSizes, population: int) -> float | None:
    """Return the expected number of people who are unique in the population, or None if no parameters fit."""
    ones, twos, fraction = found.of_size(1), found.of_size(2), found.n_people / population
    if not ones:
        return 0.0
    if fraction >= 1.0:
        return float(ones)
    if not twos:
        return None
    n_classes = _classes_in_population(found, fraction)
    wanted = np.array([ones, twos], dtype=np.float64) / n_classes

    def off(parameters: Floats) -> Floats:
        return np.asarray(np.log(_shares(parameters, fraction)) - np.log(wanted), dtype=np.float64)

    fits = [least_squares(off, start, xtol=1e-14, ftol=1e-14, gtol=1e-14) for start in _STARTS]
    best = min(fits, key=lambda fit: float(fit.cost))
    if not np.all(np.abs(best.fun) <= SOLVED):
        return None
    a, b = np.exp(best.x[0]), expit(best.x[1])
    return float(min(n_classes * b**a, population))


def _shares(parameters: Floats, fraction: float) -> Floats:
    """Return the expected shares of classes with one and with two people in the sample; `parameters` are log a and
    the logarithm of the odds of b.
    """
    a, b, rest = np.exp(parameters[0]), expit(parameters[1]), expit(-parameters[1])
    d = (1.0 - fraction) * rest
    ratio = (b / (1.0 - d)) ** a
    one = fraction * ratio * (a * d / (1.0 - d) + 1.0)
    two = fraction**2 / 2.0 * a * rest * ratio / (1.0 - d) ** 2 * (2.0 - d + a * d)
    return np.asarray(np.maximum([one, two], 1e-300), dtype=np.float64)


def _classes_in_population(found: ClassSizes, fraction: float) -> float:
    """Return the modified estimate of Shlosser of the number of classes in the population."""
    sizes, classes = found.sizes.astype(np.float64), found.classes
    missed = (1.0 - fraction) ** sizes
    squared = fraction**2
    with np.errstate(over="ignore", under="ignore"):
        first = float((sizes * squared * (1.0 - squared) ** (sizes - 1.0)) @ classes)
        second = float(((1.0 - squared) ** sizes - missed) @ classes)
        third = float((sizes * fraction * (1.0 - fraction) ** (sizes - 1.0)) @ classes)
    return found.n_classes + found.of_size(1) * (first / second) * (float(missed @ classes) / third) ** 2
