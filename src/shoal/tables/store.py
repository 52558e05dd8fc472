"""Reading a table from an object store or another place that fsspec knows: `s3://bucket/visits.parquet`.

Guarantee   What is fetched lies in a folder that only its owner can enter, and is removed when the table was read or
            the run failed. An address is never in a message, a report or a `repr`: it may hold a key, and so may what
            a store says. What is shown is the kind of store and the name of the file.

Files are fetched whole and then read as files of this computer are. A pattern, or an address that ends in `/`, names
the Parquet files of a folder (`parts`).
"""

from __future__ import annotations

import posixpath
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from shoal import progress
from shoal.errors import EngineError, ParameterError, TableError

STORES = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs",
    "hdfs": "pyarrow", "http": "aiohttp", "https": "aiohttp", "sftp": "paramiko", "ftp": "", "memory": "",
}  # fmt: skip
"""The schemes that are read, and the package that fsspec needs for each."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9]*)://")
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A file, or the Parquet files of a folder, in a store; `scheme` says which kind of store."""

    scheme: str
    address: str = field(repr=False)

    @property
    def name(self) -> str:
        """What the source is called in reports: the name of the file, without the rest of its address."""
        return posixpath.basename(self._path.rstrip("/")) or f"a table in {self.scheme}://"

    @property
    def is_folder(self) -> bool:
        """Whether the address names several files: by a pattern, or as a folder."""
        return self._path.endswith("/") or bool(_PATTERN.search(self._path))

    @property
    def _path(self) -> str:
        if self.scheme in ("http", "https"):
            return urlsplit(self.address).path
        return self.address.partition("://")[2]


def stored(source: object) -> StoredSource | None:
    """Return a source as one in a store; None if it is anything else. A password in an address is refused."""
    if not isinstance(source, str) or (found := _ADDRESS.match(source)) is None or found[1].lower() not in STORES:
        return None
    place = source[found.end() :].split("/", 1)[0]
    if "@" in place and ":" in place.rpartition("@")[0]:
        raise ParameterError(
            "the address holds a password, which messages and the list of processes could show.",
            "leave it out, and give it in the way that the store's own package describes: an environment variable or "
            "a file of settings.",
        )
    return StoredSource(found[1].lower(), source)


@contextmanager
def fetched(source: StoredSource) -> Iterator[Path]:
    """Fetch a source, and yield the path of the file or of the folder of files during the block."""
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        with progress.step("fetching"), _rewritten(source):
            found = _fetch(source, Path(folder))
        yield found


def _fetch(source: StoredSource, folder: Path) -> Path:
    """Return the path of what was fetched into a folder."""
    import fsspec

    store, path = fsspec.core.url_to_fs(source.address)
    if not source.is_folder:
        here = folder / source.name
        store.get_file(path, str(here))
        return here
    listed = store.glob(path) if _PATTERN.search(path) else store.find(path)
    files = [one for one in listed if one.lower().endswith(".parquet")]
    if not files:
        raise TableError(
            f"there is no Parquet file at {source.name!r}.", "give the address of a folder that has some."
        )
    for one in files:  # below their whole path: folders called key=value give a column each
        here = _below(folder, one)
        here.parent.mkdir(parents=True, exist_ok=True)
        store.get_file(one, str(here))
    return _below(folder, posixpath.dirname(_PATTERN.split(path)[0]))


def _below(folder: Path, path: str) -> Path:
    """Return where a file of the store is put; one whose name leads out of the folder is refused."""
    here = folder / path.strip("/")
    if ".." in here.parts:
        raise TableError("a file of the store has a name that leads out of its folder.", "rename it there.")
    return here


@contextmanager
def _rewritten(source: StoredSource) -> Iterator[None]:
    """Turn what a store says into one sentence without its words, which may hold an address with a key."""
    where = f"{source.name!r} in {source.scheme}://"
    try:
        yield
    except (TableError, ParameterError, KeyboardInterrupt):
        raise
    except ImportError as missing:
        needs = "fsspec" if missing.name == "fsspec" else STORES[source.scheme]
        extra = "'shoal[stores]'" if needs in ("fsspec", "") else f"'shoal[stores]' {needs}"
        raise EngineError(
            f"reading from {source.scheme}:// needs a package that is not installed.", f"pip install {extra}."
        ) from None
    except FileNotFoundError:
        raise TableError(f"there is no {where}.", "check the address.") from None
    except PermissionError:
        raise TableError(
            f"{where} may not be read.", "check the credentials that the store's own package reads."
        ) from None
    except Exception as failed:
        raise TableError(
            f"{where} cannot be fetched ({type(failed).__name__}).",
            "check the address, the credentials and the network, or copy the file to this computer.",
        ) from None
