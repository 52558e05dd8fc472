"""Tables that are not in Parquet files are stored in one, as they are when they are taken into memory."""

from __future__ import annotations

import gzip
import json
import sqlite3
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import shoal
from shoal.engines.staging import stored
from shoal.errors import ParameterError, SchemaError, ShoalError, TableError
from shoal.policy import Policy
from shoal.tables import ReadOptions, csv_parts, read
from shoal.tables.database.source import located
from tests.cli.running import shoal as command
from tests.engines.tables import people, policy

SECRET = bytes(range(32))
COLUMNS: dict[str, dict[str, Any]] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi"},
    "born": {"role": "quasi", "kind": "date"},
    "code": {"role": "quasi", "kind": "label"},
    "score": {"role": "sensitive"},
    "price": {"role": "other"},
    "seen": {"role": "other"},
}
TEXT = """name;age;born;code;score;price;seen
Ana;31;1990-01-31;1.50;2.50;250,00;2020-01-31 10:00
Bo;;;2.5;3;1,5;
"C; D";27;1988-12-01;2.50;"";0,25;2020-02-01T11:30:05
"""


def settings(**changed: Any) -> Policy:
    return Policy.parse(
        {"k": 2, "columns": {name: column | changed.get(name, {}) for name, column in COLUMNS.items()}}
    )


def table_of(path: str | Path) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(parquet.read_table(path)))


