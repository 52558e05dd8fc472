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

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.effort import GENERALIZATION
from shoal.kernels.generalization_annealing import dissolve_and_form, move_and_swap
from shoal.kernels.generalization_groups import Groups
from shoal.partition.generalization.annealing_schedule import (
    LEAST_START,
    MILD,
    MOST_START_FROM_CUTS,
    PATIENT,
    TEMPERATURE_ROUNDS,
    TRIAL,
    Pace,
    Round,
    Whole,
    start_temperature,
    usual_effort,
)
from shoal.partition.generalization.annealing_starts import FROM_ABOVE, Starts, chunks
from shoal.partition.generalization.forest import generalization_cost
from shoal.partition.result import Labels
from shoal.partition.rules import Regrouped, Rule
from shoal.space.space import Space

CHUNK = 500_000
"""Proposals between two checks of the deadline: a fraction of a second."""
RARE, SMALL = 0.1, 8
"""Groups that are tried for dissolving or forming, per proposal. Above k = SMALL the number falls with the 1.5th
power of k, because each try takes longer."""
BLOCK_RECORDS, LEAST_BLOCK_RECORDS = 100_000, 1000
"""Largest average number of records in a block, on which one thread works in a round; and the smallest if there are
two blocks. Records near a border between blocks have fewer neighbors, so there are as few blocks as possible."""
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
    first = labels[order] if keep else chunks(labels[order], k)
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


class _Search(Starts):
    """One run: the records, their rules and neighbor lists, the groups to start from, and the annealing."""

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
        cost = self.measured(groups)
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
