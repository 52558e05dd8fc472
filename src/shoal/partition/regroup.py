"""Groups that generalize to less, found by moving and swapping records between neighbouring groups.

Problem     given groups of at least k records, lower the sum over records of what their group's common values cost
            (ranges, levels, sets), and meet rules on sensitive values and people on the way where that is asked.
Guarantee   never dearer than the groups it was given, so a ratio that was proved of them stays proved; every group
            keeps at least k records. How much is gained is a heuristic's luck.
Complexity  O(effort x n) proposals, each a few hundred operations for small k; deterministic for a seed, equal for
            any number of threads (blocks of groups that share nothing), and independent of the order of rows.

Notes
-----
Simulated annealing: neighbours are copies of the nearest different records; a proposal moves one record or swaps two
and is accepted if the cost falls, or with probability exp(-rise / temperature). The temperature follows the mean cost
of a record in the start. A rule that a group misses costs `price` per missing value, so that diversity is reached by
exchanging records; what is still missed at the end is left to `repair`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.kernels.regroup import (
    Groups,
    Records,
    Rules,
    exchange,
    gather_nearest,
    measure_groups,
    place_rest,
)
from shoal.partition.result import Floats, Labels
from shoal.space.neighbours import Neighbours
from shoal.space.space import LINE, Space

EFFORT, LARGE = 200.0, 100_000
"""Proposals per record where the policy says nothing; fewer for more records than LARGE."""
HOT, COLD = 0.4, 0.06
"""Temperatures at the start and the end, in units of a record's mean cost at the start."""
ROUNDS = 12
BLOCK = 6000
"""Records in a block: what one thread works on between two rounds."""
NEAREST, MOST_NEAREST = 16, 40
PRICE, STRICT = 10.0, 1e9
"""Of a missed rule, in units of a group's mean cost: to be weighed, or never worth it."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """At least `l` different values of `codes` in every group, or (`share`) none more often than one in l."""

    codes: Labels
    l: float  # noqa: E741 (the field's own name)
    share: bool = False


class Regrouped(NamedTuple):
    """New labels, and whether a time limit stopped the search early."""

    labels: Labels
    timed_out: bool


def regroup(
    space: Space,
    labels: Labels,
    k: int,
    *,
    rules: Sequence[Rule] = (),
    keep: bool = False,
    effort: float | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    n_threads: int | None = None,
) -> Regrouped:
    """Cheaper groups of at least `k` records than `labels` (which has no suppressed record).

    With `keep`, groups that meet the rules go on meeting them, and no group is cut.
    """
    begun = time.monotonic()
    n = len(space)
    work = EFFORT * min(1.0, LARGE / max(n, 1)) if effort is None else effort
    if n < 2 * k or work <= 0:
        return Regrouped(labels, False)
    codes = [rule.codes for rule in rules]
    order = np.lexsort([*codes[::-1], *space.coordinates.T[::-1]]).astype(np.int64)
    first = labels[order] if keep else _chunks(labels[order], k)
    room = max(2 * k - 1, int(np.bincount(first).max()))
    price = STRICT if keep else PRICE
    search = _Search(space.take(order), k, room, price, [(rule, rule.codes[order]) for rule in rules], n_threads)
    given = search.groups_of(first)
    groups = None if keep else search.start()
    if groups is None or search.cost(given) < search.cost(groups):
        groups = search.groups_of(first)
    timed_out = search.anneal(groups, work, seed, None if time_limit is None else begun + time_limit)
    if search.cost(given) <= search.cost(groups):
        groups = given
    restored = np.empty(n, dtype=np.int64)
    restored[order] = groups.label
    return Regrouped(restored, timed_out)


class _Search:
    """Records, rules and neighbours of one run, in canonical order."""

    def __init__(
        self, space: Space, k: int, room: int, price: float, rules: list[tuple[Rule, Labels]], n_threads: int | None
    ) -> None:
        self.space, self.k, self.room, self.price = space, k, room, price
        self.n_threads = n_threads or min(2, os.cpu_count() or 1)
        self.records = _by_kind(space)
        self.rules = Rules(
            codes=np.stack([codes for _, codes in rules], axis=1) if rules else np.zeros((len(space), 0), np.int64),
            at_least=np.array([rule.l for rule, _ in rules], dtype=np.float64),
            shares=np.array([rule.share for rule, _ in rules], dtype=np.bool_),
            price=0.0,
        )
        points, counts, self.point_of = space.distinct()
        self.copies_start = np.concatenate(([0], np.cumsum(counts)))
        self.copies = np.argsort(self.point_of, kind="stable").astype(np.int64)
        n_near = min(len(points), max(NEAREST, min(k + 8, MOST_NEAREST)))
        self.near = Neighbours(points, n_threads=n_threads).nearest(n_near)[1]

    def groups_of(self, labels: Labels) -> Groups:
        """Groups as the kernels hold them; no group outgrows the room."""
        n_groups = int(labels.max()) + 1
        order = np.argsort(labels, kind="stable")
        size = np.bincount(labels, minlength=n_groups).astype(np.int64)
        place = np.arange(len(labels)) - np.repeat(np.cumsum(size) - size, size)
        members = np.full((n_groups, self.room), -1, dtype=np.int64)
        members[labels[order], place] = order
        groups = Groups(labels.copy(), members, size, np.zeros(n_groups), np.zeros(n_groups))
        self.rules = self.rules._replace(price=self.price * self._measured(groups) / max(n_groups, 1))
        return groups

    def start(self) -> Groups | None:
        """A start of our own: nearest free records, seed after seed; None where records find no group."""
        n = len(self.space)
        groups = Groups(
            np.full(n, -1, dtype=np.int64),
            np.full((n // self.k, self.room), -1, dtype=np.int64),
            np.zeros(n // self.k, dtype=np.int64),
            np.zeros(n // self.k),
            np.zeros(n // self.k),
        )
        where = (self.point_of, self.near, self.copies_start, self.copies)
        made = gather_nearest(self.records, self.rules, groups, np.arange(n), *where, self.k)
        rest = np.flatnonzero(groups.label < 0)
        if made == 0 or place_rest(self.records, self.rules, groups, rest, *where):
            return None
        return Groups(
            groups.label, groups.members[:made], groups.size[:made], groups.extent[:made], groups.deficit[:made]
        )

    def cost(self, groups: Groups) -> float:
        """With the price of missed rules."""
        return self._measured(groups) + self.rules.price * float(groups.deficit.sum())

    def _measured(self, groups: Groups) -> float:
        measure_groups(self.records, self.rules, groups)
        return float((groups.extent * groups.size).sum())

    def anneal(self, groups: Groups, effort: float, seed: int, deadline: float | None) -> bool:
        """Improve `groups` in place; whether the deadline ended it."""
        mean = self._measured(groups) / len(self.space)
        if mean == 0 and not groups.deficit.any():
            return False
        n = len(self.space)
        n_blocks = max(1, round(n / BLOCK))
        with progress.step("regrouping", total=ROUNDS) as advance, ThreadPoolExecutor(self.n_threads) as pool:
            for turn in range(ROUNDS):
                block = self._blocks(groups, n_blocks, turn)
                of_record = block[groups.label]
                runs = [
                    pool.submit(self._run, groups, block, mine, of_record, mean, effort, seed, turn)
                    for mine in range(n_blocks)
                ]
                for run in runs:
                    run.result()
                advance(1)
                if deadline is not None and time.monotonic() > deadline and turn < ROUNDS - 1:
                    return True
        return False

    def _run(
        self,
        groups: Groups,
        block: Labels,
        mine: int,
        of_record: Labels,
        heat: float,
        effort: float,
        seed: int,
        turn: int,
    ) -> None:
        """One block for one round. The last round only descends."""
        active = np.flatnonzero(of_record == mine)
        falls = (COLD / HOT) ** (1 / (ROUNDS - 1))
        hot = 0.0 if turn == ROUNDS - 1 else HOT * heat * falls**turn
        state = np.random.SeedSequence([seed, turn, mine]).generate_state(1, np.uint64) | np.uint64(1)
        where = (self.point_of, self.near, self.copies_start, self.copies)
        proposals = int(effort * len(active) / ROUNDS)
        exchange(
            self.records, self.rules, groups, block, mine, active, *where, self.k, proposals, hot, hot * falls, state
        )

    def _blocks(self, groups: Groups, n_blocks: int, turn: int) -> Labels:
        """Neighbouring groups in blocks of equal size, along another axis each turn."""
        first = self.space.coordinates[groups.members[:, 0]]
        ranks = np.lexsort(np.roll(first, turn, axis=1).T)
        block = np.empty(len(ranks), dtype=np.int64)
        block[ranks] = np.arange(len(ranks)) * n_blocks // len(ranks)
        return block


def _chunks(labels: Labels, k: int) -> Labels:
    """The same groups, those of 2k records and more cut into pieces of k to 2k - 1; a piece costs no more."""
    order = np.argsort(labels, kind="stable")
    size = np.bincount(labels)
    start = np.cumsum(size) - size
    place = np.arange(len(labels)) - np.repeat(start, size)
    pieces = size // k
    piece = place * np.repeat(pieces, size) // np.repeat(size, size)
    cut = np.empty(len(labels), dtype=np.int64)
    cut[order] = np.repeat(np.cumsum(pieces) - pieces, size) + piece
    return cut


def _by_kind(space: Space) -> Records:
    """Axes split into lines, trees and sets of labels, whose bits are packed into words."""
    n = len(space)
    lines: list[Floats] = []
    ranks: list[Labels] = []
    trees: list[tuple[int, int, int]] = []
    ancestors: list[npt.NDArray[np.int32]] = [np.zeros(0, dtype=np.int32)]
    costs: list[Floats] = [np.zeros(0)]
    words: list[npt.NDArray[np.uint64]] = []
    used = 64
    label_word, label_mask, label_cost = [], [], []
    for j, axis in enumerate(space.axes):
        column = space.coordinates[:, j]
        if axis.kind == LINE or axis.ancestors is None or axis.level_cost is None:
            lines.append(column)
        elif axis.label_cost > 0 and len(axis.ancestors) <= 64:
            n_labels = len(axis.ancestors)
            if used + n_labels > 64:
                words.append(np.zeros(n, dtype=np.uint64))
                used = 0
            words[-1] |= np.uint64(1) << (column.astype(np.uint64) + np.uint64(used))
            label_word.append(len(words) - 1)
            label_mask.append(((1 << n_labels) - 1) << used)
            label_cost.append(axis.label_cost)
            used += n_labels
        else:
            ranks.append(column.astype(np.int64))
            trees.append((axis.ancestors.shape[1] - 1, sum(map(len, ancestors)), sum(map(len, costs))))
            ancestors.append(axis.ancestors.ravel())
            costs.append(axis.level_cost)
    return Records(
        lines=np.stack(lines, axis=1) if lines else np.zeros((n, 0)),
        ranks=np.stack(ranks, axis=1) if ranks else np.zeros((n, 0), dtype=np.int64),
        words=np.stack(words, axis=1) if words else np.zeros((n, 0), dtype=np.uint64),
        trees=np.array(trees, dtype=np.int64).reshape(-1, 3),
        ancestors=np.concatenate(ancestors),
        costs=np.concatenate(costs),
        label_word=np.array(label_word, dtype=np.int64),
        label_mask=np.array(label_mask, dtype=np.uint64),
        label_cost=np.array(label_cost, dtype=np.float64),
    )
