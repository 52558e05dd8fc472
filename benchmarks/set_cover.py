"""Greedy set cover over closed generalized records beside `forest`: which of them is the better start?

Park and Shim (2007) and Kenig and Tassa (2012) cover the records by generalized records, the cheapest per record that
they newly hold first, within O(log k) of the optimum if all closed ones are at hand. There are far too many of those
to list, so here they grow from every record, by the neighbour that adds least, as Kenig and Tassa do. Two readings:
`cover` takes sets that overlap and then undoes that; `disjoint` grows each set anew among the records that are still
free. Every start is then improved with the usual effort; forest also with as much as takes the CPU time of the slower
of the two and its improvement.

    python -m benchmarks.set_cover [--rows 1000] [--seeds 2]
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.data import ADULT_QUASI, SHARED, people
from shoal.partition.forest import forest, generalization_cost
from shoal.partition.regroup import USUAL, regroup
from shoal.policy import Policy
from shoal.space.columns import build_space
from shoal.space.neighbours import Neighbours
from shoal.space.space import Space

NEAREST = 60
"""Records that a set may grow by."""


class Chains:
    """Sets that grow from records, by the neighbour that adds least to the cost of the common value."""

    def __init__(self, space: Space, k: int) -> None:
        self.space, self.k = space, k
        self.near = Neighbours(space, n_threads=1).nearest(min(len(space), max(NEAREST, 3 * k)))[1]
        # A record comes first among its equals.
        place = (self.near != np.arange(len(space))[:, None]).argsort(axis=1, kind="stable")
        self.near = np.take_along_axis(self.near, place, axis=1)
        self.near[:, 0] = np.arange(len(space))
        self.meet = {}
        for j, axis in enumerate(space.axes):
            if axis.ancestors is not None and axis.level_cost is not None and axis.label_cost == 0:
                apart = (axis.ancestors[:, None] != axis.ancestors[None]).sum(axis=2)
                self.meet[j] = axis.level_cost[apart]

    def grow(self, records: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(r, 2k - 1): members in the order they came, and what each pays then; -1 and inf where no more are free."""
        near = self.near[records]
        able = free[near]
        able[:, 0] = False
        values = self.space.coordinates[near]
        low, high = values[:, 0].copy(), values[:, 0].copy()
        bits = np.left_shift(np.uint64(1), values.astype(np.int64).clip(0, 63).astype(np.uint64))
        held = bits[:, 0].copy()
        members = np.full((len(records), 2 * self.k - 1), -1, dtype=np.int64)
        price = np.full(members.shape, np.inf)
        members[:, 0], price[:, 0] = records, 0.0
        own = np.arange(len(records))
        for size in range(1, members.shape[1]):
            cost = np.zeros(near.shape)
            for j, axis in enumerate(self.space.axes):
                lo, hi = np.minimum(low[:, j, None], values[..., j]), np.maximum(high[:, j, None], values[..., j])
                if axis.label_cost > 0:
                    count = np.bitwise_count(held[:, j, None] | bits[..., j])
                    cost += np.where(count > 1, count * axis.label_cost, 0.0)
                else:
                    cost += self.meet[j][lo.astype(int), hi.astype(int)] if j in self.meet else hi - lo
            cost[~able] = np.inf
            best = cost.argmin(axis=1)
            some = np.isfinite(cost[own, best])
            members[some, size], price[some, size] = near[own, best][some], cost[own, best][some]
            chosen = values[own, best]
            low[some], high[some] = np.minimum(low, chosen)[some], np.maximum(high, chosen)[some]
            held[some] |= bits[own, best][some]
            able[own, best] = False
        return members, price


def disjoint(space: Space, k: int) -> np.ndarray:
    """The cheapest set of free records is a group; the records that are left join the group that they raise least."""
    chains = Chains(space, k)
    free = np.ones(len(space), dtype=bool)
    members, price = chains.grow(np.arange(len(space)), free)
    queue = [(price[i, k - 1], i) for i in range(len(space)) if np.isfinite(price[i, k - 1])]
    heapq.heapify(queue)
    labels, n_groups = np.full(len(space), -1), 0
    while queue:
        cost, seed = heapq.heappop(queue)
        if not free[seed]:
            continue
        group = members[seed, : int((price[seed] <= cost).sum())]
        if not free[group].all():
            again = chains.grow(np.array([seed]), free)
            members[seed], price[seed] = again[0][0], again[1][0]
            if np.isfinite(price[seed, k - 1]):
                heapq.heappush(queue, (price[seed, k - 1], seed))
            continue
        free[group] = False
        labels[group] = n_groups
        n_groups += 1
    return _placed(space, labels)


