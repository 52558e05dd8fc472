"""Simulated annealing under the generalization cost: records move and swap between neighboring groups.

Problem     given groups of at least k records, lower the sum over records of what their group's common values cost
            (ranges, levels, sets); if asked for, also meet rules on sensitive values and people.
Guarantee   the result never costs more than the given groups, so a ratio that was proved for them remains proved;
            every group keeps at least k records. How much is gained is not proved.
Complexity  O(effort x n) proposals, each a few dozen operations for every member of a group; deterministic for a
            seed, equal for any number of threads (blocks of groups that share nothing), and independent of the order
            of rows.

Notes
-----
The neighbors of a record are the copies of its nearest different records. A proposal moves one record or swaps two;
it is accepted if the cost falls, or with probability exp(-rise / temperature). Sometimes a group is dissolved into
neighboring groups, or a new one is formed of records that others can spare. The temperature is in units of the mean
cost of the costly records (those in groups of positive cost). Copies of a record that fill groups of their own are
set aside first, because they cost 0. A rule that a group misses costs `price` per missing value, so that exchanges
lead to groups that meet it; `repair` deals with those that still miss one at the end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.effort import GENERALIZATION
from shoal.kernels.generalization_annealing import (
    NeighborLists,
    dissolve_and_form,
    group_nearest,
    move_and_swap,
    place_rest,
)
from shoal.kernels.generalization_groups import Groups, Rules, measure_groups
from shoal.partition.generalization.annealing_neighbors import near_points, with_others
from shoal.partition.generalization.annealing_records import by_kind
from shoal.partition.generalization.annealing_schedule import (
    LEAST_START,
    MILD,
    MOST_START_FROM_CUTS,
    PATIENT,
    TEMPERATURE_ROUNDS,
    TRIAL,
    Pace,
    Round,
    start_temperature,
    usual_effort,
)
from shoal.partition.generalization.forest import generalization_cost
from shoal.partition.generalization.start_from_cells import cheapest_first
from shoal.partition.generalization.start_from_cuts import cut_at_best
from shoal.partition.result import Labels
from shoal.partition.rules import Regrouped, Rule
from shoal.space.space import LINE, Space

CHUNK = 500_000
"""Proposals between two checks of the deadline: a fraction of a second."""
RARE, SMALL = 0.1, 8
"""Groups that are tried for dissolving or forming, per proposal. Above k = SMALL the number falls with the 1.5th
power of k, because each try takes longer."""
BLOCK_RECORDS, LEAST_BLOCK_RECORDS = 100_000, 1000
"""Largest average number of records in a block, on which one thread works in a round; and the smallest if there are
two blocks. Records near a border between blocks have fewer neighbors, so there are as few blocks as possible."""
NEAREST, MORE_THAN_K, MOST_NEAREST = 30, 8, 60
"""Length of the neighbor lists: NEAREST, or MORE_THAN_K more than k, at most MOST_NEAREST."""
FROM_ABOVE = 90
"""Largest k for which groups are built up from neighbors; beyond it, a group has more records than a neighbor list,
and the start comes from cutting the table."""
ROOM = 4
"""Groups grow to at most ROOM times k records."""
SPARE = 1
"""Groups of equal records, per different record, that are not set aside, so that other groups can take records."""
LOW_PRICE, PRICE, STRICT = 1.5, 5.0, 1e9
"""Price of one missing value or record too many under a rule, in units of a group's mean cost: PRICE lets the search
weigh it against the cost, LOW_PRICE lets some groups miss it for a while, STRICT makes it never worthwhile."""


def regroup(
    space: Space,
    labels: Labels,
    k: int,
    *,
    rules: Sequence[Rule] = (),
    price: float | None = None,
    keep: bool = False,
    continued: bool = False,
    from_cells: bool = True,
    near: Labels | None = None,
    whole: Whole | None = None,
    effort: float | None = None,
    usual: float = GENERALIZATION.usual,
    time_limit: float | None = None,
    seed: int = 0,
    n_threads: int | None = None,
) -> Regrouped:
    """Return groups of at least `k` records that cost no more than those of `labels` (without suppressed records).

    With `keep`, groups that meet the rules still do afterwards, and no group is dissolved. Else a missing value under
    a rule costs `price` times the mean cost of a group, PRICE if it is not given. With `continued`, the given groups
    are the start, of whatever cost, and the temperature is low; else groups from the cheapest cells are among the
    starts, unless `from_cells` is False, which saves the time to see that there are too many cells. `near` are the
    neighbor lists of the different records in their canonical order, if they are known (`list_length` each).

    `effort` is in proposals per costly record; without it, the `usual` effort is used, and less for many records: as
    many as `whole` has, if these are a part of a table. The result says whether the `time_limit`
    (seconds) ended the search early.
    """
    begun = time.monotonic()
    if len(space) < 2 * k or effort == 0:
        return Regrouped(labels, False)
    codes = [rule.codes for rule in rules]
    order = np.lexsort([*codes[::-1], *space.coordinates.T[::-1]]).astype(np.int64)
    deadline = None if time_limit is None else begun + time_limit
    own = space.take(order)
    aside = np.full(len(space), -1, dtype=np.int64) if rules or keep or continued else _set_aside(own, k)
    some = np.flatnonzero(aside < 0)
    first = labels[order] if keep else _chunks(labels[order], k)
    room = max(ROOM * k, int(np.bincount(first).max()))
    price = STRICT if keep else PRICE if price is None else price
    asked = [(rule, rule.codes[order]) for rule in rules]
    search = _Search(own.take(some), k, room, price, asked, n_threads, near)
    groups = None if keep or continued else search.start(from_cells=from_cells)
    search.is_good, search.continued = search.is_good or continued, continued
    if len(some) < len(own) and groups is None:
        aside[:], some = -1, np.arange(len(own))
        search = _Search(own, k, room, price, asked, n_threads, near)
    given = search.groups_of(first) if len(some) == len(own) else None
    if given is not None and (groups is None or search.cost(given) < search.cost(groups)):
        groups = search.groups_of(first)
    assert groups is not None
    begun_with, its_cost = groups.label.copy(), search.cost(groups)
    timed_out = search.anneal(groups, effort, usual, seed, deadline, n_rows=len(own), whole=whole, fixed=keep)
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


def list_length(k: int, n_points: int) -> int:
    """Return the length of the neighbor lists among so many different records."""
    return min(n_points, NEAREST if k > FROM_ABOVE else min(max(NEAREST, k + MORE_THAN_K), MOST_NEAREST))


class Whole(NamedTuple):
    """The rows of a table of which a part is searched, and about how many of them will be in groups with a cost."""

    n_rows: int
    n_costly: int

    @classmethod
    def of(cls, space: Space, k: int) -> Whole:
        """Return the numbers of a table: records with fewer than `k` copies cannot be in a group without a cost."""
        counts = space.distinct()[1]
        return cls(len(space), max(1, int(counts[counts < k].sum())))


class _Search:
    """The records (in canonical order), rules and neighbor lists of one run."""

    def __init__(
        self,
        space: Space,
        k: int,
        room: int,
        price: float,
        rules: list[tuple[Rule, Labels]],
        n_threads: int | None,
        near: Labels | None = None,
    ) -> None:
        self.space, self.k, self.room, self.price = space, k, room, price
        self.n_threads = n_threads or min(2, os.cpu_count() or 1)
        self.is_good = self.continued = False
        self.records = by_kind(space)
        self.rules = Rules(
            codes=np.stack([codes for _, codes in rules], axis=1) if rules else np.zeros((len(space), 0), np.int64),
            at_least=np.array([rule.l for rule, _ in rules], dtype=np.float64),
            shares=np.array([rule.share for rule, _ in rules], dtype=np.bool_),
            price=0.0,
        )
        points, counts, point_of = space.distinct()
        if near is None:
            near = near_points(points, list_length(k, len(points)), n_threads)
        self.keys = _keys(points, near)
        for _, given in rules:
            codes = np.where(given < 0, given.max() + 1, given)  # what does not count is a value of its own here
            near = with_others(near, points, point_of, codes, n_threads)
        self.where = NeighborLists(
            point_of=point_of,
            near=near,
            copies_start=np.concatenate(([0], np.cumsum(counts))),
            copies=np.argsort(point_of, kind="stable").astype(np.int64),
        )

    def groups_of(self, labels: Labels) -> Groups:
        """Return the groups in the form that the kernels read; records with the label -1 are in none.

        Also sets the price of the rules, which is in units of the mean cost of these groups.
        """
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

    def start(self, *, from_cells: bool = True) -> Groups | None:
        """Return the cheapest of several first partitions; None if none of them covers all records."""
        nearest = self._nearest() if self.k <= FROM_ABOVE else None
        others = [self._cheapest() if from_cells else None, self._cut() if self.k > FROM_ABOVE else None]
        best = min((groups for groups in (nearest, *others) if groups is not None), key=self.cost, default=None)
        self.is_good = best is not None and best is not nearest
        return best

    def _nearest(self) -> Groups | None:
        """Return groups of each record in turn and its nearest ungrouped neighbors; None if records are left over."""
        groups = self._empty()
        made = group_nearest(
            self.records, self.rules, groups, self.where, np.zeros(len(groups.size), np.int64), self.k
        )
        return self._with_rest(groups) if made else None

    def _cheapest(self) -> Groups | None:
        """Return groups from the cheapest cells; None if that is too much work or records are left over."""
        labels = cheapest_first(self.space, self.k)
        return None if labels is None else self._with_rest(self.groups_of(_chunks(labels, self.k)))

    def _cut(self) -> Groups:
        """Return groups from cutting the table recursively."""
        return self.groups_of(_chunks(cut_at_best(self.space, self.records, self.k, self.n_threads), self.k))

    def _with_rest(self, groups: Groups) -> Groups | None:
        """Add each ungrouped record to the group whose cost rises least; None if a record finds none with room."""
        rest, everywhere = np.flatnonzero(groups.label < 0), np.zeros(len(groups.size), dtype=np.int64)
        unplaced = place_rest(self.records, self.rules, groups, self.where, everywhere, rest)
        return None if unplaced else groups

    def _empty(self) -> Groups:
        """Return as many empty groups as there can be, each with one place more than it may have at the end."""
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
        """Return the cost of the groups, including the price of missed rules."""
        return self._measured(groups) + self.rules.price * float(groups.deficit.sum())

    def _measured(self, groups: Groups) -> float:
        """Compute all summaries of the groups again, and return the cost without the price of missed rules."""
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
        whole: Whole | None = None,
        fixed: bool = False,
    ) -> bool:
        """Improve `groups` in place, without dissolving any if `fixed`; whether the deadline ended it early.

        If the records are a part of a table, effort and temperature are those for the `whole` of it.
        """
        cost = self._measured(groups)
        n_costly = int(groups.size[_costly(groups)].sum())
        if n_costly == 0:
            return False
        n = len(self.space)
        n_blocks = max(min(2, n // LEAST_BLOCK_RECORDS), round(n / BLOCK_RECORDS), 1)
        bound_by_rules = fixed or self.rules.codes.shape[1] > 0
        rows, costly = whole or Whole(n_rows, n_costly)
        work = usual_effort(usual, costly, rows) if effort is None else effort
        with (
            progress.step("regrouping", total=TEMPERATURE_ROUNDS) as advance,
            ThreadPoolExecutor(self.n_threads) as pool,
        ):

            def done(run: Round) -> None:
                block = self._blocks(groups, n_blocks, seed, run.turn)
                of_record = np.where(_costly(groups), block, -1)[groups.label]
                jobs = [pool.submit(self._run, groups, block, mine, of_record, run) for mine in range(n_blocks)]
                for job in jobs:
                    job.result()

            run = Round(0, cost / n_costly, work, seed, deadline, fixed, MILD if bound_by_rules else LEAST_START)
            timed_out = False
            if deadline is not None and effort is None:
                begun = time.monotonic()
                done(replace(run, effort=TRIAL * TEMPERATURE_ROUNDS))
                now = time.monotonic()
                fitting = max((deadline - now) / max(now - begun, 1e-9), 1.0) * TRIAL * TEMPERATURE_ROUNDS
                work, timed_out = min(PATIENT, fitting), fitting < PATIENT
            if not bound_by_rules:
                highest = MOST_START_FROM_CUTS if self.k > FROM_ABOVE else 1.0
                good = min(start_temperature(work, n_costly if self.continued else costly), highest)
                run = replace(run, warmth=good if self.is_good else 1.0)
            pace = Pace(deadline)
            for turn in range(TEMPERATURE_ROUNDS):
                run = replace(run, turn=turn, effort=work * pace.share(turn))
                done(run)
                advance(1)
                pace.done(run.effort / work if work else 1.0)
        return timed_out or pace.timed_out

    def _run(self, groups: Groups, block: Labels, mine: int, of_record: Labels, run: Round) -> None:
        """Work on one block for one round."""
        active = np.flatnonzero(of_record == mine)
        if not len(active):
            return
        rng = np.random.default_rng([run.seed, run.turn, mine])
        state = rng.integers(1, 2**63, 1, dtype=np.uint64)
        total = int(run.effort * len(active) / TEMPERATURE_ROUNDS)
        for begin in range(0, total, CHUNK):
            if run.timed_out and run.turn < TEMPERATURE_ROUNDS - 1:
                return
            amount = min(CHUNK, total - begin)
            hot, cold = run.temperature(begin / total), run.temperature((begin + amount) / total)
            task = (self.records, self.rules, groups)
            move_and_swap(*task, self.where, block, mine, active, self.k, amount, hot, cold, state)
            if not run.fixed:
                rare = RARE * run.warmth * min(1.0, SMALL / self.k) ** 1.5
                some = rng.choice(active, min(len(active), int(rare * amount)), replace=False)
                moved, homes = np.empty((2, self.room + 1), dtype=np.int64)
                dissolve_and_form(*task, self.where, block, mine, some, self.k, cold, state, moved, homes)

    def _blocks(self, groups: Groups, n_blocks: int, seed: int, turn: int) -> Labels:
        """Return the block of each group: neighbors in blocks of equal size, cut at other places each turn."""
        first = self.space.coordinates[groups.members[:, 0]][:, self.keys]
        ranks = np.lexsort(first.T)
        begin = int(np.random.default_rng([seed, turn]).integers(len(ranks)))
        block = np.empty(len(ranks), dtype=np.int64)
        block[np.roll(ranks, begin)] = np.arange(len(ranks)) * n_blocks // len(ranks)
        return block


def _costly(groups: Groups) -> npt.NDArray[np.bool_]:
    """Return which groups have a positive cost or miss a rule."""
    return (groups.extent > 0) | (groups.deficit > 0)


def _set_aside(space: Space, k: int) -> Labels:
    """Return groups of k equal records that can be set aside; -1 for the records that stay in the search.

    The space is sorted. Of each different record, SPARE such groups and the remainder stay in the search.
    """
    _, counts, point_of = space.distinct()
    n_groups = np.maximum(counts // k - SPARE, 0)
    first = np.cumsum(counts) - counts
    place = np.arange(len(space)) - first[point_of]
    group = np.cumsum(n_groups) - n_groups
    return np.where(place < n_groups[point_of] * k, group[point_of] + place // k, -1)


def _keys(points: Space, near: Labels) -> Labels:
    """Return the axes by which to sort so that neighbors stay together, as `lexsort` takes them.

    The most important is the last: the axis on which neighbors differ least.
    """
    apart = []
    for j, axis in enumerate(points.axes):
        ranks = np.unique(points.coordinates[:, j], return_inverse=True)[1]
        steps = np.abs(ranks[near] - ranks[:, None])
        apart.append(steps.mean() / max(1, ranks.max()) if axis.kind == LINE else (steps > 0).mean())
    return np.argsort(-np.array(apart), kind="stable")


def _chunks(labels: Labels, k: int) -> Labels:
    """Return the same groups, but those of at least 2k records cut into pieces of k to 2k - 1, which cost no more."""
    order = np.argsort(labels, kind="stable")[np.count_nonzero(labels < 0) :]
    size = np.bincount(labels[order])
    start = np.cumsum(size) - size
    place = np.arange(len(order)) - np.repeat(start, size)
    pieces = size // k
    piece = place * np.repeat(pieces, size) // np.repeat(size, size)
    cut = np.full(len(labels), -1, dtype=np.int64)
    cut[order] = np.repeat(np.cumsum(pieces) - pieces, size) + piece
    return cut
