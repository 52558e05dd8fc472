"""Opening files: uploads, paths, broken ones, huge ones, and what must never be said of them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from shoal.web.open_table import OpenTable
from tests.corpus import hospitals_german  # noqa: F401 (its tables join the corpus)
from tests.corpus.registry import build
from tests.web.conftest import SMALL
from tests.web.steward import Steward, words


def test_an_upload_is_a_private_copy_under_another_name_and_goes_when_the_table_is_closed(steward: Steward) -> None:
    table = steward.opened(steward.upload("..%2F..%2Fetc%2Fpasswd.csv", SMALL.encode()))
    assert table.name == "passwd.csv"
    assert table.path.parent == steward.folder.path
    assert "passwd" not in table.path.name
    assert (
        stat.S_IMODE(table.path.stat().st_mode) & 0o077 == 0
        or stat.S_IMODE(table.path.parent.stat().st_mode) == 0o700
    )
    steward.post(f"/t/{table.id}/close")
    assert not table.path.exists()
    assert not table.rows.exists()


def test_a_file_of_this_computer_is_read_where_it_is_and_stays(steward: Steward, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(SMALL)
    table = steward.opened(steward.post("/open", {"path": str(file)}))
    assert table.found is not None
    assert table.path == file
    steward.post(f"/t/{table.id}/close")
    assert file.read_text() == SMALL


@pytest.mark.parametrize("path", ["", "nothing.csv", "/", "~nobody/x.csv"])
def test_a_path_that_leads_nowhere_is_said(steward: Steward, path: str) -> None:
    answer = steward.post("/open", {"path": path})
    assert answer.status_code == 422
    assert "there is no file of this name" in words(answer.text)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("broken.xlsx", b"PK\x03\x04 no workbook"),
        ("broken.parquet", b"PAR1 secret-value PAR1"),
        ("broken.csv", b"a,b\n1,2,3,4,secret-value\n\x00\x00"),
        ("old.xls", b"\xd0\xcf\x11\xe0 secret-value"),
    ],
)
def test_a_broken_file_is_said_in_words_without_a_value_or_a_path(
    steward: Steward, name: str, content: bytes
) -> None:
    table = steward.opened(steward.upload(name, content))
    page = words(steward.get(f"/t/{table.id}/data").text)
    if table.found is None:
        assert "This file cannot be read" in page
        assert "internal error" not in page
        assert str(steward.folder.path) not in page
        assert "secret-value" not in page
    steward.post(f"/t/{table.id}/close")


def test_an_empty_or_too_large_upload_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with Steward(tmp_path / "private", most_uploaded=1000) as own:
        before = set(own.folder.path.iterdir())
        assert own.upload("empty.csv", b"").status_code == 422
        assert own.upload("large.csv", b"x" * 1001).status_code == 413
        answer = own.client.post(
            "/the-token/upload", content=iter([b"x" * 600] * 2), headers={"x-file-name": "a.csv"}
        )
        assert answer.status_code in (413, 422)
        assert set(own.folder.path.iterdir()) == before
        assert not own.desk.tables


def test_a_german_export_is_ready_without_a_setting(steward: Steward) -> None:
    """Semicolons, decimal commas, another encoding, 31.12.1999 and k.A.: read as it is meant, nothing is published
    that names people, and the release holds when every proposal is accepted.
    """
    export = build("german_hospital")
    table = steward.opened(steward.upload("Entlassungen.csv", export.data()))
    assert table.found is not None
    assert table.found["dialect"] | {"quote": ""} == {
        "separator": ";", "quote": "", "decimal": ",", "encoding": "cp1252",
    }  # fmt: skip
    roles = {name: column["role"] for name, column in table.settings["columns"].items()}
    assert roles["Name"] == roles["Versichertennummer"] == roles["Bemerkung"] == "identifier"
    assert table.settings["columns"]["Geburtsdatum"]["format"] == "%d.%m.%Y"
    steward.answer_all(table)
    steward.part(f"/t/{table.id}/privacy", {"k": "5", "method": "mondrian"})
    run = steward.release(table)
    assert run.result["numbers"]["k"] >= 5
    released = (run.folder / "csv" / "release.csv").read_bytes().decode("cp1252")
    assert "Name" not in released.splitlines()[0].split(";")
    steward.desk.close(table)


def test_rows_are_read_a_page_at_a_time(steward: Steward, small: OpenTable) -> None:
    page = steward.get(f"/t/{small.id}/rows?start=57&count=80").text
    assert page.count("<tr>") == 3
    assert "Person 59" in page
    assert steward.get(f"/t/{small.id}/rows?start=-5&count=100000").text.count("<tr>") == 60
    assert steward.get(f"/t/{small.id}/rows?start=1000").text.strip() == ""
    assert steward.get(f"/t/{small.id}/rows?start=x").status_code == 422


def test_a_file_can_be_read_in_another_way(steward: Steward) -> None:
    table = steward.opened(steward.upload("people.csv", b"a;b\n1;x\n2;k.A.\n3;y\n"))
    steward.post(f"/t/{table.id}/reading", {"separator": ";", "null_values": "k.A.", "header": "no"})
    steward.wait(table.job)
    assert table.found is not None
    assert [column["name"] for column in table.columns] == ["column_1", "column_2"]
    assert table.columns[1]["missing"] == 1
    assert table.found["n_rows"] == 4
    steward.desk.close(table)


def test_markup_in_a_table_stays_text(steward: Steward) -> None:
    evil = "<script>alert(1)</script>"
    rows = "".join(f"{row},{evil}\n" for row in range(20))
    table = steward.opened(steward.upload(f"{evil}.csv", f"age,{evil}\n{rows}".encode()))
    for step in ("data", "columns", "privacy"):
        page = steward.get(f"/t/{table.id}/{step}").text
        assert evil not in page
        assert "alert(1)" in page or step == "privacy"
    steward.desk.close(table)
