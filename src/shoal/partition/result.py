"""What every partitioning function returns, and what is proved of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from typing import Any, Literal, ParamSpec, Protocol, cast

import numpy as np
import numpy.typing as npt

from shoal._repr import brief
from shoal.errors import ParameterError
from shoal.method_table import METHODS

Labels = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """What it took to make groups meet requirements that their method does not know of."""

    groups_before: int
    groups_after: int
    suppressed: int
    """Records left out for it."""
    exchanged: int = 0
    """Records that changed places between groups."""
    cost_before: float
    cost_after: float

    def as_dict(self) -> dict[str, float]:
        """As a certificate has it: without exchanges where there were none."""
        return {name: value for name, value in asdict(self).items() if name != "exchanged" or value}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Of the largest share that may be left out, `n_left_out` records were; `cost` is that of the others' groups."""

    allowed: float
    n_left_out: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Details:
    """Numbers that only some functions report; None where the function has none."""

    # around records: gather, cellular, diverse
    lower_bound_any_center: float | None = None
    """No grouping around centers anywhere costs less."""
    lower_bound_centers: Literal["records", "members"] | None = None
    """The centers that `Partition.lower_bound` is for."""
    n_outliers_allowed: int | None = None
    n_outliers: int | None = None
    """The fewest records that had to be left out, so as many as were."""
    dual_bound: float | None = None
    """The bound that `duals` prove."""
    duals: Floats | None = None
    """One per record; docs/proofs/cellular.md says how to check them."""
    plain_duals: Floats | None = None
    """One per record, without group sizes: their sum is a bound too."""
    # squared error and the loss of aggregation
    loss: float | None = None
    """100 times the cost over that of one group of all records."""
    total: float | None = None
    """The cost of one group of all records: of squared error, SST."""
    start_cost: float | None = None
    """The cost of the groups that a search began with."""
    # generalization
    factor_weight: float | None = None
    """The weight of the graph that pairs or triples were cut from."""
    n_looked_at: int | None = None
    """Choices of levels whose groups were counted."""
    bound: str | None = None
    """Which lower bound was reported, where there are several."""
    # classes of one column
    class_weights: Labels | None = None
    """The people of every class."""
    simple_bound: int | None = None
    """A lower bound by counting alone."""
    relaxed_k: int | None = None
    """The fewest people that a class may have, where fewer than k were allowed."""
    rectangles: Floats | None = None
    """A row low, high, low, high per group."""
    degree: int | None = None
    """Of the spanning tree that a map was cut along."""
    parts: int | None = None
    """Connected parts of a map."""
    joined: tuple[tuple[int, int], ...] = ()
    """Regions joined to others because their connected part was too light."""

    def __repr__(self) -> str:
        """The names of what was reported. Values stay out: duals and rectangles follow from single records."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        reported = [name for name, value in values.items() if value is not None and not isinstance(value, tuple)]
        return brief(self, ", ".join(reported + ["joined"] * bool(self.joined)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Partition:
    """Groups of records, the number they minimize, and a number that no grouping can beat.

    `labels` has one entry per record: groups are 0, 1, ... in the order of their first record, -1 is a
    suppressed record. `lower_bound` holds for every feasible grouping of the same input (0 says nothing).
    `ratio_proved` is the theorem's ratio, None for a heuristic; `ratio_seen` is cost / lower_bound of this
    run. `theorem_cost` is the cost before improvement, where an algorithm improves what it proved.

    Examples
    --------
    >>> from shoal.partition import gather
    >>> found = gather([[0.0], [1.0], [10.0], [11.0]], k=2)
    >>> found.n_groups, found.sizes.tolist(), found.ratio_seen
    (2, [2, 2], 1.0)
    """

    labels: Labels
    method: str
    objective: str
    cost: float
    lower_bound: float = 0.0
    ratio_proved: Fraction | None = None
    theorem: str | None = None
    centers: Floats | Labels | None = None
    radii: Floats | None = None
    theorem_cost: float | None = None
    notes: tuple[str, ...] = ()
    timed_out: bool = False
    """A time limit ended a search before its effort was spent."""
    levels: Mapping[str, int] | None = None
    """The level of every column, where each column is published at one level of its hierarchy."""
    repair: Repair | None = None
    """What it took to meet requirements that the method does not know of; None where its groups met them."""
    candidates: Mapping[str, float] | None = None
    """The cost of every way that was tried, where several were; the cheapest is this one."""
    outlier_curve: tuple[LeftOut, ...] = ()
    """What leaving out more or fewer records would have cost."""
    counterfeits: int = 0
    """Of the records, those that are made up."""
    details: Details = Details()
    """Numbers that only some functions report."""

    def __repr__(self) -> str:
        left_out = f", {self.n_suppressed} left out" if self.n_suppressed else ""
        return brief(self, f"{len(self.labels)} records in {self.n_groups} groups by {self.method}{left_out}")

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def sizes(self) -> Labels:
        """Records per group."""
        kept = self.labels[self.labels >= 0]
        return np.bincount(kept, minlength=self.n_groups).astype(np.int64)

    @property
    def n_suppressed(self) -> int:
        """The number of records left out."""
        return int(np.count_nonzero(self.labels < 0))

    @property
    def ratio_seen(self) -> float | None:
        """At least the true ratio of this run; None where the bound says nothing."""
        if self.cost == 0:
            return 1.0
        return self.cost / self.lower_bound if self.lower_bound > 0 else None

    def without_claim(self, reason: str, **changes: Any) -> Partition:
        """The same groups after a change that the theorem does not cover.

        Parameters
        ----------
        reason : str
            A sentence for `notes`.
        **changes : Any
            Fields that are other than before.

        Returns
        -------
        Partition
            With neither ratio nor theorem.
        """
        return replace(self, ratio_proved=None, theorem=None, notes=(*self.notes, reason), **changes)


def share_of(share: float | Fraction, n: int) -> int:
    """So many of `n` records at most. The share counts as it is written: 0.29 of 100 records are 29 of them."""
    return math.floor(Fraction(str(share)) * n)


def number_groups(labels: npt.ArrayLike) -> Labels:
    """Renumber groups 0, 1, ... by first record; negative labels become -1."""
    raw = np.asarray(labels)
    if raw.ndim == 1 and raw.dtype == np.int64 and len(raw) and raw.max() < len(raw):
        return _number_small(raw)
    values, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    kept = np.flatnonzero(values >= 0)
    fresh = np.full(len(values), -1, dtype=np.int64)
    fresh[kept[np.argsort(first[kept], kind="stable")]] = np.arange(len(kept))
    return fresh[inverse]


def _number_small(labels: Labels) -> Labels:
    """The same without sorting: no label is as large as there are records."""
    n = len(labels)
    labels = np.where(labels < 0, n, labels)
    first = np.full(n + 1, n, dtype=np.int64)
    first[labels[::-1]] = np.arange(n - 1, -1, -1)  # of several records the last one written stays: the first of all
    first[n] = n
    begins = np.zeros(n + 1, dtype=np.int64)
    begins[first[first < n]] = 1
    number = np.cumsum(begins) - 1
    number[n] = -1
    return number[first[labels]]


Ratio = Fraction | Callable[[int], Fraction] | None


@dataclass(frozen=True, slots=True)
class Guarantee:
    """`cost <= ratio * optimum`, by `theorem` (an id under docs/proofs). `ratio` may depend on k.

    None: it depends on what the run finds, and `Partition.ratio_proved` has it.

    Examples
    --------
    >>> from shoal.partition import guarantees
    >>> by_theorem = {one.theorem: one for one in guarantees()}
    >>> by_theorem["FOREST-1"].ratio_for(5)
    Fraction(10, 1)
    """

    function: str
    objective: str
    ratio: Ratio
    theorem: str

    def ratio_for(self, k: int) -> Fraction | None:
        """The ratio that is proved for groups of `k`.

        Parameters
        ----------
        k : int
            The least size of a group.

        Returns
        -------
        Fraction or None
            None where it depends on the run.
        """
        return self.ratio(k) if callable(self.ratio) else self.ratio


_registry: dict[str, Guarantee] = {}
P = ParamSpec("P")


class Proved(Protocol[P]):
    """A partitioning function that can be asked what is proved of it: `gather.guarantee`, `gather.guarantees`.

    Examples
    --------
    >>> from shoal.partition import gather
    >>> gather.guarantee.theorem, gather.guarantee.ratio
    ('GATHER-1', Fraction(2, 1))
    """

    __name__: str
    guarantee: Guarantee
    """The first of `guarantees`: what is proved of the plainest case."""
    guarantees: tuple[Guarantee, ...]
    """What is proved of it, case by case."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Partition: ...


