"""Releases in blocks from the command line and from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from shoal.errors import ParameterError
from tests.cli.running import shoal as command
from tests.engines.tables import people, policy, stored


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("commands")
    stored(people(300), made, rows=100)
    policy(effort=2.0).write(made / "policy.toml")
    return made


def test_the_command_writes_both_folders_and_removes_its_work(folder: Path) -> None:
    arguments = ["anonymize", str(folder / "table.parquet"), "--policy", str(folder / "policy.toml")]
    found = command(*arguments, "--out", str(folder / "out"), "--engine", "local", "--json")
    assert found.code == 0, found.err
    told = json.loads(found.out)
    assert told["ok"]
    assert told["engine"] == "local"
    assert told["rows"] == 300
    assert "seed" not in told
    assert shoal.verify(folder / "out").holds
    assert not list(folder.glob(".shoal-*"))
    assert {path.name for path in (folder / "out.private").iterdir()} == {
        "certificate.json", "measures.json", "policy.toml", "report.txt", "secret.key",
    }  # fmt: skip


def test_python_gives_a_release_that_is_verified_when_it_is_written(folder: Path) -> None:
    with shoal.anonymize(folder / "table.parquet", folder / "policy.toml", engine="local") as release:
        with pytest.raises(ParameterError, match="verified when it is written"):
            _ = release.certificate
        written = release.write(folder / "python")
        assert written.certificate.holds
        assert "information lost" in str(written)
        work = release.rows.engine.folder  # type: ignore[attr-defined]
        assert work.exists()
    assert not work.exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "cloud"], "engine=cloud is not known"),
        (["--engine", "local", "--master", "spark://a:1"], "--master is for Spark"),
        (["--engine", "local", "--mapping"], "--mapping is only for tables that are taken into memory"),
        (["--engine", "local", "--format", "csv"], "cannot be written block by block"),
        (["--engine", "local", "--time-limit", "9"], "divided into blocks"),
    ],
)
def test_what_an_engine_cannot_do_is_one_sentence(folder: Path, options: list[str], said: str) -> None:
    arguments = ["anonymize", str(folder / "table.parquet"), "--policy", str(folder / "policy.toml")]
    found = command(*arguments, "--out", str(folder / "refused"), *options)
    assert found.code == 2
    assert said in " ".join(found.err.split())
    assert not (folder / "refused").exists()
    assert not list(folder.glob(".shoal-*"))


def test_a_parent_that_does_not_exist_is_said_before_the_work(folder: Path, tmp_path: Path) -> None:
    arguments = ["anonymize", str(folder / "table.parquet"), "--policy", str(folder / "policy.toml")]
    found = command(*arguments, "--out", str(tmp_path / "no" / "out"), "--engine", "local")
    assert found.code == 2
    assert "its parent is no folder" in found.err
