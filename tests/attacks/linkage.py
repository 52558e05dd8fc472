"""Linkage: somebody's quasi-identifiers are held against the classes, exactly and by distance, all or some of them.

The attacker picks a row at random among those that are left. `truth` says which released row is whose, so that a try
counts as it should: not at all where the right row is not among them. k promises that no try is right with a
probability above 1 / k.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from tests.attacks.reading import Bools, Classes, Floats, Ints


def exact(classes: Classes, persons: pl.DataFrame, own: Ints, known: Sequence[str] | None = None) -> Floats:
    """The chance of picking each person's own row among all that fit; `own` is the class of each person, or -1."""
    return _chances(classes, classes.fitting(persons, known), own)


def nearest(classes: Classes, persons: pl.DataFrame, own: Ints, known: Sequence[str] | None = None) -> Floats:
    """The same among the rows of the nearest classes."""
    apart = classes.distances(persons, known)
    return _chances(classes, apart <= apart.min(axis=1, keepdims=True) + 1e-9, own)


def _chances(classes: Classes, left: Bools, own: Ints) -> Floats:
    among = left @ classes.people
    right = (own >= 0) & left[np.arange(len(own)), np.maximum(own, 0)]
    return np.where(right, 1.0 / np.maximum(among, 1), 0.0)
