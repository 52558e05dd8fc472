"""The bound by groups: that offers keep within every group, also under limits, and how near the optimum it comes."""

from __future__ import annotations

import itertools
import math
import os
from fractions import Fraction
from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

import shoal
from shoal.partition.generalization import group_bound as module
from shoal.partition.generalization import lower_bound
from shoal.partition.generalization.forest import forest
from shoal.partition.generalization.group_bound import Offered, group_offers
from shoal.partition.generalization.lower_bound import with_sharper_bound
from shoal.partition.generalization.subset_rows import SubsetRows, whole_part
from shoal.partition.rules import Rule
from shoal.space.space import Space
from tests.oracles.generalization import best_generalization_cost
from tests.oracles.groupings import groupings
from tests.partition.generalization.test_cell_bound import wide
from tests.ratio.instances import any_table

DEEP = os.environ.get("SHOAL_TESTS") == "deep"
TIMES = 1_000 if DEEP else 60


def tables(seed, times=TIMES, largest=10):
    rng = np.random.default_rng(seed)
    for _ in range(times):
        k = int(rng.integers(2, 6))
        yield k, *any_table(rng, int(rng.integers(k, max(k + 1, largest))))


def offers_of(space, k, **more):
    """The offers and charges of a table; none at all where nothing costs anything."""
    found = group_offers(space, k, forest(space, k).labels, **more)
    return nothing_offered(len(space)) if found is None else found


def nothing_offered(n):
    return Offered(np.zeros(n), np.zeros((0, 3), dtype=np.int64), np.zeros(0), Fraction(0))


def charge_of(some, rows, prices, whole):
    """What a group of the records `some` pays for rows of three records."""
    total = Fraction(0)
    for row, price in zip(rows, prices, strict=True):
        held = len(set(row) & set(some))
        total += Fraction(float(price)) * (1 if held == 2 else whole if held == 3 else 0)
    return total


def price_of(columns, rows):
    """What one record of a group pays."""
    return sum(column.cost(values) for column, values in zip(columns, zip(*rows, strict=True), strict=True))


def no_group_offers_too_much(offered, k, rows, columns):
    exact, charges = [Fraction(offer) for offer in offered.each], (offered.rows.tolist(), offered.prices)
    assert offered.prices.min(initial=0.0) >= 0
    return all(
        sum(exact[i] for i in some)
        <= k * price_of(columns, [rows[i] for i in some]) + charge_of(some, *charges, offered.whole)
        for some in itertools.combinations(range(len(rows)), k)
    )


def test_no_k_records_offer_more_than_k_times_what_their_group_costs():
    for k, rows, columns, space in tables(1):
        assert no_group_offers_too_much(offers_of(space, k), k, rows, columns)


