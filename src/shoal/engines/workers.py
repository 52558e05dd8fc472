"""Processes that run functions for this one, and are ended with it.

Each is a fresh interpreter that reads pickled calls from its input and writes pickled results to its output, so that
nothing of the calling program is imported again and no thread of it is copied. A worker uses one thread.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any

from shoal.errors import EngineError, ShoalError

_ONE_THREAD = ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_HEADER = 8
WAITING = 2
"""Calls per worker that are sent ahead, so that none waits for the next one."""


class Workers:
    """Some processes; `run` shares calls out to them."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._all: list[subprocess.Popen[bytes]] = []
        self._threads = ThreadPoolExecutor(n_workers)
        self._known: dict[int, bytes] = {}
        """The function that each process was sent last."""

    def run(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the result of `function(*arguments)` for every call, in the order in which they end.

        An error of Shoal that a call raises is raised here; the other calls are then not made.
        """
        if len(self._all) < self.n_workers:
            for _ in range(self.n_workers - len(self._all)):
                self._all.append(_started())
                self._idle.put(self._all[-1])
        pending: set[Future[Any]] = set()
        remaining, packed = iter(calls), pickle.dumps(function, protocol=pickle.HIGHEST_PROTOCOL)
        try:
            while True:
                while len(pending) < WAITING * self.n_workers and (call := next(remaining, None)) is not None:
                    pending.add(self._threads.submit(self._one, packed, call))
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for one in done:
                    yield one.result()
        finally:
            for one in pending:
                one.cancel()

    def _one(self, function: bytes, call: tuple[Any, ...]) -> Any:
        """Return the result of one call by a worker that is idle; a function is sent to each worker once."""
        worker = self._idle.get()
        try:
            assert worker.stdin is not None
            assert worker.stdout is not None
            _send(worker.stdin, (None if self._known.get(worker.pid) is function else function, call))
            self._known[worker.pid] = function
            good, found = _receive(worker.stdout)
        except (OSError, EOFError, pickle.PickleError, AttributeError, TypeError):
            raise EngineError(
                "a worker process ended before its block was done.",
                "there may have been too little memory: close other programs, or use fewer workers.",
            ) from None
        finally:
            self._idle.put(worker)
        if good:
            return found
        raise found

    def close(self) -> None:
        """End all processes, and take no more calls."""
        for worker in self._all:
            worker.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.rest()

    def rest(self) -> None:
        """End all processes, which are idle, to free their memory; the next calls begin new ones."""
        for worker in self._all:
            worker.kill()
        for worker in self._all:
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            worker.wait()
        self._all.clear()
        self._idle = SimpleQueue()


def _started() -> subprocess.Popen[bytes]:
    """Return a new process that waits for calls."""
    environment = os.environ | dict.fromkeys(_ONE_THREAD, "1")
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-m", "shoal.engines.workers"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )


def _send(pipe: IO[bytes], content: Any) -> None:
    packed = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(len(packed).to_bytes(_HEADER, "little"))
    pipe.write(packed)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> Any:
    size = pipe.read(_HEADER)
    if len(size) < _HEADER:
        raise EOFError
    packed = pipe.read(int.from_bytes(size, "little"))
    return pickle.loads(packed)


def _serve() -> None:
    """Answer calls until the input ends. Whatever a call prints goes to the error stream, not between the answers."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    calls = sys.stdin.buffer
    function: Any = None
    while True:
        try:
            packed, arguments = _receive(calls)
        except EOFError:
            return
        try:
            function = function if packed is None else pickle.loads(packed)
            answer = (True, function(*arguments))
        except ShoalError as error:
            answer = (False, error)
        except MemoryError:
            answer = (
                False,
                EngineError("a block did not fit into memory.", "make smaller blocks, or close programs."),
            )
        except Exception as error:  # its message may hold a cell's value, which is shown to nobody
            kind = type(error).__name__
            answer = (False, EngineError(f"a block could not be computed ({kind}).", "please report this."))
        _send(answers, answer)


if __name__ == "__main__":
    _serve()