def cover(space: Space, k: int) -> np.ndarray:
    """Sets that hold a new record at the least cost first; then each record stays in one, and none is below k."""
    chains = Chains(space, k)
    members, price = chains.grow(np.arange(len(space)), np.ones(len(space), dtype=bool))
    sets = [(members[i, :size], size * price[i, size - 1]) for i in range(len(space)) for size in range(k, 2 * k)]
    sets = [(group, cost) for group, cost in sets if np.isfinite(cost)]
    queue = [(cost / len(group), i) for i, (group, cost) in enumerate(sets)]
    heapq.heapify(queue)
    labels = np.full(len(space), -1)
    sizes: list[int] = []
    while queue and (labels < 0).any():
        asked, i = heapq.heappop(queue)
        group, cost = sets[i]
        new = group[labels[group] < 0]
        if not len(new):
            continue
        if cost / len(new) > asked:
            heapq.heappush(queue, (cost / len(new), i))
            continue
        spare = []
        for record in group[labels[group] >= 0].tolist():  # of groups that can do without
            if len(new) + len(spare) < k and sizes[labels[record]] > k:
                sizes[labels[record]] -= 1
                spare.append(record)
        if len(new) + len(spare) >= k:
            labels[new] = labels[spare] = len(sizes)
            sizes.append(len(new) + len(spare))
            continue
        for record in spare:
            sizes[labels[record]] += 1
        host = labels[group[labels[group] >= 0][0]]
        labels[new] = host
        sizes[host] += len(new)
    return _placed(space, labels)


def _placed(space: Space, labels: np.ndarray) -> np.ndarray:
    """Records without a group join the one of a neighbour whose cost they raise least."""
    near = Neighbours(space, n_threads=1).nearest(min(len(space), 200))[1]
    for record in np.flatnonzero(labels < 0):
        hosts = np.unique(labels[near[record]])
        hosts = hosts[hosts >= 0] if (hosts >= 0).any() else np.unique(labels[labels >= 0])

        def raised(host: int, record: int = record) -> float:
            some = np.append(np.flatnonzero(labels == host), record)
            part = space.take(some)
            before = generalization_cost(part, np.where(some == record, -1, 0))
            return generalization_cost(part, np.zeros(len(some), dtype=np.int64)) - before

        labels[record] = min(hosts[:20].tolist(), key=raised)
    return np.unique(labels, return_inverse=True)[1]


def tables(n: int, seed: int) -> Iterator[tuple[str, Space]]:
    """Adult, its labels as sets and in hierarchies, and people with skewed labels."""
    rng = np.random.default_rng(seed)
    folder = SHARED / "adult"
    plain = {name: {"role": "quasi", "kind": "number" if name == "age" else "label"} for name in ADULT_QUASI}
    if folder.exists():
        files = {name: folder / f"adult_hierarchy_{name}.csv" for name in ADULT_QUASI}
        trees = {name: {"role": "quasi", "kind": "hierarchy", "hierarchy": path} for name, path in files.items()}
        for kind, columns, typed in (("Adult, sets", plain, True), ("Adult, hierarchies", trees, False)):
            frame = pl.read_csv(folder / "adult.csv", separator=";", infer_schema=typed)
            frame = frame[rng.choice(len(frame), n, replace=False)]
            policy = Policy.parse({"columns": columns})
            yield kind, build_space(frame, policy, norm=1, by_leaves=not typed).space
    yield "generated people", build_space(people(n, seed), Policy.parse({"columns": plain}), norm=1).space


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rows", type=int, default=1000)
    asked.add_argument("--seeds", type=int, default=2)
    options = asked.parse_args()
    print("NCP as it is, CPU seconds, and NCP when improved; last, forest improved for as long as the slowest took")
    print(f"{'':20} {'k':>2} {'forest':>25} {'cover':>25} {'disjoint':>25} {'forest, as long':>16}")
    for name, space in tables(options.rows, 0):
        unit = len(space) * len(space.axes)
        regroup(space, forest(space, 2).labels, 2, effort=1)  # compiles
        for k in (2, 3, 5, 10):
            line, spent = [], []
            for start in (lambda space, k: forest(space, k, n_threads=1).labels, cover, disjoint):
                begun = time.process_time()
                labels = start(space, k)
                seconds = time.process_time() - begun
                assert np.bincount(labels).min() >= k
                better, took = improved(space, labels, k, USUAL, options.seeds)
                spent.append((seconds, took))
                line.append(f"{generalization_cost(space, labels) / unit:8.4f} {seconds:6.1f}s {better / unit:8.4f}")
            (forest_took, usual), longest = spent[0], max(map(sum, spent))
            effort = USUAL * (longest - forest_took) / usual
            longer, _ = improved(space, forest(space, k, n_threads=1).labels, k, effort, options.seeds)
            print(f"{name:20} {k:>2} {'  '.join(line)} {longer / unit:16.4f}", flush=True)


def improved(space: Space, labels: np.ndarray, k: int, effort: float, seeds: int) -> tuple[float, float]:
    """The mean cost after improvement, and the CPU seconds of one."""
    begun = time.process_time()
    costs = [
        generalization_cost(space, regroup(space, labels, k, effort=effort, seed=seed, n_threads=1).labels)
        for seed in range(seeds)
    ]
    return float(np.mean(costs)), (time.process_time() - begun) / seeds


if __name__ == "__main__":
    main()
