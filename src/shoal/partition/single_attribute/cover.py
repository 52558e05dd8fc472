"""Grouping unordered labels into classes of at least k people, such that the largest class is smallest.

Problem     split labels, each with a number of people, into classes of at least k people, minimizing the largest
            class (min-max bin covering). Labels may be combined in any way.
Guarantee   `fold`: cost <= 3 x optimum, theorem COVER-1. `spread`: 5/2, COVER-2. `halves`: 2, COVER-3, which no
            polynomial algorithm can better unless P = NP; `best` begins with `halves` and only improves it.
            `exact`: 1, COVER-4. `scheme` makes classes that may have fewer than k people, COVER-5.
            docs/proofs/cover.md.
Complexity  O(n log n) for `fold`, `halves` and, without its exact search, `spread`; `best` makes at most a fixed
            number of exchanges per class besides. Deterministic; labels of equal weight are interchangeable.

References
----------
.. [1] W. Du, D. Eppstein, M. T. Goodrich and G. S. Lueker (2009). "On the approximability of geometric and
   geographic generalization and the min-max bin covering problem." WADS 2009, LNCS 5664: section 4.
.. [2] P. Berman and S. Raskhodnikova (2014). "Approximation algorithms for min-max generalization problems."
   ACM Transactions on Algorithms 11(1): that 2 can be reached.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from shoal.errors import ParameterError, whole_number
from shoal.partition.group_labels import number_groups
from shoal.partition.guarantee import guarantee
from shoal.partition.parameters import checked
from shoal.partition.result import Details, Labels, Partition
from shoal.partition.single_attribute.cover_bound import cover_bound
from shoal.partition.single_attribute.cover_greedy import fold, halves, loads_of, spread
from shoal.partition.single_attribute.cover_improve import best
from shoal.partition.single_attribute.cover_packings import least_largest
from shoal.partition.single_attribute.cover_scheme import scheme
from shoal.partition.single_attribute.weights import whole_weights

PROVED = {
    "fold": (Fraction(3), "COVER-1"),
    "spread": (Fraction(5, 2), "COVER-2"),
    "halves": (Fraction(2), "COVER-3"),
    "best": (Fraction(2), "COVER-3"),
    "exact": (Fraction(1), "COVER-4"),
}
METHODS = (*PROVED, "scheme")


@guarantee(objective="largest class", ratio=Fraction(3), theorem="COVER-1")
@guarantee(objective="largest class", ratio=Fraction(5, 2), theorem="COVER-2")
@guarantee(objective="largest class", ratio=Fraction(2), theorem="COVER-3")
@guarantee(objective="largest class", ratio=Fraction(1), theorem="COVER-4")
@checked
def cover(
    weights: npt.ArrayLike,
    k: int,
    *,
    method: Literal["fold", "spread", "halves", "best", "exact", "scheme"] = "best",
    epsilon: float | Fraction | None = None,
    keep_order: bool = False,
) -> Partition:
    """Return classes of labels held by at least `k` people each, the largest at most 2 times the smallest possible.

    The ratio is that of methods `best` and `halves` (COVER-3); `fold` has 3 (COVER-1), `spread` 5/2 (COVER-2), and
    `exact` is optimal (COVER-4). Classes of `scheme` may fall short of `k` (COVER-5). See docs/proofs/cover.md.

    Parameters
    ----------
    weights : array of shape (n,)
        The number of people who hold each label.
    k : int
        The least number of people in a class, at least 1.
    method : {"fold", "spread", "halves", "best", "exact", "scheme"}, default "best"
        The algorithm.
    epsilon : float or Fraction, optional
        For `scheme`, above 0 and below 1/2: its classes may hold as few as (1 - 2 epsilon) k people.
    keep_order : bool, default False
        Whether `fold` takes the labels as they are given, not from heavy to light.

    Returns
    -------
    Partition
        `labels` has the class of every label, ``details.class_weights`` the people of every class.

    Raises
    ------
    ParameterError
        If a parameter is out of its range or belongs to another method, or labels are too many for `exact`.
    InfeasibleError
        If there are fewer than `k` people.

    Examples
    --------
    >>> from shoal.partition import cover
    >>> found = cover([5, 4, 3, 2, 1, 1], k=8)
    >>> sorted(found.details.class_weights.tolist()), found.lower_bound
    ([8, 8], 8.0)
    """
    if method not in METHODS:
        raise ParameterError(f"cover has no method {method!r}.", f"take one of {', '.join(METHODS)}.")
    if (method == "scheme") != (epsilon is not None):
        raise ParameterError(
            "epsilon belongs to method='scheme', and that method needs it.",
            "scheme may make classes of fewer than k people; every other method keeps k.",
        )
    if keep_order and method != "fold":
        raise ParameterError(f"keep_order belongs to method='fold', not to {method!r}.")
    k = whole_number("k", k, 1)
    people = whole_weights(weights, k, what="labels")
    held = np.flatnonzero(people)
    order = held if keep_order else held[np.argsort(-people[held], kind="stable")]
    sizes = people[order]
    bound = cover_bound(-np.sort(-sizes), k)
    extra: dict[str, Any] = {}
    if method == "scheme":
        share = _share(epsilon)
        classes = scheme(sizes, k, share, int(loads_of(sizes, halves(sizes, k)).max()))
        extra = _relaxed(sizes, k, share)
    elif method == "fold":
        classes = fold(sizes, k)
    elif method == "halves":
        classes = halves(sizes, k)
    elif method == "spread":
        classes, extra = _spread(sizes, k, bound)
    else:
        classes, optimal = best(sizes, k, bound)
        if method == "exact" and not optimal:
            found = least_largest(sizes, k, classes)
            if found is None:
                raise ParameterError(
                    f"{len(sizes)} labels are too many for an exact search at k={k}.",
                    "take method='best': it is within twice the optimum, and its lower_bound says how near.",
                )
            classes, optimal = found, True
        if optimal:
            extra = {"lower_bound": float(loads_of(sizes, classes).max())}
    return _partition(people, order, classes, method, bound, extra)


def _spread(sizes: Labels, k: int, bound: int) -> tuple[Labels, dict[str, Any]]:
    """Return the classes of theorem 10, with the exact search for few classes, or `best` if that is too large."""
    classes = spread(sizes, k)
    if classes is not None:
        return classes, {}
    classes, optimal = best(sizes, k, bound)
    if not optimal:
        found = least_largest(sizes, k, classes)
        classes, optimal = (found, True) if found is not None else (classes, False)
    if optimal:
        return classes, {"lower_bound": float(loads_of(sizes, classes).max())}
    note = "too many labels for an exact search of few classes: these are within twice the optimum (COVER-3)"
    return classes, {"notes": (note,)}


def _share(epsilon: float | Fraction | None) -> Fraction:
    """Return epsilon as an exact fraction; raise a ParameterError unless it is between 0 and 1/2."""
    share = Fraction(str(epsilon)).limit_denominator(1000)
    if not 0 < share < Fraction(1, 2):
        raise ParameterError(f"epsilon must be above 0 and below 1/2; it is {float(share):g}.")
    return share


def _relaxed(sizes: Labels, k: int, share: Fraction) -> dict[str, Any]:
    """Return what the scheme guarantees instead of k: the relaxed k, its lower bound, and notes that say so."""
    least = -(-((1 - 2 * share) * k) // 1)
    return {
        "relaxed_k": int(least),
        "lower_bound": float(cover_bound(sizes, int(least))),
        "notes": (
            f"NOT k-anonymous: scheme relaxes k={k} to {least}; classes may have as few as {least} people",
            f"the largest class has at most (1 + {share}) x (optimum for k={k} + {share} x {k}) people: COVER-5",
        ),
    }


def _partition(
    people: Labels, order: Labels, classes: Labels, method: str, bound: int, extra: dict[str, Any]
) -> Partition:
    """Return the Partition of all labels; labels without people are distributed over the classes."""
    n_classes = int(classes.max()) + 1
    labels = np.empty(len(people), dtype=np.int64)
    labels[order] = classes
    unused = np.flatnonzero(people == 0)
    labels[unused] = np.arange(len(unused)) % n_classes  # labels without people may go to any class
    labels = number_groups(labels)
    loads = np.bincount(labels, weights=people).astype(np.int64)
    ratio, theorem = PROVED.get(method, (None, None))
    return Partition(
        labels=labels,
        method=method,
        objective="largest class",
        cost=float(loads.max()),
        lower_bound=extra.pop("lower_bound", float(bound)),
        ratio_proved=ratio,
        theorem=theorem,
        notes=extra.pop("notes", ()),
        details=Details(class_weights=loads, **extra),
    )