def test_the_search_around_every_record_hides_no_excess_whatever_the_order_of_anchors():
    """Also where offers do not rise with the ranks, as those do not that were lowered; nor does a limit hide one.

    It may say more than there is, where several records add nothing to the box alone but something together.
    """
    rng, said, there = np.random.default_rng(7), 0.0, 0.0
    for k, rows, columns, space in tables(7, TIMES // 2, largest=8):
        points, counts, point_of = space.distinct()
        offers, ranks = rng.integers(-2, 9, len(counts)) / 2.0, rng.permutation(len(counts))
        floor = rng.integers(0, 3, len(counts)) / 2.0
        search = module.OffersOfGroups(points, counts, k, 1.0, floor, module.all_near(points, 1), 1)
        anchors, reach = np.arange(len(counts)), np.full(len(counts), np.inf)
        true = np.full(len(counts), module.TOLERANCE)
        for some in itertools.combinations(range(len(rows)), k):
            held = point_of[list(some)]
            price = max(float(price_of(columns, [rows[i] for i in some])), floor[held].max())
            anchor = held[ranks[held].argmax()]
            true[anchor] = max(true[anchor], offers[held].sum() - k * price)
        whole = search.priced(offers, ranks, reach, anchors, 10**9)
        assert (whole.found >= true - 1e-9).all()
        assert np.array_equal(whole.found, whole.most)
        said, there = said + whole.found.sum(), there + true.sum()
        limited = search.priced(offers, ranks, reach, anchors, int(rng.integers(0, 10)))
        assert (limited.most >= true - 1e-9).all()
    assert said < 1.1 * there


def test_with_charges_the_search_around_every_record_hides_no_excess_either():
    rng, said, there, charged = np.random.default_rng(8), 0.0, 0.0, 0
    for k, rows, columns, space in tables(8, TIMES, largest=9):
        points, counts, point_of = space.distinct()
        single = np.flatnonzero(counts == 1)
        if k < 3 or len(single) < 3:
            continue
        offers, ranks = rng.integers(-2, 9, len(counts)) / 2.0, rng.permutation(len(counts))
        subset = SubsetRows(k, counts)
        some_rows = list(itertools.combinations(single.tolist(), 3))
        chosen = rng.permutation(len(some_rows))[: int(rng.integers(1, 8))]
        subset.rows = np.array([some_rows[c] for c in chosen], dtype=np.int32)
        subset.prices = rng.integers(0, 5, len(chosen)) / 2.0
        search = module.OffersOfGroups(points, counts, k, 1.0, np.zeros(len(counts)), module.all_near(points, 1), 1)
        search.charges = subset.charges()
        anchors, reach = np.arange(len(counts)), np.full(len(counts), np.inf)
        true = np.full(len(counts), module.TOLERANCE)
        for some in itertools.combinations(range(len(rows)), k):
            held = point_of[list(some)]
            charge = charge_of(held.tolist(), subset.rows.tolist(), subset.prices, subset.whole)
            excess = offers[held].sum() - float(charge + k * price_of(columns, [rows[i] for i in some]))
            anchor = held[ranks[held].argmax()]
            true[anchor] = max(true[anchor], excess)
            charged += charge > 0
        whole = search.priced(offers, ranks, reach, anchors, 10**9)
        assert (whole.found >= true - 1e-9).all()
        assert np.array_equal(whole.found, whole.most)
        said, there = said + whole.found.sum(), there + true.sum()
        limited = search.priced(offers, ranks, reach, anchors, int(rng.integers(0, 10)))
        assert (limited.most >= true - 1e-9).all()
    assert said < 1.1 * there
    assert charged > 5 * TIMES


def test_no_group_of_any_size_pays_more_for_a_row_than_its_price():
    """GROUPS-2: over any k of the m records of a group, what they pay for a row is m / k times at most its price."""
    for k in range(3, 65):
        whole = whole_part(k)
        for m in range(k, 8 * k):
            ways = Fraction(math.comb(m, k))
            for held in (2, 3):
                two = math.comb(held, 2) * math.comb(m - held, k - 2)
                three = math.comb(m - held, k - 3) if held == 3 else 0
                assert Fraction(m, k) * (two + whole * three) / ways <= 1


def test_an_offer_far_below_the_others_hides_no_excess():
    """A sum of offers from which it was taken off again would be off by more than the others are large."""
    space = Space.from_points(np.arange(5)[:, None] / 10.0, norm=1)
    points, counts, _ = space.distinct()
    for each in np.linspace(0.1, 1.0, 40):
        offers, ranks = np.array([5.0, -1e15, each, each, each]), np.array([4, 0, 1, 2, 3])
        search = module.OffersOfGroups(points, counts, 4, 1.0, np.zeros(5), module.all_near(points, 1), 1)
        found = search.priced(offers, ranks, np.full(5, np.inf), np.array([0]), 10**9)
        excess = 5 + 3 * each - 4 * 0.4
        assert found.found[0] == pytest.approx(excess, rel=1e-12)
        assert found.most[0] == found.found[0]


def test_lists_have_every_record_within_reach_and_no_other(monkeypatch):
    """Of both kinds of tables, whether a list is full, so that the reach is lowered, or not."""
    monkeypatch.setattr(module, "DENSE", 0)
    full = 0
    for listed in (4, 1000):
        monkeypatch.setattr(module, "LISTED", listed)
        for _, _rows, _, space in tables(11, TIMES // 4, largest=12):
            points = space.distinct()[0]
            reach = np.linspace(0.2, 2.5, len(points))
            near, every = module._near(points, reach / module.FAR, 0.0, 1), module.all_near(points, 1)
            apart = every.apart.reshape(len(points), -1)
            for i in range(len(points)):
                own = slice(near.starts[i], near.starts[i + 1])
                within = np.flatnonzero(apart[i] < near.reach[i])
                assert sorted(near.who[own].tolist()) == within.tolist()
                assert near.apart[own] == pytest.approx(apart[i][near.who[own]])
                assert near.reach[i] <= reach[i] + 1e-12
                assert listed == 4 or near.reach[i] == pytest.approx(reach[i])
            full += int((near.reach < reach - 1e-9).sum())
    assert full > 0


def test_offers_are_feasible_whatever_limit_ends_the_search(monkeypatch):
    """With little work hardly a search ends; with lists of neighbors, offers are limited to how far these reach."""
    rng = np.random.default_rng(2)
    for k, rows, columns, space in tables(2):
        monkeypatch.setattr(module, "PROOF", int(rng.integers(0, 12)))
        monkeypatch.setattr(module, "LIMIT", int(rng.integers(0, 12)))
        monkeypatch.setattr(module, "HOPELESS", 1.0)
        monkeypatch.setattr(module, "DENSE", int(rng.integers(0, 2)) * 3000)
        monkeypatch.setattr(module, "LISTED", int(rng.integers(2, 8)))
        assert no_group_offers_too_much(offers_of(space, k, effort=0.3), k, rows, columns)


def test_the_bound_is_at_most_the_optimum_and_near_the_linear_programs():
    reached, possible = 0.0, 0.0
    for k, rows, columns, space in tables(3, TIMES // 2, largest=9):
        offered = offers_of(space, k)
        exact = sum(Fraction(offer) for offer in offered.each) - sum(Fraction(price) for price in offered.prices)
        assert Fraction(offered.total) <= exact <= best_generalization_cost(rows, columns, k)
        some = list(itertools.combinations(range(len(rows)), k))
        within = np.zeros((len(some), len(rows)))
        for constraint, group in zip(within, some, strict=True):
            constraint[list(group)] = 1
        prices = [k * float(price_of(columns, [rows[i] for i in group])) for group in some]
        best = -linprog(-np.ones(len(rows)), A_ub=within, b_ub=prices, bounds=(None, None)).fun
        if not len(offered.prices):
            assert offered.total <= best * (1 + 1e-9)
        reached, possible = reached + offered.total, possible + best
    assert reached > 0.93 * possible


def test_charges_for_three_records_raise_the_bound_beyond_the_linear_program_and_never_beyond_the_optimum():
    rng, beyond = np.random.default_rng(12), 0
    for k, n, width, labels in ((3, 11, 6, 2), (3, 10, 4, 3), (4, 13, 7, 2)) * (TIMES // 6):
        table = rng.integers(0, labels, (n, width))
        offered = offers_of(Space.from_labels(table), k)

        def price(some, table=table):
            return int((table[list(some)] != table[some[0]]).any(axis=0).sum())

        groups = list(itertools.combinations(range(n), k))
        within = np.zeros((len(groups), n))
        within[np.arange(len(groups))[:, None], np.array(groups)] = 1
        prices = [k * price(group) for group in groups]
        best = -linprog(-np.ones(n), A_ub=within, b_ub=prices, bounds=(None, None)).fun

        @cache
        def least(left, k=k, price=price):
            """What the best groups of the records `left` cost."""
            if not left:
                return 0
            costs = [
                size * price((left[0], *others)) + least(tuple(i for i in left[1:] if i not in others))
                for size in {*range(k, 2 * k), len(left)}
                if size == len(left) or k <= len(left) - size
                for others in itertools.combinations(left[1:], size - 1)
            ]
            return min(costs)

        assert Fraction(offered.total) <= least(tuple(range(n)))
        beyond += offered.total > best * (1 + 1e-6)
    assert beyond > TIMES // 12


def test_the_bound_holds_beside_releases_that_leave_rows_out(monkeypatch):
    monkeypatch.setattr(lower_bound, "NEAR_ENOUGH", 1e9)  # the bound by groups alone
    for k, rows, columns, space in tables(4, TIMES // 3, largest=8):
        first = forest(space, k)
        for n_gone in (1, 2):
            price = Fraction(space.hidden_cost())
            found = with_sharper_bound(first, space, k, effort=1.0, time_limit=None, max_suppressed=n_gone)
            if found.details.bound == "groups":
                best = best_generalization_cost(rows, columns, k, row_deletion=price, max_deleted=n_gone)
                assert Fraction(found.lower_bound) <= best


def test_with_l_different_values_the_bound_is_at_most_the_best_grouping_that_has_them():
    rng, sharper = np.random.default_rng(5), 0
    for k, rows, columns, space in tables(5, TIMES // 2, largest=9):
        least = int(rng.integers(2, k + 1))
        codes = rng.integers(-1, least + 1, len(rows))
        price = cache(lambda some, rows=rows, columns=columns: len(some) * price_of(columns, [rows[i] for i in some]))
        best = min(
            (
                sum(price(tuple(group)) for group in groups)
                for groups in groupings(range(len(rows)), k)
                if all(len({codes[i] for i in group} - {-1}) >= least for group in groups)
            ),
            default=None,
        )
        if best is None:
            continue
        rules = [Rule(codes, float(least), share=bool(rng.integers(2)))]
        found = group_offers(space, k, forest(space, k).labels, rules=rules)
        total = 0.0 if found is None else found.total
        assert Fraction(total) <= best
        sharper += total > offers_of(space, k).total
    assert sharper > TIMES // 12


def test_by_hand_records_of_one_value_pay_for_the_way_to_another():
    space = Space.from_points([[0.0], [0.0], [0.0], [5.0], [5.0], [5.0]], norm=1)
    labels, codes = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    assert group_offers(space, 3, labels) is None  # nothing costs anything
    offers = group_offers(space, 3, labels, rules=[Rule(codes, 2.0)])
    assert offers.total == pytest.approx(30.0)  # one group of all, or two that each reach to the other


def test_by_hand_a_record_that_several_need_offers_less_than_nothing():
    """Four labels far from all others need the only record between them: it takes from them what it cannot give."""
    hub, arms = [[0, 0, 0, 0]], np.eye(4, dtype=int).tolist()
    space = Space.from_labels(hub + [row for row in arms for _ in range(1)])
    offers = group_offers(space, 2, forest(space, 2).labels)
    assert offers.each[0] < 0
    assert offers.total == pytest.approx(8.0, rel=1e-3)  # two arms are 2 apart, and a group of two pays that twice


def test_neither_the_order_of_rows_nor_the_number_of_threads_changes_the_bound(monkeypatch):
    space = wide(300, 3, 5)
    labels = forest(space, 4).labels
    for dense in (3000, 0):
        monkeypatch.setattr(module, "DENSE", dense)
        found = group_offers(space, 4, labels)
        assert len(found.prices)
        order = np.random.default_rng(0).permutation(300)
        moved = np.unique(labels[order], return_inverse=True)[1]
        again = group_offers(space.take(order), 4, moved, n_threads=2)
        assert np.array_equal(again.each, found.each[order])
        assert again.total == found.total


def test_a_release_of_sets_has_the_bound_in_its_certificate():
    rng = np.random.default_rng(6)
    labels = {name: [f"{name}{code}" for code in 8 * rng.random(300) ** 2 // 1] for name in ("a", "b", "c")}
    table = pl.DataFrame(labels | {"age": rng.integers(20, 60, 300), "s": rng.integers(0, 5, 300)})
    asked = {"quasi": ["a", "b", "c", "age"], "sensitive": ["s"], "publish_rare": ["a", "b", "c"], "k": 4, "seed": 1}
    release = shoal.anonymize(table, **asked)
    assert release.partition.details.bound == "groups"
    assert release.partition.ratio_seen < 1.12
    hurried = shoal.anonymize(table, effort=1e-3, **asked)
    assert hurried.partition.lower_bound < release.partition.lower_bound


def test_what_has_no_bound_is_given_up():
    assert group_offers(Space.from_labels(["a"] * 9), 3, np.zeros(9, dtype=np.int64)) is None
    assert group_offers(Space.from_labels([["a"], ["b"]]), 3, np.zeros(2, dtype=np.int64)) is None
    assert group_offers(Space.from_labels(list("abcdef")), 3, np.full(6, -1)) is None
