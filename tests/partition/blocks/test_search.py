"""The search in blocks: groups of the whole table, the same on any number of threads and in any order of rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.partition.blocks import feasible
from shoal.partition.blocks import search as blocks
from shoal.partition.generalization.forest import forest, forest_of, generalization_cost
from shoal.partition.methods import search as searching
from shoal.partition.methods.choose import Choice
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.methods.run import rules_of, solve
from shoal.partition.repair.meet import met
from shoal.partition.rules import Regrouped, Rule
from shoal.requirements import KAnonymity, LDiversity, Records, Requirement, TCloseness, count
from shoal.space import Space
from shoal.space.neighbors import Neighbors
from shoal.space.space import LINE, TREE, Axis, set_costs

N, K = 900, 4


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Blocks of at most 150 records; returns a list to which every division into blocks adds their number."""
    monkeypatch.setattr(blocks, "BLOCK", 150)
    monkeypatch.setattr(blocks, "BLOCK_OF_K", 1)
    monkeypatch.setattr(blocks, "SAMPLE", 400)
    monkeypatch.setattr(feasible, "LEAST_ROWS", 30)
    monkeypatch.setattr(feasible, "TIMES_K", 5)
    numbers: list[int] = []
    plain = blocks.cut_blocks

    def counted(*given: object, **more: object) -> object:
        found = plain(*given, **more)  # type: ignore[arg-type]
        numbers.append(found.n_blocks)
        return found

    monkeypatch.setattr(blocks, "cut_blocks", counted)
    return numbers


