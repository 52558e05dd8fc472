"""Assigning the labels that remain after all classes are full, as in the experiments of Du et al. (2009)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.kernels._jit import jit

Ints = npt.NDArray[np.int64]


@jit
def spread_leftovers(sizes: Ints, begins: Ints, loads: Ints, n_classes: Ints, heaviest: Ints) -> None:
    """For each row, a separate case, add the remaining labels to classes and write the heaviest class's weight.

    The remaining labels have the weights sizes[begins[row]:]. Each goes to the lightest class, as long as that does
    not raise the maximum; the others are dealt out to the classes in turn. `loads` (rows, largest number of classes)
    has the classes' weights before, of which the first n_classes[row] (at least 1) are used; it is updated in place,
    and heaviest[row] becomes the largest weight.
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
