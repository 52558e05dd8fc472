"""What only the holder of the raw table knows: whose row is whose. Used to count, never to attack."""

from __future__ import annotations

import numpy as np

import shoal
from tests.attacks.reading import Classes, Ints


def own_classes(release: shoal.Release, classes: Classes, n_people: int) -> Ints:
    """The class of every row of the input in `classes` of the released table; -1 where it was left out."""
    own = np.full(n_people, -1, dtype=np.int64)
    published = release.published
    if published.form != "centers":
        own[release.order[published.rows]] = classes.of_row
        return own
    of_group = np.empty(len(published.groups), dtype=np.int64)
    of_group[published.groups] = classes.of_row
    labels = release.partition.labels
    own[release.order] = np.where(labels >= 0, of_group[np.maximum(labels, 0)], -1)
    return own
