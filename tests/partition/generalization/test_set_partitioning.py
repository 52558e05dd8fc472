"""Groups of the bound in the release: never costlier, never too small, the optimum where all groups are known."""

from __future__ import annotations

import itertools
import os
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.partition import solver
from shoal.partition.generalization import known_groups, lower_bound
from shoal.partition.generalization import set_partitioning as module
from shoal.partition.generalization.forest import cost_of_groups, forest, generalization_cost
from shoal.partition.generalization.group_bound import group_offers
from shoal.partition.generalization.known_groups import KnownGroups, columns_of
from shoal.partition.generalization.set_partitioning import repartitioned
from shoal.partition.group_labels import number_groups
from shoal.partition.group_pool import GroupPool
from shoal.space.space import Space
from tests.oracles.generalization import best_generalization_cost
from tests.partition.generalization.test_cell_bound import wide
from tests.ratio.instances import any_table

DEEP = os.environ.get("SHOAL_TESTS") == "deep"
TIMES = 1_000 if DEEP else 40


def tables(seed, times=TIMES, least=2, largest=11):
    """Small tables with ties and copies, and groups of k or more records drawn at random."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        k = int(rng.integers(2, 5))
        rows, columns, space = any_table(rng, int(rng.integers(max(2 * k, least), max(2 * k + 1, largest))))
        n = len(rows)
        labels = np.empty(n, dtype=np.int64)
        labels[rng.permutation(n)] = np.arange(n) % max(1, n // k)
        yield k, rows, columns, space, number_groups(labels)


def all_groups(space, k, duals):
    """A pool of all groups of k to 2k - 1 records, by their points."""
    points, counts, point_of = space.distinct()
    pool = GroupPool(counts)
    for size in range(k, min(2 * k, len(space) + 1)):
        rows = pool.unknown(
            np.sort(point_of[np.array(list(itertools.combinations(range(len(space)), size)))], axis=1)
        )
        costs = size * cost_of_groups(points, rows.ravel().astype(np.int64), np.arange(0, rows.size, size))
        pool.add(rows.ravel(), np.arange(0, rows.size + 1, size), costs, 0.0)
    return KnownGroups(points, counts, point_of, k, 1.0, np.full(len(counts), duals), pool)


def test_where_all_groups_are_known_the_cost_is_the_optimum(monkeypatch):
    monkeypatch.setattr(known_groups, "CHEAP", 10**6)
    for limit in ("PER_POINT", "NODES", "LINKS", "LINKED"):
        monkeypatch.setattr(module, limit, 10**6)
    better = 0
    for k, rows, columns, space, labels in tables(1):
        found = repartitioned(space, labels, all_groups(space, k, 0.0), effort=0.3)
        assert np.bincount(found).min() >= k
        best = best_generalization_cost(rows, columns, k)
        assert generalization_cost(space, found) == pytest.approx(float(best), rel=1e-9, abs=1e-9)
        better += generalization_cost(space, labels) > float(best) + 1e-9
    assert better > TIMES // 2


def test_groups_of_the_bound_never_cost_more_and_never_have_fewer_than_k_records():
    lowered = 0
    for k, rows, columns, space, labels in tables(2, least=8, largest=11):
        offers = group_offers(space, k, labels)
        if offers is None:
            continue
        found = repartitioned(space, labels, offers.known)
        assert np.bincount(found).min() >= k
        before, after = generalization_cost(space, labels), generalization_cost(space, found)
        assert best_generalization_cost(rows, columns, k) <= Fraction(after) * Fraction(1 + 1e-12)
        assert after <= before
        lowered += after < before
    assert lowered > TIMES // 3


def test_every_cost_and_reduced_cost_is_that_of_the_group():
    for k, _, _, space, labels in tables(3, TIMES // 4, least=8):
        known = all_groups(space, k, 0.25)
        columns = columns_of(known, labels)
        for c in range(len(columns.costs)):
            points, times = columns.of(c)
            members = np.repeat(points, times)
            assert k <= len(members) < 2 * k
            assert (np.diff(points) > 0).all()
            assert (times <= known.counts[points]).all()
            cost = len(members) * cost_of_groups(known.points, members, np.zeros(1, dtype=np.int64))[0]
            assert columns.costs[c] == pytest.approx(cost, rel=1e-12)
            assert columns.reduced[c] == pytest.approx(cost - 0.25 * len(members), rel=1e-9, abs=1e-9)
            assert columns.reduced[c] <= known_groups.CHEAP * known.unit * k + 1e-9


def test_groups_of_k_records_are_also_offered_with_one_more_and_larger_ones_with_one_less():
    space = Space.from_points([[0.0], [1.0], [2.0], [3.0], [4.0]], norm=1)
    points, counts, point_of = space.distinct()
    pool = GroupPool(counts)
    pool.add(np.array([0, 1, 1, 2], dtype=np.int32), np.array([0, 2, 4]), np.array([2.0, 2.0]), 0.0)
    known = KnownGroups(points, counts, point_of, 2, 100.0, np.zeros(5), pool)
    columns = columns_of(known, np.array([0, 0, 1, 1, 1]))
    found = {tuple(columns.of(c)[0].tolist()) for c in range(len(columns.costs))}
    assert found == {(0, 1), (1, 2), (0, 1, 2), (2, 3), (3, 4), (2, 4)}


def sample(n=400, k=4, seed=5):
    space = wide(n, 3, seed)
    labels = forest(space, k).labels
    return space, labels, group_offers(space, k, labels).known


def test_neither_the_order_of_rows_nor_the_number_of_threads_changes_the_cost():
    space, labels, known = sample()
    found = repartitioned(space, labels, known)
    assert np.array_equal(found, repartitioned(space, labels, known, n_threads=2))
    order = np.random.default_rng(0).permutation(len(space))
    moved_space, moved = space.take(order), number_groups(labels[order])
    again = repartitioned(moved_space, moved, group_offers(moved_space, 4, moved).known)

    def cells(space, labels):
        """The groups by what their records are, whichever of equal records is in which."""
        rows = [tuple(row) for row in space.coordinates.tolist()]
        return sorted(sorted(rows[i] for i in np.flatnonzero(labels == g)) for g in range(labels.max() + 1))

    assert cells(space, found) == cells(moved_space, again)


def test_a_random_start_comes_near_the_bound():
    space, labels, known = sample()
    cost = generalization_cost(space, labels)
    found = repartitioned(space, labels, known)
    assert np.bincount(found).min() >= 4
    assert len(found) == len(space)
    assert generalization_cost(space, found) < 0.97 * cost


def test_nothing_is_cut_after_the_deadline():
    space, labels, known = sample(200)
    assert repartitioned(space, labels, known, deadline=0.0) is labels


@pytest.mark.parametrize("answer", ["none", "nothing", "one group", "too much", "halves", "all twice"])
def test_a_wrong_answer_of_the_solver_changes_nothing(monkeypatch, answer):
    space, labels, known = sample(200)
    wrong = {
        "none": lambda n: None,
        "nothing": np.zeros,
        "one group": lambda n: np.eye(1, n)[0],
        "too much": np.ones,
        "halves": lambda n: np.full(n, 0.5),
        "all twice": lambda n: np.full(n, 2.0),
    }[answer]
    seen = []

    def milps(programs, n_threads):
        seen.extend(programs)
        return [wrong(len(program["c"])) for program in programs]

    monkeypatch.setattr(solver, "milps", milps)
    assert repartitioned(space, labels, known) is labels
    assert seen


def table(n=400):
    rng = np.random.default_rng(6)
    labels = {name: [f"{name}{code}" for code in 8 * rng.random(n) ** 2 // 1] for name in ("a", "b", "c")}
    return pl.DataFrame(labels | {"age": rng.integers(20, 60, n), "s": rng.integers(0, 5, n)})


ASKED = {"quasi": ["a", "b", "c", "age"], "sensitive": ["s"], "publish_rare": ["a", "b", "c"], "k": 4, "seed": 1}


def recombinations(monkeypatch):
    """What `anonymize` recombines: the costs before and after."""
    costs = []

    def seen(space, labels, known, **more):
        found = repartitioned(space, labels, known, **more)
        costs.append((generalization_cost(space, labels), generalization_cost(space, found)))
        return found

    monkeypatch.setattr(lower_bound, "repartitioned", seen)
    return costs


def test_a_release_has_the_recombined_groups_and_keeps_its_ratio(monkeypatch):
    costs = recombinations(monkeypatch)
    release = shoal.anonymize(table(), **ASKED)
    ((before, after),) = costs
    assert after < before
    found = release.partition
    assert found.cost == pytest.approx(after)
    assert found.lower_bound <= found.cost < found.theorem_cost
    assert found.theorem == "FOREST-1"
    assert release.certificate.holds
    assert found.sizes.min() >= 4


@pytest.mark.parametrize("more", [{"l": 2}, {"t": 0.5}, {"person": "who"}])
def test_groups_are_not_recombined_where_more_than_k_rows_is_asked(monkeypatch, more):
    costs = recombinations(monkeypatch)
    frame = table(200)
    if "person" in more:
        frame = frame.with_columns(who=pl.int_range(200) // 2)
    release = shoal.anonymize(frame, **ASKED, **more)
    assert release.certificate.holds
    assert not costs
