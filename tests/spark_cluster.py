"""A Spark cluster for the tests: a master and two workers of one core on loopback, always stopped."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_SETTINGS = """
spark.executor.memory 700m
spark.driver.memory 700m
spark.shuffle.io.maxRetries 1
spark.shuffle.io.retryWait 500ms
spark.sql.shuffle.partitions 2
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.codegen.wholeStage false
spark.stage.maxConsecutiveAttempts 20
"""
"""What a spark-defaults.conf of a small machine would say; and a lost worker's files are given up soon."""

SOCKETS = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
"""For modules that use a cluster: pyspark before 4.2 leaves sockets of its own to the garbage collector."""


def java() -> str | None:
    """The program java; None if it is not installed."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") if home is None else shutil.which(f"{home}/bin/java")


@dataclass
class Cluster:
    """A running cluster; `master` is what a session connects to."""

    folder: Path
    port: int
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def start_worker(self, name: str) -> None:
        """Start a worker and wait until the master knows it."""
        options = ["--cores", "1", "--memory", "800m", "--host", "127.0.0.1", "--webui-port", "0"]
        work = ["--work-dir", str(self.folder / name)]
        self._start(name, "org.apache.spark.deploy.worker.Worker", *options, *work, self.master)
        self._wait(name, "Successfully registered with master")

    def kill_worker(self, name: str) -> None:
        """Kill a worker at once, with the executors and the Python processes that it runs."""
        process = self.processes.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes.clear()

    def _start(self, name: str, *words: str) -> None:
        import pyspark

        home = Path(pyspark.__file__).parent
        environment = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_DAEMON_MEMORY": "200m",
            "SPARK_LOCAL_DIRS": str(self.folder / f"{name}-local"),
            "SPARK_NO_DAEMONIZE": "1",
        }
        ends_with_us = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [*ends_with_us, str(home / "bin" / "spark-class"), *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )

    def _wait(self, name: str, said: str) -> None:
        log = self.folder / f"{name}.log"
        for _ in range(600):
            text = log.read_text(encoding="utf-8", errors="replace")
            if said in text:
                return
            assert self.processes[name].poll() is None, text
            time.sleep(0.1)
        raise AssertionError(log.read_text(encoding="utf-8", errors="replace"))


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Start a master and two workers, and stop all of them at the end or when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="shoal-spark-cluster-"))
    before = os.environ.get("SPARK_CONF_DIR")
    try:
        (folder / "conf").mkdir()
        (folder / "conf" / "spark-defaults.conf").write_text(_SETTINGS, encoding="utf-8")
        logged = "rootLogger.level = info\nrootLogger.appenderRef.stderr.ref = console\n" + (
            "appender.console.type = Console\nappender.console.name = console\nappender.console.target = SYSTEM_ERR\n"
            "appender.console.layout.type = PatternLayout\nappender.console.layout.pattern = %p %c{1}: %m%n\n"
        )
        (folder / "conf" / "log4j2.properties").write_text(logged, encoding="utf-8")
        os.environ["SPARK_CONF_DIR"] = str(folder / "conf")
        running = Cluster(folder, _free_port())
        try:
            where = ["--host", "127.0.0.1", "--port", str(running.port), "--webui-port", "0"]
            running._start("master", "org.apache.spark.deploy.master.Master", *where)
            running._wait("master", "I have been elected leader")
            for name in ("one", "two"):
                running.start_worker(name)
            yield running
        finally:
            running.stop()
    finally:
        if before is None:
            os.environ.pop("SPARK_CONF_DIR", None)
        else:
            os.environ["SPARK_CONF_DIR"] = before
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
