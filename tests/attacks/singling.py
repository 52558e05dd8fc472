"""Predicate singling out by hand: descriptions made of released rows, held against every original, one by one.

A description says what a released row says: each quasi-identifier lies in the published cell, every column that is
published as it is has that very value. It singles out whoever alone fits it (A. Cohen, K. Nissim, PNAS 2020).
Without any release, a description that fits a share w of people fits exactly one of n with probability
n w (1 - w)^(n - 1): at most about 37 %, for w = 1 / n.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import polars as pl

from tests.attacks.reading import Bools, Ints, Seen, texts

BLIND = 1 / np.e
"""What a description made without looking at any release can reach."""


def unlike_others(seen: Seen, columns: Sequence[str]) -> Bools:
    """The rows that no other row equals in these published columns."""
    rows = list(zip(*(texts(seen.frame[name]) for name in columns), strict=True)) or [()] * len(seen.frame)
    times = Counter(rows)
    return np.array([times[row] == 1 for row in rows])


def fitting_originals(seen: Seen, table: pl.DataFrame, rows: Ints, exact: Sequence[str]) -> list[Ints]:
    """Of every description: the originals that it fits. `exact` are the columns taken as they are published."""
    classes = seen.classes()
    fits = classes.fitting(table)
    published = {name: texts(seen.frame[name]) for name in exact}
    raw = {name: np.array(texts(table[name]), dtype=object) for name in exact}
    found = []
    for row in rows.tolist():
        fitting = fits[:, classes.of_row[row]].copy()
        for name in exact:
            fitting &= raw[name] == published[name][row]
        found.append(np.flatnonzero(fitting))
    return found
