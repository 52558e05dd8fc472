"""Shoal's partitioning functions as scikit-learn estimators.

There is no `predict` and no `transform` for new rows, because the guarantees of a group no longer hold once a new
record is added to it. `fit_transform` returns the training rows as they would be published, each replaced by the
center of its group, which is the mean or one of its records.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from shoal.errors import EngineError
from shoal.partition.cellular_cost.cellular import cellular
from shoal.partition.microaggregation.microaggregate import microaggregate
from shoal.partition.radius.gather import gather
from shoal.partition.result import Floats, Labels, Partition

try:
    from sklearn.base import BaseEstimator, ClusterMixin  # type: ignore[import-untyped]
    from sklearn.utils import check_random_state  # type: ignore[import-untyped]
    from sklearn.utils.validation import validate_data  # type: ignore[import-untyped]
except ImportError as missing:
    raise EngineError("shoal.sklearn needs scikit-learn 1.6 or later.", "pip install scikit-learn.") from missing

__all__ = ["Cellular", "Gather", "Microaggregation"]


class _Groups(ClusterMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """The base class of the estimators.

    `fit` sets `labels_`, `cluster_centers_`, `partition_` (the whole result with its lower bound) and
    `n_features_in_`.
    """

    labels_: Labels
    cluster_centers_: Floats
    partition_: Partition

    @abstractmethod
    def _grouped(self, points: Floats) -> Partition:
        """Return the groups of validated points."""

    @abstractmethod
    def _smallest(self) -> tuple[str, int]:
        """Return the name and the value of the parameter that sets the least size of a group."""

    def fit(self, X: npt.ArrayLike, y: object = None) -> Self:
        """Group the rows of `X`; `y` is ignored."""
        points = validate_data(self, X, dtype=np.float64)
        name, least = self._smallest()
        if len(points) < least:
            raise ValueError(f"n_samples={len(points)} is below {name}={least}: no group can be formed.")
        self.partition_ = self._grouped(points)
        self.labels_ = self.partition_.labels
        centers = np.asarray(self.partition_.centers)
        self.cluster_centers_ = points[centers] if centers.ndim == 1 else centers
        return self

    def fit_transform(self, X: npt.ArrayLike, y: object = None) -> Floats:
        """Return the rows of `X`, each replaced by the center of its group; `y` is ignored."""
        self.fit(X)
        return self.cluster_centers_[self.labels_]


class Microaggregation(_Groups):
    """Groups of at least `k` rows with a small squared error around their means; see `microaggregate`.

    After `fit`, ``labels_`` has the group of every row, ``cluster_centers_`` the center of every group, and
    ``partition_`` the whole result with its lower bound.

    Parameters
    ----------
    k : int, default 10
        The least number of rows in a group.
    method : str, default "best"
        The method, as in `microaggregate`.
    effort : int, optional
        The search effort, as in `microaggregate`.
    time_limit : float, optional
        The time limit of the search in seconds, as in `microaggregate`.
    random_state : int or RandomState, default 0
        The seed of the search, or a generator that it is drawn from.
    n_jobs : int, optional
        The number of threads; by default, and where negative, all cores are used.

    Examples
    --------
    >>> from shoal.sklearn import Microaggregation
    >>> found = Microaggregation(k=2).fit([[0.0], [1.0], [10.0], [11.0]])
    >>> found.labels_.tolist()
    [0, 0, 1, 1]
    """

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

    def _smallest(self) -> tuple[str, int]:
        return "k", self.k

    def _grouped(self, points: Floats) -> Partition:
        seed = self.random_state
        if not isinstance(seed, int):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        return microaggregate(
            points,
            self.k,
            method=self.method,
            seed=seed,
            effort=self.effort,
            time_limit=self.time_limit,
            n_threads=_threads(self.n_jobs),
        )


def _threads(n_jobs: int | None) -> int | None:
    """Return the number of threads, None for all cores."""
    return None if n_jobs is None or n_jobs < 0 else n_jobs


class Gather(_Groups):
    """Groups of at least `k` rows whose largest radius is at most twice the smallest possible; see `gather`.

    After `fit`, ``labels_`` has the group of every row, ``cluster_centers_`` the center of every group, and
    ``partition_`` the whole result with its lower bound.

    Parameters
    ----------
    k : int, default 10
        The least number of rows in a group.
    max_groups : int, optional
        The largest number of groups.
    n_jobs : int, optional
        The number of threads; by default, and where negative, all cores are used.

    Examples
    --------
    >>> from shoal.sklearn import Gather
    >>> found = Gather(k=2).fit([[0.0], [1.0], [10.0], [11.0]])
    >>> found.labels_.tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, k: int = 10, *, max_groups: int | None = None, n_jobs: int | None = None) -> None:
        self.k = k
        self.max_groups = max_groups
        self.n_jobs = n_jobs

    def _smallest(self) -> tuple[str, int]:
        return "k", self.k

    def _grouped(self, points: Floats) -> Partition:
        return gather(points, self.k, max_groups=self.max_groups, n_threads=_threads(self.n_jobs))


class Cellular(_Groups):
    """Groups of at least `k` rows with a small sum of group size times radius; see `cellular` for the ratio.

    After `fit`, ``labels_`` has the group of every row, ``cluster_centers_`` the center of every group, and
    ``partition_`` the whole result with its lower bound.

    Parameters
    ----------
    k : int, default 10
        The least number of rows in a group.
    opening_cost : float, optional
        The cost of every group in addition to its size times its radius.
    n_jobs : int, optional
        The number of threads; by default, and where negative, all cores are used.

    Examples
    --------
    >>> from shoal.sklearn import Cellular
    >>> found = Cellular(k=2).fit([[0.0], [1.0], [10.0], [11.0]])
    >>> found.labels_.tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, k: int = 10, *, opening_cost: float | None = None, n_jobs: int | None = None) -> None:
        self.k = k
        self.opening_cost = opening_cost
        self.n_jobs = n_jobs

    def _smallest(self) -> tuple[str, int]:
        return "k", self.k

    def _grouped(self, points: Floats) -> Partition:
        return cellular(points, k=self.k, opening_cost=self.opening_cost, n_threads=_threads(self.n_jobs))
