"""What a model learns from a release, against what it learns from the originals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal import measure
from shoal.errors import ParameterError
from shoal.measure.accuracy import _label_features, _split, accuracy
from shoal.measure.column_views import views
from tests.measure.tables import PAIRS, PATIENTS, PATIENTS_POLICY, SENSITIVE, as_they_are, policy_for, released

approx = pytest.approx


def lost(frame, policy, labels, form="generalize", **options):
    labels = np.asarray(labels, dtype=np.int64)
    return measure.loss(frame, policy, released(frame, policy, labels, form), labels, **options)


def learnable(n=600, seed=0):
    chance = np.random.default_rng(seed)
    x = chance.integers(0, 100, n)
    c = chance.choice(["p", "q", "r"], n)
    frame = pl.DataFrame({"x": x, "c": c, "s": np.where((x > 50) ^ (c == "p"), "yes", "no"), "y": 3.0 * x + 7})
    return frame, policy_for(x="number", c="label", s=SENSITIVE, y={"role": "sensitive", "kind": "number"})


def test_a_release_without_loss_keeps_all_accuracy():
    frame, policy = learnable()
    found = lost(frame, policy, as_they_are(frame, policy)).accuracy
    assert (found.target, found.task) == ("s", "classification")
    assert found.n_train + found.n_test == 600
    assert found.original > found.baseline + 0.1
    assert (found.release, found.kept) == (found.original, approx(1))


def test_one_group_of_all_keeps_no_accuracy():
    frame, policy = learnable()
    found = lost(frame, policy, [0] * 600).accuracy
    assert (found.release, found.kept) == (found.baseline, approx(0))


def test_a_number_is_regressed():
    frame, policy = learnable()
    order = np.argsort(frame["x"].to_numpy(), kind="stable")
    labels = np.empty(600, dtype=np.int64)
    labels[order] = np.arange(600) // 10
    found = lost(frame, policy, labels, "aggregate", target="y").accuracy
    assert (found.task, found.baseline) == ("regression", 0)
    assert found.original > 0.999
    assert 0.99 < found.release <= found.original


def test_a_published_set_teaches_equal_shares_of_its_members():
    frame = pl.DataFrame({"c": ["x", "x", "y", "z"]})
    policy = policy_for(c="label")
    (view,) = views(frame, policy, released(frame, policy, [0, 1, 1, 1]), None)
    rows = np.arange(4)
    originals, held_out, groups = _label_features(view.labels, rows, rows[2:], np.array([0, 1, 1]))
    assert originals.tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert held_out.tolist() == originals[2:].tolist()
    assert groups == approx(np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3]]))


def test_held_out_rows_teach_neither_model():
    frame, policy = learnable()
    train, test = _split(frame, policy, np.ones(600, dtype=bool), 0)
    assert not set(train) & set(test)
    labels = np.arange(600)
    wrong = frame.with_columns(
        x=pl.when(pl.int_range(600).is_in(test.tolist())).then(100 - pl.col("x")).otherwise("x")
    )
    seen = [
        accuracy(frame, policy, views(frame, policy, released(source, policy, labels), None), labels)
        for source in (frame, wrong)
    ]
    assert seen[0] == seen[1]


def test_all_rows_of_a_person_are_on_one_side():
    frame = pl.DataFrame({"who": [f"p{i % 40}" for i in range(400)]})
    train, test = _split(frame, policy_for(who={"role": "person"}), np.ones(400, dtype=bool), 0)
    assert len(train) > 0 < len(test)
    assert not set(frame["who"][train]) & set(frame["who"][test])


def test_nothing_to_predict_is_none():
    frame = pl.DataFrame({"a": [1, 2, 3, 4]})
    assert lost(frame, policy_for(a="number"), PAIRS).accuracy is None
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "s": ["u"] * 4})
    assert lost(frame, policy_for(a="number", s=SENSITIVE), PAIRS).accuracy is None


def test_a_target_that_is_not_published_as_it_is_is_refused():
    with pytest.raises(ParameterError, match="target='age' is not a column that is published as it is"):
        lost(PATIENTS, PATIENTS_POLICY, PAIRS, target="age")
