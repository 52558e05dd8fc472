"""Improving a cover beyond its theorem: even classes by heaviest-first, then exchanges, then an exact search."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.partition.result import Labels
from shoal.partition.single_attribute.cover_bound import cover_bound, most_classes
from shoal.partition.single_attribute.cover_greedy import halves, loads_of, spread_out
from shoal.partition.single_attribute.cover_packings import least_largest

TRIES = 8
"""How many numbers of classes, around the largest feasible one, are tried with exchanges if the bound is not met."""
STEPS = 1000
"""Exchanges per try at most."""
PARTNERS = 64
"""A class exchanges items with at most so many of the lightest and so many of the heaviest classes."""
STATES = 40_000
"""Loads per layer that the exact search may keep if the user did not ask for it: a tenth of its usual limit."""
SEARCHED = 400
"""Most items for which the exact search is tried; with more items, classes come out even without it."""


def best(sizes: Labels, k: int, bound: int) -> tuple[Labels, bool]:
    """Return the best classes found, never worse than those of `halves`, and whether they are proved optimal."""
    found = _Best(sizes, k, halves(sizes, k))
    alone = int(np.count_nonzero(sizes >= k))
    if alone and sizes[alone:].sum() >= k:  # an oversize item may decide the cost; the others should still be even
        others, _ = best(sizes[alone:], k, cover_bound(sizes[alone:], k))
        found.offer(np.concatenate((np.arange(alone), others + alone)), even_if_equal=True)
    _try_numbers(found, bound)
    if found.cost > bound:
        found.offer(exchange_labels(sizes, found.classes.copy(), k))
    if found.cost == bound:
        return found.classes, True
    optimal = least_largest(sizes, k, found.classes, limit=STATES) if len(sizes) <= SEARCHED else None
    return (found.classes, False) if optimal is None else (optimal, True)


@dataclass(slots=True)
class _Best:
    """The best classes offered so far: those whose heaviest class is lightest."""

    sizes: Labels
    k: int
    classes: Labels
    cost: int = field(init=False)

    def __post_init__(self) -> None:
        self.cost = int(loads_of(self.sizes, self.classes).max())

    def offer(self, classes: Labels, *, even_if_equal: bool = False) -> bool:
        """Keep `classes` if they are better; return whether all of them weigh at least k."""
        loads = loads_of(self.sizes, classes)
        if loads.min() < self.k:
            return False
        if loads.max() < self.cost or (even_if_equal and loads.max() == self.cost):
            self.classes, self.cost = classes, int(loads.max())
        return True


def _try_numbers(found: _Best, bound: int) -> None:
    """Try even classes (heaviest item first to the lightest class) for several numbers of classes.

    It starts with the largest possible number and ends when the bound is met.
    """
    sizes, k = found.sizes, found.k
    total, most = int(sizes.sum()), most_classes(sizes, k)
    amid = max(1, min(most, round(2 * total / (k + bound))))  # even classes then weigh about (k + bound) / 2

    def even(n_classes: int) -> Labels:
        return spread_out(sizes, np.full(len(sizes), -1, dtype=np.int64), n_classes)

    for n_classes in dict.fromkeys((most, amid)):
        if found.cost > bound:
            found.offer(exchange_labels(sizes, even(n_classes), k))
    low, high = int(found.classes.max()) + 1, most
    while found.cost > bound and high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if found.offer(even(middle)) else (low, middle)
    for n_classes in range(min(most, low + TRIES // 2), max(0, low - TRIES // 2), -1):
        if bound < found.cost and -(-total // n_classes) < found.cost:
            found.offer(exchange_labels(sizes, even(n_classes), k))


def exchange_labels(sizes: Labels, classes: Labels, k: int) -> Labels:
    """Move an item or swap two, as long as that makes the heaviest class lighter, or one below k heavier.

    Two loads come closer at every step, so this ends; the number of steps is limited besides. `classes` is
    overwritten.
    """
    loads = loads_of(sizes, classes)
    order = np.argsort(classes, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(classes))[:-1])
    for _ in range(min(4 * len(loads) + 100, STEPS)):
        if not (
            _evened(sizes, members, loads, int(loads.argmax()))
            or (loads.min() < k and _evened(sizes, members, loads, int(loads.argmin())))
        ):
            break
    classes[np.concatenate(members)] = np.repeat(np.arange(len(members)), [len(own) for own in members])
    return classes


def _evened(sizes: Labels, members: list[Labels], loads: Labels, one: int) -> bool:
    """Make the best move or swap between class `one` and another class; return whether there was any."""
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
        if one == light:  # class `one` is to become heavier rather than lighter
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
    """Return the size to give and the size to take back (0: none) that bring two loads closest together.

    None if no such step brings them closer.
    """
    gives, takes = np.unique(given), np.unique(np.append(taken, 0))
    at = np.searchsorted(takes, gives - apart // 2)
    near = np.stack((np.minimum(at, len(takes) - 1), np.maximum(at - 1, 0)))
    off = np.abs(2 * (gives - takes[near]) - apart)
    row, column = np.unravel_index(np.argmin(off), off.shape)
    if off[row, column] >= apart:
        return None
    return int(gives[column]), int(takes[near[row, column]])
