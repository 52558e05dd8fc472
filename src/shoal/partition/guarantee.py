"""The registry of proved approximation ratios, and the decorators that attach them to partitioning functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ParamSpec, Protocol, cast

from shoal.errors import ParameterError
from shoal.method_table import METHODS
from shoal.partition.result import Partition

Ratio = Fraction | Callable[[int], Fraction] | None


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A proof that `cost <= ratio * optimum`: the theorem with the id `theorem` under docs/proofs.

    `ratio` is a number, a function of k, or None if it depends on the run; then `Partition.ratio_proved` has it.

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
        """Return the ratio that is proved for groups of at least `k` records.

        Parameters
        ----------
        k : int
            The least number of records in a group.

        Returns
        -------
        Fraction or None
            The ratio; None if it depends on the run.
        """
        return self.ratio(k) if callable(self.ratio) else self.ratio


_registry: dict[str, Guarantee] = {}
P = ParamSpec("P")


class Proved(Protocol[P]):
    """A partitioning function with a proved ratio, found as `gather.guarantee` and `gather.guarantees`.

    Examples
    --------
    >>> from shoal.partition import gather
    >>> gather.guarantee.theorem, gather.guarantee.ratio
    ('GATHER-1', Fraction(2, 1))
    """

    __name__: str
    guarantee: Guarantee
    """The first of `guarantees`, which is for the plainest case."""
    guarantees: tuple[Guarantee, ...]
    """One guarantee for each case that has a theorem of its own."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Partition: ...


class Heuristic(Protocol[P]):
    """A partitioning function without a proved ratio for its default arguments.

    Examples
    --------
    >>> from shoal.partition import mondrian
    >>> mondrian.guarantee is None
    True
    """

    __name__: str
    guarantee: None
    guarantees: tuple[Guarantee, ...]
    """The guarantees of its variants; empty if they have none."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Partition: ...


def guarantee(*, objective: str, ratio: Ratio, theorem: str) -> Callable[[Callable[P, Partition]], Proved[P]]:
    """Return a decorator that registers a guarantee and attaches it to the function.

    Tests run over all registered guarantees. The decorator may be stacked: a function with several cases has one
    theorem per case, with the plainest case on top.
    """

    def register(function: Callable[P, Partition]) -> Proved[P]:
        proved = cast(Proved[P], function)
        _registry[theorem] = Guarantee(proved.__name__, objective, ratio, theorem)
        proved.guarantee = _registry[theorem]
        proved.guarantees = (_registry[theorem], *getattr(function, "guarantees", ()))
        return proved

    return register


def heuristic(*variants: Proved[Any]) -> Callable[[Callable[P, Partition]], Heuristic[P]]:
    """Return a decorator that marks a function as having no guarantee, except those of the `variants` it may call."""

    def attach(function: Callable[P, Partition]) -> Heuristic[P]:
        unproved = cast(Heuristic[P], function)
        unproved.guarantee = None
        unproved.guarantees = tuple(one for variant in variants for one in variant.guarantees)
        return unproved

    return attach


def guarantees(method: str | None = None) -> tuple[Guarantee, ...]:
    """Return all guarantees, sorted by theorem id, or those of one `method` that a policy can name.

    Parameters
    ----------
    method : str, optional
        The name of a method, such as "gather".

    Returns
    -------
    tuple of Guarantee
        One guarantee per theorem.

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
