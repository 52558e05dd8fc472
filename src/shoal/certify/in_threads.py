"""Calls that several threads make at a time, with their results in the order of the calls."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Given = TypeVar("Given")
Found = TypeVar("Found")


def n_threads() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def in_threads(function: Callable[[Given], Found], calls: Iterable[Given]) -> Iterator[Found]:
    """Yield `function(one)` for each of the calls, in their order, whatever the number of threads.

    As many are made at a time as there are cores, and as many results may wait. An error of a call is raised here,
    and those that were not begun are not made.
    """
    most = n_threads()
    waiting: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(most) as pool:
        try:
            for one in calls:
                waiting.append(pool.submit(copy_context().run, function, one))
                if len(waiting) > most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()
