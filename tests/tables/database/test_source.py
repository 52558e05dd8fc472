"""Where a table is: URIs, names of tables, and passwords that are never shown."""

from __future__ import annotations

import pytest

import shoal
from shoal.errors import ParameterError, ShoalError
from shoal.tables.database.names import parts_of, quoted
from shoal.tables.database.source import DatabaseSource, located, target_of
from tests.postgres_server import PASSWORD, Server

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("patients", ("patients",)),
        ("anon.Patients", ("anon", "Patients")),
        ('"a.b"."c""d"', ("a.b", 'c"d')),
        ("drop table x; --", ("drop table x; --",)),
    ],
)
def test_a_name_is_split_at_dots_outside_of_quotes(text: str, parts: tuple[str, ...]) -> None:
    assert parts_of(text) == parts


@pytest.mark.parametrize("text", ["", ".", "a.", '"a', 'a"b', "a.b.c.d", "a\0b"])
def test_what_is_no_name_of_a_table_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="not the name of a table"):
        parts_of(text)


def test_a_quote_in_a_name_ends_nothing() -> None:
    assert quoted('x"; drop table y; --') == '"x""; drop table y; --"'


@pytest.mark.parametrize(
    "uri",
    [
        f"postgresql://u:{SECRET}@[::1/db",
        f"postgresql://u:{SECRET}@nohost.invalid/db",
        f"postgresql://u:{SECRET}%zz@localhost:1/db",
        f"postgresql://u:{SECRET}@localhost:1/db",
        f"postgresql://localhost:1/db?nosuch={SECRET}",
        f"postgresql:/u:{SECRET}@x/db",
        f"postgres+psycopg://u:{SECRET}@x/db",
        f"postgresql://u:{SECRET}@localhost:port/db",
        f"mysql://u:{SECRET}@localhost/db",
        f"duckdb://u:{SECRET}@x",
        f"sqlite://{SECRET}",
    ],
)
def test_no_message_repeats_a_uri_that_is_wrong(uri: str) -> None:
    """libpq repeats a malformed URI with its password."""
    with pytest.raises(ShoalError) as caught:
        shoal.profile(uri, table="patients")
    assert SECRET not in str(caught.value)
    with pytest.raises(ShoalError) as caught:
        shoal.profile(uri)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_source_does_not_show_its_uri_or_its_query() -> None:
    found = located(f"postgresql://u:{SECRET}@h/db", None, f"select '{SECRET}'")
    assert isinstance(found, DatabaseSource)
    assert SECRET not in repr(found) + str(found) + found.name
    target = target_of(None, "anon.x", False, found)
    assert target is not None
    assert SECRET not in repr(target) + target.name


def test_a_uri_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_DATABASE", "sqlite:///some.sqlite")
    found = located("env:A_DATABASE", "t")
    assert (found.engine, str(found.path)) == ("sqlite", "some.sqlite")
    for wrong in ("nothing", "env:A_DATABASE", ""):
        monkeypatch.setenv("A_DATABASE", wrong)
        with pytest.raises(ParameterError, match="A_DATABASE is not set to the URI"):
            located("env:A_DATABASE", "t")


def test_a_database_needs_a_table_or_a_query_and_a_file_has_none() -> None:
    with pytest.raises(ParameterError, match="neither a table nor a query"):
        shoal.profile("sqlite:///x")
    with pytest.raises(ParameterError, match="both a table and a query"):
        shoal.profile("sqlite:///x", table="t", query="select 1")
    with pytest.raises(ParameterError, match="table is for a database"):
        shoal.profile("people.csv", table="t")


def test_a_target_needs_a_table_and_a_database() -> None:
    for asked in ({"to": "sqlite:///x"}, {"replace": True}):
        with pytest.raises(ParameterError, match="needs the name of the table"):
            target_of(asked.get("to"), None, asked.get("replace", False))
    with pytest.raises(ParameterError, match="no database was given"):
        target_of(None, "t", False)
    with pytest.raises(ParameterError, match="not the URI of a database"):
        target_of("out.csv", "t", False)


def test_a_wrong_password_is_said_without_it_and_a_right_one_is_taken(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    postgres.run("create table if not exists open_to_guest (age int)", "grant select on open_to_guest to guest",
                 "insert into open_to_guest values (1), (2)")  # fmt: skip
    with pytest.raises(ShoalError, match="the user may not connect") as caught:
        shoal.profile(postgres.uri("guest", SECRET), table="open_to_guest")
    assert SECRET not in str(caught.value)
    words = tmp_path / "pgpass"
    words.write_text(f"*:*:*:guest:{PASSWORD}\n", encoding="utf-8")
    words.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(words))
    assert shoal.profile(postgres.uri("guest"), table="open_to_guest").n_rows == 2
    monkeypatch.delenv("PGPASSFILE")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert shoal.profile(postgres.uri("guest"), table="open_to_guest").n_rows == 2
