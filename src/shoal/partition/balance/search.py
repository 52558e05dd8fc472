"""Groups that keep limits on sensitive values, by balanced cuts of the whole table and of neighborhoods of groups.

Problem     split records into groups of at least k that meet every limit of a `Balance`, at the lowest generalization
            cost that is found.
Guarantee   every group has at least k records and meets the limits, as far as these are counted in rows; the caller
            checks the requirements themselves. A heuristic: nothing is proved about the cost.
Complexity  O(d n log n) for a level of cuts, and the same for each round of cutting again. Deterministic for a seed,
            equal for any number of threads, and independent of the order of rows.

Notes
-----
The table as one group meets any t. It is cut again and again, always where most is saved (`kernels.balanced_cuts`):
of a part whose values are not balanced, only as many records leave as both sides can spare, and the others stay with
the rest. Cuts that use up t at once leave no room for later ones, so large groups must be closer to the table than
small ones; how much closer is tried in several ways (SCHEDULES). Then groups near one another are joined and cut
again with random preferences, and the new groups are kept if they cost less.

References
----------
.. [1] K. LeFevre, D. J. DeWitt, R. Ramakrishnan (2006). "Mondrian multidimensional k-anonymity." ICDE.
.. [2] J. Cao, P. Karras, P. Kalnis, K.-L. Tan (2011). "SABRE: a Sensitive Attribute Bucketization and REdistribution
   framework for t-closeness." VLDB Journal 20(1), 59-81.
.. [3] D. Pisinger, S. Ropke (2010). "Large neighborhood search." Handbook of Metaheuristics, 399-419.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from shoal import progress
from shoal.kernels.balanced_cuts import Work, cut_apart
from shoal.partition.balance.columns import columns_of
from shoal.partition.balance.limits import Balance
from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Floats, Labels
from shoal.partition.rules import Regrouped
from shoal.requirements import Records, Requirement
from shoal.space.neighbors import Neighbors
from shoal.space.space import Space

SCHEDULES = ((0.05, 40.0), (0.1, 80.0), (0.2, 160.0))
"""Pairs `falling`, `small`: a group of more than `small` records keeps t x (small / size) ** falling."""
NEAR = 64
"""Different records, nearest to one of a group, whose groups are joined with it."""
MOST_JOINED, FEWEST_ROWS, MOST_ROWS = 8, 60, 3000
"""Groups that are joined to be cut again: at most MOST_JOINED, and no further ones beyond MOST_ROWS records."""
NOISE = 0.3
"""What a cut saves is multiplied by a random number from 1 to 1 + NOISE when a neighborhood is cut again."""


Job = tuple[Labels, float, float, float, tuple[int, ...]]
"""Rows to cut, `falling`, `small`, `noise`, and the number of the job, from which its random numbers follow."""


class BalancedCuts:
    """The records in an order of their own, and what the kernels need of them."""

    def __init__(
        self,
        space: Space,
        k: int,
        requirements: Sequence[Requirement],
        records: Records,
        *,
        seed: int,
        stricter: float = 0.0,
        n_threads: int | None = None,
    ) -> None:
        given = Balance.of(requirements, records, stricter=stricter)
        keys = [given.types] if records.people is None else [records.people, given.types]
        self.order = np.lexsort([*keys, *space.coordinates.T[::-1]]).astype(np.int64)
        self.space, self.k, self.seed = space.take(self.order), k, seed
        self.balance = Balance(given.types[self.order], given.limits)
        self.columns = columns_of(self.space)
        self.n_threads = n_threads or min(2, os.cpu_count() or 1)

    def start(self) -> Labels:
        """Return the cheapest groups that cuts of the whole table by one of the SCHEDULES give."""
        everyone = np.arange(len(self.space))
        jobs: list[Job] = [(everyone, falling, small, 0.0, (0, at)) for at, (falling, small) in enumerate(SCHEDULES)]
        found = self._cut(jobs)
        return min(found, key=self.cost)

    def cost(self, labels: Labels) -> float:
        """Return the generalization cost of groups."""
        return float(self._costs(labels).sum())

    def _costs(self, labels: Labels) -> Floats:
        """Return what each group 0, 1, ... costs."""
        order = np.argsort(labels, kind="stable")
        sizes = np.bincount(labels)
        lost: Floats = sizes * cost_of_groups(self.space, order, np.cumsum(sizes) - sizes)
        return lost

    def _cut(self, jobs: list[Job]) -> list[Labels]:
        """Return the groups of the rows of each job; every job has random numbers of its own."""
        with ThreadPoolExecutor(self.n_threads) as pool:
            return list(pool.map(self._cut_one, jobs))

    def _cut_one(self, job: Job) -> Labels:
        rows, falling, small, noise, number = job
        state = np.random.default_rng([self.seed, *number]).integers(1, 2**63, 1, dtype=np.uint64)
        work = Work(*self.balance.work(), np.full(len(self.balance.limits.start) - 1, -1, dtype=np.int64))
        task = (self.columns, self.balance.limits, self.balance.types)
        return cut_apart(*task, rows, self.k, falling, small, noise, state, work)

    def recut(self, labels: Labels, turn: int) -> Labels:
        """Return groups of no higher cost: neighborhoods of groups are cut again, where that saves something."""
        rng = np.random.default_rng([self.seed, 1, turn])
        jobs: list[Job] = []
        for at, chosen in enumerate(self._neighborhoods(labels, rng)):
            rows = np.flatnonzero(np.isin(labels, chosen))
            falling, small = SCHEDULES[int(rng.integers(len(SCHEDULES)))]
            jobs.append((rows, falling, small, NOISE, (2, turn, at)))
        costs = self._costs(labels)
        result, n_groups = labels.copy(), int(labels.max()) + 1
        for (rows, *_), found in zip(jobs, self._cut(jobs), strict=True):
            order = np.argsort(found, kind="stable")
            sizes = np.bincount(found)
            after = float((sizes * cost_of_groups(self.space, rows[order], np.cumsum(sizes) - sizes)).sum())
            if after < float(costs[np.unique(labels[rows])].sum()) * (1 - 1e-12):
                result[rows] = n_groups + found
                n_groups += int(found.max()) + 1
        return number_groups(result)

    def _neighborhoods(self, labels: Labels, rng: np.random.Generator) -> list[Labels]:
        """Return sets of groups that share no group: each a random group, and those of records near one of it."""
        n_groups = int(labels.max()) + 1
        if n_groups < 2:
            return []
        sizes = np.bincount(labels)
        members = np.argsort(labels, kind="stable")
        speaks = members[np.cumsum(sizes) - sizes + rng.integers(sizes)]
        points, counts, point_of = self.space.distinct()
        near = Neighbors(points, n_threads=self.n_threads).nearest(min(NEAR, len(points)), rows=point_of[speaks])[1]
        copies = np.argsort(point_of, kind="stable")[(np.cumsum(counts) - counts)[near] + rng.integers(counts[near])]
        others = labels[copies]
        used, found = np.zeros(n_groups, dtype=bool), []
        for g in rng.permutation(n_groups).tolist():
            if used[g]:
                continue
            chosen, n_rows = [g], int(sizes[g])
            most = 2 + int(rng.integers(MOST_JOINED - 1))
            for h in dict.fromkeys(others[g].tolist()):
                if len(chosen) >= most:
                    break
                if h != g and not used[h] and n_rows + sizes[h] <= MOST_ROWS:
                    chosen.append(h)
                    n_rows += int(sizes[h])
            if len(chosen) > 1:
                used[chosen] = True
                found.append(np.array(chosen))
        return found


def balanced(
    space: Space,
    k: int,
    requirements: Sequence[Requirement],
    records: Records,
    *,
    rounds: int,
    seed: int,
    stricter: float = 0.0,
    deadline: float | None = None,
    n_threads: int | None = None,
) -> Regrouped:
    """Return groups of at least `k` records that meet the limits of all requirements beyond k, counted in rows."""
    cuts = BalancedCuts(space, k, requirements, records, seed=seed, stricter=stricter, n_threads=n_threads)
    timed_out = False
    with progress.step("balanced cuts", total=rounds + 1) as advance:
        labels = cuts.start()
        for turn in range(rounds):
            advance(1)
            if deadline is not None and time.monotonic() > deadline:
                timed_out = True
                break
            labels = cuts.recut(labels, turn)
    found = np.empty(len(labels), dtype=np.int64)
    found[cuts.order] = labels
    return Regrouped(number_groups(found), timed_out)
