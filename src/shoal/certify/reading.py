"""Read a released file or frame as a table of texts, and find the faults of the file itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.certify.files import UnsafeError, sha256_of
from shoal.certify.findings import Failure
from shoal.certify.hidden import check_hidden
from shoal.certify.in_threads import in_threads
from shoal.certify.reduced import Reduced, reduce, reduce_files
from shoal.certify.several_files import are_complete, digest_of_files, files_of, is_one_of_several
from shoal.errors import SchemaError, TableError
from shoal.policy import Policy
from shoal.tables import ReadOptions, read, read_back
from shoal.tables.database.reading import scan_database
from shoal.tables.database.source import DatabaseSource
from shoal.tables.encodings import is_utf8
from shoal.tables.file_bytes import file_bytes
from shoal.tables.formats import format_read
from shoal.tables.scan import is_scannable, scan_back
from shoal.tables.text import as_written

if TYPE_CHECKING:
    from shoal.certify.spark.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """A released table in which every cell is text; a missing cell is null, which is not the empty text.

    `frame` is None where the file cannot be read; `failures` then says why. `sha256` is None for a frame.
    """

    frame: pl.DataFrame | None
    sha256: str | None = None
    failures: tuple[Failure, ...] = ()
    scan: Callable[[], Iterator[pl.DataFrame]] | None = None
    """For a table that is read in parts: its rows, some at a time; `frame` is None."""
    scans: tuple[Callable[[], Iterator[pl.DataFrame]], ...] = ()
    """For a table in several files that is read in parts: the rows of each; `scan` has them one after the other."""
    rows: Rows | None = None
    """For a table that Spark counts: its rows, which stay where they are; `frame` is None."""
    with_cells: bool = False
    """Whether the different cells of a table that Spark counts are needed here, to compare them with a codebook."""
    _seen: list[tuple[Policy, str, Reduced]] = field(default_factory=list)

    @property
    def is_read(self) -> bool:
        return self.frame is not None or self.scan is not None or self.rows is not None

    def seen(self, policy: Policy, form: str) -> tuple[pl.DataFrame, Reduced | None]:
        """Return the table and None, or for a table that is read in parts its small table and what was counted."""
        if self.scan is None and self.rows is None:
            assert self.frame is not None
            return self.frame, None
        for known, its_form, reduced in self._seen:
            if known == policy and its_form == form:
                return reduced.frame, reduced
        self._seen.append((policy, form, self._reduced(policy, form)))
        return self._seen[-1][2].frame, self._seen[-1][2]

    def _reduced(self, policy: Policy, form: str) -> Reduced:
        if self.rows is not None:
            from shoal.certify.spark.reduced import reduce_rows

            return reduce_rows(self.rows, policy, form, with_cells=self.with_cells)
        if self.scans:
            return reduce_files(self.scans, policy, form)
        assert self.scan is not None
        return reduce(self.scan(), policy, form)


class WholeError(Exception):
    """A table cannot be read in parts, or what is wrong with it can only be counted on the whole."""


LARGE = {"csv": 1 << 26, "parquet": 1 << 23, "arrow": 1 << 26}
"""From so many bytes on a file is read in parts: 64 MiB, or 8 MiB of a Parquet file, which is packed."""


def is_large(released: Any, encoding: str | None, otherwise: str | None) -> bool:
    """Return whether a released table is read in parts: one of a database, or a large file, or several such."""
    if isinstance(released, DatabaseSource):
        return True
    if not isinstance(released, Path) or (encoding is None and otherwise is not None):
        return False
    try:
        if not is_scannable(released, ReadOptions(encoding=encoding)):
            return False
        return sum(file.stat().st_size for file in files_of(released)) >= LARGE[format_read(released)]
    except (OSError, TableError):
        return False


def open_release(
    released: Any,
    *,
    ours: bool = False,
    encoding: str | None = None,
    otherwise: str | None = None,
    in_parts: bool = False,
) -> Released:
    """Read a released table from a path or a frame.

    A text file is read in the `encoding` that its certificate states; without one as UTF-8 if it is valid, else in
    the encoding `otherwise`, and without that in the one that is found out.

    A file that does not exist or cannot be opened raises an error. A file that exists and is damaged gives a failure
    instead, since that is a fault of the release and not of the call. With `ours`, the file must also have the layout
    that Shoal writes (see `check_hidden`); without, that of any program. With `in_parts`, the rows are read only when
    they are counted; a `WholeError` is raised for a file that cannot be read so.

    A path that is called like one of several files stands for all of them in its folder. There is a failure if they
    are not all that their names speak of, or do not have the same columns.
    """
    if isinstance(released, DatabaseSource):
        if in_parts:
            return Released(None, scan=partial(scan_database, released))
        return Released(pl.concat(list(scan_database(released))))
    if not isinstance(released, str | Path):
        return Released(as_written(read(released).frame))
    open_one = partial(_open_file, ours=ours, encoding=encoding, otherwise=otherwise, in_parts=in_parts)
    path = Path(released)
    return _open_files(path, open_one) if is_one_of_several(path.name) else open_one(path)


def _open_files(path: Path, open_one: Callable[[Path], Released]) -> Released:
    """Read a released table in several files, of which `path` is one; several are read at a time."""
    files = files_of(path)
    opened = list(in_threads(open_one, files))
    failures = list(dict.fromkeys(failure for one in opened for failure in one.failures))
    if not are_complete(file.name for file in files):
        told = f"the folder holds {len(files)} files of its table, and their names speak of others"
        failures.append(Failure(check="folder", message=told))
    digest = digest_of_files({file.name: one.sha256 or "" for file, one in zip(files, opened, strict=True)})
    if all(one.is_read for one in opened) and not _alike(files, opened):
        failures.append(Failure(check="file", message="the files of the table do not have the same columns"))
        return Released(None, digest, tuple(failures))
    scans = tuple(one.scan for one in opened if one.scan is not None)
    if scans:
        return Released(None, digest, tuple(failures), scan=partial(_one_after_another, scans), scans=scans)
    frames = [one.frame for one in opened if one.frame is not None]
    frame = pl.concat(frames) if len(frames) == len(files) else None
    return Released(frame, digest, tuple(failures))


def _alike(files: Sequence[Path], opened: Sequence[Released]) -> bool:
    """Return whether all files have the same columns, in the same order and of the same types.

    Of CSV files that are read in parts the columns are compared when they are counted.
    """
    if files[0].suffix == ".csv":
        names = [one.frame.columns for one in opened if one.frame is not None]
        return all(own == names[0] for own in names)
    read = pl.read_parquet_schema if files[0].suffix == ".parquet" else pl.read_ipc_schema
    if any(file.suffix != files[0].suffix for file in files):
        return False
    first, *others = (list(read(file).items()) for file in files)
    return all(own == first for own in others)


def _one_after_another(scans: Sequence[Callable[[], Iterator[pl.DataFrame]]]) -> Iterator[pl.DataFrame]:
    for scan in scans:
        yield from scan()


def _open_file(path: Path, *, ours: bool, encoding: str | None, otherwise: str | None, in_parts: bool) -> Released:
    """Read a released file; see `open_release`."""
    format_read(path)
    if not path.is_file():
        read_back(path)  # raises the error that says why
    try:
        digest = sha256_of(path, follow=True)  # a link is safe here: the caller named the path
    except UnsafeError as odd:
        raise TableError(f"the file {path.name} {odd}.", "check the path and its permissions.") from None
    if in_parts:
        try:
            hidden = tuple(check_hidden(path, ours=ours))
        except Exception:  # whatever is damaged, reading the whole file says so
            raise WholeError from None
        return Released(None, digest, hidden, scan=partial(scan_back, path, ReadOptions(encoding=encoding)))
    try:
        if encoding is None and otherwise is not None and not is_utf8(file_bytes(path)):
            encoding = otherwise
        frame = read_back(path, ReadOptions(encoding=encoding))
        return Released(frame, digest, tuple(check_hidden(path, ours=ours)))
    except (TableError, SchemaError) as damage:
        message = damage.message.removesuffix(".")
        return Released(None, digest, (Failure(check="file", message=f"the file cannot be read: {message}"),))
