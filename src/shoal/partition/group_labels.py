"""Labels of groups, numbered in the order of their first records."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.partition.result import Labels


def number_groups(labels: npt.ArrayLike) -> Labels:
    """Return the labels renumbered 0, 1, ... in the order of first records; negative labels become -1."""
    raw = np.asarray(labels)
    if raw.ndim == 1 and raw.dtype == np.int64 and len(raw) and raw.max() < len(raw):
        return _number_small(raw)
    values, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    kept = np.flatnonzero(values >= 0)
    fresh = np.full(len(values), -1, dtype=np.int64)
    fresh[kept[np.argsort(first[kept], kind="stable")]] = np.arange(len(kept))
    return fresh[inverse]


def _number_small(labels: Labels) -> Labels:
    """Return the same as `number_groups` without sorting, for labels that are smaller than the number of records."""
    n = len(labels)
    labels = np.where(labels < 0, n, labels)
    first = np.full(n + 1, n, dtype=np.int64)
    first[labels[::-1]] = np.arange(n - 1, -1, -1)  # later writes win, so each group keeps its first record
    first[n] = n
    begins = np.zeros(n + 1, dtype=np.int64)
    begins[first[first < n]] = 1
    number = np.cumsum(begins) - 1
    number[n] = -1
    return number[first[labels]]
