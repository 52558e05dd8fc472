"""Losses against numbers worked out by hand, and what holds of them on any table."""

from __future__ import annotations

import json
import time
from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import measure
from shoal.measure.column_views import trees_of
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Partition
from shoal.publish import publish
from tests.fixed_secret import SECRET
from tests.measure.tables import (
    FORMS,
    ORDERED,
    PAIRS,
    PATIENTS,
    PATIENTS_POLICY,
    SENSITIVE,
    as_they_are,
    policy_for,
    released,
    tables,
)

approx = pytest.approx


def lost(frame, policy, labels, form="generalize", **options):
    labels = np.asarray(labels, dtype=np.int64)
    return measure.loss(frame, policy, released(frame, policy, labels, form), labels, **options)


def column(loss, name):
    return next(part for part in loss.columns if part.name == name)


def test_modes_of_an_ordered_column_with_missing_cells_are_measured():
    """Groups with more values than there are published modes: their sets are longer than the list of modes."""
    frame = pl.DataFrame({"grade": ["low", "mid", "high", None, "low", "top", None, None]})
    loss = lost(frame, policy_for(4, grade=ORDERED), [0, 0, 0, 0, 1, 1, 1, 1], "aggregate")
    # {low, mid, high, missing} leaves four of four values open, {low, top, missing} three of them
    assert column(loss, "grade").information == approx((1 + np.log(3) / np.log(4)) / 2)


# -- by hand ---------------------------------------------------------------------------------------------------


def test_ranges_and_labels_by_hand():
    loss = lost(PATIENTS, PATIENTS_POLICY, PAIRS)
    age, sex = loss.columns
    # [20, 30] and [40, 60] of a span of 40; every sex is exact.
    assert (age.ncp, sex.ncp, loss.gcp) == approx((0.375, 0, 0.1875))
    # Middles 25 and 50: squared errors 25 + 25 + 100 + 100 of 875 around the mean of 37.5.
    assert age.sse_ratio == loss.sse_ratio == approx(250 / 875)
    assert (age.mean_before, age.mean_after, age.variance_before, age.variance_after) == approx(
        (37.5, 37.5, 218.75, 156.25)
    )
    # Two of four ages fit each range, so each cell loses one of two bits.
    assert (age.entropy_bits, age.entropy_most, age.entropy_ratio) == approx((1, 2, 0.5))
    assert (sex.entropy_bits, sex.entropy_most, loss.entropy_bits, loss.entropy_ratio) == approx((0, 1, 0.5, 1 / 3))
    assert (age.level, sex.level, sex.n_levels, loss.generalization_cost) == (None, 0, 1, 0)
    assert (loss.discernibility, loss.average_class_size, loss.c_avg, loss.n_classes) == (8, 2, 1, 2)
    assert (loss.suppressed_rows, loss.suppressed_cells, loss.n_cells) == (0, 0, 8)


def test_distribution_of_ranges_by_hand():
    age = column(lost(PATIENTS, PATIENTS_POLICY, PAIRS), "age")
    # At 40 the table has three of four ages, the release a half and one of the 21 ages of [40, 60].
    assert (age.distance, age.distance_kind) == (approx(0.75 - (0.5 + 0.5 / 21)), "kolmogorov")
    bars = age.histogram
    assert bars.edges[0] == 19.5
    assert np.diff(bars.edges).tolist() == [2.0] * 21  # 41 ages in at most 30 bars of whole width
    assert bars.before[:2] == (0.25, 0)
    assert bars.after[:2] == approx((0.5 * 2 / 11, 0.5 * 2 / 11))
    assert (sum(bars.before), sum(bars.after)) == approx((1, 1))


def test_sets_are_spread_evenly_over_their_members():
    frame = pl.DataFrame({"c": ["x", "x", "x", "y", "z", None]})
    policy = policy_for(c="label")
    c = column(lost(frame, policy, [0, 0, 0, 0, 1, 1]), "c")
    # {x, y} four times, {z, null} twice: 1/3, 1/3, 1/6, 1/6 against 1/2, 1/6, 1/6, 1/6.
    assert (c.distance, c.distance_kind) == (approx(1 / 6), "total variation")
    assert (c.histogram.labels, c.histogram.before) == (("x", "y", "z", None), approx((1 / 2, 1 / 6, 1 / 6, 1 / 6)))
    assert c.histogram.after == approx((1 / 3, 1 / 3, 1 / 6, 1 / 6))
    assert (c.ncp, c.level) == (approx(2 / 4), 1.0)
    # Four cells fit {x, y}, two fit {z, null}.
    assert c.entropy_bits == approx((3 * log2(4 / 3) + log2(4) + 2 * log2(2)) / 6)


