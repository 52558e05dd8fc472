"""Who is told when a kernel has to be compiled. Numba need not be loaded to ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

callbacks: list[Callable[[], None]] = []
"""Called by the listener in `_jit` each time numba begins to compile."""


@contextmanager
def on_compile(callback: Callable[[], None]) -> Iterator[None]:
    """Call `callback` each time a kernel has to be compiled inside the `with` block."""
    callbacks.append(callback)
    try:
        yield
    finally:
        callbacks.remove(callback)
