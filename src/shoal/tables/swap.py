"""Replacing two folders by two new ones: both or neither, even if the process is killed in between.

The new folders wait, complete and flushed to the disk, in one work folder beside their places. Once the work folder
has its journal, the change is decided: whoever finds it (`complete`) finishes it, in steps that may be repeated.
Without a journal it is not decided, and whoever finds the work folder removes it. So after a kill at any step the two
folders can be brought to the old or the new state, and the journal says which.

A folder is exchanged with its successor in one step where the system can do so, so that readers find the old or the
new one at any time; elsewhere it is moved aside first. A folder that cannot be moved, such as a mount point, stays,
and its files are moved one by one: the certificate is removed first and put back last, so that what the folder holds
in the meantime has no certificate and is not taken for a release.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import TableError
from shoal.tables import disk
from shoal.tables.earlier import CERTIFICATE, Earlier, look, refuse_strangers, refuse_unlike

JOURNAL, _PART = "journal.json", "journal.part"
_MOST = 1 << 26  # the largest journal that is read, in bytes (64 MiB)

Undo = list[Callable[[], None]]
"""Functions that undo the steps done so far; they are called in reverse order."""


@dataclass(frozen=True, slots=True)
class Half:
    """One of the two folders of a release: its place, and where its new and old states are kept during the change."""

    place: Path
    work: Path
    private: bool

    @property
    def name(self) -> str:
        return "private" if self.private else "public"

    @property
    def new(self) -> Path:
        """The new folder before the change; after an exchange in one step, the old folder."""
        return self.work / self.name

    @property
    def aside(self) -> Path:
        """The old folder, if it was moved aside because the system cannot exchange folders."""
        return self.work / f"{self.name}.old"

    @property
    def copied(self) -> Path:
        """The new folder, once its files have been copied into place and it is no longer needed."""
        return self.work / f"{self.name}.copied"

    @property
    def inside(self) -> Path:
        """A folder for new and old files inside the place itself, used if the place cannot be moved."""
        return self.place / f".shoal-{self.work.name.rpartition('-')[2]}"

    @property
    def unready(self) -> Path:
        """The name of `inside` until it is complete, and again while it is being removed."""
        return self.inside.with_name(f"{self.inside.name}.part")

    def look(self) -> Earlier:
        return look(self.place, private=self.private, aside=(self.inside.name, self.unready.name))

    def old(self) -> Path | None:
        """Return where the old folder or its files are after the change; None if there was none."""
        if disk.status(self.inside) is not None:
            return self.inside / "old"
        return next((path for path in (self.aside, self.new) if disk.status(path) is not None), None)


@dataclass(frozen=True, slots=True)
class Pair:
    """The two folders of a release, with the work folder of one change."""

    public: Half
    private: Half

    @classmethod
    def of(cls, public: Path, work: Path) -> Pair:
        private = public.with_name(f"{public.name}.private")
        return cls(Half(public, work, private=False), Half(private, work, private=True))

    @property
    def work(self) -> Path:
        return self.public.work

    @property
    def halves(self) -> tuple[Half, Half]:
        """Both folders, the public one last: at a first release, its appearance shows that both are complete."""
        return self.private, self.public

    def look(self) -> dict[str, Earlier]:
        """Return the earlier release in both places; raise a `TableError` if either may not be replaced."""
        found = {half.name: half.look() for half in (self.public, self.private)}
        refuse_unlike(self.public.place, found["public"], self.private.place, found["private"])
        return found

    def swap(self, earlier: Mapping[str, Earlier]) -> None:
        """Put both new folders in place. On an error everything is as it was, or the error says how to restore it."""
        undo: Undo = []
        try:
            _decide(self, earlier, undo)
            for half in self.halves:
                _put(half, earlier[half.name].digests, undo)
            for half in self.halves:
                if (old := half.old()) is not None:
                    refuse_strangers(half.place, earlier[half.name].strangers(old))
                disk.sync_path(half.place)
            disk.sync_path(self.public.place.parent)
        except BaseException as failure:
            _take_back(self, undo, failure)
            raise
        for _ in range(2):  # a failure may be temporary
            with suppress(OSError):
                self.clear()
                return
        if any(disk.status(path) is not None for half in self.halves for path in (half.inside, half.unready)):
            raise TableError(interrupted_message(self.public.place, self.work), hint(self.public.place))
        # else the release is in place as it should be, and the next run removes what is left beside it

    def complete(self) -> bool:
        """Finish a change whose journal was written, or remove what is left of any other; return whether one was
        finished.
        """
        decided = disk.status(self.work / JOURNAL) is not None
        if decided:
            journal = _journal(self.work / JOURNAL)
            for half in self.halves:
                if disk.status(half.inside) is not None or _is_new(half, journal):
                    _put(half, _old_files(half, journal), [])
            for half in self.halves:
                if (old := half.old()) is not None:
                    look(old, private=half.private)
                disk.sync_path(half.place)
            disk.sync_path(self.public.place.parent)
        self.clear()
        return decided

    def clear(self) -> None:
        """Remove the work folder and everything in it; the journal is removed only when nothing is left that needs
        it.
        """
        for half in self.halves:
            if disk.status(half.inside) is not None:  # once renamed, it is no longer taken for an unfinished change
                if disk.status(half.new) is not None:
                    disk.rename(half.new, half.copied)
                disk.rename(half.inside, half.unready)
            disk.remove_tree(half.unready)
        disk.remove_tree(self.work / JOURNAL)
        disk.remove_tree(self.work)


def _decide(pair: Pair, earlier: Mapping[str, Earlier], undo: Undo) -> None:
    """Write the journal: it appears under its name in one step, complete and flushed to the disk."""
    contents = {
        half.name: {
            "new": {name: disk.sha256_of(half.new / name) for name in disk.names(half.new)},
            "old": dict(earlier[half.name].digests),
        }
        for half in pair.halves
    }
    disk.write_new(pair.work / _PART, json.dumps({"out": pair.public.place.name} | contents), private=True)
    disk.sync_path(pair.work / _PART)
    undo.append(lambda: disk.remove_tree(pair.work / JOURNAL))
    disk.rename(pair.work / _PART, pair.work / JOURNAL)
    disk.sync_path(pair.work)
    disk.sync_path(pair.work.parent)


def _journal(path: Path) -> dict[str, Any]:
    """Return the contents of the journal; raise a `TableError` if it is damaged."""
    try:
        found = json.loads(disk.read_text(path, most=_MOST))
        if all(isinstance(found[half][age], dict) for half in ("public", "private") for age in ("new", "old")):
            return dict(found)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise TableError(
        f"{str(path)!r}, the journal of an interrupted change, is damaged.",
        f"look for the release in the folder {str(path.parent)!r}, put it where it belongs and remove the folder.",
    )


def _is_new(half: Half, journal: Mapping[str, Any]) -> bool:
    """Return whether the new folder is still in the work folder, which its certificate's digest shows."""
    certificate = half.new / CERTIFICATE
    return disk.status(certificate) is not None and disk.sha256_of(certificate) == journal[half.name]["new"].get(
        CERTIFICATE
    )


