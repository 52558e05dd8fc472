"""`anonymize` for tables that are larger than memory: which engine takes a source, and what it gives back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from shoal.caller import named, setting
from shoal.errors import ParameterError
from shoal.pipeline.inputs import name_of
from shoal.pipeline.reporting import read_options, reporting_memory
from shoal.policy import Policy
from shoal.secret import Earlier, Secret
from shoal.spark_session import is_spark_frame
from shoal.tables.formats import format_read
from shoal.tables.parts import parts_of

if TYPE_CHECKING:
    from shoal.engines.folder import LargeRelease

EngineName = Literal["memory", "local", "spark"]
"""Where a release is made: with the whole table in memory, in blocks on this computer, or in blocks on Spark."""


def engine_of(source: Any, engine: EngineName | None) -> EngineName:
    """Return the engine to use: the one asked for, Spark for a frame of Spark, otherwise memory."""
    if engine is not None and engine not in get_args(EngineName):
        raise ParameterError(f"engine={engine} is not known.", f"choose one of {', '.join(get_args(EngineName))}.")
    if is_spark_frame(source):
        if engine not in (None, "spark"):
            raise ParameterError(f"a frame of Spark cannot be used with engine={engine}.", "leave the engine out.")
        return "spark"
    return engine or "memory"


def check_alone(engine: EngineName, **others: object) -> None:
    """Raise a ParameterError for a keyword that is only for tables in memory."""
    for name, given in others.items():
        if given is not None:
            raise ParameterError(
                f"{named(name)} cannot be used with {setting('engine', engine)}.", "leave one of the two out."
            )


def anonymize_in_blocks(
    source: Any,
    policy: Policy,
    secret: Secret | Earlier,
    engine: EngineName,
    *,
    master: str | None = None,
    work: str | Path | None = None,
) -> LargeRelease:
    """Return a release of a table that is divided into blocks by an engine; it is verified when it is written."""
    from shoal.engines.folder import LargeRelease
    from shoal.engines.release import release_rows
    from shoal.engines.staging import stored

    if master is not None and engine != "spark":
        raise ParameterError(f"{named('master')} is for Spark.", f"add {setting('engine', 'spark')}.")
    if engine == "spark" and not is_spark_frame(source) and "://" not in str(source):  # which Spark reads itself
        _check_parquet(source)
    own = _on_spark(source, master, work) if engine == "spark" else _here(work)
    try:
        with reporting_memory():
            place = source if engine == "spark" else stored(source, policy, read_options(policy), own.folder)
            rows = release_rows(own, own.read(place), policy, secret, source=name_of(source))
    except BaseException:
        own.close()
        raise
    return LargeRelease(rows=rows, seconds=rows.seconds)


def _here(work: str | Path | None) -> Any:
    """Return the engine of this computer."""
    from shoal.engines.local import LocalEngine

    return LocalEngine(None if work is None else Path(work))


def _on_spark(source: Any, master: str | None, work: str | Path | None) -> Any:
    """Return an engine on the session of a Spark frame, or on the master that was given."""
    from shoal.engines.spark.engine import SparkEngine

    if is_spark_frame(source):
        if master is not None:
            raise ParameterError(f"a frame of Spark has its master; {named('master')} cannot be given.")
        return SparkEngine(source.sparkSession, work=work)
    if master is None:
        raise ParameterError(
            f"{setting('engine', 'spark')} needs the address of the cluster.",
            f"give {setting('master', 'spark://host:7077')}, or local[4] for the cores of this computer.",
        )
    return SparkEngine.connect(master, work=work)


def _check_parquet(source: Any) -> None:
    """Raise a ParameterError unless the source is a Parquet file, or several in a folder or pattern."""
    if isinstance(source, str | Path) and (parts_of(source) or format_read(Path(source)) == "parquet"):
        return
    raise ParameterError(
        f"{setting('engine', 'spark')} reads Parquet files and frames of Spark only.",
        f"write the table as Parquet first (in polars: frame.write_parquet), or use {setting('engine', 'local')}.",
    )
