"""Simulated annealing under any loss of groups, by moves and swaps between neighboring groups.

Problem     split n records into groups of k to 2k - 1, minimizing a sum of losses of groups (`GroupLoss`).
Guarantee   never worse than its start; nothing is proved about the optimum.
Complexity  each of the `rounds` makes about n / 4k proposals between disjoint pairs of groups, whose losses are
            computed at once. Deterministic for a seed; a deadline may end it early, which is reported.
"""

from __future__ import annotations

import time

import numpy as np

from shoal import progress
from shoal.partition.group_labels import number_groups
from shoal.partition.microaggregation.annealing import members_of
from shoal.partition.microaggregation.group_loss import GroupLoss, loss_of
from shoal.partition.result import Floats, Labels

HOT, COLD = 0.3, 0.02
"""Temperatures at the start and at the end, in units of the mean loss of a record."""
QUENCH = 0.2
"""Share of the rounds, the last ones, that accept only improvements."""


class _State:
    """The current groups: `member` has the records of each group (-1 for a free place), `slot` their positions."""

    def __init__(self, loss: GroupLoss, labels: Labels, k: int) -> None:
        self.loss, self.k, self.label = loss, k, labels.copy()
        self.member = members_of(labels, 2 * k)
        self.size = np.bincount(labels)
        order = np.argsort(labels, kind="stable")
        self.slot = np.empty(len(labels), dtype=np.int64)
        self.slot[order] = np.arange(len(labels)) - np.repeat(np.cumsum(self.size) - self.size, self.size)
        self.cost = self.measured(self.member)

    def measured(self, member: Labels) -> Floats:
        """Return the loss of each row of `member`."""
        real = member >= 0
        return self.loss.of_groups(member[real], np.repeat(np.arange(len(member)), real.sum(axis=1)))

    def round(self, first: Labels, mate: Labels, chance: Floats, temperature: float) -> None:
        """Propose to bring each of `first` into the group of its `mate`; each group takes part in one proposal."""
        a, b = self.label[first], self.label[mate]
        turn = np.full(len(self.size), len(first))
        places = np.where(a != b, np.arange(len(first)), len(first))
        np.minimum.at(turn, a, places)
        np.minimum.at(turn, b, places)
        mine = np.flatnonzero((turn[a] == places) & (turn[b] == places) & (a != b))
        if not len(mine):
            return
        i, j, a, b, chance = first[mine], mate[mine], a[mine], b[mine], chance[:, mine]
        # Half of the proposals are moves, if the sizes allow it; else i is swapped for a record of b, not the mate.
        moves = (self.size[a] > self.k) & (self.size[b] < 2 * self.k - 1) & (chance[0] < 0.5)
        back = (self.slot[j] + 1 + (chance[1] * (self.size[b] - 1)).astype(np.int64)) % self.size[b]
        out = self.member[b, back]
        row_a, row_b, at = self.member[a], self.member[b], np.arange(len(i))
        last = row_a[at, self.size[a] - 1]
        row_a[at, self.slot[i]] = np.where(moves, last, out)
        row_a[at[moves], self.size[a][moves] - 1] = -1
        row_b[at, np.where(moves, self.size[b], back)] = i
        cost = self.measured(np.concatenate([row_a, row_b]))
        rise = cost[: len(i)] + cost[len(i) :] - self.cost[a] - self.cost[b]
        yes = np.flatnonzero(rise < -temperature * np.log1p(-chance[2]))
        self._apply(i[yes], out[yes], last[yes], a[yes], b[yes], back[yes], moves[yes])
        self.member[a[yes]], self.member[b[yes]] = row_a[yes], row_b[yes]
        self.cost[a[yes]], self.cost[b[yes]] = cost[: len(i)][yes], cost[len(i) :][yes]

    def _apply(
        self, i: Labels, out: Labels, last: Labels, a: Labels, b: Labels, back: Labels, moves: np.ndarray
    ) -> None:
        """Update labels, slots and sizes for the accepted proposals."""
        place = self.slot[i]
        self.label[i] = b
        self.slot[i] = np.where(moves, self.size[b], back)
        self.label[out[~moves]], self.slot[out[~moves]] = a[~moves], place[~moves]
        others = moves & (last != i)
        self.slot[last[others]] = place[others]
        self.size[a[moves]] -= 1
        self.size[b[moves]] += 1


def exchange_by_loss(
    loss: GroupLoss, neighbor: Labels, labels: Labels, k: int, *, seed: int, rounds: int, deadline: float
) -> tuple[Labels, bool]:
    """Anneal from `labels` (groups of k to 2k - 1) for a number of rounds, the last of which only improve.

    `neighbor` (n, m) is the neighbor list of each record. Returns the groups, or `labels` if they are not better, and
    whether the deadline ended the search.
    """
    n = len(labels)
    state = _State(loss, labels, k)
    start_cost = loss_of(loss, labels)
    if start_cost == 0 or len(state.size) < 2:
        return labels, False
    rng = np.random.default_rng(seed)
    draws = 2 * len(state.size)
    with progress.step("exchanging records", rounds) as advance:
        for turn in range(rounds):
            if time.monotonic() > deadline:
                return _better(loss, state.label, labels, start_cost), True
            share = turn / (rounds * (1 - QUENCH))
            temperature = HOT * (COLD / HOT) ** share * start_cost / n if share < 1 else 0.0
            first = rng.integers(0, n, draws)
            mate = neighbor[first, (rng.random(draws) ** 2 * neighbor.shape[1]).astype(np.int64)]
            state.round(first, mate, rng.random((3, draws)), temperature)
            advance(1)
    return _better(loss, state.label, labels, start_cost), False


def _better(loss: GroupLoss, labels: Labels, start: Labels, start_cost: float) -> Labels:
    """Return `labels` if their loss is below `start_cost`, else `start`."""
    found = number_groups(labels)
    return found if loss_of(loss, found) < start_cost else start
