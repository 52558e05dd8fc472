"""The table in which the groups of a release are counted."""

from __future__ import annotations

import polars as pl

from shoal.policy import Policy
from shoal.requirements.spelling import exact_places
from shoal.roles import compared
from shoal.tables import Table


def counted(table: Table, policy: Policy) -> pl.DataFrame:
    """`compared`, with the places of numbers in their order where one float stands for several texts of a column.

    The texts are published, and who reads them tells the numbers apart.
    """
    frame = compared(table, policy)
    told = [name for name in policy.sensitive if name in table.texts.columns and policy.columns[name].bins is None]
    return frame.with_columns(
        exact_places(table.texts[name], frame[name]) for name in told if frame[name].dtype.is_float()
    )
