"""Under a memory limit (`ulimit -v`) libraries end the process where memory runs out: a child runs, and we tell why.

Only where such a limit is set: elsewhere the command runs in its own process.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress

ENDED_BY_MEMORY = (signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL, getattr(signal, "SIGBUS", signal.SIGABRT))


def limit() -> int | None:
    """Bytes of memory that this process may have, where the user or the system has set a limit."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else int(most)


def run_in_child(command: Callable[[], int]) -> int | None:
    """The exit code of `command`, run in a child; None where the child was ended for want of memory."""
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
    return os.WEXITSTATUS(status)


def _hush() -> None:
    """What libraries write to file 2 when they give up is not for the user; what we say is."""
    warnings.simplefilter("ignore")  # of libraries that could not be loaded whole
    given = sys.__stderr__
    if given is None or sys.stderr is not given or given.fileno() != 2:
        return
    ours = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    sys.stderr = os.fdopen(ours, "w", buffering=1, encoding=given.encoding, errors=given.errors)
