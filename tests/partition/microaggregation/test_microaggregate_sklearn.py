"""The scikit-learn adapters, judged by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from shoal.partition.cellular_cost.cellular import cellular
from shoal.partition.microaggregation.microaggregate import microaggregate
from shoal.partition.radius.gather import gather
from shoal.sklearn import Cellular, Gather, Microaggregation


@pytest.mark.parametrize(
    "estimator", [Microaggregation(effort=50), Gather(), Cellular()], ids=lambda e: type(e).__name__
)
def test_the_estimator_passes_scikit_learns_own_checks(estimator):
    results = check_estimator(estimator, on_skip=None)
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


@pytest.mark.parametrize(("model", "function"), [(Gather(4), gather), (Cellular(4), cellular)])
def test_groups_around_rows_are_published_as_those_rows(model, function):
    points = np.random.default_rng(0).normal(size=(50, 3))
    published = model.fit_transform(points)
    found = function(points, k=4)
    assert np.array_equal(model.labels_, found.labels)
    assert np.array_equal(published, points[found.centers][found.labels])


@pytest.mark.parametrize("model", [Microaggregation, Gather, Cellular])
def test_a_negative_number_of_jobs_is_all_cores(model):
    points = np.random.default_rng(0).normal(size=(30, 2))
    assert np.array_equal(model(3, n_jobs=-1).fit_predict(points), model(3).fit_predict(points))
