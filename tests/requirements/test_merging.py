"""Merging: counts of merged groups are counts of their rows, and no requirement that held is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.requirements import (
    Counts,
    KAnonymity,
    LDiversity,
    Records,
    Requirement,
    ShareLimit,
    Tally,
    TCloseness,
    count,
)
from tests.requirements.strategies import MEASURES, labels_and_records, tables


def listed(counts: Counts) -> list[object]:
    table = counts.sensitive["s"]
    return [a.tolist() for a in (counts.people, table.start, table.keys, table.weights, counts.totals["s"])]


@pytest.mark.parametrize("persons", [True, False])
@given(rows=tables(max_groups=6), seed=st.integers(0, 99))
def test_merged_counts_are_the_counts_of_the_merged_rows(persons, rows, seed):
    labels, records = labels_and_records(rows, persons=persons)
    order = np.random.default_rng(seed).permutation(labels.max() + 1)
    half = -(-len(order) // 2)
    first, second = order[:half], np.full(half, -1)
    second[: len(order) - half] = order[half:]
    into = np.empty(len(order), dtype=np.int64)
    into[first] = np.arange(half)
    into[order[half:]] = np.arange(len(order) - half)
    joined = Tally.of(labels, records).joined(first, second).counts()
    assert listed(joined) == listed(count(into[labels], records))


def worse(requirement: Requirement, rows: list[tuple[int, int, int]]) -> tuple[float, float]:
    """The lesser measure of groups 0 and 1, and the measure of the two as one group; higher is better."""
    labels, records = labels_and_records(rows)
    apart = requirement.measure(count(labels, records))[:2]
    together = requirement.measure(count(np.maximum(labels - 1, 0), records))[0]
    return (-max(apart), -together) if isinstance(requirement, TCloseness | ShareLimit) else (min(apart), together)


@pytest.mark.parametrize("requirement", MEASURES, ids=str)
@given(rows=tables(max_groups=3, persons=False))
def test_whatever_two_groups_meet_their_union_meets(requirement, rows):
    assume(rows[-1][0] >= 1)
    least, together = worse(requirement, rows)
    assert together >= least - 1e-12  # sums of floats


@pytest.mark.parametrize("requirement", [KAnonymity(3), LDiversity("s", 2)], ids=str)
@given(rows=tables(max_groups=3, persons=True))
def test_k_and_distinct_values_survive_merging_even_where_people_are_shared(requirement, rows):
    assume(rows[-1][0] >= 1)
    least, together = worse(requirement, rows)
    assert together >= least


def test_frequency_can_be_lost_where_people_are_shared():
    """Why the proof asks for groups without common people: 1 holds a here, 2 holds a there; together both do."""
    records = Records(4, np.array([1, 2, 1, 2]), {"s": np.array([0, 1, 1, 0])})
    requirement = LDiversity("s", 2, "frequency")
    assert requirement.holds(count([0, 0, 1, 1], records)).all()
    assert not requirement.holds(count([0, 0, 0, 0], records)).any()
