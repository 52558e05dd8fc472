"""The scikit-learn adapter, judged by scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.utils.estimator_checks import check_estimator

from shoal.partition.microaggregate import microaggregate
from shoal.sklearn import Microaggregation


def test_the_estimator_passes_scikit_learns_own_checks():
    results = check_estimator(Microaggregation(effort=50), on_skip=None)
    assert len(results) > 30
    assert {r["status"] for r in results} <= {"passed", "skipped"}


def test_the_estimator_gives_the_groups_of_the_function():
    points = np.random.default_rng(0).normal(size=(50, 3))
    model = Microaggregation(4, method="mdav")
    published = model.fit_transform(points)
    assert np.array_equal(model.fit_predict(points), microaggregate(points, 4, method="mdav").labels)
    for group in range(model.partition_.n_groups):
        rows = model.labels_ == group
        assert np.allclose(published[rows], points[rows].mean(axis=0))
        assert rows.sum() >= 4
