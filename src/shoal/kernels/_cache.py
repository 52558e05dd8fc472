"""The cache of compiled kernels on disk: safe against other users, damaged files and full disks.

Numba caches compiled code as pickles, and reading a pickle can run any code. The cache folder is therefore used only
if no other user can write to it. Each file starts with a SHA-256 digest of its content; a file whose digest does not
fit is ignored, and its kernel is compiled again. Where the folder cannot be written (a full disk, a read-only home
directory), kernels are compiled in every run and not cached.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching

_Functions: Any = caching.FunctionCache
_Files: Any = caching.IndexDataCacheFile
_DIGEST_BYTES = 32  # length of the SHA-256 digest at the start of each file; the pickle follows it


def trouble_with(folder: Path) -> str | None:
    """Return why compiled kernels cannot be cached in `folder`, as a clause of a sentence, or None if they can be.

    Creates the folder, for this user alone (mode 0700), if it does not exist.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            return "it cannot be written"
        others = any(map(_is_open_to_others, (folder, *folder.rglob("*"))))
    except OSError:
        return "it cannot be written"
    return "another user owns or may write a part of it" if others else None


def _is_open_to_others(path: Path) -> bool:
    """Whether another user owns `path` or its mode lets another user write to it. Always False on Windows."""
    if not hasattr(os, "geteuid"):  # Windows has neither numeric owners nor Unix permission bits
        return False
    try:
        found = path.lstat() if path.is_symlink() else path.stat()
    except FileNotFoundError:  # another run has replaced the file since the folder was listed
        return False
    writable = stat.S_IWGRP | stat.S_IWOTH
    return found.st_uid != os.geteuid() or (not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & writable))


class _WholeFiles(_Files):  # type: ignore[misc]
    """Cache files of one kernel; each starts with the digest of the rest, so that damage is noticed on reading."""

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        return None if name is None else self._read(self._data_path(name))

    def _load_index(self) -> dict[Any, str]:
        found = self._read(self._index_path)
        version, stamp, overloads = found if found is not None else (None, None, {})
        return dict(overloads) if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)

    @staticmethod
    def _read(path: str) -> Any:
        """Return the content of a file, or None if it is missing, truncated or altered, or cannot be unpickled."""
        try:
            data = Path(path).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
            return None
        try:
            return pickle.loads(data[_DIGEST_BYTES:])  # safe: only this user can write to the folder
        except Exception:  # intact, but written by another version of a library
            return None


@cache
def _digest_of_sources(folder: str) -> str:
    """Return a digest of all modules beside a kernel.

    Numba compiles the kernels that a kernel calls into it, but only looks whether the file of the kernel itself has
    changed: without this, a kernel would go on with old code of another module.
    """
    digest = hashlib.sha256()
    for module in sorted(Path(folder).glob("*.py")):
        digest.update(module.name.encode() + b"\0" + module.read_bytes() + b"\0")
    return digest.hexdigest()


class KernelCache(_Functions):  # type: ignore[misc]
    """A cache whose failures never stop a run.

    A kernel that cannot be read is compiled again; a kernel that cannot be written is not cached.
    """

    _cache_file: Any

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        old = self._cache_file
        stamp = (old._source_stamp, _digest_of_sources(str(Path(function.__code__.co_filename).parent)))
        self._cache_file = _WholeFiles(old._cache_path, old._index_name.removesuffix(".nbi"), stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            self.disable()
