"""GREEDY-1: groups from a greedy cover by cells, within (2 - 1/k) H_k of the cheapest generalization."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.partition import cell_cover, forest
from shoal.partition.generalization import cell_cover as module
from shoal.partition.generalization.cell_cover import cover_labels, greedy_ratio
from shoal.partition.generalization.forest import generalization_cost
from shoal.space.space import Space


@pytest.mark.parametrize(("k", "least"), [(2, Fraction(9, 4)), (3, Fraction(55, 18)), (5, Fraction(411, 100))])
def test_the_ratio_is_the_next_thousandth_above_the_formula(k: int, least: Fraction) -> None:
    assert least < greedy_ratio(k) <= least + Fraction(1, 1000)
    assert cell_cover([["a", "b"]] * k, k).ratio_proved == greedy_ratio(k)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_every_record_has_one_group_of_at_least_k_whatever_the_order_of_rows(k: int) -> None:
    rng = np.random.default_rng(k)
    table = rng.integers(0, 3, (60, 4)).astype(str)
    found = cell_cover(table, k)
    assert np.bincount(found.labels).min() >= k
    order = rng.permutation(60)
    again = cell_cover(table[order], k)
    assert again.cost == found.cost
    both = {(int(a), int(b)) for a, b in zip(found.labels[order], again.labels, strict=True)}
    assert len({a for a, _ in both}) == len({b for _, b in both})


def test_the_cover_costs_less_than_trees_where_hierarchies_divide_the_records() -> None:
    rng = np.random.default_rng(1)
    table = rng.integers(0, 4, (400, 5)).astype(str)
    space = Space.from_labels(table)
    assert generalization_cost(space, cover_labels(space, 10)) < forest(table, 10).cost
    assert cell_cover(table, 10).cost < forest(table, 10).cost


def test_a_record_that_is_covered_last_takes_others_that_a_larger_group_can_spare() -> None:
    """Six copies can spare three; the last one takes two of them, which cost it one column."""
    table = [["a", "x"]] * 6 + [["a", "y"]]
    found = cover_labels(Space.from_labels(np.array(table)), 3)
    assert found is not None
    assert sorted(np.bincount(found)) == [3, 4]
    assert generalization_cost(Space.from_labels(np.array(table)), found) == 3.0


def test_a_record_that_is_covered_last_joins_a_group_that_can_spare_nobody() -> None:
    table = [["a", "x"]] * 3 + [["a", "y"]]
    found = cover_labels(Space.from_labels(np.array(table)), 3)
    assert found is not None
    assert np.bincount(found)[np.bincount(found) > 0].tolist() == [4]


def test_nothing_is_claimed_where_sets_of_labels_have_no_true_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.DataFrame({"town": list("abcabcabcabc"), "age": [20, 21, 22, 40, 41, 42, 20, 21, 22, 40, 41, 42]})
    asked = {"quasi": ["town", "age"], "publish_rare": ["town"], "k": 3, "method": "cell-cover"}
    release = shoal.anonymize(table, **asked)
    assert (release.certificate.theorem, release.certificate.ratio_proved) == (None, None)
    assert any("method=forest" in note for note in release.partition.notes)
    monkeypatch.setattr(module, "MEMBERS", 1)
    found = cell_cover(np.array([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]), 2)
    assert (found.theorem, found.ratio_proved) == (None, None)


def test_a_release_by_policy_claims_the_ratio_and_is_verified() -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame({"age": rng.integers(18, 60, 200), "sex": rng.choice(["f", "m"], 200)})
    release = shoal.anonymize(table, quasi=["age", "sex"], k=5, method="cell-cover", publish_rare=["sex"])
    assert release.findings.holds
    assert release.certificate.theorem == "GREEDY-1"
    assert release.certificate.ratio_proved == Fraction(4111, 1000)
    assert release.certificate.lower_bound <= release.certificate.cost
    # Requirements beyond k may raise the cost above what the theorem bounds.
    left = shoal.anonymize(
        table, quasi=["age", "sex"], k=5, method="cell-cover", publish_rare=["sex"], max_suppressed=0.1
    )
    assert left.certificate.ratio_proved is None
