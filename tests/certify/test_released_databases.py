"""A released table in a database: read whole or in parts, every cell as the text that a file would have."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.certify.reading import is_large, open_release
from shoal.tables.database.source import located
from tests.certify import releases


@pytest.fixture
def place(tmp_path: Path) -> str:
    path = tmp_path / "releases.db"
    frame = releases.release()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"create table released ({', '.join(f'{name} text' for name in frame.columns)})")
        database.executemany(f"insert into released values ({', '.join('?' * frame.width)})", frame.rows())
    return f"sqlite:///{path}"


def test_it_is_read_whole_or_in_parts_and_has_no_digest(place: str) -> None:
    source = located(place, "released")
    assert is_large(source, None, None)
    assert is_large(source, None, "latin-1")
    whole = open_release(source)
    assert whole.frame is not None
    assert whole.frame.rows() == releases.release().rows()
    parts = open_release(source, in_parts=True)
    assert parts.frame is None
    assert parts.scan is not None
    assert pl.concat(list(parts.scan())).equals(whole.frame)
    assert (whole.scan, whole.sha256, whole.failures) == (parts.sha256, None, parts.failures) == (None, None, ())


@pytest.mark.parametrize(("k", "holds"), [(3, True), (4, False)])
def test_it_is_counted_as_a_file_is(place: str, k: int, holds: bool) -> None:
    found = shoal.verify(place, releases.policy(k=k), table="released")
    of_frame = shoal.verify(releases.release(), releases.policy(k=k))
    assert found.holds is holds
    assert (found.rows, found.claims) == (of_frame.rows, of_frame.claims)