def _old_files(half: Half, journal: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of the files that may be replaced: from the journal if files are already being moved one by
    one, otherwise from what is in the folder now.
    """
    begun = disk.status(half.inside) is not None
    return dict(journal[half.name]["old"] if begun else half.look().digests)


def _put(half: Half, old: Mapping[str, str], undo: Undo) -> None:
    """Put the new folder in its place, in one step if the system can do so."""
    if disk.status(half.inside) is not None:
        _put_files(half, old, undo)
    elif disk.status(half.place) is None:
        _move(half.new, half.place, undo)
    else:
        try:
            disk.exchange(half.new, half.place)
            undo.append(lambda: disk.exchange(half.new, half.place))
        except OSError as error:
            if error.errno in disk.CANNOT_MOVE:
                _put_files(half, old, undo)
            elif error.errno in disk.CANNOT_EXCHANGE:
                _put_by_moves(half, old, undo)
            else:
                raise


def _put_by_moves(half: Half, old: Mapping[str, str], undo: Undo) -> None:
    """Move the old folder aside and the new one to its place, for systems that cannot exchange them in one step."""
    try:
        _move(half.place, half.aside, undo)
    except OSError as error:
        if error.errno not in disk.CANNOT_MOVE:
            raise
        _put_files(half, old, undo)
    else:
        _move(half.new, half.place, undo)


def _put_files(half: Half, old: Mapping[str, str], undo: Undo) -> None:
    """Replace the files one by one within the folder's own file system, continuing an interrupted replacement."""
    if disk.status(half.inside) is None:
        undo.append(lambda: disk.remove_tree(half.unready))
        _copy_inside(half)
        _move(half.unready, half.inside, undo)
    new = half.inside / "new"
    waiting = disk.names(new)
    if CERTIFICATE in waiting and set(waiting) == set(disk.names(half.new)):  # no file was moved in so far
        for name in sorted(old, key=lambda name: name != CERTIFICATE):
            if disk.status(half.place / name) is not None:
                if disk.sha256_of(half.place / name) != old[name]:
                    refuse_strangers(half.place, [name])
                _move(half.place / name, half.inside / "old" / name, undo)
        disk.sync_path(half.place)
    for name in sorted(waiting, key=lambda name: name == CERTIFICATE):
        if name == CERTIFICATE:
            disk.sync_path(half.place)
        if disk.status(half.place / name) is not None:
            refuse_strangers(half.place, [name])
        _move(new / name, half.place / name, undo)


def _copy_inside(half: Half) -> None:
    """Copy the new files into a folder within the place, so that each can then be moved in one step."""
    disk.remove_tree(half.unready)
    disk.make_private_folder(half.unready)
    for age in ("new", "old"):
        disk.make_private_folder(half.unready / age)
    for name in disk.names(half.new):
        disk.copy(half.new / name, half.unready / "new" / name, private=half.private)
    disk.sync_path(half.unready / "new")
    disk.sync_path(half.unready)


def _move(path: Path, target: Path, undo: Undo) -> None:
    disk.rename(path, target)
    undo.append(lambda: disk.rename(target, path))


def _take_back(pair: Pair, undo: Undo, failure: BaseException) -> None:
    """Undo every step, the journal last; if undoing fails, raise a `TableError` that says where the folders are."""
    try:
        for step in reversed(undo):
            step()
    except OSError:
        if disk.status(pair.work / JOURNAL) is not None:
            raise TableError(interrupted_message(pair.public.place, pair.work), hint(pair.public.place)) from failure


def interrupted_message(out: Path, work: Path) -> str:
    """Return the error message about a change that was interrupted."""
    return f"a change of {str(out)!r} was interrupted; the rest of it is in {str(work)!r}."


def hint(out: Path) -> str:
    """Return how to complete an interrupted change."""
    return f"`shoal recover {out.name}` completes it, and so does the next run that writes there; remove nothing."
