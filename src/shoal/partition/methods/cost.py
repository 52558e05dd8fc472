"""The cost of any grouping in the objective of a choice, by the function that the table of methods names."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from shoal.partition.methods.choose import Choice
from shoal.partition.result import Labels
from shoal.space.space import Space


def cost_of(choice: Choice, space: Space) -> Callable[[Labels], float]:
    """The cost of a grouping of `space` in the choice's objective; suppressed records (-1) cost nothing."""
    cost = loaded(choice.minimized.cost)
    return lambda labels: float(cost(space, labels))


def loaded(function: str) -> Callable[..., Any]:
    """The function that the table names as `module:function`."""
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
