"""Functions whose keywords are typed in one place and shown in another.

A type checker reads `**settings: Unpack[Settings]` and knows every keyword. At run time `help()`, notebooks and
`inspect.signature` would show `**settings` alone, and Python's own error for a misspelled keyword would suggest none:
`named_arguments` puts the keywords into the signature and refuses unknown ones with the nearest known.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from shoal.errors import ParameterError

P = ParamSpec("P")
R = TypeVar("R")


def named_arguments(settings: type | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that puts the keys of the TypedDict `settings` into a function's signature as keywords.

    The decorated function raises a `ParameterError` for every other keyword.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        plain = inspect.signature(function)
        own = [one for one in plain.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_text(kind))
            for name, kind in (settings.__annotations__ if settings is not None else {}).items()
        ]
        known = [one.name for one in (*own, *more)]

        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            check_names(kwargs, known, f"a parameter of {function.__name__}")
            return function(*args, **kwargs)

        called.__signature__ = plain.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return called

    return decorate


def check_names(given: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raise a `ParameterError` for the first name that is not `known`; its hint has the nearest known name."""
    known = sorted(known)
    for name in sorted(set(given) - set(known)):
        near = get_close_matches(name, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ParameterError(f"{name} is not {what}.", f"{meant}known: {', '.join(known)}.")


def _text(annotation: Any) -> str:
    """Return a type as it is written in the source."""
    return str(getattr(annotation, "__forward_arg__", annotation))
