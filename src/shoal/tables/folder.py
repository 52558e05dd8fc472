"""Output folders that change all at once or not at all.

Guarantee   After `stage` the folder `out` and its private sibling `out.private` are both the new ones or both as they
            were, whether the block failed, was interrupted or was terminated. After a kill the next run or `recover`
            brings them to one of the two (`swap`), and `interrupted` tells a reader. Only what an earlier release
            wrote is replaced (`earlier`).

Everything is prepared in a work folder beside `out` under a fresh name, closed to others from its first moment on. A
lock beside it keeps two runs to one place apart; it is an empty file, never written to and opened without following.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from shoal.errors import TableError
from shoal.tables import disk
from shoal.tables.swap import JOURNAL, Pair, hint, told

_PRIVATE = ".private"


@dataclass(frozen=True, slots=True)
class Staged:
    """Where to write: `public` becomes `out/`, `private` becomes `out.private/` (0700, its files 0600)."""

    public: Path
    private: Path

    def write_public(self, name: str, text: str) -> None:
        disk.write_new(self.public / name, text, private=False)

    def write_private(self, name: str, content: str | bytes) -> None:
        disk.write_new(self.private / name, content, private=True)


@contextmanager
def stage(out: str | Path) -> Iterator[Staged]:
    """Prepare a release beside `out`; it takes its place when the block ends well, and leaves no trace if not."""
    public = _place(out)
    with _terminated_as_exit(), _writing(out), _locked(public):  # what the block writes, too
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
    """After a run was killed: complete its change of `out` if it had been decided, remove what else it left.

    Returns whether there was one to complete.
    """
    public = _place(out)
    with _terminated_as_exit(), _writing(out), _locked(public), _signals_held():
        return _recover(public)


def interrupted(path: str | Path) -> TableError | None:
    """What to tell a reader of a release's folder, or of a file in it, where a change of it was interrupted."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 (resolve would fail where a part is missing)
    for folder in (path, path.parent):
        public = folder.with_name(folder.name.removesuffix(_PRIVATE))
        with suppress(OSError):
            for work in _leftovers(public, mine=False):
                half_done = disk.status(public) is None
                if half_done or disk.status(work / JOURNAL) is not None:
                    return TableError(told(public, work), hint(public))
    return None


def _place(out: str | Path) -> Path:
    public = Path(out).resolve()
    if not public.name:
        raise TableError(f"{str(out)!r} cannot be an output folder.", "name a folder inside it.")
    if public.name.endswith(_PRIVATE):
        raise TableError(
            f"{str(out)!r} cannot be an output folder: a name that ends in .private is that of a private half.",
            "choose another output folder.",
        )
    return public


def _prefix(public: Path) -> str:
    return f".{public.name}.shoal-"


def _leftovers(public: Path, *, mine: bool = True) -> list[Path]:
    """Work folders of earlier runs, by name and kind; with `mine` only those that nobody else can have made."""
    pattern = re.compile(re.escape(_prefix(public)) + "[0-9a-f]{16}")
    found = []
    for name in filter(pattern.fullmatch, disk.names(public.parent)):
        seen = disk.status(public.with_name(name))
        if seen is None or not stat.S_ISDIR(seen.st_mode):
            continue
        if not mine or (seen.st_uid == os.geteuid() and stat.S_IMODE(seen.st_mode) == 0o700):
            found.append(public.with_name(name))
    return found


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
    """Close the private folder to others, whoever wrote to it, and push everything to the disk."""
    for folder in (staged.public, staged.private):
        for name in disk.names(folder):
            if folder == staged.private:
                disk.set_mode(folder / name, 0o600)
            disk.sync_path(folder / name)
        disk.sync_path(folder)


@contextmanager
def _locked(public: Path) -> Iterator[None]:
    """Be the only run that writes to a place; the file that shows it is gone afterward."""
    path = public.with_name(f"{_prefix(public)}lock")
    while True:
        handle = disk.open_to_lock(path)
        try:
            _refuse_foreign_lock(path, handle)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found = disk.status(path)
            if found is not None and os.path.samestat(os.fstat(handle), found):
                break
        except BlockingIOError:
            os.close(handle)
            raise TableError(
                f"another run is writing to {str(public)!r}.",
                "wait until it has ended, or choose another output folder.",
            ) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the run before removed it between our two steps: try again
    try:
        yield
    finally:
        try:
            with suppress(OSError):
                disk.unlink(path)
        finally:
            os.close(handle)


def _refuse_foreign_lock(path: Path, handle: int) -> None:
    """A lock is an empty file of its own; what is anything else was put there by somebody, and stays."""
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size:
        raise TableError(
            f"{str(path)!r} is in the way: a run would use this name for its lock.",
            "move it elsewhere, or choose another output folder.",
        )


@contextmanager
def _writing(out: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError(
            f"the folder {str(out)!r} cannot be written: {error.strerror or 'input/output error'}.",
            "check that its parent exists, its permissions and the free space.",
        ) from None


@contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle signals this way; only the main thread can."""
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
    """Let a termination unwind the stack, so that temporary folders are removed, instead of ending at once."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    with _handled((signal.SIGTERM,), leave):
        yield


@contextmanager
def _signals_held() -> Iterator[None]:
    """Deliver interruptions after the block, not in the middle of it."""
    held: list[int] = []
    with _handled((signal.SIGINT, signal.SIGTERM), lambda number, _frame: held.append(number)):
        yield
    for number in held:
        signal.raise_signal(signal.Signals(number))
