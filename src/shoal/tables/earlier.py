"""Which existing folders a new release may replace: empty ones, and those with an unchanged earlier release.

Guarantee   A folder may be replaced only if everything in it is a regular file that its `certificate.json` lists
            under `files` with the same digest, besides the certificate itself and its signature. If somebody added
            or changed a file, the folder is not replaced, and the error names the file.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import TableError
from shoal.tables import disk

CERTIFICATE, SIGNATURE = "certificate.json", "certificate.sig"
_MOST = 1 << 26  # the largest certificate that is read, in bytes (64 MiB, far above any that Shoal writes)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OF_PRIVATE = ("cost", "reason", "seed")  # entries that only the certificate in the private folder has
_CHOOSE = "choose another output folder"


@dataclass(frozen=True, slots=True)
class Earlier:
    """The state of a folder that may be replaced. `certificate` is None if the folder is empty or does not exist."""

    certificate: Mapping[str, Any] | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 digest of every file in the folder, including the certificate."""
    stamps: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    """Inode, size and time of the last change of every file, to notice a change later without reading it again."""

    def strangers(self, folder: Path) -> list[str]:
        """Return the names of files that were added to the folder or changed since this state was recorded."""
        return [name for name in disk.names(folder) if _stamp(folder / name) != self.stamps.get(name)]


def look(folder: Path, *, private: bool, aside: Collection[str] = ()) -> Earlier:
    """Return the state of a folder; raise a `TableError` if it may not be replaced. Names in `aside` are ignored."""
    found = disk.status(folder)
    if found is None:
        return Earlier()
    if not stat.S_ISDIR(found.st_mode):
        raise TableError(f"{str(folder)!r} is a file, not a folder.", f"{_CHOOSE}.")
    names = [name for name in disk.names(folder) if name not in aside]
    if not names:
        return Earlier()
    certificate = _certificate(folder / CERTIFICATE) if CERTIFICATE in names else None
    if certificate is None:
        raise TableError(
            f"the folder {str(folder)!r} is neither empty nor an earlier release.",
            "choose a new output folder, or empty this one.",
        )
    stamps = {name: _stamp(folder / name) for name in names}
    listed: dict[str, str] = certificate["files"]
    ours = {*listed, CERTIFICATE, SIGNATURE}
    refuse_strangers(folder, [name for name in names if name not in ours or stamps[name] is None])
    digests = {name: disk.sha256_of(folder / name) for name in names}
    changed = [name for name in names if name in listed and digests[name] != listed[name]]
    if changed:
        raise TableError(
            f"the folder {str(folder)!r} holds files that were changed since the release: {', '.join(changed[:5])}.",
            f"move what you want to keep elsewhere and remove the folder, or {_CHOOSE}.",
        )
    _refuse_other_half(folder, certificate, private=private)
    return Earlier(certificate, digests, {name: stamp for name, stamp in stamps.items() if stamp is not None})


def refuse_strangers(folder: Path, names: list[str]) -> None:
    """Raise a `TableError` that lists `names`, files in the folder that the earlier release did not write, if any."""
    if names:
        raise TableError(
            f"the folder {str(folder)!r} holds files that no release wrote: {', '.join(names[:5])}.",
            f"move them elsewhere, because a new release replaces the whole folder; or {_CHOOSE}.",
        )


def refuse_unlike(public: Path, one: Earlier, private: Path, other: Earlier) -> None:
    """Raise a `TableError` if the public and the private folder belong to different releases."""
    if one.certificate is None or other.certificate is None:
        return
    if one.certificate.get("published_sha256") != other.certificate.get("published_sha256"):
        raise TableError(
            f"{str(private)!r} belongs to another release than {str(public)!r}.", f"move one of them, or {_CHOOSE}."
        )


def _refuse_other_half(folder: Path, certificate: Mapping[str, Any], *, private: bool) -> None:
    """Raise a `TableError` if a private folder is where the public one would be written, or the other way around."""
    if any(name in certificate for name in _OF_PRIVATE) == private:
        return
    half, other = ("public", "private") if private else ("private", "public")
    raise TableError(
        f"the folder {str(folder)!r} holds the {half} part of a release, where the {other} part would be written.",
        f"{_CHOOSE}.",
    )


def _certificate(path: Path) -> dict[str, Any] | None:
    """Return the contents of a certificate that Shoal wrote; None if the file is anything else."""
    if (stamp := disk.status(path)) is None or not stat.S_ISREG(stamp.st_mode):
        return None
    try:
        found = json.loads(disk.read_text(path, most=_MOST))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        return None
    files = found.get("files")
    listed = isinstance(files, dict) and all(
        isinstance(one, str) and _DIGEST.fullmatch(one) for one in files.values()
    )
    return found if listed and isinstance(found.get("shoal"), str) and found.get("claims") else None


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return inode, size and time of the last change of a regular file; None if the path is anything else."""
    found = disk.status(path)
    if found is None or not stat.S_ISREG(found.st_mode):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