def table(n: int, seed: int, *, labels: int = 6, people: bool = False) -> tuple[Space, Records]:
    """Two numbers and a label, of which a sensitive value depends; without `labels`, copies of one record."""
    chance = np.random.default_rng(seed)
    code = chance.integers(0, max(labels, 1), n)
    numbers = np.round(chance.gamma(2.0, 1.0, (n, 2)) / 10.0, 2) if labels else np.zeros((n, 2))
    ancestors = np.zeros((max(labels, 1), 2), dtype=np.int32)
    ancestors[:, 0] = np.arange(len(ancestors))
    costs = set_costs(0.3, len(ancestors))
    label = Axis("c", TREE, ancestors, np.array([0.0, 0.6]), by_count=costs)
    axes = (Axis("a", LINE, weight=1.0), Axis("b", LINE, weight=1.0), label)
    values = (code + chance.integers(0, 3, n)) % 5
    who = chance.integers(0, n // 2, n) if people else None
    return Space(np.c_[numbers, code.astype(float)], axes, 1), Records(n, who, {"illness": values})


def problem_of(space: Space, records: Records, *more: Requirement) -> Problem:
    return Problem(
        choice=Choice("forest", "generalization", "generalize", ""),
        space=space,
        k=K,
        requirements=[KAnonymity(K), *more],
        records=records,
    )


ASKED = {
    "k": [],
    "l": [LDiversity("illness", 2)],
    "frequency": [LDiversity("illness", 2, "frequency")],
    "t": [TCloseness("illness", 0.4)],
}


@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("asked", ASKED)
def test_groups_from_blocks_meet_every_requirement_and_keep_what_is_proved(
    asked: str, people: bool, small: list[int]
) -> None:
    space, records = table(N, 1, people=people)
    problem = problem_of(space, records, *ASKED[asked])
    first = solve(problem, Budget(effort=4.0, seed=3))
    found = met(first, problem, Budget(effort=4.0, seed=3))
    counts = count(found.labels, records)
    assert len(found.labels) == N
    assert found.labels.min() == 0
    assert all(one.holds(counts).all() for one in problem.requirements)
    assert found.cost == pytest.approx(generalization_cost(space, found.labels), rel=1e-12)
    whole = forest(space, max(K, 2))
    assert whole.lower_bound <= found.lower_bound <= found.cost
    if asked == "k" and not people:
        assert small[0] >= N // 150
        assert found.theorem == "FOREST-1"
        assert found.ratio_proved == Fraction(7)
        assert found.cost <= whole.cost


def test_one_thread_gives_the_groups_of_two(monkeypatch: pytest.MonkeyPatch, small: list[int]) -> None:
    problem = problem_of(*table(N, 2))
    found = []
    for cores in (1, 2):
        monkeypatch.setattr(blocks, "available_cores", lambda cores=cores: cores)
        found.append(solve(problem, Budget(effort=4.0, seed=5)).labels)
    assert small[0] > 1
    assert (found[0] == found[1]).all()
    assert (solve(problem, Budget(effort=4.0, seed=6)).labels != found[0]).any()


@pytest.mark.parametrize("asked", ["k", "l"])
@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
def test_the_order_of_rows_does_not_matter(asked: str, people: bool) -> None:
    space, records = table(N, 3, people=people)
    order = np.random.default_rng(0).permutation(N)

    def groups(space: Space, records: Records, names: np.ndarray) -> set[tuple[object, ...]]:
        found = solve(problem_of(space, records, *ASKED[asked]), Budget(effort=4.0, seed=1)).labels
        contents = [[*row, value] for row, value in zip(space.coordinates.tolist(), names.tolist(), strict=True)]
        groups: dict[int, list[object]] = {}
        for label, content in zip(found.tolist(), contents, strict=True):
            groups.setdefault(label, []).append(tuple(content))
        return sorted(tuple(sorted(group)) for group in groups.values())  # type: ignore[return-value, type-var]

    named = records.sensitive["illness"] if asked == "l" else np.zeros(N)  # for k alone, copies are interchangeable
    assert groups(space, records, named) == groups(space.take(order), records.take(order), named[order])


@pytest.mark.parametrize("labels", [0, 1, 6])
def test_tables_of_copies_and_near_copies_are_grouped(labels: int) -> None:
    space, records = table(N, 4, labels=labels)
    if labels == 1:
        space = replace(space, coordinates=np.round(space.coordinates, 1))
    found = solve(problem_of(space, records), Budget(effort=4.0))
    assert np.bincount(found.labels).min() >= K
    assert found.lower_bound <= found.cost
    assert (found.cost == 0) == (labels == 0)


def test_a_search_that_finds_nothing_good_leaves_the_groups_of_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the ratio of the theorem must not be claimed for groups that cost more."""
    problem = problem_of(*table(N, 5))

    def bad(space: Space, labels: np.ndarray, *given: object, **more: object) -> Regrouped:
        return Regrouped(np.zeros(len(space), dtype=np.int64), False)

    monkeypatch.setattr(searching, "regroup", bad)
    found = solve(problem, Budget(effort=4.0))
    assert found.cost == forest(problem.space, K).cost
    assert found.ratio_proved == Fraction(7)


def test_the_borders_are_searched_again_and_groups_get_cheaper(small: list[int]) -> None:
    problem = problem_of(*table(N, 6, labels=1))
    costs: list[float] = []

    def search(part: blocks.Part) -> Regrouped:
        inside = problem.space.take(part.rows)
        found = searching.regroup(inside, part.labels, K, effort=30.0, continued=part.continued, seed=part.number)
        costs.append(generalization_cost(inside, found.labels))
        return found

    found = blocks.search_in_blocks(problem.space, K, search)
    in_blocks, along_borders = small
    assert in_blocks > 1
    assert along_borders >= 1
    assert generalization_cost(problem.space, found.labels) < sum(costs[:in_blocks])
    assert np.bincount(found.labels).min() >= K


def test_groups_that_meet_rules_are_improved_whole(small: list[int]) -> None:
    space, records = table(N, 7)
    asked = problem_of(space, records, *ASKED["l"])
    start = met(solve(asked, Budget(effort=1.0)), asked, Budget(effort=1.0))
    rules: list[Rule] = rules_of(asked.requirements, records)
    small.clear()
    better = searching.improved(
        space, start.labels, K, rules=rules, keep=True, effort=20.0, time_limit=None, seed=0
    ).labels
    assert small[0] > 1
    assert generalization_cost(space, better) < start.cost
    counts = count(better, records)
    assert all(one.holds(counts).all() for one in asked.requirements)


def test_a_time_limit_ends_the_search_of_all_blocks() -> None:
    found = solve(problem_of(*table(N, 8)), Budget(time_limit=0.0))
    assert np.bincount(found.labels).min() >= K
    assert found.timed_out


@pytest.mark.parametrize("more", [{}, {"l": 2}, {"t": 0.4}, {"person": "who"}, {"max_suppressed": 0.02}], ids=repr)
def test_a_release_through_blocks_is_verified(more: dict[str, object], small: list[int]) -> None:
    chance = np.random.default_rng(9)
    frame = pl.DataFrame(
        {
            "who": [f"p{i}" for i in chance.integers(0, N, N)],
            "age": chance.integers(18, 90, N),
            "income": chance.gamma(2.0, 20_000.0, N).round(-2),
            "town": chance.choice(["Aa", "Bb", "Cc"], N),
            "illness": chance.choice(["flu", "cold", "cough", "fever"], N),
        }
    )
    if "person" not in more:
        frame = frame.drop("who")
    release = shoal.anonymize(
        frame, k=K, quasi=["age", "income", "town"], sensitive=["illness"], effort=4, seed=1, **more
    )
    assert small[0] > 1
    assert release.certificate.holds
    assert release.partition.lower_bound <= release.partition.cost


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("labels", [1, 6])
def test_the_neighbors_that_blocks_know_are_those_of_the_whole_table(seed: int, labels: int) -> None:
    space, records = table(N, seed, labels=labels)
    if seed % 2:  # with many copies
        space = replace(space, coordinates=np.round(space.coordinates, 1))
    problem = problem_of(space, records)
    found = searching.searched_in_blocks(problem, K, [], Budget(effort=1.0), 1.0)
    assert found.known is not None
    assert 0.1 < found.known.known.mean() < 1.0 or labels == 6 or seed % 2
    points, counts, _ = space.distinct()
    some = np.flatnonzero(found.known.known)
    farthest = [
        np.where(np.isfinite(lists), lists, 0.0).max(axis=1)  # of several at this distance any may be listed
        for lists in (Neighbors(points, counts).nearest_rows(K, rows=some)[0], found.known.distances[some])
    ]
    assert (farthest[0] == farthest[1]).all()
    held = np.where(found.known.nearest[some] >= 0, counts[found.known.nearest[some]], 0).sum(axis=1)
    assert (held >= K).all()
    whole, known = forest(space, K), forest_of(space, K, known=found.known)
    assert known.lower_bound == whole.lower_bound
    assert known.cost <= 7 * whole.lower_bound
    assert np.bincount(known.labels).min() >= K
