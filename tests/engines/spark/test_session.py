"""What Spark needs is asked for in one sentence, before anything is started."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from shoal.engines.spark.failures import as_ours, on_worker
from shoal.errors import EngineError, InfeasibleError, ParameterError
from shoal.spark_session import check_java, connect, import_pyspark


def fake_java(folder: Path, version: str, code: int = 0) -> Path:
    (folder / "bin").mkdir()
    program = folder / "bin" / "java"
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\nexit {code}\n", encoding="utf-8")
    program.chmod(0o700)
    return folder


def test_java_that_is_too_old_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, "1.8.0_402")))
    with pytest.raises(EngineError, match="Spark needs Java 17 or later; this is Java 8") as raised:
        check_java()
    assert "openjdk-17" in str(raised.value.hint)


def test_a_newer_java_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, "21.0.2")))
    assert check_java() == tmp_path / "bin" / "java"


def test_without_java_the_way_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="Spark needs Java, and there is none"):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match="Spark needs Java, and there is none"):
        check_java()


def test_without_pyspark_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(EngineError, match="Spark needs the package pyspark") as raised:
        import_pyspark()
    assert raised.value.hint == "pip install 'shoal[spark]'"


@pytest.mark.parametrize("master", ["", "spark", "http://host:1", "local[2", "; rm"])
def test_an_address_that_is_none_is_refused(master: str) -> None:
    with pytest.raises(ParameterError, match="not one that is known"):
        connect(master)


def test_a_master_that_does_not_answer_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.spark_session.check_java", lambda: None)
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody answers
        with pytest.raises(EngineError, match="the master of Spark does not answer"):
            connect(f"spark://127.0.0.1:{taken.getsockname()[1]}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ModuleNotFoundError: No module named 'shoal'", "Shoal is not installed where the workers of Spark run"),
        ("No module named 'polars'", "has no module polars"),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version", "another version of Python"),
        ("is bigger than spark.driver.maxResultSize (1024.0 MiB)", "it is too large"),
        ("a cell of Jane Doe", r"could not finish the step groups \(RuntimeError\)"),
    ],
)
def test_errors_of_spark_are_one_sentence_without_cells(text: str, said: str) -> None:
    found = as_ours(RuntimeError(text), "groups")
    assert isinstance(found, EngineError)
    with pytest.raises(EngineError, match=said):
        raise found
    assert "Jane" not in str(found)


def test_an_error_of_ours_survives_the_way_through_java() -> None:
    first = InfeasibleError("k=3 \u2026 'x'\n", "lower k")
    told = RuntimeError(f"Job aborted\n  Traceback ...\n {on_worker(first)}\n at java.lang.Thread")
    assert str(as_ours(told, "groups")) == str(first)
    assert type(as_ours(told, "groups")) is InfeasibleError
