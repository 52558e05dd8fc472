"""Risk before and after, against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from shoal import measure
from shoal.errors import ParameterError
from tests.measure.tables import (
    PAIRS,
    PATIENTS,
    PATIENTS_POLICY,
    SENSITIVE,
    as_they_are,
    policy_for,
    released,
    tables,
)


def patients_risk(**options):
    return measure.risk(PATIENTS, PATIENTS_POLICY, released(PATIENTS, PATIENTS_POLICY, PAIRS), PAIRS, **options)


def test_unique_people_become_pairs():
    risk = patients_risk()
    assert risk.unit == "rows"
    assert (risk.before.n_classes, risk.before.unique_people, risk.before.unique_share) == (4, 4, 1.0)
    assert (risk.before.prosecutor_max, risk.before.prosecutor_mean, risk.before.marketer) == (1.0, 1.0, 1.0)
    assert (risk.after.n_classes, risk.after.smallest_class, risk.after.unique_people) == (2, 2, 0)
    assert (risk.after.prosecutor_max, risk.after.prosecutor_mean, risk.after.journalist_max) == (0.5, 0.5, 0.5)
    assert [(bar.low, bar.high, bar.classes, bar.people) for bar in risk.after.class_sizes] == [(2, 2, 2, 4)]


def test_people_at_risk_are_those_strictly_above_the_threshold():
    at_risk = {point.one_in: (point.people, point.share) for point in patients_risk().after.at_risk}
    assert at_risk[2] == (0, 0.0)
    assert at_risk[3] == (4, 1.0)


def test_mean_risk_is_classes_over_people():
    frame = pl.DataFrame({"a": [1, 1, 1, 2, 2, 3]})
    policy = policy_for(a="number")
    before = measure.risk(frame, policy, released(frame, policy, np.zeros(6)), np.zeros(6, dtype=int)).before
    assert before.prosecutor_mean == pytest.approx(3 / 6)
    assert [(bar.low, bar.classes, bar.people) for bar in before.class_sizes] == [(1, 1, 1), (2, 1, 2), (3, 1, 3)]
    assert {point.one_in: point.people for point in before.at_risk} | {} == {
        2: 1, 3: 3, 5: 6, 10: 6, 20: 6, 50: 6, 100: 6, 1000: 6
    }  # fmt: skip


def test_a_population_lowers_the_journalists_risk_alone():
    risk = patients_risk(population=8)
    assert risk.after.prosecutor_max == 0.5
    assert (risk.after.journalist_max, risk.after.journalist_mean, risk.after.marketer) == (0.25, 0.25, 0.25)
    assert risk.before.journalist_max == 0.5


def test_a_population_smaller_than_the_table_is_refused():
    with pytest.raises(ParameterError, match="population=3 is fewer than the 4 people"):
        patients_risk(population=3)


def test_diversity_and_closeness_over_the_classes():
    (after,) = patients_risk().after.sensitive
    assert (after.l_kind, after.l_asked, after.l_smallest) == ("distinct", None, 1.0)
    assert [(bar.low, bar.classes, bar.people) for bar in after.l_classes] == [(1, 1, 2), (2, 1, 2)]
    assert after.homogeneous_people == 2
    # Shares of the whole table: flu 3/4, gout 1/4; of the classes: 1/2 and 1/2, 1 and 0.
    assert (after.t_distance, after.t_largest, after.t_mean) == ("equal", 0.25, 0.25)
    assert [(bar.low, bar.people) for bar in after.t_classes] == [(0.25, 4)]
    (before,) = patients_risk().before.sensitive
    assert (before.l_smallest, before.homogeneous_people, before.t_largest) == (1.0, 4, 0.75)
    assert before.t_mean == pytest.approx((3 * 0.25 + 0.75) / 4)


def test_the_kind_of_diversity_is_the_one_asked_for():
    frame = pl.DataFrame({"a": [1, 1, 1, 1], "s": ["u", "u", "u", "v"]})
    policy = policy_for(a="number", s=SENSITIVE | {"diversity": {"l": 1.2, "kind": "entropy"}})
    (found,) = measure.risk(frame, policy, released(frame, policy, [0] * 4), np.zeros(4, dtype=int)).after.sensitive
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert (found.l_kind, found.l_asked) == ("entropy", 1.2)
    assert found.l_smallest == pytest.approx(math.exp(entropy))
    assert [(bar.low, bar.high) for bar in found.l_classes] == [(1.0, 2.0)]


def test_groups_published_alike_are_one_class():
    frame = pl.DataFrame({"a": [1, 2, 1, 2, 5, 5]})
    policy, labels = policy_for(a="number"), np.array([0, 0, 1, 1, 2, 2])
    after = measure.risk(frame, policy, released(frame, policy, labels), labels).after
    assert (after.n_classes, after.smallest_class) == (2, 2)
    assert after.prosecutor_mean == pytest.approx((4 * 0.25 + 2 * 0.5) / 6)


def test_rows_of_one_person_hide_nobody():
    frame = pl.DataFrame({"a": [1, 1, 1, 2, 2], "who": ["p", "p", "p", "p", "q"]})
    policy = policy_for(a="number", who={"role": "person"})
    labels = np.array([0, 0, 0, 1, 1])
    risk = measure.risk(frame, policy, released(frame, policy, labels), labels)
    assert risk.unit == "people"
    # p is alone in the first class although it has three rows; q shares the second with p.
    assert (risk.after.n_people, risk.after.unique_people, risk.after.smallest_class) == (2, 1, 1)
    assert risk.after.prosecutor_mean == pytest.approx((1 + 1 / 2) / 2)


def test_a_person_alone_twice_is_one_person():
    frame = pl.DataFrame({"a": [1, 2, 3, 3], "who": ["p", "p", "q", "r"], "s": ["u", "u", "v", "w"]})
    policy = policy_for(a="number", who={"role": "person"}, s=SENSITIVE)
    before = measure.risk(frame, policy, released(frame, policy, [0] * 4), np.zeros(4, dtype=int)).before
    assert (before.unique_people, before.unique_share) == (1, pytest.approx(1 / 3))
    assert before.sensitive[0].homogeneous_people == 1


def test_the_mean_distance_is_over_people():
    frame = pl.DataFrame({"a": [1, 1, 1, 2], "s": ["u", "u", "u", "v"]})
    policy = policy_for(a="number", s=SENSITIVE)
    labels = np.array([0, 0, 0, 1])
    (found,) = measure.risk(frame, policy, released(frame, policy, labels), labels).after.sensitive
    assert (found.t_largest, found.t_mean) == (0.75, pytest.approx((3 * 0.25 + 0.75) / 4))


def test_missing_equals_missing_only():
    frame = pl.DataFrame({"a": [1, None, None, 1], "b": ["x", "x", "x", None]})
    policy = policy_for(a="number", b="label")
    before = measure.risk(frame, policy, released(frame, policy, [0] * 4), np.zeros(4, dtype=int)).before
    assert [(bar.low, bar.classes) for bar in before.class_sizes] == [(1, 2), (2, 1)]


def test_suppressed_people_are_not_at_risk():
    labels = np.array([0, 0, -1, -1])
    after = measure.risk(PATIENTS, PATIENTS_POLICY, released(PATIENTS, PATIENTS_POLICY, labels), labels).after
    assert (after.n_people, after.n_classes, after.prosecutor_mean) == (2, 1, 0.5)


def test_everything_suppressed_is_no_risk():
    labels = np.full(4, -1)
    after = measure.risk(PATIENTS, PATIENTS_POLICY, released(PATIENTS, PATIENTS_POLICY, labels), labels).after
    assert (after.n_people, after.prosecutor_max, after.marketer, after.sensitive) == (0, 0.0, 0.0, ())


def test_many_class_sizes_fit_in_thirty_bars():
    sizes = np.arange(1, 61)
    frame = pl.DataFrame({"a": np.repeat(np.arange(60), sizes)})
    policy, labels = policy_for(a="number"), np.repeat(np.arange(60), sizes)
    bars = measure.risk(frame, policy, released(frame, policy, labels), labels).after.class_sizes
    assert len(bars) <= 30
    assert [(bar.low, bar.high, bar.classes, bar.people) for bar in bars[9:12]] == [
        (10, 10, 1, 10),
        (11, 20, 10, sum(range(11, 21))),
        (21, 50, 30, sum(range(21, 51))),
    ]
    assert sum(bar.people for bar in bars) == sizes.sum()


@given(tables())
def test_publishing_records_as_they_are_changes_no_risk(case):
    frame, policy, _ = case
    labels = as_they_are(frame, policy)
    risk = measure.risk(frame, policy, released(frame, policy, labels), labels)
    assert risk.before == risk.after


@given(tables(k=3))
def test_no_risk_is_above_one_in_the_smallest_group(case):
    frame, policy, labels = case
    after = measure.risk(frame, policy, released(frame, policy, labels), labels).after
    assert after.prosecutor_max <= 1 / 3
    assert after.prosecutor_mean <= after.prosecutor_max
    assert {point.one_in: point.people for point in after.at_risk}[3] == 0
