"""A release through Spark: the same rows as on one computer, and the same folders."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.main import app
from shoal.engines.columns import SUMMARY
from shoal.engines.local import LocalEngine
from shoal.engines.release import release_rows
from shoal.engines.spark.engine import SparkEngine
from shoal.errors import ParameterError
from shoal.policy import Policy
from shoal.secret import Secret
from tests.engines import tables
from tests.spark_cluster import SOCKETS, Cluster

pytestmark = SOCKETS

SETTINGS: dict[str, Any] = {
    "k": 4,
    "columns": {
        "name": {"role": "identifier"},
        "patient": {"role": "person"},
        "age": {"role": "quasi"},
        "income": {"role": "quasi"},
        "town": {"role": "quasi"},
        "illness": {"role": "sensitive", "diversity": {"l": 2}},
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


DEEP = [pytest.param(40_000, visits, False, marks=pytest.mark.deep) for visits in (False, True)]


@pytest.mark.parametrize(("n_rows", "visits", "as_texts"), [(6000, True, True), *DEEP])
def test_spark_and_one_computer_release_the_same_rows(
    spark: SparkEngine, tmp_path: Path, n_rows: int, visits: bool, as_texts: bool
) -> None:
    """Also where dates and numbers are texts in a format, and codes stand for what is missing."""
    frame = tables.people(n_rows, 1, gaps=True, visits=visits)
    path = tables.stored(tables.in_texts(frame) if as_texts else frame, tmp_path, rows=n_rows // 3)
    asked = (tables.german if as_texts else tables.policy)(visits=visits, effort=1, illness={"diversity": {"l": 2}})
    secret, made = Secret(bytes(range(32)), 7), []
    with closing(LocalEngine(tmp_path, n_workers=1)) as local:
        for engine in (local, spark):
            rows = release_rows(engine, engine.read(path), asked, secret, source="people", size=n_rows // 4)
            assert len(rows.blocks) > 1
            shown = [name for name in engine.schema(rows.data).names if name != SUMMARY]
            made.append(pl.DataFrame(engine.collect(rows.data, stage="rows").select(shown)))
    assert made[0].schema == made[1].schema
    assert multiset(made[0]) == multiset(made[1])


def test_spark_and_one_computer_leave_out_the_same_rows(spark: SparkEngine, tmp_path: Path) -> None:
    frame = tables.with_odd_rows(tables.people(2600, 1))
    path = tables.stored(frame, tmp_path, rows=900)
    asked = tables.policy(effort=1, max_suppressed=0.01)
    made = []
    with closing(LocalEngine(tmp_path, n_workers=1)) as local:
        for engine in (local, spark):
            rows = release_rows(engine, engine.read(path), asked, Secret(bytes(32)), source="people", size=1100)
            assert len(rows.blocks) > 1
            assert 0 < rows.n_left_out <= 26
            shown = [name for name in engine.schema(rows.data).names if name != SUMMARY]
            made.append(pl.DataFrame(engine.collect(rows.data, stage="rows").select(shown)))
    assert made[0].schema == made[1].schema
    assert multiset(made[0]) == multiset(made[1])


@pytest.mark.deep
def test_the_command_line_writes_the_same_folders_on_a_cluster(
    spark: SparkEngine, spark_cluster: Cluster, tmp_path: Path
) -> None:
    source, policy, out = tmp_path / "people.parquet", tmp_path / "policy.toml", tmp_path / "out"
    people(600).write_parquet(source, row_group_size=200)
    policy.write_text(Policy.parse(SETTINGS).dumps(), encoding="utf-8")
    words = ["anonymize", str(source), "--policy", str(policy), "--out", str(out), "--engine", "spark", "--json"]
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
        released = pl.DataFrame(release.to_spark().toArrow())
        release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    written = pl.read_parquet(tmp_path / "out" / "release.parquet")
    assert written.height == 600
    assert multiset(released.cast(pl.String)) == multiset(written.cast(pl.String))
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
