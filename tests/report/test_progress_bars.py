"""Progress: bars for long steps only, notes where there is no terminal, nothing when quiet."""

from __future__ import annotations

import sys
import time
from io import StringIO
from types import ModuleType
from typing import Any

import pytest
from rich.console import Console

from shoal import progress
from shoal.report import progress_bars as shown
from shoal.report.progress_bars import Bars, listener


class Recorder:
    """A display that remembers what it was told."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def open(self, label: str, total: int | None) -> Recorder:
        self.events.append(("open", label, total))
        return self

    def show(self, done: int) -> None:
        self.events.append(("show", done))

    def close(self) -> None:
        self.events.append(("close",))

    def wait(self) -> None:
        """Until the display is open; a timer opens it."""
        until = time.monotonic() + 5
        while not self.events and time.monotonic() < until:
            time.sleep(0.005)


def test_a_long_step_is_shown_with_the_work_done_so_far() -> None:
    seen = Recorder()
    with progress.watch(Bars(seen.open, print, patience=0.02)), progress.step("neighbors", total=10) as advance:
        advance(3)
        seen.wait()
        advance(4)
    assert seen.events == [("open", "neighbors", 10), ("show", 3), ("show", 7), ("close",)]


def test_a_short_step_is_never_shown() -> None:
    seen = Recorder()
    with progress.watch(Bars(seen.open, print, patience=0.05)), progress.step("quick", total=1) as advance:
        advance(1)
    time.sleep(0.1)
    assert seen.events == []


def test_a_step_that_fails_takes_its_bar_away() -> None:
    seen = Recorder()

    def interrupted() -> None:
        with progress.watch(Bars(seen.open, print, patience=0.0)), progress.step("groups", total=None):
            seen.wait()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen.events[-1] == ("close",)


def test_nested_steps_share_one_terminal() -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=80, legacy_windows=False)
    bars = shown._TerminalBars(console)
    with progress.watch(Bars(bars.open, print, patience=0.0)):
        with progress.step("outer [bold]", total=2) as advance, progress.step("inner", total=None):
            time.sleep(0.25)
            advance(1)
        with progress.step("after", total=1):
            time.sleep(0.2)
    for label in ("outer [bold]", "inner", "after"):
        assert label in out.getvalue()
    assert out.getvalue().rindex("\x1b[?25h") > out.getvalue().rindex("\x1b[?25l"), "the cursor is back"


def test_without_a_terminal_notes_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(file=StringIO(), force_terminal=False)
    with progress.watch(listener(console=console)), progress.step("groups", total=3) as advance:
        progress.note("compiling\x1b once")
        advance(3)
    found = capsys.readouterr()
    assert found.err == "compiling\\u001b once\n"
    assert found.out == ""


def test_quiet_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    out = StringIO()
    with progress.watch(listener(quiet=True, console=Console(file=out, force_terminal=True))):
        progress.note("compiling once")
        with progress.step("groups", total=3) as advance:
            advance(3)
    assert (out.getvalue(), *capsys.readouterr()) == ("", "", "")


def test_in_a_terminal_notes_are_printed_as_written() -> None:
    out = StringIO()
    with progress.watch(listener(console=Console(file=out, force_terminal=True, width=80))):
        progress.note("compiling [red]once[/red]")
    assert "compiling [red]once[/red]" in out.getvalue()


def test_a_notebook_gets_an_escaped_bar_per_hundredth(monkeypatch: pytest.MonkeyPatch) -> None:
    updates: list[dict[str, str]] = []

    class Handle:
        def update(self, bundle: dict[str, str], *, raw: bool) -> None:
            updates.append(bundle)

    module = ModuleType("IPython.display")
    module.display = lambda *_, **__: Handle()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    bar = shown._NotebookBar("<b>groups</b>", 1000)
    for done in range(40):
        bar.show(done)
    bar.close()
    assert [u["text/html"] for u in updates[:2]] == [
        '<label>&lt;b&gt;groups&lt;/b&gt; <progress value="0" max="100"></progress></label>',
        '<label>&lt;b&gt;groups&lt;/b&gt; <progress value="1" max="100"></progress></label>',
    ]
    assert len(updates) == 5
    assert updates[-1] == {"text/plain": ""}


def test_a_notebook_is_recognized() -> None:
    console = Console(file=StringIO(), force_jupyter=True)
    found = listener(console=console)
    assert isinstance(found, Bars)
    assert found._open_display is shown._NotebookBar
