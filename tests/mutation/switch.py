"""Which mutant is in force: the code of a function is exchanged for that of its mutant, and put back.

mutmut asks the environment at every call which mutant is in force; with a million calls that takes longer than the
tests. So its decorator is replaced (before the mutated modules are imported) by one that only remembers the function.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from mutmut.mutation import trampoline

_functions: list[tuple[FunctionType, dict[str, Any]]] = []


def _remember(mutants: dict[str, Any], is_classmethod: bool = False) -> Callable[[FunctionType], FunctionType]:
    def decorate(function: FunctionType) -> FunctionType:
        _functions.append((function, mutants))
        return function

    return decorate


def install() -> None:
    trampoline.wrap_in_trampoline = _remember  # type: ignore[assignment]


class Switch:
    """Puts one mutant in force at a time; names are mutmut's (module, dot, name of the mutated function)."""

    def __init__(self) -> None:
        self._pairs = {
            f"{function.__module__}.{name}": (function, getattr(mutant, "__func__", mutant))
            for function, mutants in _functions
            for name, mutant in mutants.items()
        }
        self._original: tuple[FunctionType, tuple[Any, ...]] | None = None

    def on(self, name: str) -> None:
        self.off()
        function, mutant = self._pairs[name]
        self._original = function, _parts(function)
        _exchange(function, _parts(mutant))

    def off(self) -> None:
        if self._original is not None:
            _exchange(*self._original)
            self._original = None


def _parts(function: FunctionType) -> tuple[Any, ...]:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def _exchange(function: FunctionType, parts: tuple[Any, ...]) -> None:
    function.__code__, function.__defaults__, function.__kwdefaults__ = parts
