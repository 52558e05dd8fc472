"""What remains after labels filled classes, handed out as in the experiment of the paper."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Ints = npt.NDArray[np.int64]


@jit
def spread_leftovers(sizes: Ints, begins: Ints, loads: Ints, n_classes: Ints, heaviest: Ints) -> None:
    """Row by row: `sizes[begins[row]:]` go to the lightest class while the heaviest stays, then in turn.

    Expects `loads` of (rows, most classes), of which `n_classes[row]` >= 1 count; they are overwritten, and
    `heaviest[row]` becomes the largest of them.
    """
    for row in range(begins.shape[0]):
        held = loads[row]
        m = n_classes[row]
        top = held[0]
        for c in range(1, m):
            top = max(top, held[c])
        item = begins[row]
        low = 0
        while item < sizes.shape[0]:
            low = 0
            for c in range(1, m):
                if held[c] < held[low]:
                    low = c
            if held[low] + sizes[item] > top:
                break
            held[low] += sizes[item]
            item += 1
        turn = low
        while item < sizes.shape[0]:
            held[turn] += sizes[item]
            top = max(top, held[turn])
            turn = (turn + 1) % m
            item += 1
        heaviest[row] = top
