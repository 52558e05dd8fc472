"""Exchanging records between groups: never dearer, never too small, the same for any order of rows and threads."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.effort import GENERALIZATION
from shoal.kernels.generalization_groups import deficit_of, measure_groups
from shoal.partition.generalization import annealing as regrouping
from shoal.partition.generalization.annealing import _Search, regroup
from shoal.partition.generalization.annealing_schedule import MANY, TEMPERATURE_ROUNDS, Pace, usual_effort
from shoal.partition.generalization.annealing_starts import chunks
from shoal.partition.generalization.forest import forest, generalization_cost
from shoal.partition.rules import Rule
from shoal.policy import Policy
from shoal.space import Space, build_space


def table(n: int, seed: int) -> pl.DataFrame:
    chance = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": [None if chance.random() < 0.1 else int(chance.integers(20, 40)) for _ in range(n)],
            "town": chance.choice(["a", "b", "c", "d"], n),
            "code": chance.choice(["111", "112", "121", "211", "212"], n),
        }
    )


def space_of(frame: pl.DataFrame) -> Space:
    asked = Policy.parse(
        {
            "columns": {
                "age": {"role": "quasi", "kind": "number"},
                "town": {"role": "quasi", "kind": "label", "weight": 2.0},
                "code": {"role": "quasi", "kind": "hierarchy", "hierarchy": {"prefix": True}},
            }
        }
    )
    return build_space(frame, asked, norm=1).space


def as_sets(labels: np.ndarray, frame: pl.DataFrame) -> list[list[tuple[object, ...]]]:
    """Groups as the records they hold, whatever their order."""
    rows = frame.rows()
    groups = [sorted((rows[i] for i in np.flatnonzero(labels == g)), key=repr) for g in range(labels.max() + 1)]
    return sorted(groups, key=repr)


@given(n=st.integers(4, 120), k=st.integers(2, 5), seed=st.integers(0, 99))
def test_groups_get_cheaper_and_keep_k_records(n: int, k: int, seed: int) -> None:
    if n < k:
        return
    space = space_of(table(n, seed))
    start = forest(space, k)
    labels, timed_out = regroup(space, start.labels, k, effort=30, seed=seed)
    assert np.bincount(labels).min() >= k
    assert generalization_cost(space, labels) <= start.cost * (1 + 1e-12)
    assert not timed_out


def test_the_search_gains_on_a_table_with_room_for_it() -> None:
    space = Space.from_points(np.random.default_rng(1).random((600, 3)), norm=1)
    start = forest(space, 4)
    labels, _ = regroup(space, start.labels, 4, effort=100, seed=1)
    assert generalization_cost(space, labels) < 0.9 * start.cost


@given(seed=st.integers(0, 30))
def test_the_kernels_cost_is_the_cost_of_the_groups(seed: int) -> None:
    """Two codes for one number: bit masks and ranks against counting per axis."""
    space = space_of(table(60, seed))
    labels = np.unique(np.random.default_rng(seed).integers(0, 12, 60), return_inverse=True)[1]
    search = _Search(space, 2, int(np.bincount(labels).max()), 1.0, [], None)
    groups = search.groups_of(labels)
    measure_groups(search.records, search.rules, groups)
    assert (groups.extent * groups.size).sum() == pytest.approx(generalization_cost(space, labels), rel=1e-12)


def test_one_thread_equals_two_and_the_order_of_rows_does_not_matter() -> None:
    frame = table(14_000, 3)  # more than one block
    space = space_of(frame)
    start = forest(space, 5)
    one, _ = regroup(space, start.labels, 5, effort=6, seed=2, n_threads=1)
    two, _ = regroup(space, start.labels, 5, effort=6, seed=2, n_threads=2)
    assert np.array_equal(one, two)
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=9)
    moved = space_of(shuffled)
    other, _ = regroup(moved, forest(moved, 5).labels, 5, effort=6, seed=2)
    assert as_sets(one, frame) == as_sets(other, shuffled)


def test_another_seed_may_find_other_groups_and_the_same_seed_finds_the_same() -> None:
    space = space_of(table(300, 5))
    start = forest(space, 3).labels
    assert np.array_equal(regroup(space, start, 3, seed=1).labels, regroup(space, start, 3, seed=1).labels)
    assert not np.array_equal(regroup(space, start, 3, seed=1).labels, regroup(space, start, 3, seed=2).labels)


def test_rules_are_met_by_exchange_where_that_is_possible() -> None:
    space = space_of(table(400, 7))
    codes = np.random.default_rng(7).integers(0, 2, 400)
    start = forest(space, 4).labels
    rule = Rule(codes, 2.0)
    labels, _ = regroup(space, start, 4, rules=[rule], effort=200, seed=1)
    different = [len(set(codes[labels == g])) for g in range(labels.max() + 1)]
    before = [len(set(codes[start == g])) for g in range(start.max() + 1)]
    assert min(before) == 1
    assert min(different) == 2


@pytest.mark.parametrize("share", [False, True])
def test_rules_that_hold_are_kept(share: bool) -> None:
    space = space_of(table(400, 8))
    codes = np.tile([0, 1, 2, 3], 100)
    rule = Rule(codes, 2.0, share=share)
    start = np.repeat(np.arange(50), 8)  # every value twice in every group
    labels, _ = regroup(space, start, 4, rules=[rule], keep=True, effort=100, seed=1)
    assert generalization_cost(space, labels) < generalization_cost(space, start)
    for g in range(labels.max() + 1):
        counts = np.bincount(codes[labels == g])
        assert counts.max() * 2 <= counts.sum() if share else np.count_nonzero(counts) >= 2


def test_deficits_count_missing_values_and_records_too_many() -> None:
    space = space_of(table(6, 1))
    codes = np.array([0, 0, 0, 1, 2, 2])
    search = _Search(space, 2, 6, 1.0, [(Rule(codes, 3.0), codes), (Rule(codes, 2.0, share=True), codes)], None)
    groups = search.groups_of(np.array([0, 0, 0, 0, 1, 1]))
    missed = deficit_of.py_func
    assert missed(search.rules, groups, 0, -1, -1) == pytest.approx(1 + 1)  # 2 of 3 values; 3 of at most 2
    assert missed(search.rules, groups, 0, 0, 4) == 0  # 0 0 1 2
    assert missed(search.rules, groups, 0, 3, -1) == pytest.approx(2 + 1.5)
    assert groups.deficit[0] == pytest.approx(1 + 1)


def test_a_time_limit_is_told() -> None:
    space = space_of(table(3000, 2))
    start = forest(space, 3).labels
    labels, timed_out = regroup(space, start, 3, effort=5000, time_limit=0.01, seed=1)
    assert timed_out
    assert np.bincount(labels).min() >= 3


@pytest.mark.parametrize("limit", [12.0, 1.5, 100.0])
def test_a_time_limit_shortens_every_round_so_that_the_search_still_cools_to_its_end(
    limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(regrouping.time, "monotonic", lambda: now)
    pace = Pace(now + limit)
    shares = []
    for turn in range(TEMPERATURE_ROUNDS):
        shares.append(pace.share(turn))
        now += shares[-1]  # a whole round takes a second
        pace.done(shares[-1])
    assert pace.timed_out == (limit < TEMPERATURE_ROUNDS)
    each = min(1.0, (limit - 1) / (TEMPERATURE_ROUNDS - 1))
    assert shares[1:-1] == pytest.approx([each] * (TEMPERATURE_ROUNDS - 2))
    assert shares[-1] == pytest.approx(np.mean(shares[:-1]))  # the descent
    assert now - 1000.0 <= min(limit, TEMPERATURE_ROUNDS) + shares[-1]


def test_without_a_time_limit_no_clock_decides_how_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regrouping.time, "monotonic", lambda: 0.0)
    pace = Pace(None)
    assert [pace.share(turn) for turn in range(TEMPERATURE_ROUNDS)] == [1.0] * TEMPERATURE_ROUNDS
    assert not pace.timed_out


def test_the_usual_effort_falls_for_many_records_and_where_few_of_very_many_cost_something() -> None:
    assert usual_effort(80.0, 20_000, 30_000) == 80.0
    large = GENERALIZATION.large
    assert usual_effort(80.0, 4 * large, 4 * large) == 20.0
    assert usual_effort(80.0, large, 4 * MANY) == 20.0
    assert usual_effort(80.0, 4 * MANY, 4 * MANY) == pytest.approx(80.0 * large / (4 * MANY))


@given(sizes=st.lists(st.integers(3, 40), min_size=1, max_size=6))
def test_large_groups_are_cut_into_pieces_of_k_to_2k_minus_1(sizes: list[int]) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    cut = chunks(labels, 3)
    assert set(np.bincount(cut)) <= {3, 4, 5}
    assert all(len(set(labels[cut == g])) == 1 for g in range(cut.max() + 1))


def test_a_search_under_rules_that_ends_in_time_is_not_told_as_cut_short() -> None:
    rng = np.random.default_rng(9)
    space = Space.from_labels(rng.integers(0, 4, (60, 3)))
    rule = Rule(rng.integers(0, 3, 60), 2.0)
    labels = forest(space, 4).labels
    assert not regroup(space, labels, 4, rules=[rule], time_limit=600, seed=1).timed_out
    limited, timed_out = regroup(space, labels, 4, rules=[rule], effort=60, time_limit=600, seed=1)
    assert not timed_out
    assert limited.tolist() == regroup(space, labels, 4, rules=[rule], effort=60, seed=1).labels.tolist()
