"""The numeric parameters of all methods, checked in one place by their names."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial, wraps
from typing import ParamSpec, TypeVar

import numpy as np

from shoal.errors import ParameterError, check_share, whole_number

P = ParamSpec("P")
R = TypeVar("R")


def _number(name: str, value: object, *, zero: bool = False) -> None:
    number = isinstance(value, int | float | Fraction | np.integer | np.floating) and not isinstance(value, bool)
    if not (number and (0 < value < math.inf or (zero and value == 0))):  # type: ignore[operator]
        least = "of at least 0" if zero else "above 0"
        raise ParameterError(f"{name} must be a number {least}; it is {value if number else type(value).__name__}.")


def _whole(name: str, value: object, least: int) -> None:
    whole_number(name, value, least)


CHECKS: dict[str, Callable[[str, object], None]] = {
    "k": partial(_whole, least=1),
    "l": partial(_whole, least=1),
    "max_groups": partial(_whole, least=1),
    "n_threads": partial(_whole, least=1),
    "seed": partial(_whole, least=0),
    "effort": partial(_number, zero=True),
    "time_limit": _number,
    "epsilon": _number,
    "max_suppressed": check_share,
}
"""What a parameter of this name must be. None is allowed where it is the parameter's default."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return the method as a function that raises a `ParameterError` first if a parameter is not of its kind."""
    signature = inspect.signature(function)
    known = {name: one.default for name, one in signature.parameters.items() if name in CHECKS}

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        given = signature.bind(*args, **kwargs).arguments
        for name, default in known.items():
            if name in given and not (given[name] is None and default is None):
                CHECKS[name](name, given[name])
        return function(*args, **kwargs)

    return called
