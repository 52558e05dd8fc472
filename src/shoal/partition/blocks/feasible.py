"""Whether a part of a table can still meet the requirements in groups of its own, as well as the whole table can."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.partition.blocks.cuts import Sides
from shoal.partition.blocks.plan import Admissible
from shoal.partition.result import Labels
from shoal.requirements import KAnonymity, LDiversity, Records, Requirement, count, values_counted
from shoal.requirements.frequencies import fewest_dropped

TIMES_K, LEAST_ROWS = 50, 1000
"""Every block has at least TIMES_K times k people, and LEAST_ROWS rows."""
KEPT, KEPT_EACH = 0.98, 0.5
"""Of the groups of different values that a part can have, the share that its two sides together must be able to have;
and each side of those that would fall to it by its number of rows."""


def admissible_cuts(requirements: Sequence[Requirement], records: Records, k: int) -> Admissible:
    """Return a function that says whether rows may be divided in two.

    Both sides must have many times k people; each as one group must meet every requirement, t-closeness against the
    distribution of the whole table (the distance of a block is at most the largest of its groups, so a block that is
    farther has no groups that are near enough); and both sides together must have room for nearly as many groups of l
    different values as before (Lemma 4 of Li, Yi and Zhang 2010 says how many that are).
    """
    only_k = records.people is None and all(isinstance(one, KAnonymity) for one in requirements)
    totals = {} if only_k else count(np.zeros(records.n_rows, dtype=np.int64), records).totals
    codes = [(values_counted(one, records), one.l) for one in requirements if isinstance(one, LDiversity)]
    least = max(TIMES_K * k, LEAST_ROWS)

    def admissible(rows: Labels, first: Sides) -> bool:
        if min(int(first.sum()), int((~first).sum())) < least:
            return False
        if only_k:
            return True
        counts = replace(count(np.where(first, 0, 1), records.take(rows)), totals=totals)
        if counts.people.min() < TIMES_K * k or not all(one.holds(counts).all() for one in requirements):
            return False
        return all(_keeps_room(held[rows], first, least_values, k) for held, least_values in codes)

    return admissible


def _keeps_room(codes: Labels, first: Sides, l: float, k: int) -> bool:  # noqa: E741 (the field's own name)
    """Return whether the two sides have room for nearly as many groups with `l` values as all rows have."""
    whole, rooms = _room(codes, l, k), [_room(codes[side], l, k) for side in (first, ~first)]
    shares = (float(first.mean()), 1.0 - float(first.mean()))
    return sum(rooms) >= KEPT * whole and all(
        room >= KEPT_EACH * share * whole for room, share in zip(rooms, shares, strict=True)
    )


def _room(codes: Labels, l: float, k: int) -> int:  # noqa: E741 (the field's own name)
    """Return how many groups of `k` records with `l` different values, none of them twice, the rows can have."""
    known = codes[codes >= 0]
    return min(fewest_dropped(np.bincount(known), math.ceil(l)).groups if len(known) else 0, len(codes) // k)
