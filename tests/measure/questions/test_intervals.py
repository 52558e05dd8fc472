"""Intervals that hold as often as they say, and the chance of singling out in a control of another size."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.measure.questions.intervals import rate_of, risk_of, wilson
from shoal.measure.questions.isolation import isolated_by_chance

RUNS = 2_000


def test_wilson_by_hand():
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert wilson(0.5, 10) == pytest.approx((0.23659, 0.76341), abs=1e-5)
    assert wilson(1.0, 10) == pytest.approx((0.72247, 1.0), abs=1e-5)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_the_interval_of_a_rate_covers_it_in_95_percent(share):
    chance = np.random.default_rng(1)
    found = [rate_of((chance.random(300) < share).astype(float)) for _ in range(RUNS)]
    assert np.mean([one.low <= share <= one.high for one in found]) > 0.93


@pytest.mark.parametrize(
    ("success", "control", "n"),
    [(0.3, 0.1, 500), (0.02, 0.01, 500), (0.9, 0.3, 200), (0.5, 0.5, 300), (0.99, 0.9, 400), (0.1, 0.0, 300)],
)
def test_the_interval_of_the_risk_covers_it_in_95_percent(success, control, n):
    chance = np.random.default_rng(2)
    true = (success - control) / (1 - control)
    held = 0
    for _ in range(RUNS):
        here, there = ((chance.random(n) < share).astype(float) for share in (success, control))
        risk, low, high = risk_of(rate_of(here), rate_of(there))
        assert low <= risk <= high
        held += low <= true <= high
    assert held / RUNS > 0.93
    assert held / RUNS < 0.995  # it is not simply everything; at 0 one side alone can miss


def test_no_risk_is_claimed_without_attempts_or_when_everybody_is_exposed():
    some, everybody, nobody = rate_of(np.array([0.0, 1.0])), rate_of(np.ones(5)), rate_of(np.zeros(0))
    assert risk_of(some, None) == (None, None, None)
    assert risk_of(everybody, everybody) == (None, None, None)
    assert risk_of(nobody, some) == risk_of(some, nobody) == (None, None, None)
    assert (nobody.low, nobody.high) == (0, 1)


def test_a_larger_control_is_counted_as_a_random_part_of_it():
    # 6 people of the control, of whom `fitting` fit; all parts of 4 are looked at
    for fitting in range(7):
        parts = list(combinations(range(6), 4))
        expected = np.mean([sum(person < fitting for person in part) == 1 for part in parts])
        assert isolated_by_chance(np.array([fitting]), 6, 4)[0] == pytest.approx(expected)


@pytest.mark.parametrize("n_control", [250, 500])
def test_a_smaller_control_is_estimated_and_not_above_the_truth(n_control):
    chance, n = np.random.default_rng(3), 1_000
    shares = chance.choice([0.0, 0.3 / n, 1 / n, 3 / n, 20 / n], size=4_000)
    truth = np.mean(n * shares * (1 - shares) ** (n - 1))
    found = isolated_by_chance(chance.binomial(n_control, shares), n_control, n).mean()
    assert truth / 2 < found < truth + 0.01  # too few rather than too many: then the risk is not understated


def test_the_chance_is_unbiased_where_the_control_is_large_enough():
    chance, n = np.random.default_rng(4), 400
    shares = chance.choice([0.0, 0.5 / n, 2 / n], size=20_000)
    truth = np.mean(n * shares * (1 - shares) ** (n - 1))
    found = isolated_by_chance(chance.binomial(800, shares), 800, n).mean()
    assert found == pytest.approx(truth, abs=0.01)
