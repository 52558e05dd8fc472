"""Naming settings in messages as the caller knows them: as flags on the command line, as keywords in Python.

A message that says what to change names the setting with `setting`; the command line runs inside `by_flags`.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
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

    The value True stands for a flag without a value; a list has the names of columns.
    """
    if column is not None:
        return settings(name, {column: value})
    if _flags.get():
        word = ",".join(value) if isinstance(value, list) else value
        return _flag(name) if value is True else f"{_flag(name)} {_word(word)}"
    return f"{name}={_literal(value)}"


def settings(name: str, values: Mapping[str, object]) -> str:
    """Return how to write a setting for several columns: `--round age=5 --round pay=9`, or a dictionary in Python."""
    if _flags.get():
        words = [column if value is True else f"{column}={value}" for column, value in values.items()]
        return " ".join(f"{_flag(name)} {_word(word)}" for word in words)
    pairs = (f"{_literal(column)}: {_literal(value)}" for column, value in values.items())
    return f"{name}={{{', '.join(pairs)}}}"


def named(name: str) -> str:
    """Return the name of a setting: `--after` on the command line, or `after` in Python."""
    return _flag(name) if _flags.get() else name


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _word(value: object) -> str:
    """Return a value as one word of a command line, in quotes if a shell would split or read it in another way."""
    text = str(value)
    plain = re.fullmatch(r"[\w@%+=:,./-]+", text)  # as shlex has it, and letters such as those of Größe
    return text if plain else shlex.quote(text)


def _literal(value: object) -> str:
    if value == "...":
        return "..."
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | list) else f"{value}"
