"""Faults at a chosen step of the disk under a release, and what must be true after each of them."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from shoal.errors import ShoalError, TableError
from shoal.tables import disk, interrupted, recover

FAULTS = ("kill", "EIO", "EACCES", "ENOSPC", "EROFS", "short")
"""A kill ends everything; EIO and EACCES strike once; a full or read-only disk stays so; a write may fall short."""
FILLS = frozenset({"create", "write", "make_folder", "open_to_lock"})
CHANGES = FILLS | {"rename", "exchange", "set_mode", "unlink", "remove_folder"}
CANNOT = ("nothing", "exchange", "move public", "move private", "move either")
"""What the file system cannot do, besides the fault: a mount point cannot be moved."""

Tree = dict[str, tuple[str, bytes]]


class KilledError(BaseException):
    """The process is gone: nothing catches this, and no step after it reaches the disk."""


@dataclass
class Shim:
    """Stands between Shoal and the disk, counts the steps, and spoils one of them."""

    out: Path
    fault: str | None = None
    at: int = 0
    cannot: str = "nothing"
    before_each: Callable[[], None] | None = None
    mounted: frozenset[Path] = frozenset()
    """Folders that cannot be moved; one that a run has put there itself can."""
    count: int = 0
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        halves = {"public": self.out, "private": self.out.with_name(f"{self.out.name}.private")}
        fixed = [place for half, place in halves.items() if self.cannot in (f"move {half}", "move either")]
        self.mounted = frozenset(place for place in fixed if place.exists())

    @contextmanager
    def __call__(self) -> Iterator[Shim]:
        with ExitStack() as patches:
            for name in disk.STEPS:
                patches.enter_context(patch.object(disk, name, self._step(name, getattr(disk, name))))
            yield self

    @property
    def decided(self) -> int:
        """The step that names the journal: before it a run is undone, from there on it is completed."""
        return self.seen.index("rename") + 1

    def _step(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any) -> Any:
            self.count += 1
            self.seen.append(name)
            if self.before_each is not None:
                self.before_each()
            if self.fault is not None and self.count >= self.at:
                self._strike(name, real, arguments)
            self._refuse(name, arguments)
            return None if name == "sync" else real(*arguments)  # nothing here outlives the process

        return step

    def _strike(self, name: str, real: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        first = self.count == self.at
        if self.fault == "kill":
            raise KilledError
        if self.fault in ("EIO", "EACCES") and first:
            raise failure(self.fault)
        if (self.fault == "ENOSPC" and name in FILLS) or (self.fault == "EROFS" and name in CHANGES):
            raise failure(self.fault)
        if self.fault == "short" and name == "write":
            real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            raise failure("ENOSPC")

    def _refuse(self, name: str, arguments: tuple[Any, ...]) -> None:
        if name == "exchange" and self.cannot == "exchange":
            raise failure("ENOSYS")
        if name in ("rename", "exchange") and not self.mounted.isdisjoint(arguments):
            raise failure("EBUSY")


def failure(name: str) -> OSError:
    number = getattr(errno, name)
    return OSError(number, os.strerror(number))


def tree(folder: Path) -> Tree:
    """Everything below a folder: mode and kind, and what a file holds or a link says."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        held = (
            path.read_bytes() if stat.S_ISREG(mode) else str(path.readlink()).encode() if path.is_symlink() else b""
        )
        found[str(path.relative_to(folder))] = stat.filemode(mode), held
    return found


def open_to_others(parent: Path, public: str = "out") -> list[str]:
    """What somebody else could read below a folder, besides strangers' files and the public half."""
    found = []
    for top in parent.iterdir():
        ours = top.name.startswith((f".{public}.shoal-", f"{public}.private")) and not top.is_symlink()
        for path in [top, *top.rglob("*")] if ours else top.rglob(".shoal-*"):
            chain = [path, *path.parents][: len(path.relative_to(parent).parts)]
            if all(one.lstat().st_mode & 0o055 for one in chain) and not (path.is_file() and not path.stat().st_size):
                found.append(str(path.relative_to(parent)))
    return found


def prepare(parent: Path, old: Path | None) -> Path:
    """A fresh folder with strangers' files and a copy of an old release, or none; returns where one is written."""
    shutil.rmtree(parent, ignore_errors=True)
    parent.mkdir()
    if old is not None:
        for half in old.iterdir():
            shutil.copytree(half, parent / half.name)
    (parent / "thesis.tex").write_text("years of work", encoding="utf-8")
    (parent / "out.bak").mkdir()
    (parent / "out.bak" / "certificate.json").write_text("{}", encoding="utf-8")
    (parent / ".out.shoal").symlink_to("thesis.tex")
    return parent / "out"


def check_told(out: Path) -> None:
    """A pair that is not whole is known to be so, and whoever reads it is told what puts it right."""
    told = interrupted(out)
    assert isinstance(told, TableError), "neither whole nor told"
    assert told.hint is not None
    assert "shoal recover out" in told.hint


@dataclass(frozen=True)
class Scenario:
    """A place with an old release (or none) and strangers' files, and a way to write a new one."""

    name: str
    old: Path | None
    new: Tree
    write: Callable[[Path], None]

    def prepare(self, parent: Path) -> Path:
        return prepare(parent, self.old)

    def steps(self, parent: Path, cannot: str = "nothing", before_each: Callable[[], None] | None = None) -> Shim:
        """A clean run, counted."""
        with Shim(self.prepare(parent), cannot=cannot, before_each=before_each)() as shim:
            self.write(parent / "out")
        return shim

    def after(self, parent: Path, fault: str, at: int, cannot: str = "nothing") -> str:
        """Strike one step; check what is left, then that the next run ends well. Returns how the run ended."""
        out = self.prepare(parent)
        old = tree(parent)
        strangers = of_others(old)
        new = strangers | self.new
        ended = "done"
        with Shim(out, fault, at, cannot)():
            try:
                self.write(out)
            except KilledError:
                ended = "killed"
            except ShoalError:
                ended = "refused"
        assert not open_to_others(parent), f"{open_to_others(parent)} can be read by others"
        left = tree(parent)
        assert of_others(left) == strangers
        with Shim(out, cannot=cannot)():
            if ended == "done":
                assert whole(left) == new
            elif whole(left) not in (old, new):
                check_told(out)
                assert recover(out)
                assert tree(parent) in (old, new)
                ended = f"{ended}, recovered"
            elif ended == "refused":
                assert whole(left) == old
            self.write(out)
        assert tree(parent) == new
        return ended


def of_others(found: Tree) -> Tree:
    """What lies beside a release and is none of it."""
    return {name: held for name, held in found.items() if not ours(name)}


def ours(name: str) -> bool:
    top = Path(name).parts[0]
    return top in ("out", "out.private") or top.startswith(".out.shoal-")


def whole(found: Tree) -> Tree:
    """Without what a killed run may leave for the next: its work folder and lock."""
    return {name: held for name, held in found.items() if not name.startswith(".out.shoal-")}
