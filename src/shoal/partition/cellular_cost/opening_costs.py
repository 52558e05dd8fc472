"""Opening costs: one per record, checked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.errors import ParameterError
from shoal.partition.result import Floats


def summable(opening: Floats, distances: Floats, n: int) -> Floats:
    """Return the opening costs; raise a ParameterError if sums of them and such distances would overflow."""
    if not 2 * n * n * (float(distances.max()) + float(opening.max())) < np.inf:
        raise ParameterError(
            "sums of these distances and opening costs are beyond floating-point numbers.",
            "divide the points and the opening costs by a large number.",
        )
    return opening


def opening_costs(opening_cost: npt.ArrayLike | None, n: int) -> Floats:
    """Return one opening cost per record; raise a ParameterError unless all are finite and at least 0."""
    given = np.asarray(0.0 if opening_cost is None else opening_cost, dtype=np.float64)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n):
        raise ParameterError(f"opening_cost is a number or one number per record, {n}; its shape is {given.shape}.")
    if not np.isfinite(given).all() or (given < 0).any():
        raise ParameterError("opening_cost has entries that are negative or not finite; each must be at least 0.")
    return np.ascontiguousarray(np.broadcast_to(given, n))
