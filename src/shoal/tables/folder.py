"""Writing the two folders of a release so that both change at once or not at all.

Guarantee   After `stage` the folder `out` and the private folder `out.private` are both new or both as they were,
            whether the block failed, was interrupted or was terminated. If the process was killed, the next run or
            `recover` brings them to one of these two states (`swap`), and until then `interrupted` gives the error
            that a reader of the folder sees. Only an unchanged earlier release is replaced (`earlier`).

Everything is prepared in a work folder beside `out` that has a random name and that only its owner can enter from the
moment it exists. A lock prevents two runs from writing to the same place (`lock`).
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from shoal.errors import TableError
from shoal.tables import disk
from shoal.tables.lock import locked
from shoal.tables.swap import JOURNAL, Pair, hint, interrupted_message

_PRIVATE = ".private"


@dataclass(frozen=True, slots=True)
class Staged:
    """The folders to write to: `public` becomes `out/`, `private` becomes `out.private/` (0700, its files 0600)."""

    public: Path
    private: Path

    def write_public(self, name: str, text: str) -> None:
        disk.write_new(self.public / name, text, private=False)

    def write_private(self, name: str, content: str | bytes) -> None:
        disk.write_new(self.private / name, content, private=True)


@contextmanager
def stage(out: str | Path) -> Iterator[Staged]:
    """Prepare a release beside `out`. It replaces `out` when the block ends normally; otherwise it is removed."""
    public = _place(out)
    with (
        _terminated_as_exit(),
        _writing(out),
        locked(public, public.with_name(f"{_prefix(public)}lock")),
    ):  # `_writing` also covers what the block writes
        _recover(public)
        work = public.with_name(f"{_prefix(public)}{secrets.token_hex(8)}")
        pair = Pair.of(public, work)
        earlier = pair.look()
        try:
            staged = _make(pair)
            yield staged
            _seal(staged)
            with _signals_held():
                pair.swap(earlier)
        finally:
            with suppress(OSError):
                if disk.status(work / JOURNAL) is None:
                    pair.clear()


def recover(out: str | Path) -> bool:
    """Complete or undo what a killed run left of its change of `out`; return whether a change was completed.

    A change is completed if its journal was written (see `swap`); otherwise its work folder is removed.
    """
    public = _place(out)
    with (
        _terminated_as_exit(),
        _writing(out),
        locked(public, public.with_name(f"{_prefix(public)}lock")),
        _signals_held(),
    ):
        return _recover(public)


def interrupted(path: str | Path) -> TableError | None:
    """Return the error for a reader of a release folder, or of a file in it, whose replacement was interrupted.

    None if no replacement of that folder was interrupted.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 (resolve would fail where a part is missing)
    for folder in (path, path.parent):
        public = folder.with_name(folder.name.removesuffix(_PRIVATE))
        with suppress(OSError):
            for work in _leftovers(public, mine=False):
                half_done = disk.status(public) is None
                if half_done or disk.status(work / JOURNAL) is not None:
                    return TableError(interrupted_message(public, work), hint(public))
    return None


def _place(out: str | Path) -> Path:
    """Return the resolved path of the output folder; raise a `TableError` if it cannot be one."""
    public = Path(out).resolve()
    if not public.name:
        raise TableError(f"{str(out)!r} cannot be an output folder.", "name a folder inside it.")
    if public.name.endswith(_PRIVATE):
        raise TableError(
            f"{str(out)!r} cannot be an output folder: names that end in .private are kept for private folders.",
            "choose another output folder.",
        )
    return public


def _prefix(public: Path) -> str:
    return f".{public.name}.shoal-"


def _locked(public: Path) -> AbstractContextManager[None]:
    return locked(public, public.with_name(f"{_prefix(public)}lock"))


def _leftovers(public: Path, *, mine: bool = True) -> list[Path]:
    """Return the work folders that earlier runs left; with `mine` only this user's that no one else can enter."""
    pattern = re.compile(re.escape(_prefix(public)) + "[0-9a-f]{16}")
    found = []
    for name in filter(pattern.fullmatch, disk.names(public.parent)):
        seen = disk.status(public.with_name(name))
        if seen is None or not stat.S_ISDIR(seen.st_mode):
            continue
        if not mine or _is_mine(seen):
            found.append(public.with_name(name))
    return found


def _is_mine(seen: os.stat_result) -> bool:
    """Return whether a folder is this user's and nobody else can enter it.

    Always True on Windows, which has neither numeric owners nor modes: who may write beside the release decides.
    """
    return not hasattr(os, "geteuid") or (seen.st_uid == os.geteuid() and stat.S_IMODE(seen.st_mode) == 0o700)


def _recover(public: Path) -> bool:
    completed = [Pair.of(public, work).complete() for work in _leftovers(public)]
    return any(completed)


def _make(pair: Pair) -> Staged:
    staged = Staged(pair.public.new, pair.private.new)
    disk.make_private_folder(pair.work)
    disk.make_folder(staged.public, 0o777)
    disk.make_private_folder(staged.private)
    return staged


def _seal(staged: Staged) -> None:
    """Make every private file readable by its owner alone, and flush both folders to the disk."""
    for folder in (staged.public, staged.private):
        for name in disk.names(folder):
            if folder == staged.private:
                disk.set_mode(folder / name, 0o600)
            disk.sync_path(folder / name)
        disk.sync_path(folder)


@contextmanager
def _writing(out: str | Path) -> Iterator[None]:
    """Turn errors of the operating system in the block into a `TableError` about the output folder."""
    try:
        yield
    except OSError as error:
        raise TableError(
            f"the folder {str(out)!r} cannot be written: {error.strerror or 'input/output error'}.",
            "check that its parent exists, its permissions and the free space.",
        ) from None


@contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Install a signal handler for the block; outside the main thread, where Python forbids it, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


@contextmanager
def _terminated_as_exit() -> Iterator[None]:
    """Turn SIGTERM into `SystemExit` during the block, so that temporary folders are removed before the end."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    with _handled((signal.SIGTERM,), leave):
        yield


@contextmanager
def _signals_held() -> Iterator[None]:
    """Delay SIGINT and SIGTERM until the end of the block."""
    received: list[int] = []
    with _handled((signal.SIGINT, signal.SIGTERM), lambda number, _frame: received.append(number)):
        yield
    for number in received:
        signal.raise_signal(signal.Signals(number))
