"""How often a description singles somebody out by chance, in a table of any size, judged by a control.

A description is right if exactly one person of the table fits it, and how likely that is depends on how many people
the table has. So the control is counted as if it had as many. With at least as many people in the control this is
exact: the chance that of the b people of the control who fit, exactly one is in a random part of the control of that
size. With fewer, the shares of people who fit are estimated by maximum likelihood over all descriptions (the mixture
of binomials that makes the counts likeliest), without shares of less than half a person of the control: then the
control is singled out too rarely rather than too often, and the risk is overstated rather than understated.
"""

from __future__ import annotations

import numpy as np

from shoal.measure.equivalence_classes import Floats, Ints

SHARES = 200  # shares of people between those of half a person and of everybody that the mixture has
ROUNDS = 300  # rounds of maximization; the estimate of the rate has settled after about a hundred


def isolated_by_chance(fitting: Ints, n_control: int, n: int) -> Floats:
    """Return for every description the chance that it fits exactly one of `n` people like those of the control.

    `fitting` is how many people of the control it fits.
    """
    from scipy import stats

    if n_control >= n:
        kinds, place = np.unique(fitting, return_inverse=True)
        chances = np.asarray(stats.hypergeom.pmf(1, n_control, kinds, n), dtype=np.float64)
        return chances[place]
    return _by_mixture(fitting, n_control, n)


def _by_mixture(fitting: Ints, n_control: int, n: int) -> Floats:
    """Return the chances for a table that is larger than the control: the mean given how many fit in the control."""
    from scipy import stats

    kinds, place, times = np.unique(fitting, return_inverse=True, return_counts=True)
    shares = np.concatenate([[0.0], np.geomspace(0.5 / n_control, 1.0, SHARES)])
    likelihood = stats.binom.pmf(kinds[:, None], n_control, shares[None, :])
    weights = np.full(len(shares), 1.0 / len(shares))
    for _ in range(ROUNDS):
        belief = likelihood * weights
        belief /= np.maximum(belief.sum(axis=1, keepdims=True), 1e-300)
        weights = (belief * times[:, None]).sum(axis=0) / times.sum()
    belief = likelihood * weights
    belief /= np.maximum(belief.sum(axis=1, keepdims=True), 1e-300)
    found: Floats = belief @ np.asarray(stats.binom.pmf(1, n, shares), dtype=np.float64)
    return found[place]
