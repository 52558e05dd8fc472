"""Groups that generalize to less, found by moving and swapping records between neighboring groups.

Problem     given groups of at least k records, lower the sum over records of what their group's common values cost
            (ranges, levels, sets), and meet rules on sensitive values and people on the way where that is asked.
Guarantee   never dearer than the groups it was given, so a ratio that was proved of them stays proved; every group
            keeps at least k records. How much is gained is a heuristic's luck.
Complexity  O(effort x n) proposals, each some dozens of operations for every member of a group; deterministic for a
            seed, equal for any number of threads (blocks of groups that share nothing), and independent of the order
            of rows.

Notes
-----
Simulated annealing: neighbors are copies of the nearest different records; a proposal moves one record or swaps two
and is accepted if the cost falls, or with probability exp(-rise / temperature). Now and then a group is dissolved
into its neighbors, or founded by records that others can spare. The temperature follows the mean cost of the records
that cost something in the start. Copies of a record that fill groups of their own are set aside first: they cost
nothing. A rule that a group misses costs `price` per missing value, so that diversity is reached by exchanging
records; what is still missed at the end is left to `repair`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.effort import GENERALIZATION
from shoal.kernels.generalization_annealing import Where, exchange, gather_nearest, place_rest, reform
from shoal.kernels.generalization_groups import Groups, Rules, measure_groups
from shoal.partition.generalization.annealing_neighbors import near_points, with_others
from shoal.partition.generalization.annealing_records import by_kind
from shoal.partition.generalization.annealing_schedule import (
    CUT_HEAT,
    LEAST_HEAT,
    MILD,
    PATIENT,
    ROUNDS,
    TRIAL,
    Pace,
    Round,
    heat_of,
    usual_effort,
)
from shoal.partition.generalization.forest import generalization_cost
from shoal.partition.generalization.start_from_cells import cheapest_first
from shoal.partition.generalization.start_from_cuts import cut_at_best
from shoal.partition.result import Labels
from shoal.partition.rules import Regrouped, Rule
from shoal.space.space import LINE, Space

CHUNK = 500_000
"""Proposals between two looks at the clock."""
RARE, SMALL = 0.1, 8
"""Groups asked whether to dissolve, or be founded, per proposal; fewer of larger ones, which take longer."""
BLOCK, LEAST_BLOCK = 100_000, 1000
"""Records in a block, which is what one thread works on between two rounds: no more, and no fewer if there are two.
Records near the border of two blocks find fewer neighbors, so blocks are few."""
NEAREST, MORE_THAN_K, MOST_NEAREST = 30, 8, 60
"""Neighbors that proposals come from, and how many more than k these must be."""
FROM_ABOVE = 90
"""k beyond which groups are sought by cutting the table: a group is then more than the neighbors that are listed."""
ROOM = 4
"""Times k: no group grows larger."""
SPARE = 1
"""Groups of equal records that stay in the search, so that others find enough to borrow."""
PRICE, STRICT = 5.0, 1e9
"""Of a missed rule, in units of a group's mean cost: to be weighed, or never worth it."""


def regroup(
    space: Space,
    labels: Labels,
    k: int,
    *,
    rules: Sequence[Rule] = (),
    keep: bool = False,
    effort: float | None = None,
    usual: float = GENERALIZATION.usual,
    time_limit: float | None = None,
    seed: int = 0,
    n_threads: int | None = None,
) -> Regrouped:
    """Cheaper groups of at least `k` records than `labels` (which has no suppressed record).

    With `keep`, groups that meet the rules go on meeting them, and no group is cut. Without an `effort`, the `usual`
    one is made, and less for many records.
    """
    begun = time.monotonic()
    if len(space) < 2 * k or effort == 0:
        return Regrouped(labels, False)
    codes = [rule.codes for rule in rules]
    order = np.lexsort([*codes[::-1], *space.coordinates.T[::-1]]).astype(np.int64)
    deadline = None if time_limit is None else begun + time_limit
    own = space.take(order)
    aside = np.full(len(space), -1, dtype=np.int64) if rules or keep else _set_aside(own, k)
    some = np.flatnonzero(aside < 0)
    first = labels[order] if keep else _chunks(labels[order], k)
    room = max(ROOM * k, int(np.bincount(first).max()))
    price = STRICT if keep else PRICE
    asked = [(rule, rule.codes[order]) for rule in rules]
    search = _Search(own.take(some), k, room, price, asked, n_threads)
    groups = None if keep else search.start()
    if len(some) < len(own) and groups is None:
        aside[:], some = -1, np.arange(len(own))
        search = _Search(own, k, room, price, asked, n_threads)
    given = search.groups_of(first) if len(some) == len(own) else None
    if given is not None and (groups is None or search.cost(given) < search.cost(groups)):
        groups = search.groups_of(first)
    assert groups is not None
    begun_with, its_cost = groups.label.copy(), search.cost(groups)
    timed_out = search.anneal(groups, effort, usual, seed, deadline, n_rows=len(own), fixed=keep)
    if search.cost(groups) > its_cost:
        groups = search.groups_of(begun_with)
    found = aside
    found[some] = groups.label + (aside.max() + 1)
    if given is not None:
        cheaper = search.cost(groups) < search.cost(given)
    else:
        cheaper = generalization_cost(own, found) < generalization_cost(own, first)
    if not cheaper:
        found = first
    restored = np.empty(len(own), dtype=np.int64)
    restored[order] = np.unique(found, return_inverse=True)[1]
    return Regrouped(restored, timed_out)


