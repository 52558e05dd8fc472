"""The kind of quasi-identifiers for which a policy states none, decided by the same rules as in `profile`.

It is decided before the cells are converted to numbers, because codes and scales are published as they were written.
"""

from __future__ import annotations

from typing import Any

from shoal import progress
from shoal.policy import Column, Policy
from shoal.roles.judgment import Judgment, judge
from shoal.roles.written_codes import values_of
from shoal.tables.table import Table


def with_default_kinds(table: Table, policy: Policy) -> Policy:
    """Return the policy with a kind for every quasi-identifier that is a code or a scale, and note each for the user.

    A column for which the policy already says how its values are compared is not changed.
    """
    longitudes, there = {column.longitude for column in policy.columns.values()}, set(table.columns)
    columns = dict(policy.columns)
    for name, column in policy.columns.items():
        if name not in there or name in longitudes or not _is_open(column):
            continue
        if name in table.origin.lists and policy.set_column is None:
            columns[name] = column.model_copy(update={"kind": "set"})
            policy = policy.model_copy(update={"columns": columns})
            progress.note(f'{name}: lists are sets of items (kind = "label" for whole lists)')
            continue
        judged = judge(values_of(table, name))
        if judged.kind in ("label", "ordered", "hierarchy") and judged.reason:
            columns[name] = column.model_copy(update=_settings(judged))
            progress.note(f"{name}: {judged.reason}; {_published(judged)}")
    return policy.model_copy(update={"columns": columns})


def _is_open(column: Column) -> bool:
    """Return whether nothing in the policy says how the values of a quasi-identifier are compared."""
    settings = (
        column.kind,
        column.classes,
        column.order,
        column.hierarchy,
        column.map,
        column.longitude,
        column.round_ranges,
        column.scale,
        column.aggregate,
        column.format,
    )
    return column.role == "quasi" and not column.is_recoded and all(setting is None for setting in settings)


def _settings(judged: Judgment) -> dict[str, Any]:
    settings = {"kind": judged.kind, "hierarchy": judged.hierarchy, "order": judged.order}
    return {name: value for name, value in settings.items() if value is not None}


def _published(judged: Judgment) -> str:
    """Return how such a column is published, and what to write into the policy if it should not be."""
    if judged.kind == "hierarchy":
        return 'published as its first characters (kind = "label" for sets)'
    if judged.kind == "ordered":
        return 'published as ranges of its order (kind = "label" for sets)'
    return 'published as sets, never averaged (kind = "number" for ranges and averages)'
