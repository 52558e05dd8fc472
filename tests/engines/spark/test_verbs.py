"""The verbs of the engine on a real cluster: a master and two workers, each with one core."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.engines.engine import Batches
from shoal.engines.spark.engine import SparkData, SparkEngine
from shoal.errors import EngineError, InfeasibleError, TableError
from tests.engines.spark.every_type import EVERY_TYPE, KEY, assert_same
from tests.spark_cluster import SOCKETS, Cluster

pytestmark = SOCKETS

NUMBERS = pa.schema([("key", pa.int32()), ("id", pa.int64()), ("order", pa.int64())])
STEP = 0x9E3779B97F4A7C15


def numbers(engine: SparkEngine, n_rows: int, n_keys: int) -> SparkData:
    """Rows 0 to n - 1 in four partitions, with a key and a number that orders them at random."""

    def make(batches: Batches) -> Batches:
        for batch in batches:
            ids = np.asarray(batch.column(0))
            order = (ids.astype(np.uint64) * np.uint64(STEP)).view(np.int64)
            yield pa.record_batch([pa.array((ids % n_keys).astype(np.int32)), ids, order], schema=NUMBERS)

    return engine.map(engine.read(engine.session.range(0, n_rows, 1, 4)), make, NUMBERS, stage="numbers")


def everything(engine: SparkEngine) -> SparkData:
    """The table of every type."""
    table = EVERY_TYPE

    def make(batches: Batches) -> Batches:
        for _ in batches:
            yield from table.to_batches()

    return engine.map(engine.read(engine.session.range(0, 1, 1, 1)), make, table.schema, stage="every type")


def in_order(table: pa.Table) -> pa.Table:
    """The rows by their key, which `take` cannot do for every type."""
    rows = {key: place for place, key in enumerate(table[KEY].to_pylist())}
    return pa.concat_tables([table.slice(rows[key], 1) for key in sorted(rows)])


def test_every_type_goes_through_every_verb_unchanged(spark: SparkEngine) -> None:
    want = in_order(EVERY_TYPE)
    data = everything(spark)
    assert spark.schema(data).equals(want.schema)
    assert_same(in_order(spark.collect(data, stage="map")), want)
    keyed = spark.map_keys(data, KEY, 4, lambda rows: rows, want.schema, stage="keys")
    kept = spark.keep(keyed, stage="keys")
    assert_same(in_order(spark.collect(kept, stage="kept")), want)
    assert_same(pa.Table.from_batches(list(spark.sorted_batches(kept, [KEY], stage="sorted"))), want)
    some = [KEY, *want.column_names[:0:-3]]
    assert_same(in_order(spark.collect(spark.select(kept, some), stage="some")), want.select(some))
    assert_same(in_order(spark.collect(spark.select(data, some), stage="some")), want.select(some))


def test_a_spark_frame_is_read_with_its_types_also_before_1900_and_in_any_time_zone(spark: SparkEngine) -> None:
    session = spark.session
    moment = dt.datetime(1850, 3, 4, 5, 6, 7, 890_123)
    rows = [
        (2**63 - 1, Decimal("-1.50"), dt.date(1582, 10, 4), "a\0b", moment, moment.replace(tzinfo=dt.UTC), [1, None]),
        (None, None, None, None, None, None, None),
    ]
    kinds = "n bigint, d decimal(38, 2), day date, t string, m timestamp_ntz, z timestamp, `a.b` array<int>"
    before = session.conf.get("spark.sql.session.timeZone")
    frame = session.createDataFrame(rows, kinds)
    try:
        session.conf.set("spark.sql.session.timeZone", "America/St_Johns")
        data = spark.read(frame)
        moments = [pa.timestamp("us"), pa.timestamp("us", "UTC")]
        assert [column.type for column in data.schema][4:6] == moments
        got = spark.collect(spark.keep(data, stage="kept"), stage="read").to_pylist()
    finally:
        session.conf.set("spark.sql.session.timeZone", before)
    want = [dict(zip(data.schema.names, row, strict=True)) for row in rows]
    assert sorted(got, key=str) == sorted(want, key=str)


def test_a_column_of_a_frame_that_cannot_be_read_is_named(spark: SparkEngine) -> None:
    with pytest.raises(TableError, match="column v has the type variant"):
        spark.read(spark.session.sql("select 1 as n, parse_json('{}') as v"))


@pytest.mark.pinned  # pyarrow 21 cannot write all of these types
def test_parquet_files_are_read_by_workers_as_they_are(spark: SparkEngine, tmp_path: Path) -> None:
    names = [name for name in EVERY_TYPE.column_names if not pa.types.is_interval(EVERY_TYPE[name].type)]
    kinds = [EVERY_TYPE.schema.field(name).type for name in names]
    plain = EVERY_TYPE.select(
        [
            name
            for name, kind in zip(names, kinds, strict=True)
            if not (pa.types.is_duration(kind) or pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))
        ]
    )
    (tmp_path / "in").mkdir()
    for place in range(2):
        parquet.write_table(plain.slice(2 * place, 2), tmp_path / "in" / f"part-{place}.parquet", row_group_size=1)
    want = parquet.read_table(tmp_path / "in")
    got = spark.collect(spark.read(tmp_path / "in"), stage="read")
    assert_same(in_order(got), in_order(want.replace_schema_metadata(None)))


def test_all_rows_of_a_key_are_in_one_call(spark: SparkEngine) -> None:
    counted = pa.schema([("key", pa.int32()), ("rows", pa.int64()), ("sum", pa.int64())])

    def count(rows: pa.Table) -> pa.Table:
        keys, ids = np.asarray(rows["key"]), np.asarray(rows["id"])
        assert (keys == keys[0]).all()
        return pa.table([keys[:1], pa.array([len(ids)]), pa.array([ids.sum()])], schema=counted)

    found = spark.collect(
        spark.map_keys(numbers(spark, 1000, 70), "key", 70, count, counted, stage="keys"), stage="k"
    )
    want = [(key, len(range(key, 1000, 70)), sum(range(key, 1000, 70))) for key in range(70)]
    assert sorted(zip(*(found[name].to_pylist() for name in found.column_names), strict=True)) == want


def test_sorted_rows_come_some_at_a_time_and_in_their_order(
    spark: SparkEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.engines.spark.engine._SORTED_ROWS", 300)
    batches = list(spark.sorted_batches(numbers(spark, 1000, 7), ["order"], stage="sorted"))
    assert max(batch.num_rows for batch in batches) < 600
    order = np.concatenate([np.asarray(batch.column(2)) for batch in batches])
    assert len(order) == 1000
    assert (np.diff(order.astype(float)) > 0).all()


def test_a_table_without_rows_stays_one(spark: SparkEngine) -> None:
    data = spark.map(spark.read(spark.session.range(0)), lambda batches: batches, NUMBERS, stage="none")
    keyed = spark.map_keys(data, "key", 3, lambda rows: rows, NUMBERS, stage="none")
    assert spark.collect(keyed, stage="none").num_rows == 0
    assert list(spark.sorted_batches(keyed, ["order"], stage="none")) == []


def test_an_error_of_ours_comes_back_from_a_worker_as_it_was(spark: SparkEngine) -> None:
    def refuse(rows: pa.Table) -> pa.Table:
        if rows["key"][0].as_py() == 3:
            raise InfeasibleError("k=5 needs 5 rows; block 3 has 2: \u201cx\u201d.", "lower k.")
        return rows

    data = spark.map_keys(numbers(spark, 20, 5), "key", 5, refuse, NUMBERS, stage="refused")
    with pytest.raises(InfeasibleError) as raised:
        spark.keep(data, stage="refused")
    assert str(raised.value) == "k=5 needs 5 rows; block 3 has 2: \u201cx\u201d.\nHint: lower k."


def test_any_other_error_is_one_sentence_without_cells_here_and_in_the_logs(
    spark: SparkEngine, spark_cluster: Cluster, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = "a cell of Jane Doe"

    def fail(batches: Batches) -> Batches:
        for _ in batches:
            raise ValueError(secret)
        yield

    with pytest.raises(EngineError) as raised:
        spark.collect(spark.map(numbers(spark, 3, 1), fail, NUMBERS, stage="failing"), stage="failing")
    assert raised.value.message == "Spark could not finish the step failing (ValueError)."
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    said = capfd.readouterr()
    logged = [path.read_bytes() for path in spark_cluster.folder.rglob("*") if path.is_file()]
    assert any(b"shoal-failed-with:ValueError" in text for text in logged) or not said.err
    assert not any(secret.encode() in text for text in [said.err.encode(), said.out.encode(), *logged])


@pytest.mark.deep
def test_what_was_kept_in_a_shared_folder_is_removed_and_nothing_else(spark: SparkEngine, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    engine = SparkEngine(spark.session, work=tmp_path)
    kept = engine.keep(numbers(engine, 1000, 5), stage="kept")
    assert kept.n_rows == 1000
    assert sum(1 for _ in tmp_path.rglob("*.parquet")) > 0
    assert engine.collect(kept, stage="kept").num_rows == 1000

    def fail(batches: Batches) -> Batches:
        for batch in batches:
            yield batch
            raise ValueError

    with pytest.raises(EngineError):
        engine.keep(engine.map(kept, fail, NUMBERS, stage="half"), stage="half")
    engine.close()
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.deep
def test_a_frame_of_the_result_has_the_types_of_spark(spark: SparkEngine) -> None:
    schema = pa.schema([("m", pa.timestamp("ns")), ("u", pa.uint64()), ("d", pa.date32()), ("t", pa.large_string())])
    table = pa.table([[1_000], [2**64 - 1], [-200_000], ["x"]], schema=schema)

    def make(batches: Batches) -> Batches:
        for _ in batches:
            yield from table.to_batches()

    frame = spark.frame_of(spark.map(spark.read(spark.session.range(0, 1, 1, 1)), make, schema, stage="types"))
    assert [kind for _, kind in frame.dtypes] == ["timestamp_ntz", "decimal(20,0)", "date", "string"]
    (row,) = frame.collect()
    assert list(row) == [dt.datetime(1970, 1, 1, 0, 0, 0, 1), Decimal(2**64 - 1), dt.date(1422, 6, 3), "x"]


def test_the_result_is_whole_when_a_worker_is_killed_in_the_middle(
    spark: SparkEngine, spark_cluster: Cluster, tmp_path: Path
) -> None:
    """Keys that ran on the killed worker run again elsewhere, and no row is lost or there twice."""
    n_keys, marks = 16, str(tmp_path)
    data = spark.keep(numbers(spark, 1600, n_keys), stage="numbers")

    def slow(rows: pa.Table) -> pa.Table:
        import os
        import pathlib
        import time
        import uuid

        mark = pathlib.Path(marks, f"{rows['key'][0].as_py()}-{uuid.uuid4().hex}")
        mark.write_text(str(pathlib.Path.cwd()) + " " + str(os.getpid()))
        time.sleep(0.4)
        return rows

    killed = threading.Event()

    def watch() -> None:
        for _ in range(600):
            here = [path for path in tmp_path.iterdir() if "/one/" in path.read_text()]
            if len(here) >= 3:  # some keys are done there, and one is being worked on
                spark_cluster.kill_worker("one")
                killed.set()
                return
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        kept = spark.keep(spark.map_keys(data, "key", n_keys, slow, NUMBERS, stage="slow"), stage="slow")
        batches: list[Any] = list(spark.sorted_batches(kept, ["id"], stage="sorted"))
    finally:
        watcher.join()
        if killed.is_set():
            spark_cluster.start_worker("one")
    assert killed.is_set()
    assert np.concatenate([np.asarray(batch.column(1)) for batch in batches]).tolist() == list(range(1600))
    calls = Counter(path.name.split("-")[0] for path in tmp_path.iterdir())
    assert len(calls) == n_keys
    assert max(calls.values()) > 1


@pytest.mark.deep
def test_a_uri_is_read_by_spark_and_what_it_cannot_read_is_said(spark: SparkEngine, tmp_path: Path) -> None:
    table = pa.table({"n": [1, 2], "day": [dt.date(1850, 1, 1), None]})
    parquet.write_table(table, tmp_path / "a.parquet")
    data = spark.read((tmp_path / "a.parquet").as_uri())
    assert sorted(spark.collect(data, stage="uri").to_pylist(), key=str) == sorted(table.to_pylist(), key=str)
    with pytest.raises(TableError, match="Spark cannot read these Parquet files"):
        spark.read((tmp_path / "none.parquet").as_uri())
