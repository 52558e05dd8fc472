"""Columns of labels that the policy recodes into classes: `cover` decides which label belongs to which class."""

from __future__ import annotations

import polars as pl

from shoal.errors import InfeasibleError
from shoal.partition.column_classes.homes import homes
from shoal.partition.result import Labels
from shoal.partition.single_attribute.cover import cover
from shoal.policy import Policy
from shoal.space.hierarchy import flat_tree
from shoal.space.label_classes import Recoding


def recode(frame: pl.DataFrame, policy: Policy, people: Labels | None) -> dict[str, Recoding]:
    """Return the classes of every quasi-identifier for which the policy asks for some.

    `people` has the person of each row, if a person may have several rows. A missing value is a label like any other.
    """
    found = {}
    for name in policy.quasi:
        asked = policy.columns[name].classes
        if asked is not None:
            found[name] = _recoded(frame[name], max(policy.k, policy.k if asked == "k" else asked), people)
    return found


def _recoded(values: pl.Series, least: int, people: Labels | None) -> Recoding:
    """Return the classes of at least `least` people for one column."""
    tree = flat_tree(values.name, values)
    counted = homes(people, tree.ranks(values), tree.n_leaves)
    if counted.n_people < least:
        raise InfeasibleError(
            f"column {values.name}: classes of at least {least} people need as many; there are {counted.n_people}.",
            f"lower columns.{values.name}.classes, or add people.",
        )
    classes = cover(counted.weights, least)
    return Recoding(
        column=values.name,
        labels=tree.leaf_labels,
        class_of=classes.labels,
        people=counted.people_of(classes.labels),
        least=least,
        lower_bound=classes.lower_bound if counted.settled else counted.bound(least),
        ratio_proved=classes.ratio_proved if counted.settled else None,
        theorem=classes.theorem if counted.settled else None,
    )
