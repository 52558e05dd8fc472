"""The reports of a task while it runs: its steps, remarks, and results that come one by one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import IO, Any

from shoal import progress

EVERY = 0.1  # seconds between two reports of the progress of a step


class TaskReports:
    """The reports of a task while it runs: a listener of `shoal.progress`, and results that come one by one."""

    def __init__(self, out: IO[str], job: str) -> None:
        self._out, self._job, self._lock = out, job, Lock()

    def say(self, **said: Any) -> None:
        """Write one line about the job."""
        with self._lock:
            self._out.write(json.dumps({"job": self._job} | said) + "\n")
            self._out.flush()

    @contextmanager
    def step(self, name: str, total: int | None) -> Iterator[progress.Advance]:
        """Report a step; reports of how far it is are at least EVERY seconds apart."""
        self.say(event="step", name=name, total=total)
        done, last = 0, 0.0

        def advance(amount: int) -> None:
            nonlocal done, last
            done += amount
            now = time.monotonic()
            if now - last >= EVERY:
                last = now
                self.say(event="advance", done=done)

        yield advance

    def note(self, text: str) -> None:
        """Report a remark."""
        self.say(event="note", text=text)

    def point(self, value: dict[str, Any]) -> None:
        """Report a result that is one of several."""
        self.say(event="point", value=value)
