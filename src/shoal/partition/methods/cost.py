"""Compute the cost of a grouping by the function that the table of methods names for the objective."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from shoal.partition.methods.choose import Choice
from shoal.partition.result import Labels
from shoal.space.space import Space


def cost_of(choice: Choice, space: Space) -> Callable[[Labels], float]:
    """Return a function from labels to cost in the choice's objective; suppressed records (-1) cost nothing."""
    cost = loaded(choice.minimized.cost)
    return lambda labels: float(cost(space, labels))


def loaded(function: str) -> Callable[..., Any]:
    """Import and return the function that is named as `module:function`."""
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
