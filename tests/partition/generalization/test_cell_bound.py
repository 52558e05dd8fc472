"""The bound by cells: which cells there are, that offers keep within them, and how near the best offers it comes."""

from __future__ import annotations

import itertools
import os
import time
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

import shoal
from shoal.partition.generalization import cell_bound as module
from shoal.partition.generalization.cell_bound import cell_bound, offers_within
from shoal.partition.generalization.cells import cheapest_cells
from shoal.partition.generalization.forest import forest
from shoal.policy import Policy
from shoal.roles import assign
from shoal.space import build_space
from shoal.space.space import TREE, Axis, Space
from shoal.tables import read
from tests.oracles.generalization import Sets, best_generalization_cost
from tests.ratio.instances import any_table, random_table

TIMES = 2_000 if os.environ.get("SHOAL_TESTS") == "deep" else 150


def tables(seed, times=TIMES, largest=10):
    rng = np.random.default_rng(seed)
    for _ in range(times):
        k = int(rng.integers(2, 6))
        yield k, *any_table(rng, int(rng.integers(k, max(k + 1, largest))))


def price_of(columns, rows):
    """What one record of a group pays; a set of labels as if it had two."""
    total = Fraction(0)
    for column, values in zip(columns, zip(*rows, strict=True), strict=True):
        if isinstance(column, Sets) and len(set(values)) > 1:
            total += 2 * Fraction(column.each)
        else:
            total += column.cost(values)
    return total


def test_the_bound_is_at_most_the_optimum_and_at_least_that_of_the_nearest_records():
    for k, rows, columns, space in tables(1):
        bound = cell_bound(space, k)
        assert bound <= best_generalization_cost(rows, columns, k)
        assert bound >= forest(space, k).lower_bound * (1 - 1e-9)


def test_no_k_records_offer_more_than_k_times_what_their_group_costs():
    for k, rows, columns, space in tables(2):
        offers = [Fraction(offer) for offer in offers_within(space, k)]
        for some in itertools.combinations(range(len(rows)), k):
            assert sum(offers[i] for i in some) <= k * price_of(columns, [rows[i] for i in some])


def best_offers(columns, rows, k):
    """The linear program, with a constraint for any k records."""
    some = list(itertools.combinations(range(len(rows)), k))
    within = np.zeros((len(some), len(rows)))
    for constraint, group in zip(within, some, strict=True):
        constraint[list(group)] = 1
    prices = [k * float(price_of(columns, [rows[i] for i in group])) for group in some]
    return -linprog(-np.ones(len(rows)), A_ub=within, b_ub=prices).fun


def test_with_more_effort_the_bound_comes_near_the_best_offers():
    reached, possible, simple = 0.0, 0.0, 0.0
    for k, rows, columns, space in tables(3, 60, largest=12):
        best = best_offers(columns, rows, k)
        bound = cell_bound(space, k, effort=8)
        assert bound <= best * (1 + 1e-9)
        reached, possible, simple = reached + bound, possible + best, simple + forest(space, k).lower_bound
    assert reached > 0.98 * possible
    assert simple < 0.85 * possible


def test_the_cheapest_cell_of_every_record_is_found():
    for k, rows, columns, space in tables(4, 60, largest=9):
        points, counts, point_of = space.distinct()
        cheapest = cheapest_cells(points, counts, k, 10**9)[point_of]
        for i in range(len(rows)):
            others = (some for some in itertools.combinations(range(len(rows)), k) if i in some)
            least = min(price_of(columns, [rows[j] for j in some]) for some in others)
            assert cheapest[i] == pytest.approx(float(least), rel=1e-12)


def test_by_hand_a_record_far_from_all_others_makes_its_whole_group_pay():
    """Two labels three times each and one alone, k = 3: its group pays 3, and the nearest records say only 1."""
    space = Space.from_labels(["a"] * 5 + ["b"] * 5 + ["c"])
    assert forest(space, 3).lower_bound == pytest.approx(1)
    assert cell_bound(space, 3, effort=5) == pytest.approx(3, rel=1e-6)
    assert cell_bound(space, 3, effort=5) <= 3


