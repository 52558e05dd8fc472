"""How often each value occurs decides what diversity is possible: Lemmas 4 and 5 of Li, Yi and Zhang, in closed form.

Groups in which no value is held by more than one in l exist exactly if no value is held by more than n / l records.
Otherwise records must go, and only of values that are held too often (DIVERSE-3, docs/proofs/diverse.md).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Fewest(NamedTuple):
    """`groups` is p, the most groups that can be made, and `dropped` is q, the fewest records left out for it."""

    groups: int
    dropped: int


def fewest_dropped(counts: Ints, l: float) -> Fewest:  # noqa: E741 (the field's own name)
    """The numbers p and q of values that occur `counts` times.

    m groups hold at most m records of a value, so they exist if the sum of min(m, count) is at least m l. That sum is
    the smallest, over i, of i m + (the records of all but the i most frequent values): p is a minimum of quotients.
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
