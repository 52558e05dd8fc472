"""The l-diversity that is possible for given frequencies: Lemmas 4 and 5 of Li, Yi and Zhang, in closed form.

A grouping in which no value is held by more than one in l of a group exists if and only if no value is held by more
than n / l records. Otherwise records must be suppressed, and only records of values that are too frequent (DIVERSE-3,
docs/proofs/diverse.md).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Fewest(NamedTuple):
    """`groups` is p, the largest possible number of groups; `dropped` is q, the fewest records suppressed for it."""

    groups: int
    dropped: int


def fewest_dropped(counts: Ints, l: float) -> Fewest:  # noqa: E741 (the field's own name)
    """Return p and q (see `Fewest`) for values that occur `counts` times.

    m groups hold at most m records of a value, so they exist if the sum of min(m, count) is at least m l. That sum is
    the smallest, over i, of i m + (the records of all but the i most frequent values), so p is a minimum of
    quotients.
    """
    falling = -np.sort(-counts)
    rest = int(falling.sum())
    exact = Fraction(l)
    groups = rest if exact <= 1 else None
    for i in range(len(falling) + 1):
        if i >= exact:
            break
        most = int(rest / (exact - i))
        groups = most if groups is None else min(groups, most)
        rest -= int(falling[i]) if i < len(falling) else 0
    found = groups or 0
    return Fewest(found, int(np.maximum(falling - found, 0).sum()))
