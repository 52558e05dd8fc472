"""How two new folders take the place of two old ones: both or neither, also when the process is killed between them.

Everything new waits, complete and on the disk, in one work folder beside the places. From the moment the work folder
has its journal the change is decided: whoever finds it (`complete`) finishes it, in steps that may be done again.
Without a journal it is not decided, and whoever finds it removes it. So after a kill at any step the pair can be
brought to the old or the new state, and which one is never a guess.

A folder is exchanged with its successor in one step where the system can, so that readers find the old or the new one
at any time; elsewhere it is moved aside first. A folder that cannot be moved, such as a mount point, keeps its place
and its files are moved one by one, the certificate away first and back last: what it holds in the meantime has no
certificate and is no release.
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
_MOST = 1 << 26  # bytes of a journal

Undo = list[Callable[[], None]]
"""What takes back the steps that were done, the last one first."""


@dataclass(frozen=True, slots=True)
class Half:
    """One of the two folders: where it belongs, and where its new and its old state wait."""

    place: Path
    work: Path
    private: bool

    @property
    def name(self) -> str:
        return "private" if self.private else "public"

    @property
    def new(self) -> Path:
        """The new folder before the change, and the old one after it where they were exchanged."""
        return self.work / self.name

    @property
    def aside(self) -> Path:
        """The old folder, where they cannot be exchanged."""
        return self.work / f"{self.name}.old"

    @property
    def copied(self) -> Path:
        """The new folder, when its files are in place as copies and nothing needs it any more."""
        return self.work / f"{self.name}.copied"

    @property
    def inside(self) -> Path:
        """New and old files, where the folder itself cannot be moved."""
        return self.place / f".shoal-{self.work.name.rpartition('-')[2]}"

    @property
    def unready(self) -> Path:
        return self.inside.with_name(f"{self.inside.name}.part")

    def look(self) -> Earlier:
        return look(self.place, private=self.private, aside=(self.inside.name, self.unready.name))

    def old(self) -> Path | None:
        """Where the old state is after the change; None where there was none."""
        if disk.status(self.inside) is not None:
            return self.inside / "old"
        return next((path for path in (self.aside, self.new) if disk.status(path) is not None), None)


@dataclass(frozen=True, slots=True)
class Pair:
    """The two folders of a release and the work folder of one change."""

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
        """The public one last: where there was no release, it is what shows that there is one now."""
        return self.private, self.public

    def look(self) -> dict[str, Earlier]:
        """The earlier release in both places; a TableError where either may not be replaced."""
        found = {half.name: half.look() for half in (self.public, self.private)}
        refuse_unlike(self.public.place, found["public"], self.private.place, found["private"])
        return found

    def swap(self, earlier: Mapping[str, Earlier]) -> None:
        """Put both new folders in place; on an error everything is as it was, or the error says how to make it so."""
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
        for _ in range(2):  # a fault may pass
            with suppress(OSError):
                self.clear()
                return
        if any(disk.status(path) is not None for half in self.halves for path in (half.inside, half.unready)):
            raise TableError(told(self.public.place, self.work), hint(self.public.place))
        # else the release is in place as it should be, and the next run removes what is left beside it

    def complete(self) -> bool:
        """After a kill: finish a change that was decided, and say so; remove what was left of any other."""
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
        """Remove the work folder and all in it; the journal only when nothing is left that needs it."""
        for half in self.halves:
            if disk.status(half.inside) is not None:  # from here on, nobody takes it for a change to be gone on with
                if disk.status(half.new) is not None:
                    disk.rename(half.new, half.copied)
                disk.rename(half.inside, half.unready)
            disk.remove_tree(half.unready)
        disk.remove_tree(self.work / JOURNAL)
        disk.remove_tree(self.work)


def _decide(pair: Pair, earlier: Mapping[str, Earlier], undo: Undo) -> None:
    """Write the journal, in one step."""
    told = {
        half.name: {
            "new": {name: disk.sha256_of(half.new / name) for name in disk.names(half.new)},
            "old": dict(earlier[half.name].digests),
        }
        for half in pair.halves
    }
    disk.write_new(pair.work / _PART, json.dumps({"out": pair.public.place.name} | told), private=True)
    disk.sync_path(pair.work / _PART)
    undo.append(lambda: disk.remove_tree(pair.work / JOURNAL))
    disk.rename(pair.work / _PART, pair.work / JOURNAL)
    disk.sync_path(pair.work)
    disk.sync_path(pair.work.parent)


def _journal(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(disk.read_text(path, most=_MOST))
        if all(isinstance(found[half][age], dict) for half in ("public", "private") for age in ("new", "old")):
            return dict(found)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise TableError(
        f"{str(path)!r}, which says how a change was interrupted, is damaged.",
        f"look for the release in the folder {str(path.parent)!r}, put it where it belongs and remove the folder.",
    )


def _is_new(half: Half, journal: Mapping[str, Any]) -> bool:
    """The new folder still waits in the work folder."""
    certificate = half.new / CERTIFICATE
    return disk.status(certificate) is not None and disk.sha256_of(certificate) == journal[half.name]["new"].get(
        CERTIFICATE
    )


def _old_files(half: Half, journal: Mapping[str, Any]) -> dict[str, str]:
    """The files that may be replaced: of a change begun, those it began with; else what is there now."""
    begun = disk.status(half.inside) is not None
    return dict(journal[half.name]["old"] if begun else half.look().digests)


def _put(half: Half, old: Mapping[str, str], undo: Undo) -> None:
    """The new folder to its place, in one step where that can be."""
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
    try:
        _move(half.place, half.aside, undo)
    except OSError as error:
        if error.errno not in disk.CANNOT_MOVE:
            raise
        _put_files(half, old, undo)
    else:
        _move(half.new, half.place, undo)


def _put_files(half: Half, old: Mapping[str, str], undo: Undo) -> None:
    """File by file, within the folder's own file system; begun anew or where it was left."""
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
    """Undo every step, the journal last; where even that fails, say what waits where."""
    try:
        for step in reversed(undo):
            step()
    except OSError:
        if disk.status(pair.work / JOURNAL) is not None:
            raise TableError(told(pair.public.place, pair.work), hint(pair.public.place)) from failure


def told(out: Path, work: Path) -> str:
    """The sentence on a change that did not come to its end."""
    return f"a change of {str(out)!r} was interrupted; the other half of it waits in {str(work)!r}."


def hint(out: Path) -> str:
    return f"`shoal recover {out.name}` completes it, and so does the next run that writes there; remove nothing."
