"""Folders that belong to a running process.

Guarantee   A folder that a process holds is not removed by another. If the process is killed, the system gives back
            its lock, and the next process that looks removes the folder with everything in it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import IO

LOCK = "in-use"


def hold(folder: Path) -> IO[bytes] | None:
    """Return the lock of a new folder, held until it is closed or the process ends.

    It is None if another process was faster and is about to remove the folder: then make another one.
    """
    return _locked(folder / LOCK, os.O_CREAT)


def remove_left_over(folders: Iterable[Path]) -> int:
    """Remove those folders of this user that a process held which has ended; return how many there were."""
    removed = 0
    for folder in folders:
        if not _is_own(folder):
            continue
        lock = _locked(folder / LOCK)
        if lock is not None:
            lock.close()
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed


def _is_own(folder: Path) -> bool:
    """Return whether this is a folder, not a link to one, and belongs to this user."""
    try:
        own = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
    except OSError:  # removed in the meantime
        return False
    return own and folder.is_dir() and not folder.is_symlink()


def _locked(file: Path, create: int = 0) -> IO[bytes] | None:
    """Return the file, held by this process alone; None if there is none, or another process holds it."""
    careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # neither links nor pipes
    try:
        opened = os.fdopen(os.open(file, os.O_WRONLY | create | careful, 0o600), "ab")
    except OSError:
        return None
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        opened.close()
        return None
    return opened
