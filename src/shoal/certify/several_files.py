"""A released table in several files: what they are called, which of them are there, and one digest of all.

They are called release-00001-of-00004.parquet and so on, so that a reader who lacks one can see it. Any of them
stands for the whole table: a file by itself is no release.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

_NAME = re.compile(r"release-([0-9]{5})-of-([0-9]{5})\.(csv|parquet|arrow)")


def file_names(n_files: int, kind: str) -> list[str]:
    """Return what the files of a table in `n_files` files are called, in their order."""
    return [f"release-{number:05d}-of-{n_files:05d}.{kind}" for number in range(1, n_files + 1)]


def is_one_of_several(name: str) -> bool:
    """Return whether a file is called like one of the files of a released table."""
    return _NAME.fullmatch(name) is not None


def several_of(names: Iterable[str]) -> list[str]:
    """Return those of the names that files of a released table in several files have, sorted."""
    return sorted(filter(is_one_of_several, names))


def are_complete(names: Iterable[str]) -> bool:
    """Return whether these are the names of all files of one table, each once."""
    found = list(names)
    first = _NAME.fullmatch(found[0]) if found else None
    return first is not None and int(first[2]) == len(found) and found == file_names(len(found), first[3])


def files_of(path: Path) -> list[Path]:
    """Return the files of a released table: the path itself, or all of its folder if it is named as one of several.

    Whether they are all that there should be, `are_complete` says.
    """
    if not is_one_of_several(path.name):
        return [path]
    try:
        found = several_of(one.name for one in path.parent.iterdir())
    except OSError:
        found = []  # opening the path itself says why
    return [path.with_name(name) for name in found] or [path]


def first_of_several(folder: Path) -> list[Path]:
    """Return the first file of a released table in several files, alone in a list; nothing if a folder has none."""
    try:
        found = several_of(one.name for one in folder.iterdir())
    except OSError:
        return []
    return [folder / name for name in found[:1]]


def digest_of_files(digests: Mapping[str, str]) -> str:
    """Return one SHA-256 digest of several files by name, each with its own digest.

    It is what `sha256sum release-*.parquet | sha256sum` prints in their folder.
    """
    listed = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
    return hashlib.sha256(listed.encode()).hexdigest()
