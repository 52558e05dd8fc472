"""Compute the cost of a grouping by the function that the table of methods names for the objective.

A suppressed record counts as wholly lost, as it does in the measures of a release (`measure.information_loss`): under
generalization it costs what a record costs whose cells say nothing, under squared error what it loses against the
means of all records. Radii and cellular costs are those of the records in groups; a suppressed one costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from shoal.partition.methods.choose import Choice
from shoal.partition.microaggregation.group_loss import lost_against_all
from shoal.partition.result import Floats, Labels
from shoal.space.space import Space


def cost_function(choice: Choice, space: Space) -> Callable[[Labels], float]:
    """Return a function from labels to cost in the choice's objective, suppressed records (-1) included."""
    cost, each = loaded(choice.minimized.cost), suppression_costs(choice, space)

    def total(labels: Labels) -> float:
        opened = choice.opening_cost * len(np.unique(labels[labels >= 0])) if choice.opening_cost else 0.0
        return float(cost(space, labels)) + opened + math.fsum(each[labels < 0])

    return total


def suppression_costs(choice: Choice, space: Space) -> Floats:
    """Return what each record costs if it is suppressed."""
    if choice.minimized.around_records:
        return np.zeros(len(space))
    if choice.objective == "sse":
        return lost_against_all(space)
    return np.full(len(space), space.hidden_cost())


def loaded(function: str) -> Callable[..., Any]:
    """Import and return the function that is named as `module:function`."""
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
