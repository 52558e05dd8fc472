"""What recoding lost before groups were made, and which published cells it left inexact.

The definition is that of NCP: the rows that became one value are taken as a group, published as the range, or the set
of labels, that they had. `shoal.roles.recode` measures it while it has the original values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
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


def recoding_losses(recoded: Iterable[Recoded], policy: Policy, seen: Iterable[View]) -> tuple[RecodingLoss, ...]:
    """Return what recoding changed and lost in every recoded column, in the order of the policy.

    A column with merged labels and classes of them has one entry, for both.
    """
    n_classes = {view.column.name: view.column.into.n_values for view in seen if view.column.into is not None}
    found: dict[str, Recoded] = {}
    for one in recoded:
        before = found.get(one.name)
        found[one.name] = one if before is None else replace(one, merged=before.merged, lost=before.lost + one.lost)
    return tuple(
        _loss(found[name], column, n_classes.get(name)) for name, column in policy.columns.items() if name in found
    )


def least_levels(original: pl.DataFrame, policy: Policy, seen: Iterable[View]) -> list[Recoded]:
    """Return what was lost in columns that are published from a least level of their hierarchy on."""
    return [
        recoded_labels(text_of(original[name]), view.tree.as_leaves(original[name]), name, "quasi")
        for view in seen
        if (name := view.column.name) and view.tree is not None and policy.columns[name].least_level
    ]


def classes_made(policy: Policy, seen: Iterable[View]) -> list[Recoded]:
    """Return what was lost in columns that were recoded into classes of labels, or into areas of places."""
    return [
        Recoded(name=column.name, role="quasi", merged=into.rows, lost=into.lost, coarse=pl.Series(dtype=pl.String))
        for column, into in ((view.column, view.column.into) for view in seen)
        if into is not None and into.rows and column.name in policy.columns
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


def _loss(one: Recoded, column: Column, n_classes: int | None) -> RecodingLoss:
    return RecodingLoss(
        name=one.name,
        role=one.role,
        top=_text(column.top),
        bottom=_text(column.bottom),
        round=_text(column.round),
        labels=tuple(column.merge or ()),
        least_level=column.least_level or None,
        classes=n_classes,
        at_top=one.at_top,
        at_bottom=one.at_bottom,
        rounded=one.rounded,
        merged=one.merged,
        lost=one.lost,
    )


def _text(setting: float | date | str | None) -> str | None:
    return f"{setting:.15g}" if isinstance(setting, float) else None if setting is None else str(setting)
