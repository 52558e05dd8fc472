"""Choosing the distance of t-closeness for columns whose policy does not state one, by the kind of the column.

The chosen distance is written into the policy and the certificate, because a reader of the released file cannot tell
numbers from codes.
"""

from __future__ import annotations

from shoal.policy import Closeness, Column, Policy
from shoal.roles.judgment import judge
from shoal.tables.table import Table


def with_distances(table: Table, policy: Policy, asked: Policy) -> Policy:
    """Return the resolved policy with a distance for every column that has a t; `asked` is the policy as given.

    Numbers and dates are compared in order, labels as equal or not. Whole numbers that are codes are labels.
    """
    columns = dict(policy.columns)
    for name in policy.all_sensitive:
        closeness = policy.closeness_of(name)
        if closeness is not None:
            distance = policy.distance_of(name)
            if (
                closeness.distance == "auto"
                and distance == "ordered"
                and _are_codes(table, name, asked.columns[name])
            ):
                distance = "equal"
            stated = Closeness(t=closeness.t, distance=distance)
            columns[name] = columns[name].model_copy(update={"closeness": stated})
    return policy.model_copy(update={"columns": columns})


def _are_codes(table: Table, name: str, asked: Column) -> bool:
    """Return whether nothing in the policy says how values are compared, and they look like codes."""
    values = table.frame[name]
    if asked.has_order or asked.kind is not None or not values.dtype.is_numeric():
        return False
    return judge(values).kind in ("label", "hierarchy")
