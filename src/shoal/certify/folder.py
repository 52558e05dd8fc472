"""Check the folder of a release against its certificate: exactly the listed files, each with its listed digest.

This stops a file that was exchanged, removed, or added to the folder after the certificate was issued.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from shoal.certify.files import CERTIFICATE, MOST_BESIDE, SIGNATURE, SYNTHETIC, TABLES, UnsafeError, sha256_of
from shoal.certify.findings import Failure
from shoal.certify.several_files import is_one_of_several
from shoal.errors import TableError


def unsafe_entries(folder: Path) -> list[Failure]:
    """Return a failure if a folder holds anything but regular files, such as links, pipes or folders.

    Nothing is opened, so a link out of the folder is not followed and a pipe cannot block the verifier.
    """
    odd = [name for name, mode in _entries(folder).items() if not stat.S_ISREG(mode)]
    return [_failure("holds what is no regular file", odd)] if odd else []


def check_folder(folder: Path, listed: Mapping[str, str]) -> tuple[dict[str, str], list[Failure]]:
    """Return the digests of the listed files as found, and a failure each for unlisted, absent and changed files."""
    entries = _entries(folder)
    own = {CERTIFICATE, SIGNATURE, *listed}
    failures = []
    if strangers := sorted(set(entries) - own):
        failures.append(_failure("holds what its certificate does not list", strangers))
    if absent := sorted(set(listed) - set(entries)):
        failures.append(_failure("lacks what its certificate lists", absent))
    found, changed = {}, []
    for name in sorted(listed.keys() & entries.keys()):
        with suppress(UnsafeError):
            found[name] = _digest(folder / name)
        if found.get(name) != listed[name]:
            changed.append(name)
    if changed:
        failures.append(_failure("holds files that are not the certified ones: their SHA-256 is another", changed))
    return found, failures


def check_listed(folder: Path, listed: Mapping[str, str]) -> list[Failure]:
    """Return a failure if files that a certificate lists are absent or changed in the certificate's own folder.

    This is for a certificate that is in another folder than the released table; the table itself is not looked for.
    """
    changed = []
    for name, digest in listed.items():
        try:
            if not _is_table(name) and _digest(folder / name) != digest:
                changed.append(name)
        except UnsafeError:
            changed.append(name)
    return [_failure("lacks files that its certificate lists, or holds others", changed)] if changed else []


def _digest(path: Path) -> str:
    """Return the SHA-256 digest of a listed file; an UnsafeError if a file other than the table is too large."""
    try:
        is_table = _is_table(path.name) or path.name in SYNTHETIC.values()
        too_large = not is_table and path.lstat().st_size > MOST_BESIDE
    except OSError as failed:
        raise UnsafeError(f"cannot be read ({failed.strerror})") from None
    if too_large:
        raise UnsafeError("is too large")
    return sha256_of(path)


def _is_table(name: str) -> bool:
    """Return whether a file is called like a released table, or one of the files of such a table."""
    return name in TABLES or is_one_of_several(name)


def _entries(folder: Path) -> dict[str, int]:
    """Return the file mode of every entry of a folder, without following links."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat(follow_symlinks=False).st_mode for entry in entries}
    except OSError as failed:
        raise TableError(
            f"the folder {folder.name} cannot be listed ({failed.strerror}).", "check the path and its permissions."
        ) from None


def _failure(what: str, names: list[str]) -> Failure:
    reported = ", ".join(repr(name) for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return Failure(check="folder", message=f"the folder {what}: {reported}")
