"""Shoal's groupings of points as scikit-learn estimators.

There is no `predict` and no `transform` for new rows: putting a new record into an old group voids what was proved
of the group. `fit_transform` gives the training rows as they would be published, each the mean of its group.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from shoal.errors import EngineError
from shoal.partition.microaggregate import microaggregate
from shoal.partition.result import Floats, Labels, Partition

try:
    from sklearn.base import BaseEstimator, ClusterMixin  # type: ignore[import-untyped]
    from sklearn.utils import check_random_state  # type: ignore[import-untyped]
    from sklearn.utils.validation import validate_data  # type: ignore[import-untyped]
except ImportError as missing:
    raise EngineError("shoal.sklearn needs scikit-learn 1.6 or later.", "pip install scikit-learn.") from missing

__all__ = ["Microaggregation"]


class Microaggregation(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Groups of at least `k` rows with little squared error; the parameters are those of `microaggregate`.

    After `fit`: `labels_`, `cluster_centers_` (the groups' means), `partition_` (the whole result with its lower
    bound) and `n_features_in_`.
    """

    labels_: Labels
    cluster_centers_: Floats
    partition_: Partition

    def __init__(
        self,
        k: int = 10,
        *,
        method: str = "best",
        effort: int | None = None,
        time_limit: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.method = method
        self.effort = effort
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: npt.ArrayLike, y: object = None) -> Self:
        """Group the rows of `X`; `y` is ignored."""
        points = validate_data(self, X, dtype=np.float64)
        if len(points) < self.k:
            raise ValueError(f"n_samples={len(points)} is below k={self.k}: no group can be formed.")
        seed = self.random_state
        if not isinstance(seed, int):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        self.partition_ = microaggregate(
            points,
            self.k,
            method=self.method,
            seed=seed,
            effort=self.effort,
            time_limit=self.time_limit,
            n_threads=self.n_jobs,
        )
        self.labels_ = self.partition_.labels
        self.cluster_centers_ = np.asarray(self.partition_.centers, dtype=np.float64)
        return self

    def fit_transform(self, X: npt.ArrayLike, y: object = None) -> Floats:
        """Each row replaced by the mean of its group."""
        self.fit(X)
        return self.cluster_centers_[self.labels_]
