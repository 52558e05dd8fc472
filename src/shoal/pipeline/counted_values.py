"""The table from which the requirements of groups are evaluated."""

from __future__ import annotations

import polars as pl

from shoal.policy import Policy
from shoal.requirements.spelling import exact_places
from shoal.roles import compared
from shoal.tables import Table


def counted(table: Table, policy: Policy) -> pl.DataFrame:
    """Return the frame of `compared`, with ranks instead of floats in sensitive columns where floats are not exact.

    Texts with many digits can be different numbers and yet be read as the same float. The texts are published, so a
    reader can tell the numbers apart, and they are counted as different values.
    """
    frame = compared(table, policy)
    as_text = [name for name in policy.sensitive if name in table.texts.columns and policy.columns[name].bins is None]
    return frame.with_columns(
        exact_places(table.texts[name], frame[name]) for name in as_text if frame[name].dtype.is_float()
    )
