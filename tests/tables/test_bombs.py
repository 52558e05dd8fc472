"""Small files that unpack to more than the machine has are refused before they are unpacked."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import TableError
from shoal.tables import file_bytes as source
from shoal.tables import read, read_back, room


@pytest.fixture
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_free", lambda: 20_000_000)


def refused(path: Path) -> None:
    for way in (read, read_back):
        with pytest.raises(TableError, match="room for") as told:
            way(path)
        assert told.value.hint


@pytest.mark.usefixtures("small_machine")
def test_rows_of_a_tiny_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    with parquet.ParquetWriter(path, pa.schema([("a", pa.int64())]), compression="zstd") as file:
        for _ in range(20):
            file.write_table(pa.table({"a": pa.array([7] * 100_000, pa.int64())}))
    assert path.stat().st_size < 20_000
    refused(path)


@pytest.mark.usefixtures("small_machine")
def test_a_long_text_many_times_in_a_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    parquet.write_table(pa.table({"a": ["x" * 100_000] * 1000}), path)
    assert path.stat().st_size < 20_000
    refused(path)


@pytest.mark.usefixtures("small_machine")
def test_a_packed_text_of_blanks(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    assert path.stat().st_size < 50_000
    refused(path)


@pytest.mark.usefixtures("small_machine")
def test_what_fits_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2, None], "b": ["x", None, "y" * 50]})
    frame.write_parquet(tmp_path / "in.parquet")
    assert read(tmp_path / "in.parquet").frame.equals(frame)
    (tmp_path / "in.csv.gz").write_bytes(gzip.compress(b"a,b\n1,x\n"))
    assert read(tmp_path / "in.csv.gz").frame.equals(pl.DataFrame({"a": [1], "b": ["x"]}))


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_a_file_that_is_cut_off_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """After the length was asked and before the bytes are there; a map of the file would end the process here."""
    path = tmp_path / f"in.{ending}"
    frame = pl.DataFrame({"a": range(100_000)})
    getattr(frame, {"csv": "write_csv", "parquet": "write_parquet", "arrow": "write_ipc"}[ending])(path)
    before = source.refuse_beyond_room
    monkeypatch.setattr(source, "refuse_beyond_room", lambda *told: (before(*told), os.truncate(path, 5000)))
    with pytest.raises(TableError, match="changed while it was read"):
        read(path)


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in.csv")
    done = threading.Event()

    def attempt() -> None:
        with pytest.raises(TableError, match="not a regular file"):
            read(tmp_path / "in.csv")
        done.set()

    threading.Thread(target=attempt, daemon=True).start()
    assert done.wait(20)
