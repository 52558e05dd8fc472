"""With l or t the default never costs more than simpler methods under the same policy, and every way meets it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.partition.methods.balancing import MOST_REPAIRED, balances, share_failing
from shoal.partition.methods.choose import Choice
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.repair import balanced as repaired
from shoal.partition.repair.balanced import balanced_groups, or_simpler, worth_balancing
from shoal.partition.result import Partition
from shoal.requirements import KAnonymity, LDiversity, Records, Requirement, TCloseness, count
from shoal.space.space import Space

ORDER = ["a1", "a2", "b1", "b2"]
ASKED: dict[str, dict[str, Any]] = {
    "equal": {"closeness": {"t": 0.25}},
    "ordered": {"closeness": {"t": 0.1, "distance": "ordered"}, "order": ORDER},
    "hierarchical": {
        "closeness": {"t": 0.15, "distance": "hierarchical"},
        "hierarchy": {"prefix": True},
    },
    "distinct": {"diversity": {"l": 3}},
    "frequency": {"diversity": {"l": 2.5, "kind": "frequency"}},
    "entropy": {"diversity": {"l": 3, "kind": "entropy"}},
    "recursive": {"diversity": {"l": 3, "kind": "recursive", "c": 2.0}},
    "both": {"diversity": {"l": 2}, "closeness": {"t": 0.3}},
}


def table(seed: int, n: int = 90) -> pl.DataFrame:
    """People whose state follows their age; some have two rows."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    state = np.clip((age - 20) // 12 + rng.integers(-1, 2, n), 0, 3)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(list("uvwx"), n),
            "state": [ORDER[one] for one in state],
            "who": [f"p{one}" for one in np.minimum(np.arange(n), rng.integers(0, n, n) + n // 2)],
        }
    )


def released(asked: str, seed: int, method: str, **more: Any) -> Any:
    columns = {name: {"role": "quasi"} for name in ("age", "sex", "town")}
    columns["state"] = {"role": "sensitive", **ASKED[asked]}
    columns["who"] = {"role": "person" if more.pop("people", False) else "identifier"}
    return shoal.anonymize(table(seed), {"k": 3, "seed": 1, "method": method, "columns": columns, **more})


@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("asked", ASKED)
def test_the_default_never_costs_more_than_simpler_methods_under_the_same_policy(asked: str, people: bool) -> None:
    share = {} if people else {"max_suppressed": 0.1}
    ours = released(asked, 0, "forest", people=people, effort=20, **share)
    assert ours.findings.holds
    for method in ("mondrian", "mondrian-relaxed", "full-domain"):
        other = released(asked, 0, method, people=people, **share)
        assert ours.partition.cost <= other.partition.cost


@pytest.mark.parametrize("asked", ASKED)
def test_where_rows_may_be_left_out_the_default_never_costs_more_than_where_they_may_not(asked: str) -> None:
    columns = {name: {"role": "quasi"} for name in ("age", "sex", "town")}
    columns |= {"state": {"role": "sensitive", **ASKED[asked]}, "who": {"role": "identifier"}}
    costs = []
    for share in (0.0, 0.1):
        wanted = {"k": 3, "effort": 20, "columns": columns, "max_suppressed": share}
        made = shoal.anonymize(table(0), wanted, secret=b"s" * 32)
        assert made.findings.holds
        assert made.partition.n_suppressed <= share * 90
        costs.append(made.partition.cost)
    assert costs[1] <= costs[0] * (1 + 1e-9)


