"""Limits of the kernels are 0 exactly where the requirements hold, and their derivatives are those of differences."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.group_limits import shortages
from shoal.partition.balance.limits import MOST_STEPS_OF_ORDER, Balance
from shoal.partition.group_labels import number_groups
from shoal.requirements import (
    AlphaAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    Records,
    Requirement,
    TCloseness,
    count,
)
from shoal.requirements.counts import Levels

NODES = np.array([[0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 1, 1]])
ASKED: list[Requirement] = [
    *(TCloseness("s", t, distance) for t in (0.1, 0.3, 0.5) for distance in ("equal", "ordered", "hierarchical")),
    *(LDiversity("s", least) for least in (2, 4)),
    *(LDiversity("s", least, "frequency") for least in (1.5, 2, 3)),
    *(LDiversity("s", least, "entropy") for least in (1.7, 3)),
    *(LDiversity("s", least, "recursive", c) for least, c in ((2, 1.0), (3, 2.0), (2, 0.5))),
    LDiversity("m", 2),
    LDiversity("m", 2, "entropy"),
    LDiversity("m", 2, "frequency", count_missing=True),
    AlphaAnonymity("s", 0.4),
    AlphaAnonymity("s", 0.1, (5, 6)),
    AlphaAnonymity("m", 0.5),
    *(BetaLikeness("s", beta, kind) for beta in (1.0, 2.0) for kind in ("basic", "enhanced")),
    BetaLikeness("m", 0.5),
    DeltaDisclosure("m", 1.5),
]


def drawn(seed: int, n: int = 200) -> tuple[Records, np.ndarray]:
    """Records with a value of a hierarchy and one that may be missing, in groups of 3 to 20."""
    rng = np.random.default_rng(seed)
    values = rng.choice(7, n, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05])
    other = rng.integers(0, 4, n)
    sensitive = {"s": values, "m": other}
    records = Records(n, None, sensitive, {"s": Levels(NODES)}, {"m": 3})
    return records, number_groups(rng.choice(np.repeat(np.arange(20), rng.integers(3, 20, 20)), n))


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_group_has_no_shortage_if_and_only_if_it_meets_the_requirement(asked: Requirement) -> None:
    met = missed = 0
    for seed in range(20):
        records, labels = drawn(seed)
        holds = asked.holds(count(labels, records))
        assert ((Balance.of([asked], records).shortages(labels) == 0) == holds).all()
        met, missed = met + np.count_nonzero(holds), missed + np.count_nonzero(~holds)
    assert met, "some groups meet it"
    assert missed, "and some do not"


def test_several_requirements_are_met_where_each_is() -> None:
    asked = [TCloseness("s", 0.4), LDiversity("m", 3), LDiversity("s", 2, "entropy"), BetaLikeness("m", 1.0)]
    for seed in range(20):
        records, labels = drawn(seed)
        holds = np.logical_and.reduce([one.holds(count(labels, records)) for one in asked])
        assert ((Balance.of(asked, records).shortages(labels) == 0) == holds).all()


def test_a_long_order_is_measured_to_within_its_steps() -> None:
    rng = np.random.default_rng(3)
    records = Records(3000, None, {"s": rng.permutation(3000)})
    labels = rng.integers(0, 60, 3000)
    distance = TCloseness("s", 0.0, "ordered").measure(count(labels, records))
    size = np.bincount(labels)
    found = Balance.of([TCloseness("s", 0.0, "ordered")], records).shortages(labels) / size
    assert np.abs(found - distance).max() < 1 / MOST_STEPS_OF_ORDER


@pytest.mark.parametrize("asked", [one for one in ASKED if getattr(one, "kind", "") != "distinct"], ids=str)
def test_the_shortage_grows_with_the_group_and_is_convex(asked: Requirement) -> None:
    """Twice the group misses twice as much, and two groups together miss no more than both of them."""
    rng = np.random.default_rng(4)
    for _ in range(30):
        records, _ = drawn(int(rng.integers(1000)), 60)
        balance = Balance.of([asked], records)
        one, other = rng.choice(60, 12), rng.choice(60, 9)

        def missed(rows: np.ndarray, balance: Balance = balance) -> float:
            """The shortage of one group of these records, of which one may be there several times."""
            types = balance.types[rows]
            zeros = np.zeros(len(rows), dtype=np.int64)
            return float(shortages(balance.limits, zeros, types, 1, np.arange(len(rows)), *balance.work())[0])

        together = missed(np.concatenate((one, other)))
        assert together <= missed(one) + missed(other) + 1e-5
        assert missed(np.concatenate((one, one))) == pytest.approx(2 * missed(one), abs=1e-5)
