"""What recoding lost before groups were made, and which published cells it left inexact.

The definition is that of NCP: the rows that became one value are taken as a group, published as the range, or the set
of labels, that they had. `shoal.roles.recode` measures it while it has the original values.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import numpy as np
import polars as pl

from shoal.measure.column_views import View
from shoal.measure.equivalence_classes import Bools
from shoal.measure.loss_result import RecodingLoss
from shoal.policy import Column, Policy
from shoal.publish.group_values import days
from shoal.roles.recode import recoded_labels
from shoal.tables.recoded import Recoded
from shoal.tables.text import text_of


def recoding_losses(recoded: Iterable[Recoded], policy: Policy) -> tuple[RecodingLoss, ...]:
    """Return what recoding changed and lost in every recoded column, in the order of the policy."""
    by_name = {one.name: one for one in recoded}
    return tuple(_loss(by_name[name], column) for name, column in policy.columns.items() if name in by_name)


def least_levels(original: pl.DataFrame, policy: Policy, seen: Iterable[View]) -> list[Recoded]:
    """Return what was lost in columns that are published from a least level of their hierarchy on."""
    return [
        recoded_labels(text_of(original[name]), view.tree.as_leaves(original[name]), name, "quasi")
        for view in seen
        if (name := view.column.name) and view.tree is not None and policy.columns[name].least_level
    ]


def stands_for_several(view: View, coarse: pl.Series) -> Bools:
    """Return, per group, whether all its members have one recoded value that several original values became."""
    column = view.column
    if view.labels is None:
        assert column.low is not None
        assert column.high is not None
        several: Bools = np.isin(column.low, days(coarse)) & (column.low == column.high)
        return several
    labels = view.labels
    named = set(text_of(coarse).to_list())
    inside = np.array([label in named for label in labels.domain], dtype=bool)
    of_cell: Bools = inside[labels.members[labels.start[:-1]]]
    return of_cell[labels.cell]


def _loss(one: Recoded, column: Column) -> RecodingLoss:
    return RecodingLoss(
        name=one.name,
        role=one.role,
        top=_text(column.top),
        bottom=_text(column.bottom),
        round=_text(column.round),
        labels=tuple(column.merge or ()),
        least_level=column.least_level or None,
        at_top=one.at_top,
        at_bottom=one.at_bottom,
        rounded=one.rounded,
        merged=one.merged,
        lost=one.lost,
    )


def _text(setting: float | date | str | None) -> str | None:
    return f"{setting:.15g}" if isinstance(setting, float) else None if setting is None else str(setting)