def problem(asked: list[Requirement], n: int = 200, people: bool = False) -> Problem:
    rng = np.random.default_rng(2)
    points = rng.integers(0, 12, (n, 2)).astype(float)
    value = np.minimum(5, (points[:, 0] // 3 + rng.integers(0, 3, n)).astype(np.int64))
    who = np.sort(rng.integers(0, n, n)) if people else None
    records = Records(n, who, {"s": value})
    return Problem(
        choice=Choice("forest", "generalization", "generalize", ""),
        space=Space.from_points(points, norm=1),
        k=3,
        requirements=[KAnonymity(3), *asked],
        records=records,
    )


def one_group(one: Problem) -> Partition:
    labels = np.zeros(len(one.space), dtype=np.int64)
    return Partition(labels=labels, method="forest", objective="generalization", cost=one.cost(labels))


@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize(
    "asked",
    [[TCloseness("s", 0.3)], [TCloseness("s", 0.1, "ordered")], [LDiversity("s", 3, "entropy")]],
    ids=str,
)
def test_balanced_groups_meet_what_is_asked_as_it_is_really_counted(asked: list[Requirement], people: bool) -> None:
    one = problem(asked, people=people)
    found = balanced_groups(one_group(one), one, Budget(seed=1))
    counts = count(found.labels, one.records)
    assert all(requirement.holds(counts).all() for requirement in one.requirements)
    assert found.cost == one.cost(found.labels)
    assert found.cost < 0.8 * one_group(one).cost
    assert found.ratio_proved is None


def test_groups_of_mondrian_are_taken_where_they_cost_less() -> None:
    one = problem([TCloseness("s", 0.4)])
    found = or_simpler(one_group(one), one)
    assert found.cost < one_group(one).cost
    assert found.cost == one.cost(found.labels)
    assert any("mondrian" in note for note in found.notes)
    assert or_simpler(found, one) is found, "nothing costs less than it does"


@pytest.mark.parametrize("suppress", [False, True])
def test_groups_of_one_level_per_column_are_taken_where_they_cost_less(
    suppress: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two values of one column, and two rows of a third value; all rows differ in the other column."""
    monkeypatch.setattr(repaired, "mondrian", lambda space, *_args, **_more: one_group(one))
    points = np.column_stack((np.tile([0.0, 1.0], 50), np.arange(100.0)))
    points[:2, 0] = 2.0
    one = replace(
        problem([TCloseness("s", 0.4)]),
        space=Space.from_points(points, norm=1),
        records=Records(100, None, {"s": np.arange(100) // 2 % 2}),
        max_suppressed=0.02,
    )
    found = or_simpler(one_group(one), one, suppress=suppress)
    assert found.n_suppressed == (2 if suppress else 0)
    assert (found.cost < one_group(one).cost) == suppress
    assert found.cost == one.cost(found.labels)
    assert not share_failing(found.labels, one)


def test_nothing_is_compared_if_k_is_all_that_is_asked() -> None:
    one = problem([])
    assert not balances(one)
    assert or_simpler(one_group(one), one).n_groups == 1


def test_balanced_cuts_are_tried_for_every_failing_t_and_for_l_where_many_groups_fail() -> None:
    close, diverse = problem([TCloseness("s", 0.2)]), problem([LDiversity("s", 3)])
    assert worth_balancing(0.01, close)
    assert not worth_balancing(0.0, close)
    assert not worth_balancing(0.1, diverse)
    assert worth_balancing(MOST_REPAIRED, diverse)
    pairs = np.arange(200) // 4
    met = TCloseness("s", 0.2).holds(count(pairs, close.records))
    assert share_failing(pairs, close) == pytest.approx(1 - met.mean())


def test_a_t_that_the_cuts_count_too_coarsely_is_lowered_until_it_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 values in order, of which the kernels tell 64 apart: without another try, groups would be merged."""
    rng = np.random.default_rng(3)
    one = problem([TCloseness("s", 0.03, "ordered")], n=600)
    points = one.space.coordinates
    values = np.argsort(np.argsort(points[:, 0] * 50 + rng.random(600) * 200)).astype(np.int64)
    one = Problem(
        choice=one.choice,
        space=one.space,
        k=3,
        requirements=one.requirements,
        records=Records(600, None, {"s": values}),
    )
    lowered: list[float] = []
    original = repaired.balanced

    def noted(*arguments: Any, **more: Any) -> Any:
        lowered.append(more["stricter"])
        return original(*arguments, **more)

    monkeypatch.setattr(repaired, "balanced", noted)
    found = balanced_groups(one_group(one), one, Budget(seed=1, effort=5.0))
    assert all(requirement.holds(count(found.labels, one.records)).all() for requirement in one.requirements)
    assert lowered == sorted(lowered)
    assert len(lowered) > 1
    assert lowered[1] > 0
