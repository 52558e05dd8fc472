"""Shoal's groupings of points as scikit-learn estimators.

There is no `predict` and no `transform` for new rows: putting a new record into an old group voids what was proved
of the group. `fit_transform` gives the training rows as they would be published, each its group's center: the mean,
or a record.
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
    """What the estimators share. After `fit`: `labels_`, `cluster_centers_`, `partition_` (the whole result with its
    lower bound) and `n_features_in_`.
    """

    labels_: Labels
    cluster_centers_: Floats
    partition_: Partition

    @abstractmethod
    def _grouped(self, points: Floats) -> Partition:
        """The groups of validated points."""

    @abstractmethod
    def _smallest(self) -> tuple[str, int]:
        """The parameter that says how small a group may be, and what it is."""

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
        """Each row replaced by the center of its group."""
        self.fit(X)
        return self.cluster_centers_[self.labels_]


class Microaggregation(_Groups):
    """Groups of at least `k` rows with little squared error around their means; parameters of `microaggregate`.

    After `fit`, ``labels_`` has the group of every row, ``cluster_centers_`` its center, ``partition_`` the whole
    result with its lower bound.


    Parameters
    ----------
    k : int, default 10
        The least number of rows in a group.
    method : str, default "best"
        As of `microaggregate`.
    effort : int, optional
        As of `microaggregate`.
    time_limit : float, optional
        As of `microaggregate`.
    random_state : int or RandomState, default 0
        The random numbers of the search.
    n_jobs : int, optional
        Threads; all cores where not given.

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
            n_threads=self.n_jobs,
        )


class Gather(_Groups):
    """Groups of at least `k` rows, at most `max_groups`, with a small largest radius around rows; see `gather`.

    After `fit`, ``labels_`` has the group of every row, ``cluster_centers_`` its center, ``partition_`` the whole
    result with its lower bound.


    Parameters
    ----------
    k : int, default 10
        The least number of rows in a group.
    max_groups : int, optional
        The largest number of groups.
    n_jobs : int, optional
        Threads; all cores where not given.

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
        return gather(points, self.k, max_groups=self.max_groups, n_threads=self.n_jobs)


class Cellular(_Groups):
    """Groups of at least `k` rows with a small sum of size x radius around rows; see `cellular`.

    After `fit`, ``labels_`` has the group of every row, ``cluster_centers_`` its center, ``partition_`` the whole
    result with its lower bound.


    Parameters
    ----------
    k : int, default 10
        The least number of rows in a group.
    opening_cost : float, optional
        What every group costs besides its size times its radius.
    n_jobs : int, optional
        Threads; all cores where not given.

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
        return cellular(points, k=self.k, opening_cost=self.opening_cost, n_threads=self.n_jobs)
