"""Naming settings in messages as the caller knows them: as flags on the command line, as keywords in Python.

A message that says what to change names the setting with `setting`; the command line runs inside `by_flags`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_flags: ContextVar[bool] = ContextVar("shoal_caller_flags", default=False)


@contextmanager
def by_flags() -> Iterator[None]:
    """Name settings as flags of the command line during the block."""
    token = _flags.set(True)
    try:
        yield
    finally:
        _flags.reset(token)


def setting(name: str, value: object = "...", *, column: str | None = None) -> str:
    """Return how to write a setting, for all or for one column: `--max-suppressed 0.1`, or `max_suppressed=0.1`.

    The value True stands for a flag without a value.
    """
    if _flags.get():
        given = "" if value is True else f" {value}" if column is None else f" {column}={value}"
        return f"--{name.replace('_', '-')}{given}"
    written = f'"{value}"' if isinstance(value, str) and value != "..." else f"{value}"
    return f"{name}={written}" if column is None else f'{name}={{"{column}": {written}}}'


def named(name: str) -> str:
    """Return the name of a setting: `--after` on the command line, or `after` in Python."""
    return f"--{name.replace('_', '-')}" if _flags.get() else name
