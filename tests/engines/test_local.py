"""The engine of one computer: what its verbs promise."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.engines.engine import Batches
from shoal.engines.local import LocalEngine
from shoal.errors import EngineError, InfeasibleError, TableError

SCHEMA = pa.schema([("number", pa.int64()), ("text", pa.large_string())])
KEYED = pa.schema([("number", pa.int64()), ("key", pa.int32())])


@dataclass(frozen=True)
class AddKey:
    n_keys: int

    def __call__(self, batches: Batches) -> Batches:
        for batch in batches:
            numbers = batch.column(0).to_numpy()
            keys = (numbers % self.n_keys).astype(np.int32)
            yield pa.record_batch([pa.array(numbers), pa.array(keys)], schema=KEYED)


def all_of_key(table: pa.Table) -> pa.Table:
    """Return the number of rows of a key and its sum, which are wrong where not all rows were in the call."""
    keys = set(table["key"].to_pylist())
    assert len(keys) == 1
    return pa.table({"number": [sum(table["number"].to_pylist())], "key": pa.array([table.num_rows], pa.int32())})


def infeasible(table: pa.Table) -> pa.Table:
    raise InfeasibleError("this cannot be done.", "ask for less.")


def shows_a_value(table: pa.Table) -> pa.Table:
    raise ValueError("cell 4711")


def ends(table: pa.Table) -> pa.Table:
    os._exit(1)


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    made = LocalEngine(n_workers=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    for part in range(3):
        numbers = np.arange(part * 1000, (part + 1) * 1000)[::-1]
        rows = pa.table({"number": numbers, "text": pa.array([f"row {one}" for one in numbers], pa.large_string())})
        parquet.write_table(rows, folder / f"part{part}.parquet", row_group_size=300)
    return folder


def test_all_rows_of_a_key_are_in_one_call(engine: LocalEngine, table: Path) -> None:
    data = engine.map(engine.select(engine.read(table), ["number"]), AddKey(7), KEYED, stage="keys")
    found = engine.collect(engine.map_keys(data, "key", 9, all_of_key, KEYED, stage="sums"), stage="sums")
    expected = {(sum(range(key, 3000, 7)), len(range(key, 3000, 7))) for key in range(7)}
    assert set(zip(found["number"].to_pylist(), found["key"].to_pylist(), strict=True)) == expected


def test_collect_returns_every_row_once(engine: LocalEngine, table: Path) -> None:
    found = engine.collect(engine.read(table), stage="all")
    assert sorted(found["number"].to_pylist()) == list(range(3000))
    assert found.schema.names == ["number", "text"]


def test_rows_come_in_the_order_of_keys(engine: LocalEngine, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.engines.local.BUCKET", 100)
    spread = pa.schema([("place", pa.int64()), ("number", pa.int64())])
    data = engine.keep(engine.map(engine.read(table), spread_out, spread, stage="x"), stage="x")
    rows = pa.Table.from_batches(list(engine.sorted_batches(data, ["place", "number"], stage="order")))
    places = rows["place"].to_numpy()
    assert rows.num_rows == 3000
    assert (np.diff(places.astype(object)) >= 0).all()
    assert places[0] < 0 < places[-1]


def spread_out(batches: Batches) -> Batches:
    for batch in batches:
        numbers = batch.column(0).to_numpy().astype(np.uint64)
        places = (numbers * np.uint64(0x9E3779B97F4A7C15)).view(np.int64)
        yield pa.record_batch([places, numbers.astype(np.int64)], names=["place", "number"])


def test_an_error_of_shoal_comes_back_as_it_was_raised(engine: LocalEngine, table: Path) -> None:
    data = engine.map(engine.read(table), AddKey(3), KEYED, stage="keys")
    with pytest.raises(InfeasibleError, match="this cannot be done"):
        engine.map_keys(data, "key", 3, infeasible, KEYED, stage="sums")


def test_another_error_shows_no_value(engine: LocalEngine, table: Path) -> None:
    data = engine.map(engine.read(table), AddKey(3), KEYED, stage="keys")
    with pytest.raises(EngineError) as raised:
        engine.map_keys(data, "key", 3, shows_a_value, KEYED, stage="sums")
    assert "4711" not in str(raised.value)


def test_a_worker_that_ends_is_an_error_and_its_folder_is_removed(table: Path) -> None:
    mortal = LocalEngine(n_workers=1)
    try:
        data = mortal.map(mortal.read(table), AddKey(3), KEYED, stage="keys")
        with pytest.raises(EngineError, match="worker process ended"):
            mortal.map_keys(data, "key", 3, ends, KEYED, stage="sums")
    finally:
        mortal.close()
    assert not mortal.folder.exists()


def test_only_the_owner_can_read_what_is_stored(engine: LocalEngine, table: Path) -> None:
    engine.keep(engine.map(engine.read(table), AddKey(3), KEYED, stage="x"), stage="x")
    assert stat.S_IMODE(engine.folder.stat().st_mode) == 0o700
    files = list(engine.folder.iterdir())
    assert files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_parts_with_other_columns_are_refused(table: Path, tmp_path: Path) -> None:
    for name in ("part0.parquet", "part1.parquet"):
        (tmp_path / name).write_bytes((table / name).read_bytes())
    parquet.write_table(pa.table({"number": [1]}), tmp_path / "part2.parquet")
    with pytest.raises(TableError, match="other columns or types"):
        LocalEngine.read(tmp_path)


def test_a_work_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="work folder"):
        LocalEngine(tmp_path / "none")
