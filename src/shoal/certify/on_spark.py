"""The door to counting on Spark: nothing of Spark is loaded where it is not asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.caller import named, setting
from shoal.certify.files import UnsafeError, sha256_of
from shoal.certify.hidden import check_hidden
from shoal.certify.reading import Released
from shoal.certify.several_files import is_one_of_several
from shoal.errors import ParameterError, TableError
from shoal.policy import Policy
from shoal.spark_session import connect, is_spark_frame

if TYPE_CHECKING:
    from shoal.certify.spark.rows import Rows


@contextmanager
def on_spark(released: Any, engine: str | None, master: str | None, preset: Any) -> Iterator[Any]:
    """Yield the session in which a release is counted, or None if not on Spark; end it if it was started here."""
    if engine not in (None, "spark"):
        raise ParameterError(f"engine={engine} is not known.", f"leave it out, or take {setting('engine', 'spark')}.")
    if master is not None and engine is None:
        raise ParameterError(f"{named('master')} is for Spark.", f"add {setting('engine', 'spark')}.")
    if (engine is not None or is_spark_frame(released)) and preset is not None:
        raise ParameterError("a preset is not checked on Spark.", "check it without Spark.")
    if is_spark_frame(released):
        yield released.sparkSession
        return
    if engine is None:
        yield None
        return
    if not isinstance(released, str | Path):
        raise ParameterError("Spark counts a Parquet file, the folder of a release, or a frame of its own.")
    if master is None:
        raise ParameterError(
            f"{setting('engine', 'spark')} needs the address of the cluster.",
            f"give {setting('master', 'spark://host:7077')}, or local[4] for the cores of this computer.",
        )
    session, started = connect(master)
    try:
        yield session
    finally:
        if started:
            session.stop()


def open_rows(released: Any, session: Any, *, ours: bool, with_cells: bool) -> Released:
    """Return a released table whose rows Spark reads; the bytes of a file are checked here."""
    from shoal.certify.spark.rows import of_file, of_frame

    if is_spark_frame(released):
        return Released(None, rows=of_frame(released), with_cells=with_cells)
    path = Path(released)
    if is_one_of_several(path.name):
        raise ParameterError("Spark counts a table in one file only.", "verify this release without Spark.")
    rows = of_file(path, session)
    try:
        digest = sha256_of(path, follow=True)
    except UnsafeError as odd:
        raise TableError(f"the file {path.name} {odd}.", "check the path and its permissions.") from None
    return Released(None, digest, tuple(check_hidden(path, ours=ours)), rows=rows, with_cells=with_cells)


def has_points(rows: Rows, policy: Policy) -> bool:
    """Return whether all cells of the quasi-identifiers are single numbers or dates."""
    from shoal.certify.spark.reduced import all_points

    return all_points(rows, policy)
