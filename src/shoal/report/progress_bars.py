"""Progress bars for long steps in terminals and notebooks.

A step that ends within two seconds is never shown. Without a terminal or a notebook, notes are written to standard
error as plain lines; if the user asked for quiet, nothing is shown.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Timer
from typing import Any, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from shoal.progress import Advance, Listener
from shoal.report.charts.svg import tag
from shoal.report.formatting import name

PATIENCE = 2.0  # seconds that a step takes before its bar is shown


class Display(Protocol):
    """A place where a bar can be drawn repeatedly."""

    def show(self, done: int) -> None: ...

    def close(self) -> None: ...


Open = Callable[[str, int | None], Display]  # takes a label, and the amount of work if it is known


class Bars:
    """Opens a display for a step once it has taken `patience` seconds."""

    def __init__(self, open_display: Open, say: Callable[[str], None], *, patience: float = PATIENCE) -> None:
        self._open_display, self._say, self._patience = open_display, say, patience

    @contextmanager
    def step(self, label: str, total: int | None) -> Iterator[Advance]:
        lock, done, display, over = Lock(), 0, None, False

        def show() -> None:
            nonlocal display
            with lock:
                if not over:
                    display = self._open_display(name(label), total)
                    display.show(done)

        def advance(amount: int) -> None:
            nonlocal done
            with lock:
                done += amount
                if display is not None:
                    display.show(done)

        timer = Timer(self._patience, show)
        timer.daemon = True  # Ctrl-C must not wait for this timer
        timer.start()
        try:
            yield advance
        finally:
            timer.cancel()
            with lock:
                over = True
                if display is not None:
                    display.close()

    def note(self, text: str) -> None:
        self._say(name(text))


class _Silence:
    @contextmanager
    def step(self, label: str, total: int | None) -> Iterator[Advance]:
        yield lambda _amount: None

    def note(self, text: str) -> None:
        return


class _TerminalBars:
    """All bars of one console, because a console has one live display; a bar is removed when its step ends."""

    def __init__(self, console: Console) -> None:
        self._lock = Lock()
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )

    def open(self, label: str, total: int | None) -> Display:
        with self._lock:
            task = self._bars.add_task(label, total=total)
            self._bars.start()
            return _TerminalBar(self, task)

    def show(self, task: TaskID, done: int) -> None:
        self._bars.update(task, completed=done)

    def close(self, task: TaskID) -> None:
        with self._lock:
            self._bars.remove_task(task)
            if not self._bars.tasks:
                self._bars.stop()


@dataclass(frozen=True, slots=True)
class _TerminalBar:
    """The bar of one step among those of a console."""

    bars: _TerminalBars
    task: TaskID

    def show(self, done: int) -> None:
        self.bars.show(self.task, done)

    def close(self) -> None:
        self.bars.close(self.task)


class _NotebookBar:
    """One HTML bar in the output of a cell; it needs IPython, but not its widgets."""

    def __init__(self, label: str, total: int | None) -> None:
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

        self._handle: Any = display({"text/plain": label}, raw=True, display_id=True)
        self._label, self._total, self._shown = label, total, ""

    def show(self, done: int) -> None:
        share = min(100, 100 * done // self._total) if self._total else None
        bar = tag("label", f"{self._label} ", tag("progress", value=share, max=None if share is None else 100))
        if bar != self._shown:  # one message to the browser per percent, not per record
            self._shown = bar
            self._handle.update({"text/html": bar, "text/plain": self._label}, raw=True)

    def close(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


def listener(*, quiet: bool = False, console: Console | None = None) -> Listener:
    """Return the listener that shows progress here: bars in a terminal or notebook, otherwise notes alone."""
    console = console or Console(stderr=True)
    if quiet:
        return _Silence()
    if console.is_jupyter:
        return Bars(_NotebookBar, lambda text: console.print(Text(text)))
    if console.is_terminal:
        return Bars(_TerminalBars(console).open, lambda text: console.print(Text(text, style="dim")))
    return _Notes()


class _Notes(_Silence):
    def note(self, text: str) -> None:
        print(name(text), file=sys.stderr, flush=True)
