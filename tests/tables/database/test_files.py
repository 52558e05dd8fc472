"""DuckDB and SQLite files as source and as target."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from textwrap import dedent

import duckdb
import polars as pl
import pytest

import shoal
from shoal.errors import EngineError, SchemaError, TableError
from shoal.tables import read
from shoal.tables.database import failures
from shoal.tables.database.source import located

KEYWORDS = {"quasi": ["born", "sex"], "sensitive": "illness", "identifier": "id", "other": "cost", "k": 3}


@pytest.fixture
def duck(tmp_path: Path) -> str:
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute(
            """create table people as select g as id, date '1950-01-01' + (g * 211 % 9000)::int as born,
            ['f', 'm'][1 + g % 2] as sex, ['flu', 'cold', null][1 + g % 3] as illness,
            (g % 7 * 1.25)::decimal(12,2) as cost from range(1, 61) r(g)"""
        )
    return f"duckdb:///{tmp_path}/people.duckdb"


@pytest.fixture
def lite(tmp_path: Path) -> str:
    connection = sqlite3.connect(tmp_path / "people.sqlite")
    connection.execute("create table people (id integer, born date, sex text, illness text, cost real)")
    rows = [
        (g, str(date.fromordinal(711858 + g * 211 % 9000)), "fm"[g % 2], ["flu", "cold", None][g % 3], g % 7 * 1.25)
        for g in range(1, 61)
    ]
    connection.executemany("insert into people values (?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return f"sqlite:///{tmp_path}/people.sqlite"


def test_types_of_duckdb_are_read_on_purpose(duck: str) -> None:
    query = """select 7::utinyint as small, 12345678901234567890123::hugeint as huge, 1.50::decimal(10,2) as exact,
        'x'::enum('x', 'y') as word, ['a', 'b c', null] as words, interval 1 day as lasting,
        '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid as code, timestamptz '2020-01-01 12:00:00+02' as instant,
        '{"a": 1}'::json as doc, 1 as "q.1" """
    frame = read(located(duck, None, query)).frame
    row = frame.row(0, named=True)
    assert (row["huge"], row["exact"]) == (Decimal("12345678901234567890123"), Decimal("1.50"))
    assert (row["word"], row["words"], row["lasting"]) == ("x", "{a, b c} or missing", "1 day")
    assert row["instant"].timestamp() == 1577872800
    with pytest.raises(SchemaError, match="'x' has the type STRUCT, which Shoal does not read"):
        read(located(duck, None, "select {'a': 1} as x"))


def test_types_of_sqlite_are_those_of_all_values(lite: str, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "people.sqlite")
    connection.execute("create table mixed (a, b integer, c text, d date, e timestamp, f blob, g)")
    connection.execute("insert into mixed values (1, 1, '1', '2020-02-29', '2020-01-01 12:00:00', null, 1)")
    connection.execute("insert into mixed values (1.5, 'x', '2', '2020-02-30', '2020-01-01T12:00:00.5', null, 2)")
    connection.commit()
    frame = read(located(lite, "mixed")).frame
    assert frame.schema == {
        "a": pl.Float64, "b": pl.String, "c": pl.String, "d": pl.String, "e": pl.Datetime("us"), "f": pl.String,
        "g": pl.Int64,
    }  # fmt: skip
    connection.execute("update mixed set f = x'00'")
    connection.commit()
    connection.close()
    with pytest.raises(SchemaError, match="'f' has the type BLOB, which Shoal does not read"):
        read(located(lite, "mixed"))
    assert read(located(lite, "people")).frame.schema["born"] == pl.Date


@pytest.mark.parametrize("engine", ["duck", "lite"])
@pytest.mark.parametrize(
    "query",
    [
        "delete from people returning *",
        "drop table people",
        "select 1 as a; drop table people",
        "select * from people) q; drop table people; select * from (select 1",
        "copy people to 'stolen.csv'",
        "attach 'other.db' as other",
        "create table mine as select * from people",
    ],
)
def test_a_query_that_writes_is_refused_and_changes_nothing(
    engine: str, query: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = request.getfixturevalue(engine)
    monkeypatch.chdir(tmp_path)
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(TableError):
        shoal.profile(uri, query=query)
    assert {path.name for path in tmp_path.iterdir()} == before
    assert shoal.profile(uri, table="people").n_rows == 60


@pytest.mark.parametrize("engine", ["duck", "lite"])
def test_a_release_goes_back_and_is_replaced_only_when_asked(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    uri = request.getfixturevalue(engine)
    release = shoal.anonymize(uri, table="people", **KEYWORDS)
    release.write(tmp_path / "out", to_table='"an""on"')
    assert shoal.verify(uri, tmp_path / "out/certificate.json", table='"an""on"').holds
    with pytest.raises(TableError, match="there is a table"):
        release.write(tmp_path / "out", to_table='"an""on"')
    release.write(tmp_path / "out", to_table='"an""on"', replace=True)
    for name in ("people", "People"):
        with pytest.raises(TableError, match="was not written by Shoal"):
            release.write(tmp_path / "out", to_table=name, replace=True)
    assert shoal.profile(uri, table="people").n_rows == 60
    both = pl.DataFrame({"a": [1] * 6, "A": [2] * 6})
    with pytest.raises((TableError, SchemaError), match="differ in capital letters only"):
        shoal.anonymize(both, quasi=["a", "A"], k=2).write(tmp_path / "other", to=uri, to_table="both")


@pytest.mark.parametrize("engine", ["duck", pytest.param("lite", marks=pytest.mark.deep)])
def test_a_process_that_is_killed_leaves_the_old_table(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    uri = request.getfixturevalue(engine)
    shoal.anonymize(uri, table="people", **KEYWORDS).write(tmp_path / "out", to_table="anon")
    before = read(located(uri, "anon")).frame
    module = "duckdb_file" if engine == "duck" else "sqlite_file"
    code = f"""
        import os, signal, shoal
        from shoal.tables.database import {module} as module
        def killed(self, **named):
            self._connection.execute("drop table anon")
            os.kill(os.getpid(), signal.SIGKILL)
        module.Writing.commit = killed
        release = shoal.anonymize({uri!r}, table="people", **{KEYWORDS | {"k": 4}!r})
        release.write({str(tmp_path / "out")!r}, to_table="anon", replace=True)
    """
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, check=False, env=os.environ)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert read(located(uri, "anon")).frame.equals(before)
    assert shoal.verify(uri, tmp_path / "out/certificate.json", table="anon").holds


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_what_is_no_such_file_gets_a_sentence(kind: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("Smith is ill, and this is not a database at all." * 40, encoding="utf-8")
    for name in ("text", "nothing", "."):
        with pytest.raises(TableError) as caught:
            shoal.profile(f"{kind}:///{tmp_path}/{name}", table="t")
        assert "Smith" not in str(caught.value)
    assert not (tmp_path / "nothing").exists()


def test_a_driver_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(EngineError, match="driver for DuckDB is not installed") as caught:
        failures.driver("duckdb")
    assert caught.value.hint == "pip install 'shoal[duckdb]'."
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(EngineError, match="driver for PostgreSQL is not installed"):
        failures.driver("postgresql")
