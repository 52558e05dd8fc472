"""Running a command in a child process, so that its parent can say why it ended.

A library may end the process instead of raising an error: at a damaged file, or when memory runs out. The parent
loads no library that could, and gives a sentence and an exit code for it. What libraries print when they give up is
discarded: it may quote cells.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress

_BY_LIBRARIES = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP")
ENDED_BY_LIBRARIES = tuple(getattr(signal, name) for name in _BY_LIBRARIES if hasattr(signal, name))
"""The signals by which a library ends its process, on purpose or by a fault; Windows does not have all of them."""

LOADER_ENDED = 127
"""The exit code with which the system's loader of libraries ends a process that it cannot get memory for."""

_THREADED = frozenset({"numpy", "polars", "pyarrow", "numba"})
"""Libraries that start threads, of which a child process would have the locks and not the threads."""

_ENDS_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux."""


def limit() -> int | None:
    """Return the bytes of memory that this process may use; None without a limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else int(most)


def can_have_child() -> bool:
    """Return whether a command can run in a child: not on Windows, and not in a program that loaded libraries."""
    return (
        hasattr(os, "fork") and threading.active_count() == 1 and not any(name in sys.modules for name in _THREADED)
    )


def run_in_child(command: Callable[[], int]) -> int:
    """Return the exit code of `command`, run in a child process; -N if signal N has ended the child.

    In the child it does not return: that ends with the exit code.
    """
    stops = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)  # until somebody handles them
    parent, child = os.getpid(), os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)
        _end_with(parent)
        _hush()
        sys.exit(command())  # as every process ends, so that libraries tidy up

    def forward(number: int, _frame: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    for number in stops:
        signal.signal(number, forward)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _end_with(parent: int) -> None:
    """Let the system kill this process if its parent is killed; otherwise it would go on, and nobody would know."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_ENDS_WITH_PARENT, int(signal.SIGKILL))
    if os.getppid() != parent:  # it has ended before it was asked
        os._exit(1)


def _hush() -> None:
    """Discard what libraries write to the standard error stream when they give up; Python's own stream is kept."""
    if os.environ.get("SHOAL_TRACEBACK"):
        return
    if limit() is not None:
        warnings.simplefilter("ignore")  # from libraries that could not be loaded completely
    given = sys.__stderr__
    if given is None or sys.stderr is not given or given.fileno() != 2:
        return
    ours = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stderr = os.fdopen(ours, "w", buffering=1, encoding=given.encoding, errors=given.errors)
