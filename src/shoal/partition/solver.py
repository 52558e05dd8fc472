"""Linear and integer programs by HiGHS, without the lines that HiGHS writes to standard output.

HiGHS prints some remarks ("HighsMipSolverData::...") past all its options. The command line keeps its standard output
to itself, but in a script they would stand in the middle of what it prints. So they are taken out where they appear:
at the file descriptor. What anybody else writes there in the meantime is written afterwards.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

STDOUT = 1
"""The file descriptor of standard output."""
_lock = threading.RLock()


def linprog(*args: Any, **options: Any) -> Any:
    """Return the answer of `scipy.optimize.linprog`; nothing of HiGHS is printed."""
    from scipy import optimize  # imported here because loading it takes a while

    solver: Any = optimize  # untyped: its stubs know neither sparse matrices nor all options
    with without_remarks():
        return solver.linprog(*args, **options)


def milp(*args: Any, **options: Any) -> Any:
    """Return the answer of `scipy.optimize.milp`; nothing of HiGHS is printed."""
    from scipy import optimize

    solver: Any = optimize
    with without_remarks():
        return solver.milp(*args, **options)


def milps(programs: Sequence[Mapping[str, Any]], n_threads: int) -> list[Any]:
    """Return the solutions of integer programs that are solved side by side; None where none was found.

    Each has the arguments of `scipy.optimize.milp`.
    """
    from scipy import optimize

    solver: Any = optimize
    with without_remarks(), ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda program: solver.milp(**program).x, programs))


@contextlib.contextmanager
def without_remarks() -> Iterator[None]:
    """Keep lines of HiGHS from standard output while the context is open."""
    with _lock, contextlib.ExitStack() as stack:
        try:
            aside: IO[bytes] = stack.enter_context(tempfile.TemporaryFile())
            real = os.dup(STDOUT)
        except OSError:  # no standard output, or nowhere to keep what is written: then nothing is taken out
            yield
            return
        stack.callback(os.close, real)
        _flush()
        os.dup2(aside.fileno(), STDOUT)
        try:
            yield
        finally:
            _flush()
            os.dup2(real, STDOUT)
            aside.seek(0)
            for line in aside:
                if not line.startswith(b"Highs"):
                    _write(real, line)


def _write(descriptor: int, text: bytes) -> None:
    while text:
        text = text[os.write(descriptor, text) :]


def _flush() -> None:
    """Write out what Python and the C library still hold of standard output."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # there may be no standard output
        sys.stdout.flush()
    with contextlib.suppress(AttributeError, OSError):
        (ctypes.cdll.msvcrt if os.name == "nt" else ctypes.CDLL(None)).fflush(None)
