"""Progress of long steps, reported to a listener if there is one, such as the progress bars of the command line.

A step is written as ``with progress.step("neighbors", total=n) as advance: ... advance(64)``. `watch` installs a
listener for the current context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Protocol

Advance = Callable[[int], None]


class Listener(Protocol):
    """Shows steps to a person. `total` is None if the amount of work is not known."""

    def step(self, name: str, total: int | None) -> AbstractContextManager[Advance]: ...

    def note(self, text: str) -> None: ...


_listener: ContextVar[Listener | None] = ContextVar("shoal_progress", default=None)


@contextmanager
def watch(listener: Listener) -> Iterator[None]:
    """Send the steps of this context to `listener` during the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def unheard() -> Iterator[None]:
    """Report nothing during the block, such as remarks that were made before."""
    token = _listener.set(None)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def step(name: str, total: int | None = None) -> Iterator[Advance]:
    """Report one named step; yields a function to call with the amount of work just done."""
    listener = _listener.get()
    if listener is None:
        yield lambda _amount: None
        return
    with listener.step(name, total) as advance:
        yield advance


def note(text: str) -> None:
    """Send one line of text to the listener, such as a note about a first compilation."""
    listener = _listener.get()
    if listener is not None:
        listener.note(text)
