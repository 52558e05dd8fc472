"""Better classes than a theorem promises: even ones by heaviest-first, then exchanges, then a search."""

from __future__ import annotations

import numpy as np

from shoal.partition._cover_greedy import halves, loads_of, spread_out
from shoal.partition._cover_search import least_largest
from shoal.partition._weights import class_bound
from shoal.partition.result import Labels

TRIES = 12
"""Numbers of classes that are tried, where the bound is not met before."""
PARTNERS = 64
"""Classes that a class may exchange items with, lightest and heaviest first."""
STATES = 40_000
"""Loads that the search may keep here, where it was not asked for."""
SEARCHED = 400
"""Items up to which the search is worth its time: with more, classes come out even."""


def best(sizes: Labels, k: int, bound: int) -> tuple[Labels, bool]:
    """The lightest heaviest class found, never heavier than that of `halves`; and whether none can be lighter."""
    classes = halves(sizes, k)
    cost = int(loads_of(sizes, classes).max())
    alone = int(np.count_nonzero(sizes >= k))
    if alone and sizes[alone:].sum() >= k:  # the heaviest may be forced; the others are to be even all the same
        others, _ = best(sizes[alone:], k, class_bound(sizes[alone:], k))
        apart = np.concatenate((np.arange(alone), others + alone))
        if loads_of(sizes, apart).max() <= cost:
            classes, cost = apart, int(loads_of(sizes, apart).max())
    for n_classes in _numbers_of_classes(int(sizes.sum()), k, bound):
        if cost == bound:
            break
        even = spread_out(sizes, np.full(len(sizes), -1, dtype=np.int64), n_classes)
        even, loads = exchange(sizes, even, k)
        if loads.min() >= k and loads.max() < cost:
            classes, cost = even, int(loads.max())
    if cost > bound:
        better, loads = exchange(sizes, classes.copy(), k)
        if loads.min() >= k and loads.max() < cost:
            classes, cost = better, int(loads.max())
    if cost == bound:
        return classes, True
    optimal = least_largest(sizes, k, classes, limit=STATES) if len(sizes) <= SEARCHED else None
    return (classes, False) if optimal is None else (optimal, True)


def _numbers_of_classes(total: int, k: int, bound: int) -> list[int]:
    """As many as there can be; so many that even classes lie amid k and the bound; then fewer and fewer."""
    most = total // k
    amid = min(most, max(1, round(2 * total / (k + bound))))
    return list(dict.fromkeys([most, amid, *range(most - 1, max(0, most - TRIES), -1)]))


def exchange(sizes: Labels, classes: Labels, k: int) -> tuple[Labels, Labels]:
    """Move an item or exchange two while that evens out the heaviest class, or the lightest where it is below k.

    Loads come closer at every step, so the steps end, and they are limited besides. Returns classes and their loads.
    """
    loads = loads_of(sizes, classes)
    order = np.argsort(classes, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(classes))[:-1])
    for _ in range(4 * len(loads) + 100):
        if not (
            _evened(sizes, members, loads, int(loads.argmax()))
            or (loads.min() < k and _evened(sizes, members, loads, int(loads.argmin())))
        ):
            break
    classes[np.concatenate(members)] = np.repeat(np.arange(len(members)), [len(own) for own in members])
    return classes, loads


def _evened(sizes: Labels, members: list[Labels], loads: Labels, one: int) -> bool:
    """One step between class `one` and the partner with which it comes out best; whether there was any."""
    by_load = np.argsort(loads, kind="stable")
    partners = dict.fromkeys([*by_load[:PARTNERS].tolist(), *by_load[-PARTNERS:].tolist()])
    best_step: tuple[int, int, int, int] | None = None
    for other in partners:
        heavy, light = (one, other) if loads[one] > loads[other] else (other, one)
        apart = int(loads[heavy] - loads[light])
        step = _closest(sizes[members[heavy]], sizes[members[light]], apart) if apart > 1 else None
        if step is None:
            continue
        shift = step[0] - step[1]
        off = max(loads[heavy] - shift, loads[light] + shift)
        if one == light:  # the lightest class is to become heavier
            off = -min(loads[heavy] - shift, loads[light] + shift)
        if best_step is None or off < best_step[0]:
            best_step = int(off), heavy, light, apart
    if best_step is None:
        return False
    _, heavy, light, apart = best_step
    step = _closest(sizes[members[heavy]], sizes[members[light]], apart)
    assert step is not None
    for source, target, size in ((heavy, light, step[0]), (light, heavy, step[1])):
        if size:
            at = int(np.flatnonzero(sizes[members[source]] == size)[0])
            members[target] = np.append(members[target], members[source][at])
            members[source] = np.delete(members[source], at)
            loads[source] -= size
            loads[target] += size
    return True


def _closest(given: Labels, taken: Labels, apart: int) -> tuple[int, int] | None:
    """A size to give and one to take back (or 0) that bring two loads closest together; None: none does."""
    gives, takes = np.unique(given), np.unique(np.append(taken, 0))
    at = np.searchsorted(takes, gives - apart // 2)
    near = np.stack((np.minimum(at, len(takes) - 1), np.maximum(at - 1, 0)))
    off = np.abs(2 * (gives - takes[near]) - apart)
    row, column = np.unravel_index(np.argmin(off), off.shape)
    if off[row, column] >= apart:
        return None
    return int(gives[column]), int(takes[near[row, column]])
