"""Each requirement against its definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from shoal.requirements import DeltaDisclosure, KAnonymity, LDiversity, Records, ShareLimit, TCloseness, count
from tests.requirements import oracle
from tests.requirements.strategies import LEVELS, REQUIREMENTS, labels_and_records, tables

FEWER = max(10, settings.default.max_examples // 5)
DIVERSITY = [r for r in REQUIREMENTS if isinstance(r, LDiversity)]


@given(rows=tables())
def test_k_counts_distinct_people(rows):
    counts = count(*labels_and_records(rows))
    assert KAnonymity(3).measure(counts).tolist() == [oracle.people(g) for g in oracle.groups_of(rows)]
    assert KAnonymity(3).holds(counts).tolist() == [oracle.people(g) >= 3 for g in oracle.groups_of(rows)]


def test_one_person_in_many_rows_is_one_person():
    records = Records(6, np.array([7, 7, 7, 7, 7, 8]), {"s": np.array([0, 0, 0, 1, 1, 1])})
    counts = count(np.zeros(6, dtype=int), records)
    assert counts.people.tolist() == [2]
    assert counts.sensitive["s"].weights.tolist() == [1, 2]


def test_without_a_person_column_rows_are_people():
    counts = count([0, 0, 1, -1], Records(4, None, {"s": np.array([0, 0, 1, 2])}))
    assert counts.people.tolist() == [2, 1]
    assert counts.totals["s"].tolist() == [2, 1]


@pytest.mark.parametrize("requirement", DIVERSITY, ids=str)
@given(rows=tables())
def test_diversity_holds_exactly_where_its_definition_does(requirement, rows):
    counts = count(*labels_and_records(rows))
    asked = [
        oracle.diversity_holds(group, requirement.l, requirement.kind, requirement.c)
        for group in oracle.groups_of(rows)
    ]
    assert requirement.holds(counts).tolist() == asked


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("requirement", DIVERSITY, ids=str)
@settings(max_examples=FEWER)
@given(rows=tables())
def test_a_missing_value_is_no_value_towards_l(requirement, persons, rows):
    rows = rows if persons else [(group, row, value) for row, (group, _, value) in enumerate(rows)]
    counts = count(*labels_and_records(rows, persons=persons, missing=5))
    asked = [
        oracle.diversity_holds(group, requirement.l, requirement.kind, requirement.c, missing=5)
        for group in oracle.groups_of(rows)
    ]
    assert requirement.holds(counts).tolist() == asked
    counted = replace(requirement, count_missing=True)
    plain = count(*labels_and_records(rows, persons=persons))
    assert counted.measure(counts).tolist() == requirement.measure(plain).tolist()


@pytest.mark.parametrize("requirement", DIVERSITY, ids=str)
@settings(max_examples=FEWER)
@given(rows=tables(max_groups=2, persons=False))
def test_two_groups_that_hold_without_missing_values_hold_as_one(requirement, rows):
    parts = requirement.holds(count(*labels_and_records(rows, persons=False, missing=5)))
    whole = [(0, person, value) for _, person, value in rows]
    if parts.all():
        assert requirement.holds(count(*labels_and_records(whole, persons=False, missing=5))).all()


@pytest.mark.parametrize("kind", ["distinct", "frequency", "entropy", "recursive"])
@given(rows=tables())
def test_the_measure_of_diversity_is_the_largest_l_that_holds(kind, rows):
    c = 1.5 if kind == "recursive" else None
    counts = count(*labels_and_records(rows))
    for group, largest in zip(oracle.groups_of(rows), LDiversity("s", 1, kind, c).measure(counts), strict=True):
        if kind in ("distinct", "recursive"):
            assert largest == int(largest)
            assert largest == 0 or oracle.diversity_holds(group, largest, kind, c)
            assert not oracle.diversity_holds(group, largest + 1, kind, c)
        else:
            assert oracle.diversity_holds(group, largest * (1 - 1e-12), kind, c)
            assert not oracle.diversity_holds(group, largest * (1 + 1e-6), kind, c)


GROUNDS = {
    "equal": lambda values: oracle.equal_ground(len(values)),
    "ordered": lambda values: oracle.ordered_ground(len(values)),
    "hierarchical": lambda values: oracle.tree_ground([[int(level[v]) for v in values] for level in LEVELS]),
}


@pytest.mark.parametrize("distance", GROUNDS)
@given(rows=tables())
def test_closeness_is_the_earth_movers_distance(distance, rows):
    counts = count(*labels_and_records(rows))
    measured = TCloseness("s", 0.2, distance).measure(counts)
    # the simplex method stops within 1e-9 or so
    assert measured == pytest.approx(oracle.closeness(rows, GROUNDS[distance]), abs=1e-7)


SHARES = [r for r in REQUIREMENTS if isinstance(r, ShareLimit)]


@pytest.mark.parametrize("missing", [None, 5])
@pytest.mark.parametrize("requirement", SHARES, ids=str)
@given(rows=tables())
def test_a_limit_on_shares_holds_exactly_where_its_definition_does(requirement, missing, rows):
    counts = count(*labels_and_records(rows, missing=missing))
    asked = [oracle.share_holds(rows, group, requirement, missing) for group in oracle.groups_of(rows)]
    assert requirement.holds(counts).tolist() == asked


@pytest.mark.parametrize("requirement", SHARES, ids=str)
@given(rows=tables())
def test_a_limit_on_shares_holds_exactly_within_its_band(requirement, rows):
    """What the search is told; at the ends of a band roundings may differ, so those are left out."""
    counts = count(*labels_and_records(rows))
    held, total = counts.sensitive["s"], counts.totals["s"]
    lowest, highest = requirement.band(total / total.sum())
    for group, holds in enumerate(requirement.holds(counts).tolist()):
        share = np.zeros(len(total))
        part = slice(held.start[group], held.start[group + 1])
        people = counts.people[group] if hasattr(requirement, "alpha") else held.weights[part].sum()
        share[held.keys[part]] = held.weights[part] / people
        if np.abs(np.concatenate((share - lowest, share - highest))[np.tile(total > 0, 2)]).min() > 1e-6:
            assert holds == bool(((lowest <= share) & (share <= highest)).all())


def test_the_change_of_a_share_must_stay_below_delta():
    """Two halves, of 3 to 1 and 1 to 3: the share of 1/2 becomes 1/4, which is one halving."""
    counts = count([0] * 4 + [1] * 4, Records(8, None, {"s": np.array([0, 0, 0, 1, 0, 1, 1, 1])}))
    assert DeltaDisclosure("s", 1.0).measure(counts).tolist() == [1.0, 1.0]
    assert not DeltaDisclosure("s", 1.0).holds(counts).any()
    assert DeltaDisclosure("s", 1.001).holds(counts).all()


@pytest.mark.parametrize(("salaries", "distance"), [([3, 4, 5], 0.375), ([6, 8, 11], 1 / 6)])
def test_the_papers_salaries(salaries, distance):
    """Li, Li and Venkatasubramanian 2007, section 4.1: {3k, 4k, 5k} and {6k, 8k, 11k} among 3k to 11k."""
    others = [s for s in range(3, 12) if s not in salaries]
    values = np.array(salaries + others) - 3
    labels = np.array([0] * len(salaries) + [1] * len(others))
    measured = TCloseness("s", 0.2, "ordered").measure(count(labels, Records(9, None, {"s": values})))
    assert measured[0] == pytest.approx(distance, abs=1e-12)


def test_equality_on_paper_holds():
    thirds = count([0, 0, 0], Records(3, None, {"s": np.array([0, 1, 2])}))
    assert LDiversity("s", 3, "entropy").holds(thirds).all()
    tenths = count([0] * 11, Records(11, None, {"s": np.array([0] * 10 + [1])}))
    assert LDiversity("s", 1.1, "frequency").holds(tenths).all()
    halves = count([0, 0, 1, 1], Records(4, None, {"s": np.array([0, 0, 1, 1])}))
    assert TCloseness("s", 0.5).holds(halves).all()
    assert not TCloseness("s", 0.499).holds(halves).any()


def test_recursive_is_strict_even_where_c_rounds_up():
    """7 < 0.07 * 100 is false on paper and true in floating point."""
    assert 0.07 * 100 > 7
    values = np.repeat(np.arange(15), [7] * 14 + [2])
    counts = count(np.zeros(100, dtype=int), Records(100, None, {"s": values}))
    assert not LDiversity("s", 1, "recursive", 0.07).holds(counts).any()
    assert LDiversity("s", 1, "recursive", 0.071).holds(counts).all()


def test_every_requirement_says_what_it_asks_and_where_it_is_proved():
    for requirement in REQUIREMENTS:
        assert requirement.theorem.startswith("PRIVACY-")
        assert f"{requirement.asked:g}" in requirement.sentence
        assert requirement.name
