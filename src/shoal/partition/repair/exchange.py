"""Exchange records between neighboring groups, so that fewer groups have to be merged to meet the requirements.

Problem     given groups of which some miss a requirement (l-diversity, t-closeness), reduce the shortfall at the
            smallest increase of the loss.
Guarantee   no group's size changes, no group that meets the requirements ceases to, and the sum over groups of
            size x shortfall never rises. `repair` removes the shortfall that is left. No ratio.
Complexity  at most EXCHANGE_ROUNDS rounds. Each evaluates up to TRIALS exchanges by recounting the two groups, and
            makes those with the smallest increase of the loss per shortfall removed, with every group in at most one
            exchange.

Notes
-----
A failing group exchanges records with the groups nearest to it. How an exchange of two records changes the shortfall
depends only on their sensitive values. So for each pair of groups and each pair of values, only the two records that
are nearest to each other are considered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.partition.repair.merge import GroupBoxes, shortfall_of
from shoal.partition.result import Floats, Labels
from shoal.requirements import Records, Requirement, Tally
from shoal.requirements.requirement import TOLERANCE
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space

EXCHANGE_ROUNDS = 30
NEAREST = 8
MOST_VALUES = 64
"""In a column with more distinct values than this, groups rich in the value that another lacks are not sought."""
TRIALS = 150_000
"""The most exchanges evaluated in a round. To find them, about 20 times as many pairs of records are compared."""


class _Trials(NamedTuple):
    """Possible exchanges: record `away` of group `group` changes places with record `back` of group `other`."""

    group: Labels
    other: Labels
    away: Labels
    back: Labels


def exchange_records(
    labels: Labels, space: Space, requirements: Sequence[Requirement], records: Records, *, squared: bool
) -> Labels:
    """Return the labels after exchanges that reduce the shortfall; unchanged if no exchange does.

    With `squared` the loss of a group is its squared error, otherwise its size x the diagonal of its bounding box.
    The result does not depend on the order of rows unless two exchanges tie.
    """
    labels = labels.copy()
    values = _values(records)
    with progress.step("exchanging records", total=EXCHANGE_ROUNDS) as advance:
        for _ in range(EXCHANGE_ROUNDS):
            tally = Tally.of(labels, records)
            short = shortfall_of(tally, requirements)
            failing = np.flatnonzero(short)
            if not len(failing) or len(short) < 2:
                break
            groups = GroupBoxes.of(labels, space, records, tally)
            trials = _candidates(labels, space, groups, tally, values, failing)
            chosen = _cheapest(trials, labels, space, groups, tally, short, requirements, records, squared=squared)
            if not len(chosen.group):
                break
            labels[chosen.away], labels[chosen.back] = chosen.other, chosen.group
            advance(1)
    return labels


def _values(records: Records) -> Labels:
    """Return a code per record that is equal for records with equal values in all sensitive columns."""
    if not records.sensitive:
        return np.zeros(records.n_rows, dtype=np.int64)
    table = np.column_stack([codes for _, codes in sorted(records.sensitive.items())])
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _candidates(
    labels: Labels, space: Space, groups: GroupBoxes, tally: Tally, values: Labels, failing: Labels
) -> _Trials:
    """Return exchanges to evaluate: for a failing group, another group and two values, the nearest such records."""
    group, other = _partners(groups, tally, failing)
    work = np.cumsum(groups.size[group] * groups.size[other])
    some = max(1, int(np.searchsorted(work, 20 * TRIALS)))
    group, other = group[:some], other[:some]
    members = np.argsort(labels, kind="stable")
    members = members[labels[members] >= 0]
    start = np.cumsum(groups.size) - groups.size
    pairs = groups.size[group] * groups.size[other]
    which = np.repeat(np.arange(len(group)), pairs)
    at = np.arange(len(which)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    width = groups.size[other][which]
    away = members[start[group[which]] + at // width]
    back = members[start[other[which]] + at % width]
    differ = values[away] != values[back]
    which, away, back = which[differ], away[differ], back[differ]
    gap = Neighbors(space).distance(away, back)
    span = int(values.max(initial=0)) + 1
    key = (which * span + values[away]) * span + values[back]
    order = np.lexsort((gap, key))
    first = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    first = first[np.argsort(gap[first], kind="stable")[:TRIALS]]
    return _Trials(group[which[first]], other[which[first]], away[first], back[first])


def _partners(groups: GroupBoxes, tally: Tally, failing: Labels) -> tuple[Labels, Labels]:
    """Return pairs of a failing group and another group to exchange records with, each pair once.

    The other groups are the nearest ones and, per sensitive column, the nearest among those in which the value that
    the failing group lacks most has a larger share than in the whole table.
    """
    near = Neighbors(groups.space).nearest(min(NEAREST + 1, len(groups.size)), rows=failing)[1]
    found = [np.column_stack((np.repeat(failing, near.shape[1]), near.ravel()))]
    counts = tally.counts()
    for name, held in counts.sensitive.items():
        total = counts.totals[name]
        if len(total) > MOST_VALUES:
            continue
        surplus = np.zeros((len(groups.size), len(total)))
        surplus[held.groups, held.keys] = held.shares()
        surplus -= total / total.sum()
        lacked = surplus[failing].argmin(axis=1)
        for value in np.unique(lacked):
            rich, poor = np.flatnonzero(surplus[:, value] > 0), failing[lacked == value]
            if len(rich):
                tree = Neighbors(groups.space.take(rich))
                near = rich[tree.nearest(min(NEAREST, len(rich)), groups.space.coordinates[poor])[1]]
                found.append(np.column_stack((np.repeat(poor, near.shape[1]), near.ravel())))
    pairs = np.unique(np.concatenate(found), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return pairs[:, 0], pairs[:, 1]


def _cheapest(
    trials: _Trials,
    labels: Labels,
    space: Space,
    groups: GroupBoxes,
    tally: Tally,
    short: Floats,
    requirements: Sequence[Requirement],
    records: Records,
    *,
    squared: bool,
) -> _Trials:
    """Return the exchanges to make, in ascending order of loss increase per shortfall removed.

    Each removes some shortfall, raises that of neither group, and shares no group with an earlier one.
    """
    n = len(trials.group)
    here, there = _after(trials, labels, groups)
    rows, trial = np.concatenate((here[0], there[0])), np.concatenate((here[1], there[1] + n))
    counted = Tally.of(trial, records.take(rows))
    missing = shortfall_of(replace(counted, totals=tally.totals), requirements)
    size = groups.size
    before = size[trials.group] * short[trials.group] + size[trials.other] * short[trials.other]
    after = size[trials.group] * missing[:n] + size[trials.other] * missing[n:]
    removed = before - after
    fits = (removed > TOLERANCE) & (missing[n:] <= short[trials.other] + TOLERANCE)
    fits &= missing[:n] <= short[trials.group] + TOLERANCE
    rise = (_squared_rise if squared else _box_rise)(trials, space, groups, rows, trial)
    price = np.where(fits, np.maximum(rise, 0.0) / np.where(fits, removed, 1.0), np.inf)
    order = np.lexsort((np.arange(n), price))
    order = order[np.isfinite(price[order])]
    taken = bytearray(len(size))
    kept = []
    for at, g, h in zip(order.tolist(), trials.group[order].tolist(), trials.other[order].tolist(), strict=True):
        if not taken[g] and not taken[h]:
            taken[g] = taken[h] = 1
            kept.append(at)
    return _Trials(*(part[kept] for part in trials))


def _after(
    trials: _Trials, labels: Labels, groups: GroupBoxes
) -> tuple[tuple[Labels, Labels], tuple[Labels, Labels]]:
    """Return the members that each of the two groups of every exchange would have after it.

    For either group these are two arrays of equal length: the records, and the index of the exchange.
    """
    members = np.argsort(labels, kind="stable")
    members = members[labels[members] >= 0]
    start = np.cumsum(groups.size) - groups.size

    def listed(group: Labels, leaves: Labels, joins: Labels) -> tuple[Labels, Labels]:
        """Return the members of `group` with `joins` in place of `leaves`, and the exchange that each belongs to."""
        size = groups.size[group]
        trial = np.repeat(np.arange(len(group)), size)
        place = np.arange(len(trial)) - np.repeat(np.cumsum(size) - size, size)
        rows = members[start[group][trial] + place]
        return np.where(rows == leaves[trial], joins[trial], rows), trial

    return listed(trials.group, trials.away, trials.back), listed(trials.other, trials.back, trials.away)


def _box_rise(trials: _Trials, space: Space, groups: GroupBoxes, rows: Labels, trial: Labels) -> Floats:
    """Return the increase of size x box diagonal, summed over both groups, for every exchange."""
    n, size = len(trials.group), groups.size
    start = np.flatnonzero(np.diff(trial, prepend=-1))
    points = space.coordinates[rows]
    diagonal = groups.diagonal(np.minimum.reduceat(points, start, axis=0), np.maximum.reduceat(points, start, axis=0))
    spread = size * groups.diagonal(groups.low, groups.high)
    after = size[trials.group] * diagonal[:n] + size[trials.other] * diagonal[n:]
    rise: Floats = after - spread[trials.group] - spread[trials.other]
    return rise


def _squared_rise(trials: _Trials, space: Space, groups: GroupBoxes, _rows: Labels, _trial: Labels) -> Floats:
    """Return the increase of the squared error, summed over both groups and computed from their means."""
    x, y = space.coordinates[trials.away], space.coordinates[trials.back]
    mean = groups.space.coordinates
    apart = ((x - y) ** 2).sum(axis=1)
    total = np.zeros(len(x))
    for group, leaves, joins in ((trials.group, x, y), (trials.other, y, x)):
        gained = ((joins - mean[group]) ** 2).sum(axis=1) - ((leaves - mean[group]) ** 2).sum(axis=1)
        total += gained - apart / groups.size[group]
    return total
