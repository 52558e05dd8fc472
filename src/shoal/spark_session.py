"""A session of Spark: found or started quietly, with one sentence where something that it needs is missing."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shoal.errors import EngineError, ParameterError

LEAST_JAVA = 17
"""Spark 4 runs on Java 17 and later."""
_LOCAL = re.compile(r"local(\[[^\]]+\])?")
_MASTER = re.compile(r"(local(\[[^\]]+\])?|(spark|sc|k8s)://.+|yarn)")
_SETTINGS = {
    "spark.ui.enabled": "false",  # a page that any local user could read
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "FATAL",  # at ERROR, a task that fails is logged with the text of its error
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",  # at 10,000, calls cost more than the work in them
    "spark.sql.adaptive.enabled": "true",
}


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence what pyspark says about the versions of its own dependencies."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def import_pyspark() -> Any:
    """Return the module pyspark; an EngineError says how to install it."""
    try:
        with without_warnings():
            import pyspark
    except ImportError:
        raise EngineError("Spark needs the package pyspark.", "pip install 'shoal[spark]'") from None
    if int(pyspark.__version__.split(".")[0]) < 4:
        raise EngineError(f"pyspark {pyspark.__version__} is too old.", "pip install 'shoal[spark]'")
    return pyspark


def connect(master: str) -> tuple[Any, bool]:
    """Return a session on a master (`local[2]`, `spark://host:7077`, `yarn`), and whether it was started here."""
    if not _MASTER.fullmatch(master):
        raise ParameterError(
            "the master of Spark is not one that is known.", "give spark://host:port, local[2], yarn or sc://host."
        )
    import_pyspark()
    with without_warnings():
        from pyspark.sql import SparkSession
    if master.startswith("sc://"):
        with _connecting(), without_warnings():
            return SparkSession.builder.remote(master).getOrCreate(), True
    running = SparkSession.getActiveSession()
    if running is not None:
        if running.sparkContext.master != master:
            raise ParameterError(
                f"this process has a session on {running.sparkContext.master}, and {master} was asked for.",
                "stop that session, or ask for its master.",
            )
        return running, False
    check_java()
    if master.startswith("spark://"):
        _check_reachable(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("shoal")
    for name, value in (_SETTINGS | _environment() | _loopback(master)).items():
        builder = builder.config(name, value)
    with _connecting(), without_warnings(), _quiet_start():
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("FATAL")
    return session, True


@contextmanager
def _connecting() -> Iterator[None]:
    """Raise an EngineError if Spark cannot be reached or does not start."""
    try:
        yield
    except Exception as raised:
        raise EngineError(
            f"Spark does not start, or the cluster cannot be reached ({type(raised).__name__}).",
            "check the address of the master, and that its version of Spark is that of pyspark.",
        ) from None


def is_spark_frame(source: Any) -> bool:
    """Return whether something is a frame of Spark; pyspark is not loaded for it."""
    return type(source).__module__.startswith("pyspark.sql") and type(source).__name__ == "DataFrame"


def _environment() -> dict[str, str]:
    """Return settings that hand on where compiled kernels are kept, if this process was told."""
    told = {name: os.environ[name] for name in ("SHOAL_CACHE_DIR", "SHOAL_NUMBA_CACHE") if name in os.environ}
    return {f"spark.executorEnv.{name}": value for name, value in told.items()}


def _loopback(master: str) -> dict[str, str]:
    """Return settings that keep a session within this computer from listening to the network."""
    here = _LOCAL.fullmatch(master) or urlsplit(master).hostname in ("127.0.0.1", "localhost")
    return {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"} if here else {}


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Keep what Java says while it starts from the terminal; it ends at the first line of our own otherwise."""
    with tempfile.TemporaryDirectory(prefix="shoal-spark-") as folder:
        settings = Path(folder) / "log4j2.properties"
        settings.write_text("rootLogger.level = fatal\n", encoding="utf-8")
        before = os.environ.get("SPARK_SUBMIT_OPTS")
        os.environ["SPARK_SUBMIT_OPTS"] = f"{before or ''} -Dlog4j2.configurationFile={settings.as_uri()}".strip()
        kept = os.dup(2)
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (a device, not a file)
            os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            if before is None:
                del os.environ["SPARK_SUBMIT_OPTS"]
            else:
                os.environ["SPARK_SUBMIT_OPTS"] = before


def _check_reachable(master: str) -> None:
    """Raise an EngineError if nothing listens where the master should; Spark would try for minutes."""
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
            return
        except (OSError, ValueError):
            continue
    raise EngineError(
        "the master of Spark does not answer.", "check its address (spark://host:7077), and that it is running."
    )


def check_java() -> Path:
    """Return the program java; an EngineError says what to install where there is none, or it is too old."""
    home = os.environ.get("JAVA_HOME")
    found = Path(home) / "bin" / "java" if home else shutil.which("java")
    way_out = "install Java 17 or 21 (Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME to it."
    if found is None or not Path(found).exists():
        raise EngineError("Spark needs Java, and there is none.", way_out)
    try:
        done = subprocess.run([found, "-version"], capture_output=True, text=True, timeout=60, check=False)
        said = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    except (OSError, subprocess.TimeoutExpired):
        said = None
    if said is None:
        raise EngineError("the Java that Spark would use does not start.", way_out)
    if int(said[1]) < LEAST_JAVA:
        raise EngineError(f"Spark needs Java {LEAST_JAVA} or later; this is Java {said[1]}.", way_out)
    return Path(found)
