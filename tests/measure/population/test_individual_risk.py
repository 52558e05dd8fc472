"""Risk by sampling weights, log-linear models and population tables, against their definitions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import gammaln

from shoal.errors import ParameterError
from shoal.measure.population.individual_risk import check_weights, class_risks, household_risks
from shoal.measure.population.log_linear import _fitted_pairs, log_linear
from shoal.measure.population.presence import presence
from tests.measure.population.populations import population, sample, unique_people


def expected_inverse(f: int, p: float) -> float:
    """E[1 / F] as the sum that it is: F = f + the failures before f successes of probability p."""
    failures = np.arange(0, 400_000, dtype=np.float64)
    logs = gammaln(f + failures) - gammaln(f) - gammaln(failures + 1) + f * np.log(p) + failures * np.log1p(-p)
    return float((np.exp(logs) / (f + failures)).sum())


@pytest.mark.parametrize("f", [1, 2, 3, 7, 40, 300])
@pytest.mark.parametrize("p", [0.9, 0.5, 0.1, 0.01])
def test_the_risk_of_a_class_is_the_expectation_of_one_over_its_people(f: int, p: float) -> None:
    found = class_risks(np.array([f]), np.array([f / p]))[0]
    assert found == pytest.approx(expected_inverse(f, p), rel=1e-6)


def test_the_risk_of_a_sample_unique_has_its_closed_form_for_any_weight() -> None:
    weights = np.array([1.001, 2.0, 50.0, 1e4, 1e7, 1e9])
    p = 1.0 / weights
    found = class_risks(np.ones(6, dtype=np.int64), weights)
    assert found == pytest.approx(-np.log(p) * p / (1 - p), rel=1e-9)


def test_weights_that_stand_for_nobody_else_give_one_over_the_people() -> None:
    assert class_risks(np.array([4, 1]), np.array([4.0, 1.0])) == pytest.approx([0.25, 1.0])


def test_a_household_is_found_if_one_of_its_members_is() -> None:
    found = household_risks(np.array([0.5, 0.5, 0.1, 1.0]), np.array([0, 0, 1, 2]))
    assert found == pytest.approx([0.75, 0.1, 1.0])


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf, 0.5])
def test_a_weight_below_one_is_refused_without_showing_it(wrong: float) -> None:
    with pytest.raises(ParameterError, match="column w has 1 cells that are not sampling weights"):
        check_weights(np.array([2.0, wrong]), "w")


def coded(frame: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    codes = np.column_stack([frame[name].rank("dense").to_numpy().astype(np.int64) - 1 for name in frame.columns])
    return codes, frame.select(pl.len().over(frame.columns))["len"].to_numpy() == 1


def test_the_log_linear_model_counts_the_sample_uniques_that_are_unique_in_the_population() -> None:
    """Columns are independent here, so that the model is right."""
    people = population(40_000, 11)
    drawn = sample(people, 4_000, 2)
    codes, unique = coded(drawn)
    found = log_linear(codes, unique, 0.1)[0]
    assert not found.pairs
    sizes = people.group_by(people.columns).len()
    matched = drawn.filter(pl.Series(unique)).join(sizes, on=people.columns)["len"].to_numpy()
    assert found.sample_uniques == len(matched)
    assert found.population_uniques == pytest.approx(np.count_nonzero(matched == 1), rel=0.15)
    assert found.correct_matches == pytest.approx((1 / matched).sum(), rel=0.1)


def test_pairs_of_columns_are_fitted_where_they_depend_on_each_other() -> None:
    random = np.random.default_rng(3)
    a = random.integers(0, 12, 3_000)
    frame = pl.DataFrame({"a": a, "b": (a + random.integers(0, 2, 3_000)) % 12, "c": random.integers(0, 30, 3_000)})
    codes, unique = coded(frame)
    means = _fitted_pairs(codes, np.ones(len(codes), dtype=bool))
    assert means is not None
    pair = frame.with_columns(mean=means).unique().group_by("a", "b").agg(pl.col("mean").sum())
    counts = frame.group_by("a", "b").len()
    joined = pair.join(counts, on=["a", "b"])
    assert (joined["mean"] <= joined["len"] + 0.5).all()  # combinations that nobody has are not in the sum
    assert [model.pairs for model in log_linear(codes, unique, 0.5)] == [False, True]


def test_presence_is_counted_in_the_population_table() -> None:
    people = pl.DataFrame({"a": [1, 1, 1, 2, 2, 3, None], "b": ["x", "x", "x", "y", "y", "z", None]})
    found = presence(people[[0, 1, 3, 6]], people)
    assert (found.population, found.k_map) == (7, 1)
    assert (found.delta_min, found.delta_max) == (0.0, 1.0)
    assert found.population_uniques == 1  # the one with missing values: missing equals missing only


def test_presence_agrees_with_a_plain_count() -> None:
    people = population(2_000, 5, values=(8, 2, 5))
    drawn = sample(people, 500, 1)
    found = presence(drawn, people)
    there = {key: len(rows) for key, rows in people.group_by(people.columns)}
    mine = {key: len(rows) for key, rows in drawn.group_by(people.columns)}
    assert found.k_map == min(there[key] for key in mine)
    assert found.delta_max == max(mine.get(key, 0) / size for key, size in there.items())
    assert found.delta_min == min(mine.get(key, 0) / size for key, size in there.items())
    assert unique_people(people) >= found.population_uniques


def test_a_population_table_without_the_people_of_the_table_is_refused() -> None:
    with pytest.raises(ParameterError, match="2 people of the table are not in the population table"):
        presence(pl.DataFrame({"a": [1, 9, 9]}), pl.DataFrame({"a": [1, 1, 2]}))


def test_the_log_linear_model_of_independent_columns_is_the_formula() -> None:
    """Margins of 3 : 1 and 2 : 2; the combination of the one unique person is expected 4 x 1/4 x 2/4 times."""
    codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    unique = np.array([False, False, False, True])
    fraction = 0.25
    others = 0.5 * (1 - fraction) / fraction
    (found,) = log_linear(codes, unique, fraction)
    assert found.population_uniques == pytest.approx(np.exp(-others))
    assert found.correct_matches == pytest.approx((1 - np.exp(-others)) / others)
