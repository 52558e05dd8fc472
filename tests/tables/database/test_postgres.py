"""PostgreSQL as source and as target: types, hostile names, queries that write, one transaction."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from textwrap import dedent

import polars as pl
import pytest

import shoal
from shoal.errors import CertificateError, InfeasibleError, SchemaError, TableError
from shoal.results import release_folder
from shoal.tables import read
from shoal.tables.database import postgres as driver
from shoal.tables.database.source import located
from tests.postgres_server import Server

HOSTILE = ['na"me', "a; drop table people; --", "select", "x" * 63, "Ünï", "two  blanks", "'", "%s", "$1", "c0"]
KEYWORDS = {
    "quasi": ["born", "sex"], "sensitive": "illness", "identifier": "id", "other": ["cost", "token", "paid"], "k": 3,
}  # fmt: skip


@pytest.fixture
def people(postgres: Server) -> Server:
    """A table of 60 people, and nothing in the schema anon."""
    postgres.run(
        "drop schema if exists anon cascade",
        "create schema anon",
        "drop table if exists people cascade",
        "create table people "
        "(id int, born date, sex char(6), illness text, cost numeric(12,2), token uuid, paid money)",
        """insert into people select g, date '1950-01-01' + g * 211 % 9000, case g % 2 when 0 then 'f' else 'm' end,
           (array['flu', 'cold', null])[1 + g % 3], g % 7 * 1.25,
           ('00000000-0000-0000-0000-00000000000' || g % 4)::uuid, (g % 3 * 1.5)::numeric::money
           from generate_series(1, 60) g""",
    )
    return postgres


def test_every_type_is_read_on_purpose(postgres: Server) -> None:
    query = """
        select 7::int2 as small, 12345678901.10::numeric as exact, 1.50::numeric(10,2) as sized,
        'ab'::char(6) as padded, '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid as code,
        int4range(30, 40) as years, numrange(1.5, 2.5, '[]') as part,
        daterange('2020-01-01', '2021-01-01') as days, '10.1.2.3'::inet as address, '10.1.0.0/16'::cidr as net,
        '{"a": 1}'::jsonb as doc, (-12.34)::numeric::money as amount,
        array['x', 'y z', null] as words, array[1, 2] as numbers,
        array[]::text[] as none, true as yes, date '2020-02-29' as day, timestamp '2020-01-01 12:00' as moment,
        timestamptz '2020-01-01 12:00+02' as instant, time '12:30' as hour, interval '1 day 2 hours' as lasting,
        1.5::float4 as single, null::numeric as nothing, 'NaN'::numeric as nan,
        int4multirange(int4range(1, 3)) as several,
        B'101' as bits
    """
    table = read(located(postgres.uri(), None, query))
    row = table.frame.row(0, named=True)
    assert row["exact"] == Decimal("12345678901.10")
    assert row["sized"] == Decimal("1.50")
    assert table.frame.schema["sized"] == pl.Decimal(38, 2)
    assert (row["padded"], row["code"]) == ("ab", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
    assert (row["years"], row["part"], row["days"]) == ("[30, 39]", "[1.5, 2.5]", "[2020-01-01, 2020-12-31]")
    assert (row["address"], row["net"], row["doc"]) == ("10.1.2.3", "10.1.0.0/16", '{"a": 1}')
    assert row["amount"] == Decimal("-12.34")
    assert (row["words"], row["numbers"], row["none"]) == ("{x, y z} or missing", "{1, 2}", "{}")
    assert (row["day"], row["lasting"], row["several"], row["bits"]) == (
        date(2020, 2, 29),
        "P1DT2H",
        "{[1,3)}",
        "101",
    )
    assert row["instant"].isoformat() == "2020-01-01T10:00:00+00:00"
    assert (row["nothing"], row["nan"]) == (None, None)
    assert table.notes == ("column 'nan': 1 NaN taken as missing.",)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("point(1, 2)", "'x' has the type point, which Shoal does not read"),
        ("'\\x00'::bytea", "'x' has the type bytea, which"),
        ("row(1, 2)", "'x' has the type record, which"),
        ("'infinity'::numeric", "'x' holds infinite numbers"),
        ("'infinity'::date", "'x' holds 1 date that no calendar has"),
        ("(10::numeric ^ 40)::numeric(41, 0)", "'x' holds numbers of more than 38 digits"),
    ],
)
def test_a_value_that_cannot_be_read_gets_a_sentence(postgres: Server, expression: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message) as caught:
        shoal.profile(postgres.uri(), query=f"select {expression} as x")
    assert caught.value.hint is not None


def test_hostile_names_are_names(postgres: Server, tmp_path: Path) -> None:
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    table = '"od""d; drop table people; --"'
    postgres.run(
        f"drop table if exists {table}",
        f"create table {table} ({', '.join(f'{name} int' for name in quoted)})",
        f"insert into {table} select {', '.join(f'g % {place + 2}' for place in range(len(quoted)))} "
        "from generate_series(1, 40) g",
        "drop schema if exists anon cascade",
        "create schema anon",
    )
    release = shoal.anonymize(postgres.uri(), table=table, quasi=HOSTILE[:3], other=HOSTILE[3:], k=3)
    release.write(tmp_path / "out", to_table=f"anon.{table}")
    assert shoal.verify(postgres.uri(), tmp_path / "out/certificate.json", table=f"anon.{table}").holds
    assert postgres.run(f"select count(*) from anon.{table}") == [(40,)]


def test_a_name_that_the_server_would_cut_off_is_refused(people: Server, tmp_path: Path) -> None:
    long = "y" * 64
    table = pl.DataFrame({long: [1, 1, 2, 2] * 5})
    release = shoal.anonymize(table, quasi=long, k=2)
    with pytest.raises(SchemaError, match="has 64 bytes; PostgreSQL cuts names off after 63"):
        release.write(tmp_path / "out", to=people.uri(), to_table="anon.x")
    assert not (tmp_path / "out").exists()
    with pytest.raises(SchemaError, match="PostgreSQL cuts names off"):
        shoal.anonymize(pl.DataFrame({"x": [1] * 4}), quasi="x", k=2).write(
            tmp_path / "out", to=people.uri(), to_table=f"anon.{'é' * 32}"
        )


@pytest.mark.parametrize(
    "query",
    [
        "delete from people returning *",
        "with gone as (delete from people returning *) select * from gone",
        "select 1 as a) q; delete from people; select * from (select 1 as a",
        "select nextval('numbers')",
        "update people set sex = 'x' returning *",
        "select * from people; delete from people",
        "select set_config('transaction_read_only', 'off', false) as off, lo_create(0)::int as made",
    ],
)
def test_a_query_that_writes_is_refused_and_changes_nothing(people: Server, query: str) -> None:
    people.run("create sequence if not exists numbers", "select setval('numbers', 5)")
    with pytest.raises(TableError):
        shoal.profile(people.uri(), query=query)
    assert people.run("select count(*), (select last_value from numbers) from people") == [(60, 5)]


def test_no_message_repeats_a_value_that_the_server_shows(people: Server) -> None:
    """The server's message: invalid input syntax for type integer: "flu"."""
    with pytest.raises(TableError, match="the server reports an error while rows are read") as caught:
        shoal.profile(people.uri(), query="select illness::int as number from people")
    assert "flu" not in str(caught.value)


