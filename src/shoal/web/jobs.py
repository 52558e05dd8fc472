"""A job of the worker: what was asked, how far it is, and how it ended."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["waiting", "running", "done", "failed", "cancelled"]
MOST_NOTES = 30  # notes that are kept of a job, the newest


@dataclass(eq=False)
class Job:
    """One piece of work for the worker. `result` is there when the state is done, `error` when it is failed."""

    kind: str
    asked: dict[str, Any]
    once: dict[str, Any] | None = field(default=None, repr=False)
    """What else was asked, such as a password: forgotten as soon as the worker has it."""
    when_done: Callable[[Job, State], None] | None = None
    """Called once with the job and the state that it ends in."""
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    step: str = ""
    done: int = 0
    total: int | None = None
    notes: list[str] = field(default_factory=list)
    points: list[dict[str, Any]] = field(default_factory=list)
    """Results that come one by one, such as the trials of a comparison."""
    result: dict[str, Any] | None = None
    error: str = ""
    hint: str = ""
    started: float | None = None
    step_started: float = 0.0
    ended: float | None = None

    @property
    def over(self) -> bool:
        """Whether the job has ended, in whatever way."""
        return self.state in ("done", "failed", "cancelled")

    @property
    def seconds(self) -> float:
        """The seconds since it was started, or that it took."""
        return 0.0 if self.started is None else (self.ended or time.monotonic()) - self.started

    @property
    def share(self) -> float | None:
        """How much of the present step is done, from 0 to 1; None if that is not known."""
        return min(1.0, self.done / self.total) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the seconds until the present step ends; None while nothing can be said."""
        share, spent = self.share, time.monotonic() - self.step_started
        return None if share is None or share < 0.02 or spent < 1 else spent * (1 - share) / share

    def hear(self, said: dict[str, Any]) -> None:
        """Record one line of the worker about this job, other than its end."""
        event = said["event"]
        if event == "step":
            self.step, self.done, self.total = str(said["name"]), 0, said["total"]
            self.step_started = time.monotonic()
        elif event == "advance":
            self.done = int(said["done"])
        elif event == "note":
            self.notes = [*self.notes, str(said["text"])][-MOST_NOTES:]
        elif event == "point":
            self.points.append(said["value"])

    def end(self, state: State, *, result: dict[str, Any] | None = None, error: str = "", hint: str = "") -> None:
        """Set how it ended; `when_done` is called before the new state can be seen."""
        self.result, self.error, self.hint, self.ended = result, error, hint, time.monotonic()
        self.once = None
        if self.started is None:
            self.started = self.ended
        callback, self.when_done = self.when_done, None
        if callback is not None:
            callback(self, state)
        self.state = state