class _Search:
    """Records, rules and neighbors of one run, in canonical order."""

    def __init__(
        self, space: Space, k: int, room: int, price: float, rules: list[tuple[Rule, Labels]], n_threads: int | None
    ) -> None:
        self.space, self.k, self.room, self.price = space, k, room, price
        self.n_threads = n_threads or min(2, os.cpu_count() or 1)
        self.is_good = False
        self.records = by_kind(space)
        self.rules = Rules(
            codes=np.stack([codes for _, codes in rules], axis=1) if rules else np.zeros((len(space), 0), np.int64),
            at_least=np.array([rule.l for rule, _ in rules], dtype=np.float64),
            shares=np.array([rule.share for rule, _ in rules], dtype=np.bool_),
            price=0.0,
        )
        points, counts, point_of = space.distinct()
        n_near = NEAREST if k > FROM_ABOVE else min(max(NEAREST, k + MORE_THAN_K), MOST_NEAREST)
        n_near = min(len(points), n_near)
        near = near_points(points, n_near, n_threads)
        self.keys = _keys(points, near)
        for _, codes in rules:
            near = with_others(near, points, point_of, codes, n_threads)
        self.where = Where(
            point_of=point_of,
            near=near,
            copies_start=np.concatenate(([0], np.cumsum(counts))),
            copies=np.argsort(point_of, kind="stable").astype(np.int64),
        )

    def groups_of(self, labels: Labels) -> Groups:
        """Groups as the kernels hold them; no group outgrows the room. Records with the label -1 are in none."""
        groups = self._empty()
        n_groups = int(labels.max()) + 1
        order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
        size = np.bincount(labels[order], minlength=n_groups)
        place = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
        groups.members[labels[order], place] = order
        groups.size[:n_groups] = size
        groups.label[:] = labels
        self.rules = self.rules._replace(price=self.price * self._measured(groups) / max(n_groups, 1))
        return groups

    def start(self) -> Groups | None:
        """A start of our own, the cheapest of some; None where records find no group."""
        nearest = self._nearest() if self.k <= FROM_ABOVE else None
        others = [self._cheapest(), self._cut() if self.k > FROM_ABOVE else None]
        best = min((groups for groups in (nearest, *others) if groups is not None), key=self.cost, default=None)
        self.is_good = best is not None and best is not nearest
        return best

    def _nearest(self) -> Groups | None:
        """Nearest free records, seed after seed."""
        groups = self._empty()
        made = gather_nearest(
            self.records, self.rules, groups, self.where, np.zeros(len(groups.size), np.int64), self.k
        )
        return self._with_rest(groups) if made else None

    def _cheapest(self) -> Groups | None:
        """The cheapest cells first."""
        labels = cheapest_first(self.space, self.k)
        return None if labels is None else self._with_rest(self.groups_of(_chunks(labels, self.k)))

    def _cut(self) -> Groups:
        """The table cut, and cut again."""
        return self.groups_of(_chunks(cut_at_best(self.space, self.records, self.k, self.n_threads), self.k))

    def _with_rest(self, groups: Groups) -> Groups | None:
        """With the records that have no group yet in the one that they make least dearer; None if one finds none."""
        rest, everywhere = np.flatnonzero(groups.label < 0), np.zeros(len(groups.size), dtype=np.int64)
        homeless = place_rest(self.records, self.rules, groups, self.where, everywhere, rest)
        return None if homeless else groups

    def _empty(self) -> Groups:
        """As many groups as there can be, and one place more in each than it will have at the end."""
        n, most = len(self.space), len(self.space) // self.k
        return Groups(
            label=np.full(n, -1, dtype=np.int64),
            members=np.zeros((most, self.room + 1), dtype=np.int64),
            size=np.zeros(most, dtype=np.int64),
            extent=np.zeros(most),
            deficit=np.zeros(most),
            ends=np.zeros((most, self.records.spans.shape[1], 4)),
            bits=np.zeros((most, self.records.words.shape[1], 2), dtype=np.uint64),
        )

    def cost(self, groups: Groups) -> float:
        """With the price of missed rules."""
        return self._measured(groups) + self.rules.price * float(groups.deficit.sum())

    def _measured(self, groups: Groups) -> float:
        measure_groups(self.records, self.rules, groups)
        return float((groups.extent * groups.size).sum())

    def anneal(
        self,
        groups: Groups,
        effort: float | None,
        usual: float,
        seed: int,
        deadline: float | None,
        *,
        n_rows: int,
        fixed: bool = False,
    ) -> bool:
        """Improve `groups` in place, without dissolving any if `fixed`; whether the deadline cut it short."""
        cost = self._measured(groups)
        n_costly = int(groups.size[_costly(groups)].sum())
        if n_costly == 0:
            return False
        n = len(self.space)
        n_blocks = max(min(2, n // LEAST_BLOCK), round(n / BLOCK), 1)
        bound_by_rules = fixed or self.rules.codes.shape[1] > 0
        work = usual_effort(usual, n_costly, n_rows) if effort is None else effort
        with progress.step("regrouping", total=ROUNDS) as advance, ThreadPoolExecutor(self.n_threads) as pool:

            def done(run: Round) -> None:
                block = self._blocks(groups, n_blocks, seed, run.turn)
                of_record = np.where(_costly(groups), block, -1)[groups.label]
                jobs = [pool.submit(self._run, groups, block, mine, of_record, run) for mine in range(n_blocks)]
                for job in jobs:
                    job.result()

            run = Round(0, cost / n_costly, work, seed, deadline, fixed, MILD if bound_by_rules else LEAST_HEAT)
            hurried = False
            if deadline is not None and effort is None:
                begun = time.monotonic()
                done(replace(run, effort=TRIAL * ROUNDS))
                now = time.monotonic()
                fitting = max((deadline - now) / max(now - begun, 1e-9), 1.0) * TRIAL * ROUNDS
                work, hurried = min(PATIENT, fitting), fitting < PATIENT
            if not bound_by_rules:
                good = min(heat_of(work, n_costly), CUT_HEAT if self.k > FROM_ABOVE else 1.0)
                run = replace(run, part=good if self.is_good else 1.0)
            pace = Pace(deadline)
            for turn in range(ROUNDS):
                run = replace(run, turn=turn, effort=work * pace.share(turn))
                done(run)
                advance(1)
                pace.done(run.effort / work if work else 1.0)
        return hurried or pace.hurried

    def _run(self, groups: Groups, block: Labels, mine: int, of_record: Labels, run: Round) -> None:
        """One block for one round."""
        active = np.flatnonzero(of_record == mine)
        if not len(active):
            return
        rng = np.random.default_rng([run.seed, run.turn, mine])
        state = rng.integers(1, 2**63, 1, dtype=np.uint64)
        total = int(run.effort * len(active) / ROUNDS)
        for begin in range(0, total, CHUNK):
            if run.is_late and run.turn < ROUNDS - 1:
                return
            amount = min(CHUNK, total - begin)
            hot, cold = run.heat(begin / total), run.heat((begin + amount) / total)
            task = (self.records, self.rules, groups)
            exchange(*task, self.where, block, mine, active, self.k, amount, hot, cold, state)
            if not run.fixed:
                rare = RARE * run.part * min(1.0, SMALL / self.k) ** 1.5
                some = rng.choice(active, min(len(active), int(rare * amount)), replace=False)
                moved, homes = np.empty((2, self.room + 1), dtype=np.int64)
                reform(*task, self.where, block, mine, some, self.k, cold, state, moved, homes)

    def _blocks(self, groups: Groups, n_blocks: int, seed: int, turn: int) -> Labels:
        """Neighboring groups in blocks of equal size, cut at other places each turn."""
        first = self.space.coordinates[groups.members[:, 0]][:, self.keys]
        ranks = np.lexsort(first.T)
        begin = int(np.random.default_rng([seed, turn]).integers(len(ranks)))
        block = np.empty(len(ranks), dtype=np.int64)
        block[np.roll(ranks, begin)] = np.arange(len(ranks)) * n_blocks // len(ranks)
        return block


def _costly(groups: Groups) -> npt.NDArray[np.bool_]:
    return (groups.extent > 0) | (groups.deficit > 0)


def _set_aside(space: Space, k: int) -> Labels:
    """Groups of k equal records each for what a sorted space has beyond a few such groups; -1 for the others."""
    _, counts, point_of = space.distinct()
    n_groups = np.maximum(counts // k - SPARE, 0)
    first = np.cumsum(counts) - counts
    place = np.arange(len(space)) - first[point_of]
    group = np.cumsum(n_groups) - n_groups
    return np.where(place < n_groups[point_of] * k, group[point_of] + place // k, -1)


def _keys(points: Space, near: Labels) -> Labels:
    """Axes to sort by so that neighbors stay together, the most important last: that on which they differ least."""
    apart = []
    for j, axis in enumerate(points.axes):
        ranks = np.unique(points.coordinates[:, j], return_inverse=True)[1]
        steps = np.abs(ranks[near] - ranks[:, None])
        apart.append(steps.mean() / max(1, ranks.max()) if axis.kind == LINE else (steps > 0).mean())
    return np.argsort(-np.array(apart), kind="stable")


def _chunks(labels: Labels, k: int) -> Labels:
    """The same groups, those of 2k records and more cut into pieces of k to 2k - 1; a piece costs no more."""
    order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
    size = np.bincount(labels[order])
    start = np.cumsum(size) - size
    place = np.arange(len(order)) - np.repeat(start, size)
    pieces = size // k
    piece = place * np.repeat(pieces, size) // np.repeat(size, size)
    cut = np.full(len(labels), -1, dtype=np.int64)
    cut[order] = np.repeat(np.cumsum(pieces) - pieces, size) + piece
    return cut