def test_types_are_those_of_all_cells_and_texts_stay_where_they_are_published(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(csv_parts, "PART", 48)  # every row is a part
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    found = stored(tmp_path / "t.csv", settings(), ReadOptions(), tmp_path)
    frame = table_of(found)
    assert frame.schema["name"] == pl.Null, "identifiers are not stored"
    assert frame["age"].to_list() == [31, None, 27]
    assert frame.schema["born"] == pl.Date
    assert frame["code"].to_list() == ["1.50", "2.5", "2.50"], "labels are compared as they are written"
    assert frame["score"].to_list() == ["2.50", "3", ""], "a sensitive value is published as it was read"
    assert frame["price"].to_list() == ["250,00", "1,5", "0,25"]
    assert frame["seen"].to_list() == ["2020-01-31 10:00", None, "2020-02-01T11:30:05"]
    assert stat.S_IMODE(Path(found).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name != "t.csv"] == ["source.parquet"]


def test_numbers_of_which_a_requirement_needs_the_values_must_be_written_alike(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    with pytest.raises(SchemaError, match="'score' holds numbers or dates that are not written alike"):
        stored(tmp_path / "t.csv", settings(score={"closeness": {"t": 0.3}}), ReadOptions(), tmp_path)
    (tmp_path / "u.csv").write_text(TEXT.replace("2.50;250", "2.5;250").replace('""', "4"), encoding="utf-8")
    (tmp_path / "source.csv").unlink()
    frame = table_of(stored(tmp_path / "u.csv", settings(score={"closeness": {"t": 0.3}}), ReadOptions(), tmp_path))
    assert frame.schema["score"] == pl.Float64


def test_numbers_that_are_rounded_need_not_be_written_alike(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    frame = table_of(stored(tmp_path / "t.csv", settings(score={"round": 2}), ReadOptions(), tmp_path))
    assert frame.schema["score"] == pl.Float64


def test_columns_that_the_policy_does_not_know_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT.replace("price", "cost"), encoding="utf-8")
    with pytest.raises(SchemaError, match="price"):
        stored(tmp_path / "t.csv", settings(), ReadOptions(), tmp_path)


def _sqlite(frame: pl.DataFrame, folder: Path) -> tuple[str, dict[str, str]]:
    connection = sqlite3.connect(folder / "t.db")
    connection.execute("create table people (name text, born date, sex text, zip text, pay real, illness text)")
    rows = [(n, b and b.isoformat(), *rest) for n, b, *rest in frame.rows()]
    connection.executemany("insert into people values (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return f"sqlite:///{folder / 't.db'}", {"table": "people"}


def _duckdb(frame: pl.DataFrame, folder: Path) -> tuple[str, dict[str, str]]:
    import duckdb

    given = frame.to_arrow()  # noqa: F841 (duckdb finds it by its name)
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("create table people as select * replace (pay::decimal(12, 2) as pay) from given")
    return f"duckdb:///{folder / 't.duckdb'}", {"query": "select * from people"}


def _stream(frame: pl.DataFrame, folder: Path) -> tuple[str, dict[str, str]]:
    labels = frame.with_columns(pl.col("sex").cast(pl.Categorical)).to_arrow()
    with ipc.new_stream(str(folder / "t.arrows"), labels.schema) as writer:
        writer.write_table(labels, max_chunksize=30)
    (folder / "t.arrows").rename(folder / "t.arrow")
    return str(folder / "t.arrow"), {}


@pytest.mark.parametrize("make", [_sqlite, _duckdb, _stream])
def test_other_sources_are_stored_as_they_are_read_into_memory(tmp_path: Path, make) -> None:
    frame = people(100, gaps=True)
    source, given = make(frame, tmp_path)
    found = table_of(stored(located(source, **given), policy(), ReadOptions(), tmp_path))
    whole = read(located(source, **given)).frame
    assert found.schema["name"] == pl.Null
    plain = {name: kind for name, kind in whole.schema.items() if name not in ("name", "sex")}
    assert {name: kind for name, kind in found.schema.items() if name in plain} == plain
    assert found.drop("name").equals(whole.drop("name").with_columns(pl.col("sex").cast(pl.String)), null_equal=True)


def test_a_table_of_postgresql_is_stored_as_it_is_read_into_memory(tmp_path: Path, postgres) -> None:
    postgres.run(
        "create table staged as select i as name, date '1990-01-01' + i as born, 'f' as sex, '10001' as zip, "
        "(i::numeric / 4) as pay, 'flu' as illness from generate_series(1, 70000) i"
    )
    source = located(postgres.uri(), "staged")
    found = table_of(stored(source, policy(), ReadOptions(), tmp_path))
    assert found.drop("name").equals(read(source).frame.drop("name"))
    assert found.schema["pay"] == read(source).frame.schema["pay"]


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz", "table.arrow"])
def test_the_release_is_that_of_the_same_table_in_parquet(tmp_path: Path, name: str) -> None:
    frame = people(200, gaps=True)
    asked = policy(effort=2.0)
    frame.write_parquet(tmp_path / "table.parquet")
    if name.endswith(".arrow"):
        frame.write_ipc(tmp_path / name)
    else:
        data = frame.write_csv().encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    found = []
    for place in ("table.parquet", name):
        with shoal.anonymize(tmp_path / place, asked, engine="local", secret=SECRET, work=tmp_path) as release:
            release.write(tmp_path / f"out {place}")
        found.append(pl.read_parquet(tmp_path / f"out {place}" / "release.parquet"))
        assert not list(tmp_path.glob(".shoal-*"))
    assert found[0].equals(found[1], null_equal=True)


def test_texts_of_a_parquet_file_may_be_views(tmp_path: Path) -> None:
    frame = people(60)
    table = frame.to_arrow(compat_level=pl.CompatLevel.newest())
    assert any(pa.types.is_string_view(one.type) for one in table.schema)
    parquet.write_table(table, tmp_path / "table.parquet")
    with shoal.anonymize(tmp_path / "table.parquet", policy(effort=2.0), engine="local", work=tmp_path) as release:
        assert release.write(tmp_path / "out").certificate.holds


def test_the_command_takes_a_csv_file_with_its_options(tmp_path: Path) -> None:
    people(120).with_columns(pl.col("illness").replace("cold", "-")).write_csv(tmp_path / "t.csv", separator="|")
    policy(effort=2.0, illness={"diversity": {"l": 2}}).write(tmp_path / "policy.toml")
    arguments = ["anonymize", str(tmp_path / "t.csv"), "--policy", str(tmp_path / "policy.toml"), "--json"]
    arguments += ["--engine", "local", "--separator", "|", "--null", "-", "--out", str(tmp_path / "out")]
    found = command(*arguments)
    assert found.code == 0, found.err
    assert json.loads(found.out)["ok"]
    assert "-" not in pl.read_parquet(tmp_path / "out" / "release.parquet")["illness"].to_list()
    assert not list(tmp_path.glob(".shoal-*"))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("t.csv", b"name,born\n1\n", "line 2 has 1 cell"),
        ("t.arrow", b"ARROW1 and nothing", "not a complete Arrow file"),
        ("t.xlsx", b"PK", "reads CSV, Parquet and Arrow files and databases"),
        ("t.csv.zip", b"PK", "reads CSV, Parquet and Arrow files and databases"),
    ],
)
def test_what_cannot_be_read_in_parts_is_refused_and_nothing_is_left(tmp_path, name, data, said) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ShoalError, match=said):
        shoal.anonymize(tmp_path / name, policy(), engine="local", work=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_frame_in_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="which can be read in parts"):
        shoal.anonymize(pl.DataFrame({"a": [1]}), policy(), engine="local", work=tmp_path)


def test_an_arrow_file_that_ends_early_is_refused(tmp_path: Path) -> None:
    frame = people(5000)
    frame.write_ipc(tmp_path / "t.arrow", record_batch_size=500)
    (tmp_path / "t.arrow").write_bytes((tmp_path / "t.arrow").read_bytes()[:-60])
    with pytest.raises(TableError, match="not a complete Arrow file"):
        stored(tmp_path / "t.arrow", policy(), ReadOptions(), tmp_path)