def test_a_view_a_query_and_an_empty_table_are_sources(people: Server) -> None:
    people.run("create or replace view older as select * from people where born < '1960-01-01'",
               "create table if not exists nobody (like people)")  # fmt: skip
    assert shoal.profile(people.uri(), table="older").n_rows == people.run("select count(*) from older")[0][0]
    asked = "select sex, illness from people -- with a comment"
    assert shoal.profile(people.uri(), query=asked).n_rows == 60
    with pytest.raises(InfeasibleError, match="the table has 0"):
        shoal.anonymize(people.uri(), table="nobody", **KEYWORDS)
    with pytest.raises(TableError, match=r"there is no such table"):
        shoal.profile(people.uri(), table="People")


def test_a_release_goes_back_with_its_types(people: Server, tmp_path: Path) -> None:
    release = shoal.anonymize(people.uri(), table="people", **KEYWORDS)
    release.write(tmp_path / "out", to_table="anon.people")
    types = dict(
        people.run(
            "select attname::text, format_type(atttypid, atttypmod) from pg_attribute "
            "where attrelid = 'anon.people'::regclass and attnum > 0"
        )
    )
    assert types == {
        "born": "daterange",
        "sex": "text",
        "illness": "text",
        "cost": "numeric(12,2)",
        "token": "uuid",
        "paid": "money",
    }
    counted = people.run("select min(n) from (select count(*) n from anon.people group by born, sex) g")
    assert counted[0][0] >= 3
    assert people.run("select sum(cost), count(illness) from anon.people") == people.run(
        "select sum(cost), count(illness) from people"
    )
    found = shoal.verify(people.uri(), tmp_path / "out/certificate.json", table="anon.people")
    assert found.holds
    assert found.k == release.findings.k


