"""The risk of each person and household by sampling weights, as in mu-Argus (Benedetti and Franconi).

Assumption   The number F of people of the population in a class, given that f of them are in the sample, is negative
             binomial: F - f failures before f successes of probability p = f / (sum of the weights of the f people).

The risk of a person is the expectation of 1 / F. With w = (1 - p) / p it is the integral of s^(f - 1) / (1 + w s)
over s from 0 to 1, that is 2F1(1, f; f + 1; -w) / f: for f = 1 it is log(1 + w) / w.
A household is found if one of its members is: 1 - product of (1 - risk) over its members.

References
----------
.. [1] R. Benedetti and L. Franconi (1998). "Statistical and technological solutions for controlled data
   dissemination." Pre-proceedings of New Techniques and Technologies for Statistics, vol. 1, 225-232.
.. [2] L. Franconi and S. Polettini (2004). "Individual risk estimation in mu-Argus: a review." Privacy in Statistical
   Databases, LNCS 3050, 262-272.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.errors import ParameterError
from shoal.measure.equivalence_classes import Floats, Ints

FEW = 50
"""Classes of up to so many people have their risk by the recurrence, or by one Gaussian rule."""
PIECES = 24
"""For larger classes the integral is taken over this many pieces, each half as long as the next."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def class_risks(people: Ints, weights: Floats) -> Floats:
    """Return the expectation of 1 / F for every class with so many people whose weights have this sum.

    Weights that sum to less than the people of the class stand for nobody else: then the risk is 1 / people.
    """
    f = people.astype(np.float64)
    w = np.maximum(weights / f - 1.0, 0.0)
    risks = np.empty(len(f))
    few, light = people <= FEW, w < 1.0
    for chosen, rule in ((few & ~light, _by_recurrence), (few & light, _by_one_rule), (~few, _by_pieces)):
        if chosen.any():
            risks[chosen] = rule(f[chosen], w[chosen])
    return np.minimum(risks, 1.0 / f)


def _by_recurrence(f: Floats, w: Floats) -> Floats:
    """Return the integrals by I(1) = log(1 + w) / w and I(f + 1) = (1 / f - I(f)) / w; errors shrink as w >= 1."""
    value = np.log1p(w) / w
    for step in range(1, int(f.max())):
        value = np.where(f > step, (1.0 / step - value) / w, value)
    return np.asarray(value, dtype=np.float64)


def _by_one_rule(f: Floats, w: Floats) -> Floats:
    """Return the integrals by one Gaussian rule: for w below 1 and small f the integrand is nearly a polynomial."""
    s = (_NODES + 1.0)[:, None] / 2.0
    return np.asarray(_WEIGHTS / 2.0 @ (s ** (f - 1.0) / (1.0 + w * s)), dtype=np.float64)


def _by_pieces(f: Floats, w: Floats) -> Floats:
    """Return the integrals of exp(-f y) / (1 + w exp(-y)) over y > 0, which they are by s = exp(-y).

    Beyond y = 40 / f nothing is left.
    """
    total = np.zeros(len(f))
    for low, high in pairwise([0.0, *2.0 ** np.arange(1 - PIECES, 1)]):
        y = (low + (high - low) * (_NODES + 1.0) / 2.0)[:, None] * (40.0 / f)
        total += (high - low) / 2.0 * (40.0 / f) * (_WEIGHTS @ (np.exp(-f * y) / (1.0 + w * np.exp(-y))))
    return total


def household_risks(risks: Floats, households: Ints) -> Floats:
    """Return the risk that at least one member is found, for every household; `households` are codes 0, 1, ..."""
    with np.errstate(divide="ignore"):
        survived = np.bincount(households, weights=np.log1p(-np.minimum(risks, 1.0)))
    return np.asarray(-np.expm1(survived), dtype=np.float64)


def check_weights(weights: Floats, name: str) -> None:
    """Raise ParameterError unless every weight is a number of at least 1: a person stands at least for themselves."""
    wrong = int(np.count_nonzero(~(weights >= 1.0) | ~np.isfinite(weights)))
    if wrong:
        raise ParameterError(
            f"column {name} has {wrong} cells that are not sampling weights: a weight is a number of at least 1.",
            "give the column that says how many people of the population each row stands for.",
        )
