"""The propensity score: can a logistic regression tell released rows from original ones? (J. Snoke et al. 2018)

pMSE is the mean of (p - c)² over all rows of both tables, with p the estimated propensity of being a released row and
c the share of released rows. Of rows that are drawn from a right model of the original table it is expected to be
(r - 1) (1 - c)² c / N, with r the rank of the features and N the rows of both tables: the ratio is 1. Another sample
of the same population has 1 / (1 - c), which is 2 for as many rows. A release that follows its originals row by row
can be below 1. Features are those of regressions, and the products of any two columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.measure.equivalence_classes import Ints
from shoal.measure.questions.columns import Column
from shoal.measure.utility.features import design
from shoal.measure.utility.logistic import fitted_logistic, propensities
from shoal.measure.utility.result import Propensity


def propensity(columns: Sequence[Column], n: int, originals: Ints, rows: Ints) -> Propensity | None:
    """Return pMSE and its ratio to what chance gives; None if no feature varies."""
    ours, theirs = design(list(columns), n, originals, rows, products=True)
    features = np.vstack([ours, theirs])
    outcome = np.concatenate([np.zeros(len(ours)), np.ones(len(theirs))])
    rank = int(np.linalg.matrix_rank(features.T @ features, hermitian=True))
    if rank < 2 or not len(ours) or not len(theirs):
        return None
    slopes, _ = fitted_logistic(features, outcome)
    share = float(outcome.mean())
    pmse = float(((propensities(features, slopes) - share) ** 2).mean())
    expected = (rank - 1) * (1 - share) ** 2 * share / len(features)
    return Propensity(pmse=pmse, expected=expected, ratio=pmse / expected)
