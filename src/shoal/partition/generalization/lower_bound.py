"""The sharpest lower bound on the generalization cost that is proved in a fraction of the time of the search, and a
cheaper partition into groups that this bound has found.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from shoal.partition.generalization.cell_bound import ROUNDING, cell_bound
from shoal.partition.generalization.group_bound import Offered, group_offers
from shoal.partition.generalization.known_groups import KnownGroups
from shoal.partition.generalization.set_partitioning import repartitioned
from shoal.partition.result import Labels, Partition
from shoal.partition.rules import Rule
from shoal.space.space import Space

CELL_SECONDS, POINT_SECONDS = 10, 0.002
"""With a time limit of t seconds, the effort for the cell bound is at most t / CELL_SECONDS, which takes less than a
fourth of the time; and the bound by groups is computed if a fourth of the time is POINT_SECONDS for each record."""
LEAST_EFFORT, MOST_RECORDS, MOST_K = 0.2, 25_000, 12
"""The least effort, the most different records, and the largest k for which the bound by groups is computed."""
RECOMBINED = 8
"""With a time limit of t seconds, groups are recombined for at most t / RECOMBINED seconds."""
NEAR_ENOUGH = 1.25
"""If the cost is at most this many times the bound by groups, the bound by cells is not computed as well."""


def searches_groups(space: Space, k: int, effort: float, time_limit: float | None) -> bool:
    """Return whether the bound by groups is computed."""
    in_time = time_limit is None or time_limit / 4 >= POINT_SECONDS * len(space)
    return k <= MOST_K and effort >= LEAST_EFFORT and in_time and len(space.distinct()[1]) <= MOST_RECORDS


def with_sharper_bound(
    found: Partition,
    space: Space,
    k: int,
    *,
    rules: Sequence[Rule] = (),
    close: Sequence[Rule] = (),
    effort: float,
    time_limit: float | None,
    max_suppressed: int,
    cost: Callable[[Labels], float] | None = None,
) -> Partition:
    """Return the partition with the bound by groups or by cells as its lower bound, if that is higher than its own.

    If the `cost` of labels is given, its groups may be replaced by cheaper ones that the bound by groups has found.

    Both take a fraction of the time of the search; the bound by cells knows no rules besides k. `close` are
    rules that follow from t-closeness; they are for the bound by groups alone, and rule out no other. Up to
    `max_suppressed` records may be left out of the groups, each at the cost of a record that says nothing.
    """
    if found.lower_bound in (0.0, found.cost):
        return found
    n_threads = min(2, os.cpu_count() or 1)
    if searches_groups(space, k, effort, time_limit):
        offers = group_offers(
            replace(space, norm=1),
            k,
            found.labels,
            rules=[*rules, *close],
            effort=effort,
            n_threads=n_threads,
        )
        if offers is not None:
            if cost is not None and offers.known is not None:
                found = _recombined(found, space, offers.known, cost, effort, time_limit, n_threads)
            found = _raised(found, _total(offers, space, max_suppressed), "groups")
    if not rules and found.lower_bound * NEAR_ENOUGH < found.cost:
        work = effort if time_limit is None else min(effort, time_limit / CELL_SECONDS)
        found = _raised(found, cell_bound(space, k, effort=work, max_suppressed=max_suppressed), "cells")
    return found


def _recombined(
    found: Partition,
    space: Space,
    known: KnownGroups,
    cost: Callable[[Labels], float],
    effort: float,
    time_limit: float | None,
    n_threads: int,
) -> Partition:
    """Return the partition with its groups replaced by groups that the bound has found, if those cost less."""
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit / RECOMBINED
    labels = repartitioned(
        replace(space, norm=1), found.labels, known, effort=effort, n_threads=n_threads, deadline=deadline
    )
    now = cost(labels)
    return replace(found, labels=labels, cost=now) if now < found.cost else found


def _raised(found: Partition, bound: float, kind: str) -> Partition:
    """Return the partition with the given bound, if that is higher than its own."""
    if bound <= found.lower_bound:
        return found
    return replace(found, lower_bound=bound, details=replace(found.details, bound=kind))


def _total(offered: Offered, space: Space, max_suppressed: int) -> float:
    """Return the sum of the offers without the charges, less what the `max_suppressed` largest offers exceed the cost
    of saying nothing.
    """
    beyond = np.sort(np.maximum(offered.each - space.hidden_cost() * (1 - ROUNDING), 0.0))[::-1]
    gone = math.fsum(beyond[:max_suppressed])
    total = offered.total
    return max(0.0, total - gone - 2.0**-51 * (abs(total) + gone))
