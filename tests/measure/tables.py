"""Small tables and their releases, for the tests of the measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from hypothesis import strategies as st

from shoal.measure.column_views import trees_of
from shoal.measure.equivalence_classes import numbered
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Partition
from shoal.policy import Policy
from shoal.publish import Published, publish
from tests.fixed_secret import secret

FORMS = ("generalize", "aggregate", "suppress", "centers")


def policy_for(k: int = 2, **columns: str | dict[str, Any]) -> Policy:
    """Quasi-identifiers by their kind, everything else by its settings."""
    settings = {
        name: {"role": "quasi", "kind": column} if isinstance(column, str) else column
        for name, column in columns.items()
    }
    return Policy.parse({"k": k, "columns": settings})


SENSITIVE: dict[str, Any] = {"role": "sensitive", "kind": "label"}
ORDERED: dict[str, Any] = {"role": "quasi", "kind": "ordered", "order": ["low", "mid", "high", "top"]}


def released(
    frame: pl.DataFrame, policy: Policy, labels: npt.ArrayLike, form: str = "generalize", seed: int = 0
) -> Published:
    partition = Partition(labels=np.asarray(labels, dtype=np.int64), method="given", objective="sse", cost=0.0)
    return publish(frame, policy, partition, trees_of(frame, policy), form=form, secret=secret(seed))


PATIENTS = pl.DataFrame(
    {"age": [20, 30, 40, 60], "sex": ["M", "M", "F", "F"], "illness": ["flu", "gout", "flu", "flu"]}
)
PATIENTS_POLICY = policy_for(2, age="number", sex="label", illness=SENSITIVE)
PAIRS = np.array([0, 0, 1, 1])


@st.composite
def tables(draw: st.DrawFn, *, k: int = 1, max_rows: int = 24) -> tuple[pl.DataFrame, Policy, npt.NDArray[np.int64]]:
    """A table with missing values, its policy, and groups of at least `k`, some rows perhaps suppressed."""
    n = draw(st.integers(max(2, k), max_rows))

    def column(values: st.SearchStrategy[Any], dtype: Any) -> pl.Series:
        return pl.Series(draw(st.lists(st.none() | values, min_size=n, max_size=n)), dtype=dtype)

    frame = pl.DataFrame(
        {
            "a": column(st.integers(-3, 9), pl.Int64),
            "b": column(st.sampled_from([0.0, 0.5, 1e-3, 7.25, -1e6]), pl.Float64),
            "c": column(st.sampled_from(["x", "y", "z, and {w}"]), pl.String),
            "d": column(st.sampled_from(["low", "mid", "top"]), pl.String),
            "s": column(st.sampled_from(["u", "v", "w"]), pl.String),
        }
    )
    policy = policy_for(max(k, 2), a="number", b="number", c="label", d=ORDERED, s=SENSITIVE)
    wanted = np.array(draw(st.lists(st.integers(-1, max(n // k - 1, 0)), min_size=n, max_size=n)))
    small = [group for group in range(wanted.max() + 1) if 0 < np.count_nonzero(wanted == group) < k]
    wanted[np.isin(wanted, small)] = -1
    if wanted.max() < 0:
        wanted[:] = 0
    return frame, policy, number_groups(wanted)


def as_they_are(frame: pl.DataFrame, policy: Policy) -> npt.NDArray[np.int64]:
    """One group per different record: the release that loses nothing."""
    return number_groups(numbered(frame.select(policy.quasi), len(frame)))
