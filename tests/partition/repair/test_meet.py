"""Requirements met at the lowest loss found: merged, exchanged or grown, and the report says which."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.choose import Choice
from shoal.partition.methods.problem import Budget, Problem
from shoal.partition.microaggregation.annealing_with_rules import regroup_squared
from shoal.partition.microaggregation.sse import sse
from shoal.partition.repair import meet
from shoal.partition.repair.meet import met, or_grown
from shoal.partition.result import Partition, Repair
from shoal.partition.rules import Rule
from shoal.requirements import KAnonymity, LDiversity, Records, Requirement, TCloseness, count
from shoal.space.space import Space

SETTINGS: dict[str, Any] = {"quasi": ["x", "y"], "k": 3, "seed": 1}


def table(seed: int = 0, n: int = 240) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    ill = np.array(list("abcdef"))[np.minimum(5, np.abs(2 * x[:, 0] + rng.normal(size=n)).astype(int))]
    return pl.DataFrame(
        {"x": x[:, 0], "y": x[:, 1], "ill": ill, "pay": rng.gamma(2, 20_000, n), "other": rng.choice(list("uvw"), n)}
    )


BUDGET = Budget(effort=50.0)


def problem(objective: str, requirements: list[Requirement], records: Records, points: np.ndarray) -> Problem:
    return Problem(
        choice=Choice("best", objective, "aggregate", ""),
        space=Space.from_points(points, norm=2 if objective == "sse" else 1),
        k=3,
        requirements=requirements,
        records=records,
    )


@pytest.mark.parametrize("objective", ["sse", "generalization", "radius"])
@pytest.mark.parametrize(
    "asked", [[LDiversity("s", 3)], [TCloseness("s", 0.3)], [LDiversity("s", 2, "frequency")]], ids=str
)
def test_what_comes_out_meets_everything_and_costs_no_more_than_merging_alone(objective, asked):
    rng = np.random.default_rng(1)
    points, values = rng.normal(size=(120, 2)), rng.integers(0, 5, 120)
    records, requirements = Records(120, None, {"s": values}), [KAnonymity(3), *asked]
    one = problem(objective, requirements, records, points)
    start = number_groups(np.argsort(np.argsort(points[:, 0])) // 3)
    before = Partition(labels=start, method="test", objective=objective, cost=one.cost(start), lower_bound=0.1)
    merged = meet._merged(before, one)
    after = met(before, one, BUDGET)
    counts = count(after.labels, records)
    assert all(requirement.holds(counts).all() for requirement in requirements)
    assert after.cost <= merged.cost
    assert after.cost == pytest.approx(one.cost(after.labels))
    assert after.lower_bound == before.lower_bound
    assert after.repair.cost_after == after.cost
    assert after.repair.groups_after == after.n_groups
    if objective == "sse":
        assert after.cost < merged.cost, "exchanges and polishing gain something on these points"


def test_groups_that_hold_come_back_as_they_are():
    points, records = np.arange(12.0)[:, None], Records(12, None, {"s": np.arange(12) % 3})
    one = problem("sse", [KAnonymity(3), LDiversity("s", 3)], records, points)
    before = Partition(labels=np.arange(12) // 3, method="test", objective="sse", cost=one.cost(np.arange(12) // 3))
    assert met(before, one, BUDGET) is before


def test_grown_groups_replace_dearer_ones_and_keep_what_was_proved():
    rng = np.random.default_rng(2)
    points, values = rng.normal(size=(90, 2)), rng.integers(0, 4, 90)
    one = problem("sse", [KAnonymity(3), LDiversity("s", 2)], Records(90, None, {"s": values}), points)
    poor = number_groups(rng.permutation(90) // 9)
    usual = Partition(
        labels=poor,
        method="poor",
        objective="sse",
        cost=one.cost(poor),
        lower_bound=1.0,
        theorem="X",
        repair=Repair(groups_before=9, groups_after=9, suppressed=0, cost_before=1.0, cost_after=1.0),
    )
    kept = or_grown(usual, one, BUDGET)
    assert kept.method == "diverse"
    assert kept.cost == pytest.approx(one.cost(kept.labels))
    assert kept.cost < usual.cost
    assert kept.candidates == {"grown": kept.cost, "poor": usual.cost}
    assert (kept.lower_bound, kept.theorem) == (1.0, "X"), "true of dearer groups, so of cheaper ones"
    assert kept.repair is None
    assert f"{kept.cost:.4g}" in kept.notes[-1]
    assert f"{usual.cost:.4g}" in kept.notes[-1]


@pytest.mark.parametrize("kind", ["distinct", "frequency"])
@pytest.mark.parametrize("method", ["auto", "gather", "forest"])
def test_k_and_l_hold_together_and_the_report_tells_the_loss_of_both(kind, method):
    asked = {
        "columns": {
            "ill": {"role": "sensitive", "diversity": {"l": 2, "kind": kind}},
            "pay": {"role": "other"},
            "other": {"role": "other"},
        }
    }
    release = shoal.anonymize(table(), asked, **SETTINGS, method=method)
    assert {claim.criterion: claim.measured >= claim.claimed for claim in release.findings.claims} == {
        "k-anonymity": True,
        "l-diversity": True,
    }
    told = [note for note in release.partition.notes if "the cheaper groups are released" in note]
    assert len(told) == 1
    candidates = release.partition.candidates
    assert release.partition.cost == min(candidates.values())
    assert release.certificate.candidates == candidates
    assert told[0][1:] in release.to_html()
    assert "candidates" not in release.certificate.to_public_json()


def test_several_sensitive_columns_and_bins_of_a_number_are_met_together():
    asked = {
        "columns": {
            "ill": {"role": "sensitive", "diversity": {"l": 3, "kind": "frequency"}},
            "pay": {"role": "sensitive", "bins": [20_000, 40_000, 60_000], "diversity": {"l": 2}},
            "other": {"role": "sensitive", "diversity": {"l": 2}},
        }
    }
    release = shoal.anonymize(table(), asked, **SETTINGS)
    assert release.findings.holds
    assert [claim.column for claim in release.findings.claims] == [None, "ill", "pay", "other"]


def test_a_value_that_is_too_frequent_for_grown_groups_is_told_without_its_name():
    rows = table().with_columns(ill=pl.Series(["secret"] * 200 + ["b"] * 20 + ["c"] * 20))
    release = shoal.anonymize(rows.select("x", "y", "ill"), **SETTINGS, sensitive=["ill"], l=2)
    told = [note for note in release.partition.notes if "were not tried" in note]
    assert len(told) == 1
    assert "ill" in told[0]
    assert "secret" not in told[0]


def test_why_grown_groups_were_not_tried_is_told(monkeypatch):
    rows = table().select("x", "y", "ill")
    monkeypatch.setattr(meet, "MOST_GROWN", 100)
    release = shoal.anonymize(rows, **SETTINGS, sensitive=["ill"], l=2)
    assert sum("were not tried: there are more than 100 rows" in note for note in release.partition.notes) == 1
    assert release.certificate.candidates is None


@pytest.mark.parametrize("method", ["mdav", "mondrian", "full-domain"])
def test_a_method_asked_for_by_name_keeps_its_groups(method):
    rows = table().select(pl.col("x").round(1), pl.col("y").round(1), "ill")
    release = shoal.anonymize(rows, **SETTINGS, sensitive=["ill"], l=2, method=method)
    assert release.findings.holds
    assert release.partition.method == method
    assert release.partition.candidates is None


@pytest.mark.deep
def test_adult_with_five_occupations_in_every_group_takes_at_most_twice_the_time_of_k_alone(shared_data):
    folder = shared_data / "adult"
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
    columns: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": str(folder / f"adult_hierarchy_{name}.csv")} for name in names
    }
    columns |= {"salary-class": {"role": "other"}}
    times = []
    for occupation in ({"role": "sensitive"}, {"role": "sensitive", "diversity": {"l": 5}}):
        begun = time.process_time()
        asked = {"k": 5, "seed": 1, "columns": columns | {"occupation": occupation}}
        release = shoal.anonymize(folder / "adult.csv", asked)
        times.append(time.process_time() - begun)
    assert times[1] < 2 * times[0]
    assert release.findings.holds
    assert release.findings.l["occupation"] >= 5
    assert any("not tried: the groups that were found cost little more" in note for note in release.partition.notes)


def test_an_infeasible_frequency_says_how_many_too_many_and_the_fewest_rows_to_leave_out():
    rows = pl.DataFrame({"x": np.arange(100.0), "ill": ["secret"] * 60 + ["b"] * 30 + ["c"] * 10})
    asked = {"columns": {"ill": {"role": "sensitive", "diversity": {"l": 2, "kind": "frequency"}}}}
    with pytest.raises(InfeasibleError) as refused:
        shoal.anonymize(rows, asked, quasi=["x"], k=2)
    assert "column ill" in refused.value.message
    assert "held by 60 of 100 rows, 10 too many" in refused.value.message
    assert "lower l of ill to 1.666 or less, or leave out 20 rows" in refused.value.hint
    assert "secret" not in str(refused.value)
    fewer = rows.filter(pl.Series(range(100)) >= 20)
    assert shoal.anonymize(fewer, asked, quasi=["x"], k=2, seed=1).findings.holds


def test_closeness_is_met_with_less_loss_than_by_merging_alone():
    asked = {"closeness": {"t": 0.3}, "columns": {"ill": {"role": "sensitive"}}}
    release = shoal.anonymize(table().select("x", "y", "ill"), asked, **SETTINGS)
    assert release.findings.holds
    repaired = release.partition.repair
    assert repaired.cost_after == release.partition.cost


def test_regrouping_lowers_the_error_and_breaks_no_rule():
    rng = np.random.default_rng(3)
    points, codes = rng.normal(size=(150, 3)), rng.integers(0, 4, 150)
    labels = np.repeat(np.arange(30), 5)
    start = number_groups(labels)
    rules = [Rule(codes, 2.0), Rule(codes, 1.25, share=True)]

    def misses(labels: np.ndarray) -> np.ndarray:
        held = [np.bincount(codes[labels == g]) for g in range(labels.max() + 1)]
        return np.array([max(0, 2 - np.count_nonzero(c)) + max(0.0, c.max() - c.sum() / 1.25) for c in held])

    found = regroup_squared(points, start, 3, rules, seed=1, effort=100).labels
    assert sse(points, found) < 0.7 * sse(points, start)
    assert np.bincount(found).min() >= 3
    assert misses(found).sum() <= misses(start).sum() + 1e-9
    order = rng.permutation(150)
    again = regroup_squared(
        points[order],
        number_groups(start[order]),
        3,
        [Rule(codes[order], rule.l, rule.share) for rule in rules],
        seed=1,
        effort=100,
    ).labels
    assert number_groups(again).tolist() == number_groups(found[order]).tolist()


def test_regrouping_stops_at_its_time_limit_and_says_so():
    points, start = np.random.default_rng(3).normal(size=(150, 3)), np.repeat(np.arange(30), 5)
    labels, timed_out = regroup_squared(points, start, 3, [], time_limit=0.0)
    assert timed_out
    assert labels.tolist() == start.tolist()
    assert not regroup_squared(points, start, 3, [], effort=1, time_limit=600).timed_out


@pytest.mark.parametrize("method", ["best", "forest"])
def test_a_time_limit_ends_all_that_only_lowers_the_loss(method):
    asked = {**SETTINGS, "sensitive": ["ill"], "l": 3, "method": method, "other": ["pay", "other"]}
    limited = shoal.anonymize(table(), **asked, time_limit=1e-6)
    assert limited.certificate.holds
    assert limited.certificate.timed_out
    assert any("the time limit leaves too little time" in note for note in limited.certificate.notes)
    free = shoal.anonymize(table(), **asked)
    assert not free.certificate.timed_out
    assert free.partition.cost < limited.partition.cost


def test_polishing_ends_at_the_deadline():
    rng = np.random.default_rng(1)
    points, values = rng.normal(size=(120, 2)), rng.integers(0, 5, 120)
    one = problem("sse", [KAnonymity(3), LDiversity("s", 3)], Records(120, None, {"s": values}), points)
    start = number_groups(np.argsort(np.argsort(points[:, 0])) // 3)
    before = Partition(labels=start, method="test", objective="sse", cost=one.cost(start))
    late = met(before, one, replace(BUDGET, time_limit=0.0))
    assert late.timed_out
    assert late.cost > met(before, one, BUDGET).cost


@pytest.mark.parametrize(("left", "calls"), [(60.0, 1), (-1.0, 0)])
def test_polishing_is_given_the_time_that_is_left_and_not_begun_without_any(monkeypatch, left, calls):
    rng = np.random.default_rng(1)
    points, values = rng.normal(size=(120, 2)), rng.integers(0, 5, 120)
    one = problem("sse", [KAnonymity(3), LDiversity("s", 3)], Records(120, None, {"s": values}), points)
    start = number_groups(np.argsort(np.argsort(points[:, 0])) // 3)
    before = Partition(labels=start, method="test", objective="sse", cost=one.cost(start))
    given = []

    def spy(points, labels, k, rules, **options):
        given.append(options["time_limit"])
        return regroup_squared(points, labels, k, rules, **options)

    monkeypatch.setattr(meet, "regroup_squared", spy)
    met(before, one, Budget(effort=50.0, time_limit=left))
    assert len(given) == calls
    assert all(0.0 < limit <= left for limit in given)
