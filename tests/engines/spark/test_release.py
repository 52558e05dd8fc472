"""A release through Spark: the same rows as on one computer, and the same folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.engines.local import LocalEngine
from shoal.engines.release import release_rows
from shoal.engines.spark.engine import SparkEngine
from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.secret import Secret
from tests.spark_cluster import Cluster

SETTINGS: dict[str, Any] = {
    "k": 4,
    "columns": {
        "name": {"role": "identifier"},
        "patient": {"role": "person"},
        "age": {"role": "quasi"},
        "income": {"role": "quasi"},
        "town": {"role": "quasi"},
        "illness": {"role": "sensitive", "diversity": {"l": 2}, "closeness": {"t": 0.6}},
    },
}


def people(n_rows: int) -> pl.DataFrame:
    """Rows about fewer people, with missing cells."""
    random = np.random.default_rng(n_rows)
    age = random.integers(18, 90, n_rows)
    return pl.DataFrame(
        {
            "name": [f"name {row}" for row in range(n_rows)],
            "patient": random.integers(0, n_rows * 3 // 4, n_rows),
            "age": pl.Series(age, dtype=pl.Int32).set(pl.Series(age % 19 == 0), None),
            "income": random.lognormal(10, 1, n_rows).round(-2),
            "town": random.choice(["Ulm", "Bonn", "Mainz"], n_rows),
            "illness": random.choice(["flu", "cold", "gout", "none"], n_rows),
        }
    ).with_columns(pl.when(pl.col("age") % 23 == 0).then(None).otherwise("town").alias("town"))


def multiset(frame: pl.DataFrame) -> list[tuple[object, ...]]:
    return sorted(frame.rows(), key=str)


@pytest.mark.parametrize("n_rows", [2000, pytest.param(60_000, marks=pytest.mark.deep)])
def test_spark_and_one_computer_release_the_same_rows(spark: SparkEngine, tmp_path: Path, n_rows: int) -> None:
    people(n_rows).write_parquet(tmp_path / "people.parquet", row_group_size=n_rows // 5)
    columns = SETTINGS["columns"] | {"illness": {"role": "sensitive", "diversity": {"l": 2}}}
    policy, secret = Policy.parse(SETTINGS | {"columns": columns}), Secret(bytes(range(32)), 7)
    tables = []
    local = LocalEngine(tmp_path, n_workers=1)
    for engine in (local, spark):
        data = engine.read(tmp_path / "people.parquet")
        rows = release_rows(engine, data, policy, secret, source="people", size=n_rows // 5)
        assert len(rows.summaries) > 1
        tables.append(engine.collect(rows.data, stage="rows"))
    local.close()
    names = tables[0].column_names
    assert tables[1].column_names == names
    shown = [name for name in names if name != "shoal: summary"]
    assert multiset(pl.DataFrame(tables[0].select(shown))) == multiset(pl.DataFrame(tables[1].select(shown)))


def test_the_command_line_writes_the_same_folders_on_a_cluster(
    spark: SparkEngine, spark_cluster: Cluster, tmp_path: Path
) -> None:
    source, policy, out = tmp_path / "people.parquet", tmp_path / "policy.toml", tmp_path / "out"
    people(600).write_parquet(source, row_group_size=200)
    policy.write_text(Policy.parse(SETTINGS).dumps(), encoding="utf-8")
    words = ["anonymize", str(source), str(policy), "-o", str(out), "--engine", "spark", "--json"]
    done = CliRunner().invoke(app, [*words, "--master", spark_cluster.master])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["engine"] == "spark"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private", source.name, policy.name]
    assert shoal.verify(out).holds


def test_a_frame_of_spark_is_released_where_it_is(spark: SparkEngine, tmp_path: Path) -> None:
    frame = people(600)
    rows = spark.session.createDataFrame(frame.rows(), frame.columns)
    with shoal.anonymize(rows, SETTINGS) as release:
        release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    assert pl.read_parquet(tmp_path / "out" / "release.parquet").height == 600
    assert spark.session.range(3).count() == 3  # the session of the caller goes on


def test_a_release_that_cannot_finish_leaves_nothing(spark: SparkEngine, tmp_path: Path) -> None:
    people(600).with_columns(illness=pl.lit("flu")).write_parquet(tmp_path / "people.parquet")
    before = sorted(tmp_path.iterdir())
    source = spark.session.read.parquet(str(tmp_path / "people.parquet"))
    with pytest.raises(shoal.ShoalError), shoal.anonymize(source, SETTINGS) as release:
        release.write(tmp_path / "out")
    assert sorted(tmp_path.iterdir()) == before


def test_spark_needs_an_address_and_a_frame_has_one(spark: SparkEngine, tmp_path: Path) -> None:
    people(100).write_parquet(tmp_path / "people.parquet")
    with pytest.raises(ParameterError, match="needs the address of the cluster"):
        shoal.anonymize(tmp_path / "people.parquet", SETTINGS, engine="spark")
    with pytest.raises(ParameterError, match="a frame of Spark has its master"):
        shoal.anonymize(spark.session.range(3), SETTINGS, master="local[1]")  # type: ignore[call-overload]
