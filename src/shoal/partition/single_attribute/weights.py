"""Weights (numbers of people) of labels, values or regions: checking them, and a lower bound from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.result import Labels


def whole_weights(weights: npt.ArrayLike, k: int, *, what: str, n: int | None = None) -> Labels:
    """Return `weights` as integers after checking them; `what` names in messages what they are weights of.

    Raises a ParameterError unless they are `n` whole numbers of people, and an InfeasibleError unless they are at
    least `k` in all.
    """
    given = np.asarray(weights)
    if given.ndim != 1 or (n is not None and len(given) != n):
        shape = f" for {n} {what}" if n is not None else ""
        raise ParameterError(f"weights must be one row of numbers{shape}; their shape is {given.shape}.")
    if given.dtype.kind not in "iufb" or not (np.isfinite(given).all() and (given >= 0).all()):
        raise ParameterError(
            "weights must be numbers of people: none negative, none missing.",
            "give one whole number of at least 0 each.",
        )
    whole = np.asarray(given, dtype=np.int64)
    if (whole != given).any():
        raise ParameterError("weights must be whole numbers of people.", "multiply shares by a common denominator.")
    total = int(whole.sum())
    if total < k:
        raise InfeasibleError(
            f"k={k} needs {what} held by at least {k} people; these are held by {total}.",
            f"lower k to {total} or less, or add people." if total > 1 else "add people.",
        )
    return whole


def class_bound(weights: Labels, k: int) -> int:
    """Return a lower bound on the heaviest class: the largest of k, the heaviest weight, and an even share.

    Every class weighs at least k, so there are at most floor(total / k) classes, and one of them weighs at least the
    average. Further restrictions on the classes can only make the heaviest heavier.
    """
    total = int(weights.sum())
    return max(k, int(weights.max()), -(-total // (total // k)))
