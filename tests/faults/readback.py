"""Faults in what the verifier reads: a read that fails, falls short or brings a wrong byte."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from shoal.certify import files, folder
from shoal.errors import ShoalError
from shoal.results.release import Release
from shoal.tables import file_bytes as source
from tests.faults.plan import Tree, failure, of_others, open_to_others, prepare, tree

READ_FAULTS = ("EIO", "EACCES", "short", "changed")
"""Two errors of the system; an end before the end; a byte that is another."""


FORMATS: dict[str, dict[str, Any]] = {
    "csv": {},
    "parquet": {"format": "parquet"},
    "arrow": {"format": "arrow"},
    "xlsx": {"format": "xlsx"},
}


@dataclass
class Reads:
    """Stands between the verifier and the disk, counts opens, reads and listings, and spoils one of them."""

    fault: str | None = None
    at: int = 0
    seen: list[str] = field(default_factory=list)

    @contextmanager
    def __call__(self) -> Iterator[Reads]:
        opening = {"open": self._open, "fdopen": lambda handle, _mode: io.BufferedReader(_Spoilt(self, handle))}
        with ExitStack() as patches:
            patches.enter_context(patch.object(files, "os", SimpleNamespace(**vars(os) | opening)))
            listing = SimpleNamespace(**vars(os) | {"scandir": self._scandir})
            patches.enter_context(patch.object(folder, "os", listing))
            patches.enter_context(patch.object(source, "open", self._open_table, create=True))
            yield self

    def step(self, name: str) -> str | None:
        """Counts; the fault that is to strike now and is no error."""
        self.seen.append(name)
        if len(self.seen) != self.at:
            return None
        if self.fault in ("EIO", "EACCES"):
            raise failure(self.fault)
        return self.fault

    def _open(self, *given: Any) -> int:
        self.step("open")
        return os.open(*given)

    def _scandir(self, path: Path) -> Any:
        self.step("list")
        return os.scandir(path)

    def _open_table(self, path: Path, _mode: str, *, buffering: int, opener: Callable[[str, int], int]) -> io.FileIO:
        assert buffering == 0
        self.step("open")
        return _Spoilt(self, opener(str(path), os.O_RDONLY))


class _Spoilt(io.FileIO):
    """A file whose reads are counted, one of them spoilt."""

    def __init__(self, reads: Reads, handle: int) -> None:
        super().__init__(handle, "rb")
        self.reads, self.ended = reads, False

    def readinto(self, buffer: Any) -> int:
        fault = self.reads.step("read")
        count = 0 if self.ended else super().readinto(buffer) or 0
        if fault == "short" or self.ended:
            self.ended = True
            return count // 2
        if fault == "changed" and count:
            view = memoryview(buffer).cast("B")
            view[count // 2] ^= 1
        return count

    def read(self, size: int | None = -1) -> bytes:
        assert size == -1
        found, part = bytearray(), bytearray(1 << 16)
        while count := self.readinto(part):
            found += part[:count]
        return bytes(found)


@dataclass(frozen=True)
class ReadBack:
    """An old release, and a new one whose reading back is spoilt."""

    old: Path
    new: Tree
    release: Release
    options: dict[str, Any]

    @classmethod
    def of(cls, place: Path, old: Release, release: Release, **options: Any) -> ReadBack:
        for name in ("old", "new"):
            (place / name).mkdir(parents=True)
        old.write(place / "old" / "out")
        release.write(place / "new" / "out", **options)
        return cls(place / "old", tree(place / "new"), release, options)

    def steps(self, parent: Path) -> list[str]:
        """What is opened, listed and read, one after the other."""
        out = prepare(parent, self.old)
        with Reads()() as reads:
            self.release.write(out, **self.options)
        return reads.seen

    def struck(self, parent: Path, fault: str) -> list[int]:
        """The steps at which a fault can strike: only a read can fall short or bring a wrong byte."""
        errors = fault in ("EIO", "EACCES")
        return [at for at, name in enumerate(self.steps(parent), 1) if errors or name == "read"]

    def after(self, parent: Path, fault: str, at: int) -> str:
        """Spoil one read; an error leaves the old release, and what is not noticed was right on the disk."""
        out = prepare(parent, self.old)
        before = tree(parent)
        ended = "done"
        with Reads(fault, at)():
            try:
                self.release.write(out, **self.options)
            except ShoalError:
                ended = "refused"
        assert not open_to_others(parent)
        assert ended == "refused" or fault in ("short", "changed"), "a failed read was passed over"
        assert tree(parent) == (before if ended == "refused" else of_others(before) | self.new)
        return ended
