"""Groups share a cell of the plan only where all that decides it is equal, not where it merely reads alike."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.plans.from_release import _kinds
from shoal.publish.result import GroupColumn

TEXT = pl.DataFrame({"c": ["x", "x", "y", "x"]})


@pytest.mark.parametrize(
    "more",
    [
        {"level": np.array([0, 1, 0, 0])},
        {"cell": np.array([0, 1, 2, 0])},
        {"value": np.array([1.0, np.nan, 2.0, 1.0])},
        {"loss": np.array([0.0, 1.0, 0.0, 0.0])},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_reads_alike_and_differs_is_two_kinds(more: dict[str, np.ndarray]) -> None:
    column = GroupColumn(**({"name": "c", "kind": "label", "loss": np.zeros(4), "published": TEXT} | more))
    first, kind = _kinds(column, np.arange(4))
    assert first == [0, 1, 2]
    assert kind.tolist() == [0, 1, 2, 0]
