"""Every theorem against the optimum: optimum <= cost <= ratio x optimum, and no bound above the optimum."""

from __future__ import annotations

import importlib
import math
import pkgutil
from fractions import Fraction

import numpy as np
import pytest

import shoal.partition
from shoal.partition.guarantee import Guarantee, guarantees
from tests.oracles.groupings import blocks_of
from tests.ratio.case import Case
from tests.ratio.rows import ROWS

QUICK, DEEP = 200, 2500
FLOAT = Fraction(1, 10**9)
"""Reported numbers are rounded a few times; instances are small integers, so different costs differ by far more."""


def proved() -> dict[str, Guarantee]:
    """All theorems that any module of the package registers."""
    for module in pkgutil.walk_packages(shoal.partition.__path__, "shoal.partition."):
        importlib.import_module(module.name)
    return {guarantee.theorem: guarantee for guarantee in guarantees()}


def check(guarantee: Guarantee, case: Case) -> None:
    partition = case.run()
    sizes = [len(block) for block in blocks_of(partition.labels)]
    assert min(sizes) >= case.k
    cost, optimum = case.cost(partition), case.optimum()
    assert math.isclose(partition.cost**case.power, cost, rel_tol=FLOAT, abs_tol=FLOAT), "cost is not what it says"
    assert optimum <= cost, "the cost of the groups is below the optimum: the oracle or the groups are wrong"
    yardstick = case.yardstick() if case.yardstick else optimum
    ratio = guarantee.ratio_for(case.k) or partition.ratio_proved  # of the run, where it depends on it
    if partition.ratio_proved is not None:  # the optimum of the recodings of one kind proves none for all groupings
        assert partition.ratio_proved <= ratio
    allowed = ratio**case.power * yardstick
    assert cost <= allowed
    if partition.theorem_cost is not None:  # what the theorem gave, before it was improved
        assert Fraction(partition.theorem_cost) ** case.power <= allowed * (1 + FLOAT)
        if case.own_proof:
            assert partition.theorem_cost <= ratio * Fraction(case.own_proof(partition))
    assert Fraction(partition.lower_bound) ** case.power <= optimum * (1 + FLOAT)
    for name, its_optimum in (case.other_bounds or {}).items():
        assert Fraction(getattr(partition.details, name)) ** case.power <= its_optimum() * (1 + FLOAT), name


@pytest.mark.parametrize("theorem", ROWS)
def test_cost_is_within_the_proved_ratio_of_the_optimum(theorem):
    run(theorem, range(QUICK))


@pytest.mark.deep
@pytest.mark.parametrize("theorem", ROWS)
def test_cost_is_within_the_proved_ratio_of_the_optimum_on_many_instances(theorem):
    run(theorem, range(QUICK, QUICK + DEEP))


def run(theorem: str, seeds: range) -> None:
    guarantee = proved()[theorem]
    for seed in seeds:
        case = ROWS[theorem](np.random.default_rng(seed))
        try:
            check(guarantee, case)
        except AssertionError as err:
            raise AssertionError(f"{theorem}, seed {seed}: {err}\n{case.story}") from err


def test_every_theorem_has_a_row_and_every_row_a_theorem():
    assert set(proved()) == set(ROWS)
