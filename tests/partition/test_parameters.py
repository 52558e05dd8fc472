"""Numbers and points that mean nothing are refused in one sentence, which shows no point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shoal.errors import InfeasibleError, ParameterError
from shoal.partition import (
    cellular,
    cover,
    datafly,
    diverse,
    forest,
    full_domain,
    gather,
    intervals,
    microaggregate,
    rectangles,
    regions,
)

POINTS = np.random.default_rng(3).random((12, 2))
LABELS = [["a", "x"], ["b", "y"]] * 6
CALLS: dict[str, Callable[[Any], Any]] = {
    "gather": lambda k: gather(POINTS, k),
    "cellular": lambda k: cellular(POINTS, k="none" if k is None else k),  # None leaves it to the opening costs
    "diverse": lambda k: diverse(POINTS, ["a", "b", "c"] * 4, k),
    "forest": lambda k: forest(POINTS, k),
    "full_domain": lambda k: full_domain(LABELS, k),
    "datafly": lambda k: datafly(LABELS, k),
    "microaggregate": lambda k: microaggregate(POINTS, k),
    "optimal": lambda k: microaggregate(POINTS[:, 0], k, method="optimal"),
    "rectangles": lambda k: rectangles(POINTS, k),
    "intervals": lambda k: intervals(POINTS[:, 0], k),
    "cover": lambda k: cover([2, 2, 3, 3], k),
    "regions": lambda k: regions([(0, 1), (1, 2)], [3, 3, 3], k),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("k", [2.5, "3", None, float("nan"), float("inf"), True, 0, -1])
def test_a_k_that_is_no_number_of_people_is_refused(call: str, k: Any) -> None:
    with pytest.raises(ParameterError, match=r"^[kl] must be (a whole number|at least)"):
        CALLS[call](k)


@pytest.mark.parametrize("call", CALLS)
def test_a_whole_number_of_any_type_is_one(call: str) -> None:
    asked = [CALLS[call](k).labels.tolist() for k in (3, np.float64(3), np.int8(3))]
    assert asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize("points", [[["secret", 1.0]] * 12, [[1.0], [2.0, 3.0]] * 6])
def test_points_that_are_no_numbers_are_refused_without_being_shown(points: Any) -> None:
    for call in (gather, microaggregate, rectangles):
        with pytest.raises(ParameterError, match="rows of numbers") as refused:
            call(points, 3)
        assert "secret" not in str(refused.value)
        assert refused.value.__suppress_context__


COLORS = ["flu"] * 7 + ["asthma"] * 5
SHARES: dict[str, Callable[[Any], Any]] = {
    "gather": lambda share: gather(POINTS, 3, max_suppressed=share),
    "cellular": lambda share: cellular(POINTS, k=3, max_suppressed=share),
    "diverse": lambda share: diverse(POINTS, COLORS, 2, max_suppressed=share),
    "full_domain": lambda share: full_domain(LABELS, 3, max_suppressed=share),
    "datafly": lambda share: datafly(LABELS, 3, max_suppressed=share),
}


@pytest.mark.parametrize("call", SHARES)
@pytest.mark.parametrize("share", [1, 1.5, -0.1, float("nan"), "0.1", None, True])
def test_a_share_of_records_that_is_none_is_refused(call: str, share: Any) -> None:
    with pytest.raises(ParameterError, match=r"^max_suppressed is a share from 0 up to but not including 1"):
        SHARES[call](share)


@pytest.mark.parametrize("flu", [7, 8, 9, 11, 40, 997])
def test_the_share_that_a_message_names_is_enough_and_no_larger_one_leaves_out_more(flu: int) -> None:
    points, colors = np.arange(float(flu + 5)), ["flu"] * flu + ["asthma"] * 5
    with pytest.raises(InfeasibleError, match=f"leave out {flu - 5} records: max_suppressed=0") as refused:
        diverse(points, colors, 2)
    named = float(str(refused.value).rsplit("max_suppressed=", 1)[1].rstrip("."))
    assert diverse(points, colors, 2, max_suppressed=named).n_suppressed == flu - 5
    assert diverse(points, colors, 2, max_suppressed=0.999).n_suppressed == flu - 5
    with pytest.raises(InfeasibleError, match="max_suppressed="):
        diverse(points, colors, 2, max_suppressed=(flu - 6) / (flu + 5))