def wide(n, d, seed):
    rng = np.random.default_rng(seed)
    above = np.stack([np.arange(64), 64 + np.arange(64) // 4, 80 + np.arange(64) // 16, np.full(64, 84)], axis=1)
    axes = tuple(Axis(f"c{j}", TREE, above.astype(np.int32), np.array([0, 4, 16, 64]) / 64) for j in range(d))
    return Space((64 * rng.random((n, d)) ** 2).astype(np.int64).astype(float), axes, norm=1)


def test_neither_the_order_of_rows_nor_the_number_of_cores_changes_the_bound(monkeypatch):
    space = wide(600, 3, 5)
    bound = cell_bound(space, 4)
    assert cell_bound(space.take(np.random.default_rng(0).permutation(600)), 4) == bound
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert cell_bound(space, 4) == bound


def test_too_many_cells_leave_a_bound_that_holds_and_far_too_many_none(monkeypatch):
    rows, columns, space = random_table(np.random.default_rng(9), 10, 3)
    found = []
    for members in (1, 10, 40, 80):
        monkeypatch.setattr(module, "most_members", lambda _n, _effort, members=members: members)
        found.append(cell_bound(space, 3))
    assert 0 == found[0] < found[1] < found[2] < found[3]
    assert found[3] <= best_generalization_cost(rows, columns, 3)


def test_no_records_no_columns_and_equal_records_have_no_bound():
    assert cell_bound(Space.from_labels([["a"], ["a"]]), 3) == 0
    assert cell_bound(Space.from_labels(["a"] * 9), 3) == 0
    assert cell_bound(Space(np.zeros((5, 0)), (), 1), 2) == 0


def test_a_release_with_hierarchies_has_the_bound_in_its_certificate():
    rng = np.random.default_rng(6)
    codes = {name: [f"{code:03d}" for code in rng.integers(0, 999, 300)] for name in ("home", "work")}
    table = pl.DataFrame(codes | {"age": rng.integers(20, 60, 300), "s": rng.integers(0, 5, 300)})
    by_prefix = {name: {"prefix": True} for name in codes}
    wish = {"quasi": ["home", "work", "age"], "sensitive": ["s"], "hierarchy": by_prefix, "k": 5, "seed": 1}
    release = shoal.anonymize(table, **wish)
    assert release.partition.details.bound == "groups"
    assert release.partition.ratio_seen < 1.1
    hurried = shoal.anonymize(table, effort=1e-3, **wish)
    assert hurried.partition.lower_bound < release.partition.lower_bound
    large = shoal.anonymize(table, **wish | {"k": 15})
    assert large.partition.details.bound == "cells"
    assert large.partition.ratio_seen < 1.25


@pytest.mark.deep
def test_no_grouping_of_adult_with_its_hierarchies_costs_less_than_473_ten_thousandths(shared_data):
    """Whatever is found there in groups of 5 costs more, per entry and as leaves / all."""
    folder = shared_data / "adult"
    table = pl.read_csv(folder / "adult.csv", separator=";").drop("salary-class")
    columns = {
        name: {"role": "quasi", "hierarchy": str(folder / f"adult_hierarchy_{name}.csv")} for name in table.columns
    }
    policy = Policy.parse({"k": 5, "columns": columns})
    space = build_space(table, assign(read(table), policy), norm=1, loss="ncp").space
    entries = len(space) * len(space.axes)
    assert cell_bound(space, 5) / entries > 0.0440
    assert cell_bound(space, 5, effort=16) / entries > 0.0473


@pytest.mark.deep
def test_the_bound_of_many_records_takes_seconds():
    space = wide(200_000, 4, 7)
    begun = time.process_time()
    assert cell_bound(space, 5) > 1.1 * forest(space, 5).lower_bound
    assert time.process_time() - begun < 60
