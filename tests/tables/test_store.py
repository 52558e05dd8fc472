"""Tables in stores: read like files of this computer, fetched into a private folder, and addresses never shown."""

from __future__ import annotations

import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import polars as pl
import pytest

import shoal
from shoal.errors import EngineError, ParameterError, TableError
from shoal.tables import ReadOptions, read
from shoal.tables import store as stores
from shoal.tables.store import STORES, StoredSource, fetched, stored

TABLE = pl.DataFrame({"age": [31, 32, 33, 41, 42, 43], "illness": ["flu", "cold", "flu", "cold", "flu", "cold"]})


@pytest.fixture
def bucket() -> Iterator[fsspec.AbstractFileSystem]:
    """A store in memory with a CSV file, a Parquet file and a folder of parts."""
    store = fsspec.filesystem("memory")
    store.pipe_file("/ward/visits.csv", TABLE.write_csv().encode())
    with store.open("/ward/visits.parquet", "wb") as file:
        TABLE.write_parquet(file)
    for sex, rows in (("f", TABLE.head(4)), ("m", TABLE.tail(2))):
        with store.open(f"/ward/parts/sex={sex}/one.parquet", "wb") as file:
            rows.write_parquet(file)
    store.pipe_file("/ward/parts/_SUCCESS", b"")
    yield store
    store.rm("/ward", recursive=True)


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize("name", ["visits.csv", "visits.parquet"])
def test_a_file_in_a_store_is_read_as_the_same_file_here(name: str) -> None:
    assert read(f"memory://ward/{name}").frame.equals(TABLE)


@pytest.mark.usefixtures("bucket")
@pytest.mark.parametrize("address", ["memory://ward/parts/", "memory://ward/parts/*/*.parquet"])
def test_the_parts_of_a_folder_are_one_table_with_the_keys_of_their_folders(address: str) -> None:
    table = read(address)
    assert table.frame.sort("age").equals(TABLE.with_columns(sex=pl.Series([*"ffff", *"mm"])).sort("age"))
    assert any("'sex'" in note for note in table.notes)


@pytest.mark.usefixtures("bucket")
def test_one_part_alone_keeps_the_key_of_its_folder() -> None:
    assert read("memory://ward/parts/sex=f/*.parquet").frame["sex"].unique().to_list() == ["f"]


@pytest.mark.usefixtures("bucket")
def test_every_command_on_a_table_takes_a_store() -> None:
    roles = {"quasi": ["age"], "sensitive": "illness"}
    release = shoal.anonymize("memory://ward/visits.csv", k=3, **roles)
    assert (shoal.verify(release.table, release.policy).k, release.source) == (3, "visits.csv")
    assert shoal.profile("memory://ward/visits.csv").n_rows == 6
    assert shoal.compare("memory://ward/visits.csv", k=[2], **roles).source == "visits.csv"


@pytest.mark.usefixtures("bucket")
def test_what_is_fetched_is_private_and_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with fetched(StoredSource("memory", "memory://ward/visits.csv")) as path:
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert path.is_relative_to(tmp_path)
    with pytest.raises(TableError):
        read("memory://ward/visits.csv", ReadOptions(encoding="utf-16"))
    assert list(tmp_path.iterdir()) == []


class Leaking:
    """A store whose errors repeat the address that they were given, as those of real ones do."""

    error: type[Exception] = OSError

    def get_file(self, path: str, _: str) -> None:
        raise self.error(f"403 for {path}?X-Amz-Signature=secret")


@pytest.mark.parametrize("error", [OSError, PermissionError, FileNotFoundError, RuntimeError, TimeoutError])
def test_what_a_store_says_is_never_shown(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Leaking, "error", error)
    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda address: (Leaking(), address))
    with pytest.raises(TableError) as raised:
        read("s3://key-of-mine/visits.csv")
    told = (
        f"{raised.value.message} {raised.value.hint} {raised.value.__cause__} {StoredSource('s3', 's3://secret/x')}"
    )
    assert "visits.csv" in told
    assert "secret" not in told
    assert "key-of-mine" not in told


def test_a_password_in_an_address_is_refused() -> None:
    with pytest.raises(ParameterError, match="holds a password") as raised:
        stored("ftp://me:hunter2@host/visits.csv")
    assert "hunter2" not in str(raised.value)
    assert stored("sftp://me@host/visits.csv") is not None


@pytest.mark.usefixtures("bucket")
def test_what_is_missing_is_said() -> None:
    with pytest.raises(TableError, match=r"there is no 'nothing.csv' in memory://"):
        read("memory://ward/nothing.csv")
    with pytest.raises(TableError, match="no Parquet file"):
        read("memory://ward/nothing/")
    with pytest.raises(ParameterError, match="cannot read a table from gopher://"):
        read("gopher://ward/visits.csv")
    with pytest.raises(ParameterError, match="cannot be verified there"):
        shoal.verify("memory://ward/visits.csv")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(EngineError) as raised:
        read("s3://bucket/visits.csv")
    assert raised.value.hint == "pip install 'shoal[stores]' s3fs."
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(EngineError) as raised:
        read("s3://bucket/visits.csv")
    assert raised.value.hint == "pip install 'shoal[stores]'."


def test_a_name_in_a_store_cannot_lead_out_of_the_folder() -> None:
    with pytest.raises(TableError, match="leads out of its folder"):
        stores._below(Path("here"), "ward/../../x.parquet")


@pytest.mark.parametrize("scheme", sorted(STORES))
def test_only_the_file_is_named(scheme: str) -> None:
    source = StoredSource(scheme, f"{scheme}://place/folder/visits.csv")
    assert (source.name, source.is_folder) == ("visits.csv", False)
    assert "folder" not in repr(source)


def test_a_file_of_a_real_server_is_read(tmp_path: Path) -> None:
    """The address of a file on the web may be signed, and the signature is no part of its name."""
    TABLE.write_csv(tmp_path / "visits.csv")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/visits.csv?signature=secret"
        assert read(address).frame.equals(TABLE)
        with pytest.raises(TableError, match=r"there is no 'none.csv' in http://"):
            read(address.replace("visits", "none"))
    finally:
        server.shutdown()
        server.server_close()
