"""Progress of long steps, without the steps knowing who is watching.

A step says ``with progress.step("neighbors", total=n) as advance: ... advance(64)``. The command line, a
notebook or nobody listens: `watch` installs a listener for the current context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Protocol

Advance = Callable[[int], None]


class Listener(Protocol):
    """Shows steps to a person. `total` is None where the amount of work is not known."""

    def step(self, name: str, total: int | None) -> AbstractContextManager[Advance]: ...

    def note(self, text: str) -> None: ...


_listener: ContextVar[Listener | None] = ContextVar("shoal_progress", default=None)


@contextmanager
def watch(listener: Listener) -> Iterator[None]:
    """Send the steps of this context to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def step(name: str, total: int | None = None) -> Iterator[Advance]:
    """One named step; the value is a function that takes the amount of work just done."""
    listener = _listener.get()
    if listener is None:
        yield lambda _amount: None
        return
    with listener.step(name, total) as advance:
        yield advance


def note(text: str) -> None:
    """One line for the person watching, such as a first compilation."""
    listener = _listener.get()
    if listener is not None:
        listener.note(text)