def test_a_suppressed_record_is_fully_lost():
    frame = pl.DataFrame({"age": [20, 30, 40, 60, 50], "sex": ["M", "M", "F", "F", "?"]})
    policy = policy_for(age="number", sex="label")
    loss = lost(frame, policy, [0, 0, 1, 1, -1])
    age, sex = loss.columns
    assert (age.ncp, sex.ncp, loss.gcp) == approx(((0.25 * 2 + 0.5 * 2 + 1) / 5, 1 / 5, 0.35))
    # The mean of 40 is the best guess for the suppressed 50.
    assert age.sse_ratio == approx((25 + 25 + 100 + 100 + 100) / 1000)
    assert (age.mean_before, age.mean_after) == (40, 37.5)
    assert age.entropy_bits == approx((2 * log2(2) + 2 * log2(3) + log2(5)) / 5)
    assert (sex.level, loss.generalization_cost, loss.generalization_level) == approx((0.2, 1, 0.2))
    assert (loss.discernibility, loss.suppressed_rows, loss.suppressed_cells) == (4 + 4 + 5, 1, 2)
    assert (loss.n_released, loss.average_class_size) == (4, 2)
    # Its label is not among the released ones, yet it is among the originals.
    assert dict(zip(sex.histogram.labels, sex.histogram.before, strict=True))["?"] == approx(0.2)
    assert sex.distance == approx(0.2)


def test_means_are_points():
    frame = pl.DataFrame({"a": [0, 2, 10, 20]})
    policy = policy_for(a="number")
    a = column(lost(frame, policy, PAIRS, "aggregate"), "a")
    # 1 and 15: squared errors 1 + 1 + 25 + 25 of 248.
    assert a.sse_ratio == approx(52 / 248)
    assert (a.mean_after, a.variance_after) == approx((8, 49))
    assert a.distance == approx(0.25)  # between 0 and 1 the table has one of four, the release none
    assert a.entropy_bits == approx(1)  # the mean stands for its group's range


def test_a_mean_between_the_values_is_still_a_point():
    frame = pl.DataFrame({"a": [0.25, 0.25, 0.25, 1.25]})
    # At 0.25 the table has three of four values; the release has all at 0.5, none at 0.25.
    assert column(lost(frame, policy_for(a="number"), [0] * 4, "aggregate"), "a").distance == 0.75


def test_codes_have_no_mean():
    frame = pl.DataFrame({"zip": [1010, 1020, 9010, 9010]})
    policy = policy_for(zip={"role": "quasi", "kind": "hierarchy", "hierarchy": {"prefix": True}})
    (codes,) = lost(frame, policy, PAIRS).columns
    assert (codes.mean_before, codes.sse_ratio, codes.distance_kind) == (None, None, "total variation")
    assert (codes.n_levels, codes.level) == (4, approx(2 * (2 / 4) / 4))


def test_a_center_is_measured_as_published():
    frame = pl.DataFrame({"a": [0, 2, 10, 20], "c": ["x", "y", "z", "z"]})
    policy = policy_for(a="number", c="label")
    partition = Partition(labels=PAIRS, method="given", objective="radius", cost=0.0, centers=np.array([1, 2]))
    published = publish(frame, policy, partition, {}, form="centers", secret=SECRET)
    a, c = measure.loss(frame, policy, published, PAIRS).columns
    # The centers are the second and the third record, not the means of 1 and 15.
    assert (a.mean_after, a.sse_ratio) == approx((6, (4 + 0 + 0 + 100) / 248))
    assert dict(zip(c.histogram.labels, c.histogram.after, strict=True)) == {"x": 0, "y": 0.5, "z": 0.5}


def test_modes_stand_for_all_that_the_group_holds():
    frame = pl.DataFrame({"c": ["x", "x", "y", "z", "z", "z"]})
    c = column(lost(frame, policy_for(c="label"), [0, 0, 0, 1, 1, 1], "aggregate"), "c")
    assert c.level is None
    assert c.distance == approx(1 / 6)  # y became x
    assert c.entropy_bits == approx((2 * log2(3 / 2) + log2(3)) / 6)


def test_hidden_numbers_are_guessed_by_the_mean():
    frame = pl.DataFrame({"a": [0, 2, 5, 5]})
    a = column(lost(frame, policy_for(a="number"), PAIRS, "suppress"), "a")
    assert (a.ncp, a.level, a.suppressed_cells) == (0.5, 0.5, 2)
    assert a.sse_ratio == approx((9 + 1 + 0 + 0) / 18)
    assert (a.mean_after, a.variance_after) == (5, 0)
    # The hidden half is spread over 0 .. 5.
    assert a.histogram.after == approx([0.5 / 6] * 5 + [0.5 / 6 + 0.5])


