"""Utility: what a copy keeps, another sample keeps, and noise loses; and how cells that leave values open enter."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.measure.utility.logistic import fitted_logistic, propensities
from shoal.measure.utility.overlap import overlap
from shoal.pipeline.trial_analysis import analyze
from tests.measure.tables import policy_for, released

SEED = 7


def people(n, seed):
    """Pay hangs on age and job; so a table whose columns were shuffled says something else."""
    chance = np.random.default_rng(seed)
    age = chance.integers(20, 65, n)
    job = chance.choice(["cook", "clerk", "nurse"], n, p=[0.5, 0.3, 0.2])
    pay = 500 + 40 * age + 600 * (job == "nurse") + chance.normal(0, 200, n)
    ill = np.where(chance.random(n) < 1 / (1 + np.exp(-(age - 42) / 8)), "gout", "flu")
    return pl.DataFrame({"age": age, "job": job, "pay": pay.round(), "ill": ill})


POLICY = policy_for(
    2,
    age="number",
    job="label",
    pay={"role": "sensitive", "kind": "number"},
    ill={"role": "sensitive", "kind": "label"},
)


def utility(original, release, policy=POLICY, control=None, **options):
    return analyze(original, release, policy, {}, control, attempts=0, **options).utility


# -- the measures themselves -----------------------------------------------------------------------------------


def test_the_overlap_of_intervals_by_hand():
    def of(one, other):
        return float(overlap(tuple(np.array([end]) for end in one), tuple(np.array([end]) for end in other))[0])

    assert of((0.0, 2.0), (0.0, 2.0)) == 1
    assert of((0.0, 2.0), (1.0, 3.0)) == 0.5
    assert of((0.0, 4.0), (1.0, 2.0)) == pytest.approx((1 / 4 + 1) / 2)
    assert of((0.0, 1.0), (2.0, 3.0)) == 0
    assert (of((1.0, 1.0), (0.0, 2.0)), of((3.0, 3.0), (0.0, 2.0))) == (1, 0)


def test_logistic_regression_finds_what_the_rows_were_drawn_by():
    chance = np.random.default_rng(SEED)
    features = np.column_stack([np.ones(20_000), chance.normal(size=(20_000, 2))])
    true = np.array([0.5, -1.0, 0.25])
    outcome = (chance.random(20_000) < propensities(features, true)).astype(float)
    slopes, errors = fitted_logistic(features, outcome)
    assert np.abs((slopes - true) / errors).max() < 4
    # at the maximum the derivative is 0
    assert np.abs(features.T @ (outcome - propensities(features, slopes))).max() / 20_000 < 1e-4


def test_the_errors_of_coefficients_are_those_of_repeated_samples():
    found = []
    for seed in range(200):
        chance = np.random.default_rng(seed)
        features = np.column_stack([np.ones(300), chance.normal(size=300)])
        outcome = (chance.random(300) < propensities(features, np.array([0.2, 0.7]))).astype(float)
        found.append(fitted_logistic(features, outcome))
    slopes, errors = (np.array([one[part] for one in found]) for part in (0, 1))
    assert errors.mean(axis=0) == pytest.approx(slopes.std(axis=0), rel=0.2)


def test_outcomes_that_can_be_told_exactly_do_not_overflow():
    features = np.column_stack([np.ones(50), np.arange(50.0)])
    slopes, errors = fitted_logistic(features, (np.arange(50) >= 25).astype(float))
    assert np.isfinite(slopes).all()
    assert np.isfinite(errors).all()


# -- both ends, and between ------------------------------------------------------------------------------------


def test_a_copy_keeps_everything():
    table = people(600, 1)
    found = utility(table, table.sample(fraction=1, shuffle=True, seed=2))
    assert found.overlap == pytest.approx(1)
    assert found.propensity.pmse == pytest.approx(0, abs=1e-12)
    assert all(one.overlap == pytest.approx(1) for one in (*found.means, *found.tables, *found.regressions))
    json.dumps(found.to_dict(), allow_nan=False)


def test_another_sample_has_the_ratio_that_theory_says():
    """1 / (1 - c) with c the share of its rows: 2 for as many, and 4/3 for half as many; over 30 pairs of samples."""
    for size, expected in ((400, 2.0), (200, 1.5)):
        ratios = [utility(people(400, 2 * seed), people(size, 2 * seed + 1)).propensity.ratio for seed in range(30)]
        assert np.mean(ratios) == pytest.approx(expected, abs=4 * np.std(ratios) / np.sqrt(30) + 0.1)


def test_shuffled_columns_keep_their_means_and_lose_what_goes_together():
    table = people(800, 1)
    chance = np.random.default_rng(3)
    shuffled = table.select(table[name][chance.permutation(800)] for name in table.columns)
    same, lost = utility(table, people(800, 2)), utility(table, shuffled)
    assert all(one.overlap == pytest.approx(1) for one in lost.means)
    assert all(one.overlap == pytest.approx(1) for one in lost.tables if len(one.columns) == 1)
    pair = next(one for one in lost.tables if set(one.columns) == {"pay", "age"})
    assert pair.overlap < 0.5
    assert {one.target: one.overlap < 0.8 for one in lost.regressions} == {"pay": True, "ill": True}
    assert lost.propensity.ratio > 4 * same.propensity.ratio
    by_target = {one.target: one for one in lost.models}
    assert by_target["pay"].original > 0.7
    assert by_target["pay"].release < 0.1
    assert by_target["ill"].release < by_target["ill"].original - 0.1


def test_a_moved_mean_is_seen():
    table = people(600, 1)
    moved = table.with_columns(pay=pl.col("pay") + 300)
    found = {one.column: one for one in utility(table, moved).means}
    assert found["pay"].overlap == 0
    assert found["pay"].release == pytest.approx(found["pay"].original + 300)
    assert found["age"].overlap == pytest.approx(1)


def test_wider_groups_keep_less():
    table = people(600, 1).sort("age")
    near, far = (utility(table, released(table, POLICY, np.arange(600) // size).frame) for size in (4, 200))
    assert near.overlap > far.overlap
    assert near.propensity.ratio < far.propensity.ratio


# -- how cells enter -------------------------------------------------------------------------------------------


def test_a_range_counts_by_its_middle_and_a_set_by_equal_shares():
    original = pl.DataFrame({"age": [20, 30, 40, 60] * 10, "sex": ["m", "m", "f", "f"] * 10})
    release = pl.DataFrame(
        {"age": ["[20, 30]", "[20, 30]", "[40, 60]", "[40, 60]"] * 10, "sex": ["{f, m}", "m", "{f, m}", "f"] * 10}
    )
    found = utility(original, release, policy_for(2, age="number", sex="label"))
    assert (found.means[0].original, found.means[0].release) == (37.5, 37.5)
    sexes = next(one for one in found.tables if one.columns == ("sex",))
    assert sexes.overlap == pytest.approx(1)  # half of each, as in the original


def test_hidden_and_missing_cells_are_no_numbers():
    original = pl.DataFrame({"age": [20, 30, None, 60] * 10, "sex": ["m", "m", "f", None] * 10})
    release = pl.DataFrame({"age": ["20", "*", None, "*"] * 10, "sex": ["m", "*", "f", None] * 10})
    found = utility(original, release, policy_for(2, age="number", sex="label"))
    assert (found.means[0].original, found.means[0].release) == (pytest.approx(110 / 3), 20)
    assert 0 <= found.overlap <= 1


# -- as users call it ------------------------------------------------------------------------------------------


def test_targets_are_chosen_and_models_tested_on_the_control():
    table = people(300, 1)
    roles = {"k": 2, "quasi": ["age", "job"], "sensitive": ["pay", "ill"], "publish_rare": {"pay": True}}
    found = shoal.utility(table, table, targets=["age"], control=people(300, 2), **roles)
    assert [one.target for one in found.models] == [one.target for one in found.regressions] == ["age"]
    assert found.models[0].original == found.models[0].release
    with pytest.raises(ParameterError, match="street is not a column that is compared"):
        shoal.utility(table, table, targets=["street"], **roles)


def test_a_comparison_has_utility_and_with_a_control_risks():
    table = people(240, 1)
    roles = {"quasi": ["age", "job"], "sensitive": "ill", "identifier": "pay"}
    found = shoal.compare(table, k=[4], methods=["mondrian"], **roles)
    assert found.trials[0].questions is None
    assert 0 < found.trials[0].overlap <= 1
    assert "overlap" in str(found)
    both = shoal.compare(
        table, k=[4], methods=["mondrian"], publications=["generalize", "synthetic", "aggregate", "suppress"],
        control=0.5, **roles,
    )  # fmt: skip
    names = [trial.method for trial in both.trials]
    assert names == ["mondrian, generalize", "mondrian, synthetic rows", "mondrian, aggregate", "mondrian, suppress"]
    assert all(trial.questions.n_control == 120 for trial in both.trials)
    assert both.table["singling_out"].is_between(0, 1).all()
    assert "linkability" in str(both)
    page = both.to_html()
    assert "Risk and utility" in page
    assert "highest risk of the three questions" in page
