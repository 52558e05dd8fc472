"""Output folders that change all at once or not at all.

Guarantee   After `stage` the folder `out` and its private sibling `out.private` are both the new ones or both as they
            were, whether the block failed, was interrupted or was terminated. After a crash in the middle the next
            run puts the old ones back.

Everything is prepared in one hidden folder beside `out`, which is also the lock: two runs cannot hold it at once.
The old folders move into it, the public one first; the new ones move out, the public one last. So `out` is missing
exactly while the change is not complete, and that is how a later run knows.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from shoal.errors import TableError

_RELEASE = "certificate*.json"  # what shows that a folder is an earlier release


@dataclass(frozen=True, slots=True)
class Staged:
    """Where to write: `public` becomes `out/`, `private` becomes `out.private/` (0700, its files 0600)."""

    public: Path
    private: Path


@contextmanager
def stage(out: str | Path) -> Iterator[Staged]:
    """Prepare a release beside `out`; it takes its place when the block ends well, and leaves no trace if not."""
    public = Path(out).resolve()
    if not public.name:
        raise TableError(f"{str(out)!r} cannot be an output folder.", "name a folder inside it.")
    places = _Places(public, public.with_name(f"{public.name}.private"), public.with_name(f".{public.name}.shoal"))
    with _terminated_as_exit(), _locked(places), _writing(out):  # what the block writes, too
        places.recover()
        places.refuse_foreign()
        yield places.make()
        places.seal()
        with _signals_held():
            places.swap()


@dataclass(frozen=True, slots=True)
class _Places:
    """The two folders, and the hidden one in which new and old ones wait."""

    public: Path
    private: Path
    work: Path

    def waiting(self, age: str) -> tuple[tuple[Path, Path], tuple[Path, Path]]:
        """Where the public and the private folder wait, and where they belong."""
        return (self.work / age, self.public), (self.work / f"{age}.private", self.private)

    def recover(self) -> None:
        """Put back what an incomplete change had moved aside, and clear the rest."""
        if not self.public.exists():
            for aside, place in reversed(self.waiting("old")):
                if aside.exists():
                    shutil.rmtree(place, ignore_errors=True)
                    aside.rename(place)
        for entry in self.work.iterdir():
            shutil.rmtree(entry, ignore_errors=True)

    def refuse_foreign(self) -> None:
        """Only an empty folder or an earlier release may be replaced."""
        for place in (self.public, self.private):
            if place.exists() and not place.is_dir():
                raise TableError(f"{str(place)!r} is a file, not a folder.", "choose another output folder.")
            if place.exists() and any(place.iterdir()) and not any(place.glob(_RELEASE)):
                raise TableError(
                    f"the folder {str(place)!r} is neither empty nor an earlier release.",
                    "choose a new output folder, or empty this one.",
                )

    def make(self) -> Staged:
        (public, _), (private, _) = self.waiting("new")
        public.mkdir()
        private.mkdir(mode=0o700)
        return Staged(public, private)

    def seal(self) -> None:
        """Close the private folder to others and push everything to the disk."""
        for new, place in self.waiting("new"):
            for path in (*new.rglob("*"), new):
                if place == self.private:
                    path.chmod(0o700 if path.is_dir() else 0o600)
                _sync(path)

    def swap(self) -> None:
        """Move the old folders aside and the new ones in; if any move fails, take all of them back."""
        old, new = self.waiting("old"), self.waiting("new")
        try:
            for aside, place in old:
                if place.exists():
                    place.rename(aside)
            for aside, place in reversed(new):
                aside.rename(place)
        except BaseException:
            if not new[1][0].exists():
                self.private.rename(new[1][0])
            self.recover()
            raise
        _sync(self.public.parent)
        for aside, _ in old:
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def _locked(places: _Places) -> Iterator[None]:
    """Hold the hidden folder alone; afterwards it is gone, unless it still keeps old folders for `recover`."""
    while True:
        with _writing(places.public):
            places.work.mkdir(mode=0o700, exist_ok=True)
            handle = os.open(places.work, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if places.work.exists() and os.path.samestat(os.fstat(handle), places.work.stat()):
                break
        except BlockingIOError:
            os.close(handle)
            raise TableError(
                f"another run is writing to {str(places.public)!r}.",
                "wait until it has ended, or choose another output folder.",
            ) from None
        os.close(handle)  # the run before removed it between our two steps: try again
    try:
        yield
    finally:
        for new, _ in places.waiting("new"):
            shutil.rmtree(new, ignore_errors=True)
        with suppress(OSError):
            places.work.rmdir()
        os.close(handle)


@contextmanager
def _writing(out: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TableError(
            f"the folder {str(out)!r} cannot be written: {error.strerror or 'input/output error'}.",
            "check that its parent exists, its permissions and the free space.",
        ) from None


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        if not path.is_dir():  # some file systems cannot sync a folder
            raise
    finally:
        os.close(handle)


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
