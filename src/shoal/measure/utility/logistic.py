"""Logistic regression by Newton's steps: its coefficients, their standard errors, and estimated propensities."""

from __future__ import annotations

import numpy as np

from shoal.measure.equivalence_classes import Floats

STEPS = 30  # Newton's method settles in about eight
SETTLED = 1e-8
RIDGE = 1e-6  # keeps the steps finite where the outcome can be told exactly


def propensities(features: Floats, slopes: Floats) -> Floats:
    """Return the estimated probability of 1 for every row."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(features @ slopes, -35.0, 35.0))), dtype=np.float64)


def fitted_logistic(features: Floats, outcome: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients of greatest likelihood and their standard errors; outcomes may be shares of 1."""
    slopes = np.zeros(features.shape[1])
    penalty = RIDGE * len(features) * np.eye(features.shape[1])
    hessian = penalty
    for _ in range(STEPS):
        chance = propensities(features, slopes)
        weights = chance * (1 - chance)
        hessian = (features * weights[:, None]).T @ features + penalty
        step = np.linalg.lstsq(hessian, features.T @ (outcome - chance) - penalty @ slopes, rcond=None)[0]
        size = float(np.abs(step).max(initial=0.0))
        slopes = slopes + step * min(1.0, 5.0 / max(size, 1e-300))
        if size < SETTLED:
            break
    errors = np.sqrt(np.maximum(np.diag(np.linalg.pinv(hessian, hermitian=True)), 0.0))
    return slopes, errors