def test_a_number_or_missing_loses_half_and_half_of_its_range():
    frame = pl.DataFrame({"a": [1, None, 3, 5, None, None]})
    a = column(lost(frame, policy_for(a="number"), [0, 0, 1, 1, 2, 2]), "a")
    assert a.ncp == approx((2 * 0.5 + 2 * 0.5 + 0) / 6)
    assert (a.suppressed_cells, a.histogram.missing_before) == (0, 0.5)
    assert a.histogram.missing_after == approx(1 / 3)
    # 1 or missing fits four cells, one of them 1 and three missing; [3, 5] is one of two, the others are as they are.
    assert a.entropy_bits == approx((log2(4 / 1) + log2(4 / 3) + 2 * log2(2)) / 6)


def test_dates_are_days():
    frame = pl.DataFrame({"d": ["1970-01-02", "1970-01-04"]}).with_columns(pl.col("d").str.to_date())
    d = column(lost(frame, policy_for(d="date"), [0, 0]), "d")
    assert (d.mean_before, d.mean_after, d.variance_before, d.sse_ratio) == (2, 2, 1, 1)
    assert d.histogram.edges == (0.5, 1.5, 2.5, 3.5)
    assert d.histogram.after == approx((1 / 3, 1 / 3, 1 / 3))


def test_levels_of_a_hierarchy(tmp_path):
    (tmp_path / "job.csv").write_text("nurse,health,*\nsurgeon,health,*\nclerk,office,*\n")
    frame = pl.DataFrame({"job": ["nurse", "surgeon", "nurse", "clerk", "clerk", "clerk"]})
    settings = {"role": "quasi", "kind": "hierarchy", "hierarchy": str(tmp_path / "job.csv")}
    policy = policy_for(job=settings)
    labels = np.array([0, 0, 1, 1, 2, 2])
    published = released(frame, policy, labels)
    loss = measure.loss(frame, policy, published, labels)
    (job,) = loss.columns
    assert (job.n_levels, job.level, loss.generalization_cost) == approx((2, (2 * 0.5 + 2 * 1 + 0) / 6, 3))
    assert job.ncp == approx((2 * 2 / 3 + 2 * 1 + 0) / 6)
    # health: 1/2 nurse, 1/2 surgeon; the root: a third each; clerk.
    assert dict(zip(job.histogram.labels, job.histogram.after, strict=True)) == approx(
        {"nurse": (1 + 2 / 3) / 6, "surgeon": (1 + 2 / 3) / 6, "clerk": (2 / 3 + 2) / 6}
    )
    assert loss == measure.loss(frame, policy, published, labels, trees=trees_of(frame, policy))


def test_numbers_below_a_hierarchy_are_numbers_too():
    frame = pl.DataFrame({"age": [20, 23, 31, 34]})
    settings = {"role": "quasi", "kind": "hierarchy", "hierarchy": {"widths": [5, 10]}}
    policy = policy_for(age=settings)
    (age,) = lost(frame, policy, PAIRS).columns
    assert (age.level, age.mean_after) == (approx(1 / 3), approx((21.5 + 32.5) / 2))
    assert age.sse_ratio == approx(4 * 1.5**2 / (49 + 16 + 16 + 49))
    assert age.distance_kind == "kolmogorov"


def test_correlations_before_and_after():
    frame = pl.DataFrame({"a": [0.0, 1, 2, 3], "b": [0.0, 2, 1, 3], "c": [1.0, 1, 1, 1]})
    loss = lost(frame, policy_for(a="number", b="number", c="number"), [0, 0, 1, 1])
    found = loss.correlation
    assert found.columns == ("a", "b", "c")
    assert found.before[0][1] == approx(np.corrcoef(frame["a"], frame["b"])[0, 1])
    assert found.after[0][1] == approx(1.0)  # the means lie on a line
    assert (found.largest_change, found.largest_pair) == (approx(1 - found.before[0][1]), ("a", "b"))
    assert np.isnan(found.before[0][2])
    assert loss.to_dict()["correlation"]["before"][0][2] is None


def test_correlation_needs_two_columns_of_numbers():
    assert lost(PATIENTS, PATIENTS_POLICY, PAIRS).correlation is None


def test_one_group_of_all_loses_every_column_that_has_two_values():
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [7, 7, 7], "c": ["x", "y", "y"], "d": [None, 1.5, 2.5]})
    loss = lost(frame, policy_for(a="number", b="number", c="label", d="number"), [0, 0, 0])
    assert [part.ncp for part in loss.columns] == [1, 0, 1, 1]
    assert loss.gcp == 0.75
    assert (loss.discernibility, loss.entropy_ratio) == (9, approx(1))
    assert loss.suppressed_cells == 6  # [1.5, 2.5] or missing says nothing, but it says so


