"""Weights of labels, values or regions: how many people hold each. Checked here, and bounded from below."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition.result import Labels


def whole_weights(weights: npt.ArrayLike, k: int, *, what: str, n: int | None = None) -> Labels:
    """`weights` as whole numbers of people, at least `k` in all; `what` names what they are weights of."""
    given = np.asarray(weights)
    if given.ndim != 1 or (n is not None and len(given) != n):
        shape = f" for {n} {what}" if n is not None else ""
        raise ParameterError(f"weights must be one row of numbers{shape}; their shape is {given.shape}.")
    if given.dtype.kind not in "iufb" or not (np.isfinite(given).all() and (given >= 0).all()):
        raise ParameterError("weights must be numbers of people: none negative, none missing.")
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
    """What some class weighs in any case: k, the heaviest weight, or an even share of the most classes there can be.

    Every class holds at least k, so there are at most floor(total / k), and one of them holds its share or more. Any
    restriction on the classes only makes them heavier.
    """
    total = int(weights.sum())
    return max(k, int(weights.max()), -(-total // (total // k)))
