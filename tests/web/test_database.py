"""A table of a database: read once, copied, released as from the database itself; the password is nowhere."""

from __future__ import annotations

import html
import io
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.web.open_table import OpenTable
from shoal.web.tasks.open_database import _uri
from tests.web.conftest import SMALL
from tests.web.steward import Steward, words

ROWS = [line.split(",") for line in SMALL.splitlines()[1:]]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "hospital data.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("create table people (name text, age integer, sex text, illness text)")
        connection.executemany("insert into people values (?, ?, ?, ?)", ROWS)
        connection.execute('create view "odd.name" as select age, sex, illness from people')
    return file


def address(file: Path) -> str:
    return f"sqlite:///{str(file).replace(' ', '%20')}"


def shown(report: str, beginning: str) -> str:
    found = re.search(rf"<pre tabindex=\"0\">({beginning}.*?)</pre>", report, re.S)
    assert found is not None
    return html.unescape(found[1])


def test_its_tables_are_listed_and_a_file_that_is_a_database_offers_them(steward: Steward, database: Path) -> None:
    answer = steward.part("/database/tables", {"address": address(database), "password": ""})
    assert re.findall(r'name="table" value="([^"]+)"', answer.text) == ["&#34;odd.name&#34;", "people"]
    page = steward.post("/open", {"path": str(database)}).text
    assert 'name="table" value="people"' in page
    assert address(database) in page


def test_the_release_of_a_table_is_that_of_the_command_and_the_code_that_are_shown(
    steward: Steward, database: Path, tmp_path: Path
) -> None:
    table = steward.opened(steward.post("/database", {"address": address(database), "table": "people"}))
    assert table.found is not None, table.job.error
    assert table.found["format"] == "sqlite"
    assert "SQLite" in words(steward.get(f"/t/{table.id}/data").text)
    database.chmod(0o400)
    steward.answer_all(table)
    run = steward.release(table)
    for half in ("public-csv", "private"):
        zipfile.ZipFile(io.BytesIO(steward.get(f"/t/{table.id}/runs/1/{half}.zip").content)).extractall(tmp_path)
    made = (tmp_path / "release" / "release.csv").read_bytes()
    report = steward.get(f"/t/{table.id}/report").text
    code = shown(report, "import shoal").replace(f'format="{run.result["format"]}"', 'format="csv"')
    command = shown(report, "shoal anonymize").replace(f"--format {run.result['format']}", "--format csv")
    for way in (
        [sys.executable, "-c", code],
        ["sh", "-c", command.replace("shoal", f"{sys.executable} -m shoal", 1)],
    ):
        subprocess.run(way, cwd=tmp_path, check=True, capture_output=True)
        assert (tmp_path / "again" / "release.csv").read_bytes() == made
        shutil.rmtree(tmp_path / "again")
    steward.desk.close(table)


def test_a_query_and_a_view_are_opened_and_reading_again_needs_no_database(steward: Steward, database: Path) -> None:
    asked = {"address": address(database), "query": "select age, illness from people where age > 30"}
    table = steward.opened(steward.post("/database", asked))
    assert table.found is not None, table.job.error
    assert table.found["n_rows"] == sum(int(row[1]) > 30 for row in ROWS)
    database.unlink()
    steward.post(f"/t/{table.id}/reading", {"null_values": "flu"})
    steward.wait(table.job)
    assert table.found["format"] == "sqlite"
    assert not table.path.exists() or table.path.parent == steward.folder.path
    steward.post(f"/t/{table.id}/close")
    assert not table.path.exists()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"address": "mysql://x/y", "table": "t"}, "cannot read a table from mysql"),
        ({"address": "sqlite:////nowhere/a.sqlite", "table": "t"}, "no such file|cannot be"),
        ({"address": "postgresql://ana@127.0.0.1:1/db", "password": "hunter2", "table": "t"}, "does not answer"),
        ({"address": "postgresql://127.0.0.1:1/db", "password": "hunter2", "table": "t"}, "no user"),
        ({"address": "postgresql://ana@127.0.0.1:1/db", "password": "hunter2"}, "give a table or a query"),
    ],
)
def test_what_cannot_be_read_is_said_without_the_address_or_the_password(
    steward: Steward, fields: dict[str, str], said: str
) -> None:
    answer = steward.post("/database", fields)
    page = answer.text
    if answer.status_code == 200:
        table = steward.opened(answer)
        page = steward.get(f"/t/{table.id}/data").text
        assert table.found is None
        steward.desk.close(table)
    assert re.search(said, words(page))
    assert "hunter2" not in page
    assert "127.0.0.1:1" not in page
    assert "hunter2" not in repr(steward.desk.jobs) + repr([vars(job) for job in steward.desk.jobs.values()])
    assert not any(b"hunter2" in file.read_bytes() for file in steward.folder.path.rglob("*") if file.is_file())


def test_a_password_that_waits_is_forgotten_when_its_job_is_cancelled(steward: Steward) -> None:
    working = steward.desk.open_example()
    job = steward.desk.list_tables("postgresql://ana@127.0.0.1:1/db", "hunter2")
    steward.desk.cancel(job)
    assert job.over
    assert "hunter2" not in repr(vars(job))
    steward.wait(working.job)
    steward.desk.close(working)


def test_a_password_goes_to_its_user_and_nowhere_else() -> None:
    asked = {"address": "postgresql://ana@db.example.org/hospital?sslmode=require", "password": "p@ss:/w%"}
    assert _uri(asked) == "postgresql://ana:p%40ss%3A%2Fw%25@db.example.org/hospital?sslmode=require"
    assert _uri(asked | {"password": ""}) == asked["address"]
    for wrong in ("postgresql://db/x@y", "postgresql://ana:a@db/x", "sqlite:///x", "db"):
        with pytest.raises(ShoalError, match="no user"):
            _uri(asked | {"address": wrong})


def test_decisions_are_kept_when_a_file_is_read_in_another_way(steward: Steward, small: OpenTable) -> None:
    at = f"/t/{small.id}"
    steward.part(f"{at}/columns/1", {"role": "sensitive"})
    steward.part(f"{at}/privacy", {"k": "7"})
    steward.answer_all(small)
    asked = len(small.questions)
    steward.post(f"{at}/reading", {"null_values": "gout"})
    steward.wait(small.job)
    assert small.found is not None
    assert small.columns[3]["missing"] == 20
    assert small.settings["columns"]["age"]["role"] == "sensitive"
    assert small.settings["k"] == 7
    assert len(small.questions) - len(small.open_questions) == asked
