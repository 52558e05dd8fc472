"""PRAM, the post-randomization method, with an invariant matrix.

Guarantee   The expected number of rows with each value, in each stratum, is the number before (PERTURB-1,
            docs/proofs/perturbation.md).

Every cell is kept with probability `keep`; otherwise it becomes the cell of a row of its stratum that is drawn by
chance, perhaps itself. With the shares t of the values in the stratum, the matrix of transition probabilities is
P = keep I + (1 - keep) 1 t', and t' P = t'.

References  Gouweleeuw, Kooiman, Willenborg, de Wolf: Post randomisation for statistical disclosure control, 1998.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def donors(strata: Ints, units: Ints, keep: float, chance: Floats, choice: Floats) -> Ints:
    """Return, for every row, the row whose cell it gets.

    `strata` and `units` are numbered 0, 1, ...; the rows of a unit have equal cells and stay equal, so that the rows
    of a person cannot be averaged. `chance` and `choice` have a uniform number in [0, 1) for every unit, all
    independent.
    """
    order = np.argsort(strata, kind="stable")
    size = np.bincount(strata)
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    _, first = np.unique(units, return_index=True)
    stratum = strata[first]  # of every unit, by its first row
    drawn = np.minimum(np.floor(choice * size[stratum]).astype(np.int64), size[stratum] - 1)
    taken = order[start[stratum] + drawn]
    kept = chance < keep
    rows = np.arange(len(strata))
    found: Ints = np.where(kept[units], rows, taken[units])
    return found