class Heuristic(Protocol[P]):
    """A partitioning function of which, as it is called by default, no ratio is proved.

    Examples
    --------
    >>> from shoal.partition import mondrian
    >>> mondrian.guarantee is None
    True
    """

    __name__: str
    guarantee: None
    guarantees: tuple[Guarantee, ...]
    """What is proved of its variants, if anything."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Partition: ...


def guarantee(*, objective: str, ratio: Ratio, theorem: str) -> Callable[[Callable[P, Partition]], Proved[P]]:
    """Register what is proved of a function and attach it, so that it can be asked for and tests run over all of it.

    May be stacked: a function with several cases has one theorem per case, the plainest on top.
    """

    def register(function: Callable[P, Partition]) -> Proved[P]:
        proved = cast(Proved[P], function)
        _registry[theorem] = Guarantee(proved.__name__, objective, ratio, theorem)
        proved.guarantee = _registry[theorem]
        proved.guarantees = (_registry[theorem], *getattr(function, "guarantees", ()))
        return proved

    return register


def heuristic(*variants: Proved[Any]) -> Callable[[Callable[P, Partition]], Heuristic[P]]:
    """Attach to a function that nothing is proved of it, except where it calls one of `variants`."""

    def attach(function: Callable[P, Partition]) -> Heuristic[P]:
        unproved = cast(Heuristic[P], function)
        unproved.guarantee = None
        unproved.guarantees = tuple(one for variant in variants for one in variant.guarantees)
        return unproved

    return attach


def guarantees(method: str | None = None) -> tuple[Guarantee, ...]:
    """Return everything proved, by theorem id; or what is proved of a `method` that a policy can name.

    Parameters
    ----------
    method : str, optional
        A method, such as "gather".

    Returns
    -------
    tuple of Guarantee
        One per theorem.

    Raises
    ------
    ParameterError
        If there is no such method.

    Examples
    --------
    >>> from shoal.partition import guarantees
    >>> guarantees()[0].theorem
    'CELLULAR-1'
    >>> [one.theorem for one in guarantees("forest")]
    ['FOREST-1']
    """
    if method is None:
        return tuple(_registry[name] for name in sorted(_registry))
    if method not in METHODS:
        raise ParameterError(f"method={method} is not known.", f"choose one of {', '.join(METHODS)}.")
    return tuple(_registry[name] for name in METHODS[method].theorems)