def test_neither_folder_says_where_the_table_came_from(people: Server, tmp_path: Path) -> None:
    people.run("grant select on people to guest")
    uri = people.uri("guest", "correct horse")
    shoal.anonymize(uri, query="select * from people", **KEYWORDS).write(tmp_path / "out", mapping=True)
    for file in (*(tmp_path / "out").iterdir(), *(tmp_path / "out.private").iterdir()):
        text = file.read_bytes()
        for secret in (b"correct horse", b"correct%20horse", str(people.folder).encode(), b"select *"):
            assert secret not in text, file


def test_a_table_is_replaced_only_when_asked_and_only_if_a_release_wrote_it(people: Server, tmp_path: Path) -> None:
    release = shoal.anonymize(people.uri(), table="people", **KEYWORDS)
    release.write(tmp_path / "out", to_table="anon.people")
    with pytest.raises(TableError, match=r"there is a table 'anon.people' already"):
        release.write(tmp_path / "out", to_table="anon.people")
    release.write(tmp_path / "out", to_table="anon.people", replace=True)
    people.run("create or replace view anon.seen as select * from people")
    for stranger in ("people", "anon.seen"):
        with pytest.raises(TableError, match="was not written by Shoal, and is not replaced"):
            release.write(tmp_path / "out", to_table=stranger, replace=True)
    assert people.run("select count(*) from people") == [(60,)]
    people.run("create view anon.on_it as select * from anon.people")
    with pytest.raises(TableError, match="other objects, such as views, depend on the table"):
        release.write(tmp_path / "out", to_table="anon.people", replace=True)
    assert people.run("select count(*) from anon.people") == [(60,)]
    assert _tables(people) == ["people"]


def test_a_table_that_is_not_what_was_certified_is_never_seen(
    people: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = shoal.anonymize(people.uri(), table="people", **KEYWORDS)
    plain = release_folder.verify

    def refusing(released, *rest, **more):
        found = plain(released, *rest, **more)
        if isinstance(released, pl.DataFrame):
            raise CertificateError("the table is not what was certified.")
        return found

    monkeypatch.setattr(release_folder, "verify", refusing)
    with pytest.raises(CertificateError):
        release.write(tmp_path / "out", to_table="anon.people")
    assert _tables(people) == []
    assert not (tmp_path / "out").exists()


def test_a_table_that_does_not_come_back_is_never_seen(
    people: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = driver.Writing.fill

    def spoiled(self, frame, types):
        fill(self, frame.with_columns(pl.lit("flu").alias("illness")), types)

    monkeypatch.setattr(driver.Writing, "fill", spoiled)
    release = shoal.anonymize(people.uri(), table="people", **KEYWORDS)
    with pytest.raises(TableError, match="does not give back what was written"):
        release.write(tmp_path / "out", to_table="anon.people")
    assert _tables(people) == []


@pytest.mark.parametrize("step", [pytest.param("fill", marks=pytest.mark.deep), "commit"])
def test_a_process_that_is_killed_leaves_the_old_table_and_folder(people: Server, tmp_path: Path, step: str) -> None:
    shoal.anonymize(people.uri(), table="people", **KEYWORDS).write(tmp_path / "out", to_table="anon.people")
    before = people.run("select md5(string_agg(p::text, ',' order by p::text)) from anon.people p")
    files = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    code = f"""
        import os, signal, shoal
        from shoal.tables.database import postgres
        done = postgres.Writing.{step}
        def killed(self, *given, **named):
            if {step == "fill"}:
                done(self, *given, **named)
            else:
                self._connection.cursor().execute("drop table anon.people")
            os.kill(os.getpid(), signal.SIGKILL)
        postgres.Writing.{step} = killed
        release = shoal.anonymize({people.uri()!r}, table="people", **{KEYWORDS | {"k": 4}!r})
        release.write({str(tmp_path / "out")!r}, to_table="anon.people", replace=True)
    """
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, check=False, env=os.environ)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert people.run("select md5(string_agg(p::text, ',' order by p::text)) from anon.people p") == before
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == files
    assert _tables(people) == ["people"]
    assert shoal.verify(people.uri(), tmp_path / "out/certificate.json", table="anon.people").holds


def test_verify_refuses_a_table_that_was_changed(people: Server, tmp_path: Path) -> None:
    shoal.anonymize(people.uri(), table="people", **KEYWORDS).write(tmp_path / "out", to_table="anon.people")
    people.run("delete from anon.people where ctid = (select min(ctid) from anon.people)")
    found = shoal.verify(people.uri(), tmp_path / "out/certificate.json", table="anon.people")
    assert not found.holds
    assert any("speaks of 60 rows; the file has 59" in failure.message for failure in found.failures)


def _tables(server: Server) -> list[str]:
    rows = server.run(
        "select relname::text from pg_class where relnamespace = 'anon'::regnamespace and relkind = 'r'"
    )
    return sorted(name for (name,) in rows)
