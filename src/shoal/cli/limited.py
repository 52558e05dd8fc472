"""Running a command under a memory limit (`ulimit -v`), with an error message if memory runs out.

Under such a limit libraries end the process when memory runs out, so the command runs in a child process, and the
parent says why it ended. Without a limit the command runs in the process itself.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress

_ENDING = ("SIGABRT", "SIGSEGV", "SIGKILL", "SIGBUS")
ENDED_BY_MEMORY = tuple(getattr(signal, name) for name in _ENDING if hasattr(signal, name))
"""The signals by which a process is ended when a library cannot get memory; Windows does not have all of them."""

_LOADER_ENDED = 127
"""The exit code with which the system's loader of libraries ends a process that it cannot get memory for."""


def limit() -> int | None:
    """Return the bytes of memory that this process may use; None without a limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else int(most)


def run_in_child(command: Callable[[], int]) -> int | None:
    """Return the exit code of `command`, run in a child process; None if the child ended because memory ran out."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _hush()
            code = command()
            sys.stdout.flush()
        finally:
            os._exit(code)

    def forward(number: int, _frame: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, forward)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None if os.WTERMSIG(status) in ENDED_BY_MEMORY else 128 + os.WTERMSIG(status)
    code = os.WEXITSTATUS(status)
    return None if code == _LOADER_ENDED else code


def _hush() -> None:
    """Discard what libraries write to the standard error stream when they give up; Python's own stream is kept."""
    warnings.simplefilter("ignore")  # from libraries that could not be loaded completely
    given = sys.__stderr__
    if given is None or sys.stderr is not given or given.fileno() != 2:
        return
    ours = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stderr = os.fdopen(ours, "w", buffering=1, encoding=given.encoding, errors=given.errors)