def test_everything_suppressed():
    loss = lost(PATIENTS, PATIENTS_POLICY, [-1] * 4)
    assert (loss.gcp, loss.sse_ratio, loss.entropy_ratio) == approx((1, 1, 1))
    assert (loss.discernibility, loss.n_classes, loss.average_class_size) == (16, 0, 0)
    assert [part.distance for part in loss.columns] == [1, 1]
    json.dumps(loss.to_dict(), allow_nan=False)


def test_many_labels_end_in_one_bar():
    frame = pl.DataFrame({"c": [f"{i:03}" for i in range(100)]})
    c = column(lost(frame, policy_for(c="label"), np.arange(100) // 2), "c")
    assert (len(c.histogram.before), len(c.histogram.labels), c.histogram.n_other) == (30, 29, 71)
    assert (sum(c.histogram.before), sum(c.histogram.after)) == approx((1, 1))


# -- on any table ----------------------------------------------------------------------------------------------


@given(tables(), st.sampled_from(FORMS))
def test_records_published_as_they_are_lose_nothing(case, form):
    frame, policy, _ = case
    loss = lost(frame, policy, as_they_are(frame, policy), form)
    assert (loss.gcp, loss.entropy_bits, loss.suppressed_cells) == approx((0, 0, 0), abs=1e-12)
    assert loss.sse_ratio is None or loss.sse_ratio == approx(0, abs=1e-12)
    for part in loss.columns:
        assert part.distance == approx(0, abs=1e-9)
        assert (part.mean_after, part.variance_after) == approx((part.mean_before, part.variance_before))
        assert part.histogram.after == approx(part.histogram.before, abs=1e-9)
    if loss.correlation is not None:
        assert loss.correlation.largest_change == approx(0, abs=1e-6)


@given(tables(), st.sampled_from(FORMS))
def test_losses_are_shares(case, form):
    frame, policy, labels = case
    loss = lost(frame, policy, labels, form)
    assert 0 <= loss.gcp <= 1
    assert 0 <= loss.entropy_ratio <= 1 + 1e-12
    assert loss.discernibility <= len(frame) ** 2
    for part in loss.columns:
        assert 0 <= part.ncp <= 1 + 1e-12
        assert 0 <= part.distance <= 1
        assert part.level is None or 0 <= part.level <= 1
        released_share = 1.0 if loss.n_released else 0.0
        assert sum(part.histogram.before) + part.histogram.missing_before == approx(1)
        assert sum(part.histogram.after) + part.histogram.missing_after == approx(released_share)
    json.dumps(loss.to_dict(), allow_nan=False)


@given(tables(), st.sampled_from(FORMS), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(case, form, chance):
    frame, policy, labels = case
    order = list(range(len(frame)))
    chance.shuffle(order)
    shuffled = number_groups(labels[order])
    first, second = lost(frame, policy, labels, form), lost(frame[order], policy, shuffled, form)
    for mine, other in zip(first.columns, second.columns, strict=True):
        for name in ("ncp", "entropy_bits", "distance", "suppressed_cells", "level"):
            assert getattr(mine, name) == approx(getattr(other, name), abs=1e-9)


# -- the reference table ---------------------------------------------------------------------------------------


@pytest.mark.shared_data
def test_adult_is_measured_within_three_seconds_and_attacked_within_ten(shared_data):
    adult = shared_data / "adult"
    frame = pl.read_csv(adult / "adult.csv", separator=";")
    quasi = frame.columns[:-1]
    settings = {
        name: {"role": "quasi", "kind": "hierarchy", "hierarchy": str(adult / f"adult_hierarchy_{name}.csv")}
        for name in quasi
    }
    policy = policy_for(5, **settings, **{frame.columns[-1]: SENSITIVE})
    order = np.lexsort([frame[name].rank("dense").to_numpy() for name in quasi])
    labels = np.empty(len(frame), dtype=np.int64)
    labels[order] = np.minimum(np.arange(len(frame)) // 5, len(frame) // 5 - 1)
    labels = number_groups(labels)
    published, trees = released(frame, policy, labels), trees_of(frame, policy)
    # The work of one thread: other programs may run beside.
    begin = time.thread_time()
    loss, risk = (
        measure.loss(frame, policy, published, labels, trees=trees),
        measure.risk(frame, policy, published, labels),
    )
    assert time.thread_time() - begin < 3  # the risk also measures what follows from every set of columns
    begin = time.thread_time()
    attacks = measure.attack(frame, policy, published, labels, trees=trees)
    assert time.thread_time() - begin < 10
    assert (loss.n_rows, risk.before.n_classes) == (30162, 18109)
    assert (risk.before.unique_people, risk.after.smallest_class >= 5) == (14021, True)
    assert loss.accuracy.release > loss.accuracy.baseline
    assert (attacks.n_sampled, attacks.n_subsets, attacks.exceeds) == (2000, 92, False)
