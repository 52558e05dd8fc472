"""Compiled kernels kept between runs: whole, from this user alone, or not at all.

What numba keeps are pickles, and a pickle runs code when it is read. So the folder is used only where nobody else can
write, and every file says by its digest whether it is whole: a damaged one is compiled anew, and where nothing can be
written (a full disk, a read-only home) the run goes on without.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
from pathlib import Path
from typing import Any

from numba.core import caching

_Functions: Any = caching.FunctionCache
_Files: Any = caching.IndexDataCacheFile
_DIGEST = 32  # bytes of SHA-256 before the pickle


def trouble_with(folder: Path) -> str | None:
    """Why kernels are not kept in `folder`, as a part of a sentence; None where they are. Makes the folder (0700)."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            return "it cannot be written"
        others = any(map(_is_open_to_others, (folder, *folder.rglob("*"))))
    except OSError:
        return "it cannot be written"
    return "others than this user own or may write a part of it" if others else None


def _is_open_to_others(path: Path) -> bool:
    if not hasattr(os, "geteuid"):  # Windows has no owners and modes of this kind
        return False
    try:
        found = path.lstat() if path.is_symlink() else path.stat()
    except FileNotFoundError:  # another run has just replaced it
        return False
    writable = stat.S_IWGRP | stat.S_IWOTH
    return found.st_uid != os.geteuid() or (not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & writable))


class _WholeFiles(_Files):  # type: ignore[misc]
    """The files of one kernel, each behind the digest of what it holds."""

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        return None if name is None else self._whole(self._data_path(name))

    def _load_index(self) -> dict[Any, str]:
        found = self._whole(self._index_path)
        version, stamp, overloads = found if found is not None else (None, None, {})
        return dict(overloads) if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, held: Any) -> None:
        data = self._dump(held)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(data).digest() + data)

    @staticmethod
    def _whole(path: str) -> Any:
        """What a file holds, or None where it is not there, cut off or changed."""
        try:
            data = Path(path).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            return None
        try:
            return pickle.loads(data[_DIGEST:])  # the folder is this user's own
        except Exception:  # whole, and written by another version of a library
            return None


class KernelCache(_Functions):  # type: ignore[misc]
    """A cache that never stops a run: what cannot be read is compiled, what cannot be written is not kept."""

    _cache_file: Any

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        old = self._cache_file
        self._cache_file = _WholeFiles(old._cache_path, old._index_name.removesuffix(".nbi"), old._source_stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            self.disable()
