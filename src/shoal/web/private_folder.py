"""The private folder of a server: raw copies of tables and releases, which only this user may read.

Guarantee   The folder has mode 0700. It is removed at exit; if the process was killed, at the next start, which finds
            that nobody holds its lock any more. Names of uploaded files are never used as paths.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from shoal.errors import TableError
from shoal.held_folder import hold, remove_left_over


class PrivateFolder:
    """A new folder below the one of all servers of this user; `close` removes it with everything in it."""

    def __init__(self, parent: Path | None = None) -> None:
        self.parent = parent or Path(tempfile.gettempdir()) / f"shoal-serve-{_user()}"
        _make_private(self.parent)
        self.removed = remove_left_over(self.parent.iterdir())
        self._lock: IO[bytes] | None = None
        while self._lock is None:
            self.path = self.parent / secrets.token_hex(8)
            self.path.mkdir(mode=0o700)
            self._lock = hold(self.path)

    def new(self, suffix: str = "") -> Path:
        """Return a path in the folder that nothing has yet."""
        return self.path / f"{secrets.token_hex(8)}{suffix}"

    def new_folder(self) -> Path:
        """Return a new folder in the folder, for this user alone."""
        made = self.new()
        made.mkdir(mode=0o700)
        return made

    def close(self) -> None:
        """Remove the folder with everything in it."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        shutil.rmtree(self.path, ignore_errors=True)


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _make_private(folder: Path) -> None:
    """Make the folder of all servers of this user, or check that it is one; a stranger's is refused."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if not stat.S_ISDIR(found.st_mode) or not own:
        raise TableError(
            f"{str(folder)!r} belongs to somebody else, so raw data cannot be kept there.",
            "set TMPDIR to a folder that only you may enter.",
        )
    folder.chmod(0o700)
