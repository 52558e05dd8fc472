"""What stands around every run: how the source is read, a word when code is compiled, an error when memory runs out.

Nothing here loads the steps that make groups, so that a profile need not wait for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shoal import progress
from shoal.errors import TableError
from shoal.kernels._compile_events import on_compile
from shoal.policy import Policy
from shoal.policy.keywords import SOURCE
from shoal.tables import ReadOptions


def read_options(policy: Policy) -> ReadOptions:
    """Return the options for reading a file that the policy gives."""
    return ReadOptions(**{name: getattr(policy.source, name) for name in SOURCE})


@contextmanager
def reporting_compilation() -> Iterator[None]:
    """Report once if code has to be compiled. Running out of memory is reported as in `reporting_memory`."""
    reported = False

    def say() -> None:
        nonlocal reported
        if not reported:
            reported = True
            from shoal.kernels._jit import cache_folder, cache_trouble  # loaded already: it compiles

            trouble = cache_trouble()
            kept = "is kept for later runs" if trouble is None else f"is not kept in {cache_folder()}: {trouble}"
            progress.note(f"first run: compiling; this takes up to half a minute and {kept}")

    with on_compile(say), reporting_memory():
        yield


@contextmanager
def reporting_memory() -> Iterator[None]:
    """Raise TableError with one plain sentence if memory runs out.

    Libraries written in Rust then raise a PanicException, which does not derive from Exception.
    """
    try:
        yield
    except MemoryError:
        raise TableError.no_memory() from None
    except BaseException as fault:
        message = str(fault).lower()
        if type(fault).__name__ == "PanicException" and (
            "memory" in message or "alloc" in message or "spawn" in message
        ):
            raise TableError.no_memory() from None
        raise
