"""Numbers and points that mean nothing are refused in one sentence, which shows no point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.partition import cover, diverse, forest, gather, intervals, microaggregate, rectangles, regions

POINTS = np.random.default_rng(3).random((12, 2))
CALLS: dict[str, Callable[[Any], Any]] = {
    "gather": lambda k: gather(POINTS, k),
    "diverse": lambda k: diverse(POINTS, ["a", "b", "c"] * 4, k),
    "forest": lambda k: forest(POINTS, k),
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
    with pytest.raises(ParameterError, match=r"^[klr] must be (a whole number|at least)"):
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
