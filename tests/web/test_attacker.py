"""Attacks on the web app: markup in every place where a name or a value is shown, and requests that no page makes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import TableError
from shoal.web.commands import command_line
from shoal.web.open_table import OpenTable
from shoal.web.private_folder import PrivateFolder
from tests.web.conftest import SMALL
from tests.web.steward import TOKEN, Steward

PAYLOADS = (
    '"><img src=x onerror=pwned()>',
    "' onfocus=pwned() autofocus x='",
    "</title></svg><script>pwned()</script>",
    "{{7*7}}<a href='javascript:pwned()'>",
    "<svg><style>*{x:y}</style>&#x3c;b>",
    '<div hx-get="/x" hx-trigger="load">',
)
NAMES = [
    "age " + PAYLOADS[0],
    "sex " + PAYLOADS[1],
    "ward " + PAYLOADS[2],
    "illness " + PAYLOADS[3],
    PAYLOADS[4],
    "n",
]
EVIL = (
    ";".join('"' + name.replace('"', '""') + '"' for name in NAMES)
    + "\n"
    + "".join(
        f"{20 + row % 40};{'fm'[row % 2]};"
        + '"'
        + PAYLOADS[row % 3].replace('"', '""')
        + '";"'
        + PAYLOADS[3 + row % 3].replace('"', '""')
        + f'";{row % 9};{row % 4},5\n'
        for row in range(90)
    )
)


class Seen(HTMLParser):
    """What a browser would make of a page: its elements and their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))


def harmless(page: str, where: str) -> None:
    """Check that a page has no element or attribute that a name or a value of the table brought."""
    for tag, attributes in Seen(page).elements:
        assert tag not in ("img", "iframe", "object", "embed", "b", "base", "style"), (where, tag)
        if tag == "script":
            assert re.fullmatch(rf"/{TOKEN}/static/[\w.]+\.js", attributes["src"]), where
        for name, value in attributes.items():
            assert not name.startswith("on"), (where, tag, name)
            assert name not in ("autofocus", "style", "srcdoc"), (where, tag, name)
            if name in ("href", "action", "formaction", "src", "hx-get", "hx-post"):
                assert value.startswith((f"/{TOKEN}/", "#", "data:image/svg+xml")), (where, name, value)


@pytest.fixture(scope="module")
def evil(steward: Steward) -> Iterator[OpenTable]:
    table = steward.opened(steward.upload(f"{PAYLOADS[0]}.csv".replace("/", "_"), EVIL.encode()))
    assert table.found is not None, table.job.error
    for place, fields in enumerate(({"role": "quasi", "kind": "number"}, {"role": "quasi", "kind": "label"})):
        steward.part(f"/t/{table.id}/columns/{place}", {"role": "quasi"})
        steward.part(f"/t/{table.id}/columns/{place}", fields)
    for place, role in ((2, "quasi"), (3, "sensitive"), (4, "quasi"), (5, "quasi")):
        steward.part(f"/t/{table.id}/columns/{place}", {"role": role})
    steward.part(f"/t/{table.id}/columns/2", {"role": "quasi", "kind": "label"})
    steward.answer_all(table)
    steward.part(f"/t/{table.id}/privacy", {"k": "5", "method": "mondrian"})
    yield table
    steward.desk.close(table)


def test_markup_of_a_table_is_text_on_every_page_and_in_the_report(steward: Steward, evil: OpenTable) -> None:
    at = f"/t/{evil.id}"
    pages: dict[str, str] = {}
    for step in ("data", "columns", "privacy", "singled", "rows", "columns/2/hand", "columns/2/hand?propose=true"):
        pages[step] = steward.get(f"{at}/{step}").text
    fields = {f"{level}:{row}": PAYLOADS[row % 6] if level == 0 else "" for row in range(3) for level in (0, 1)}
    pages["grouped"] = steward.part(f"{at}/columns/2/hand", fields).text
    pages["levels"] = steward.get(f"{at}/columns/2/levels").text
    pages["wrong"] = steward.part(f"{at}/columns/0", {"role": "quasi", "kind": "number", "top": PAYLOADS[0]}).text
    steward.release(evil)
    steward.post(f"{at}/frontier")
    assert evil.frontier is not None
    steward.wait(evil.frontier)
    for step in ("privacy", "frontier", "result", "risk", "report", "runs/1/rows", "runs/1/report.html", "nowhere"):
        pages[f"{step} after"] = steward.get(f"{at}/{step}").text
    pages["person"] = steward.part(f"{at}/runs/1/person", {"row": "1", "known": "0"}).text
    pages["home"] = steward.get("/").text
    pages["codebook"] = steward.get(f"{at}/runs/1/public/codebook.html").text
    german = {"accept-language": "de"}
    pages["german"] = steward.get(f"{at}/result", headers=german).text
    for where, page in pages.items():
        if where in ("runs/1/report.html after", "codebook"):
            assert not re.search(r"<(script|img|iframe|b>|a href='java)", page), where
            assert "pwned()" in page or where == "codebook"
        else:
            harmless(page, where)
    assert sum("pwned()" in page for page in pages.values()) > 10


def test_the_name_of_a_file_cannot_become_an_option_of_the_command(steward: Steward) -> None:
    table = steward.opened(steward.upload("--out=elsewhere.csv", SMALL.encode()))
    steward.answer_all(table)
    run = steward.release(table)
    assert command_line(table, run).startswith("shoal anonymize ./--out=elsewhere.csv ")
    steward.desk.close(table)


@pytest.mark.parametrize(
    "name",
    [
        "x" * 9000 + ".csv",
        "%FF%FE%00.csv",
        "..%5C..%5Cboot.ini",
        "%0d%0aset-cookie: a=b.csv",
        "%E2%80%AEvsc.exe",
        ".",
    ],
)
def test_any_name_of_an_upload_is_a_label_and_nothing_else(steward: Steward, name: str) -> None:
    before = set(steward.folder.path.iterdir())
    table = steward.opened(steward.upload(name, SMALL.encode()))
    new = {file.name for file in set(steward.folder.path.iterdir()) - before}
    assert all(re.fullmatch(r"[0-9a-f]{16}(\.[a-z0-9]+)?", one) for one in new), new
    assert len(table.name) <= 200
    assert not set(table.name) & {"/", "\\"}
    answer = steward.get(f"/t/{table.id}/data")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert "\u202e" not in answer.text
    steward.desk.close(table)


@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("GET", "rows?start=1000000000000000000000000000000", {}),
        ("GET", "rows?start=-1000000000000000000000000000000&count=-5", {}),
        ("GET", "result?run=99999999999999999999999", {}),
        ("GET", "columns/99999999999999999999/levels", {}),
        ("POST", "privacy", {"k": "1e400"}),
        ("POST", "privacy", {"k": "nan"}),
        ("POST", "privacy", {"k": "5", "suppressed": "inf"}),
        ("POST", "privacy", {"k": "5", "l:3": "nan", "t:3": "-inf"}),
        ("POST", "columns/1", {"role": "quasi", "weight": "1e999"}),
        ("POST", "columns/1", {"role": "quasi", "kind": "number", "round": "nan"}),
        ("POST", "columns/1", {"role": "quasi", "kind": "number", "longitude": "²"}),
        ("POST", "columns/0", {"role": "quasi", "kind": "label", "map": "\0"}),
        ("POST", "columns/1", {"role": "quasi", "kind": "number", "way": "file", "steps": "x" * 5000}),
        ("POST", "columns/1/hand", {"0:0": "\0\ud7ff", "0:x": "y"}),
        ("POST", "questions/0", {"fix": "²"}),
        ("POST", "questions/0", {"fix": "9" * 5000}),
        ("POST", "reading", {"separator": "\0", "encoding": "../../etc"}),
        ("POST", "/open", {"path": "~nobody-of-this-name/x.csv"}),
        ("POST", "/open", {"path": "x" * 70_000}),
        ("POST", "/open", {"path": "a\0b.sqlite"}),
        ("POST", "/database/tables", {"address": "sqlite:///\0"}),
        ("POST", "/language", {"language": "\0", "back": f"/{TOKEN}/\r\nx: y"}),
    ],
)
def test_what_no_page_sends_is_refused_in_words(
    steward: Steward, small: OpenTable, method: str, path: str, fields: dict[str, str]
) -> None:
    path = path if path.startswith("/") else f"/t/{small.id}/{path}"
    answer: Any = steward.get(path) if method == "GET" else steward.part(path, fields)
    assert answer.status_code in (200, 404, 422)
    assert "internal error" not in answer.text
    if not small.job.over:
        steward.wait(small.job)


def test_numbers_that_are_none_are_refused_when_a_person_is_looked_up(steward: Steward, small: OpenTable) -> None:
    steward.answer_all(small)
    steward.release(small)
    for fields in ({"row": "nan"}, {"row": "1", "known": "²"}, {"row": "1", "known": "9" * 5000}, {"row": "1e300"}):
        assert steward.part(f"/t/{small.id}/runs/1/person", fields).status_code in (200, 422)


def test_the_description_of_the_api_does_not_hold_the_token(steward: Steward) -> None:
    answer = steward.get("/api/openapi.json")
    assert answer.status_code == 200
    assert TOKEN not in answer.text


def test_the_report_may_load_nothing_send_nothing_and_be_framed_by_us_alone(
    steward: Steward, small: OpenTable
) -> None:
    steward.answer_all(small)
    steward.release(small)
    policy = steward.get(f"/t/{small.id}/runs/1/report.html").headers["content-security-policy"]
    for part in ("default-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'"):
        assert part in policy
    assert "script" not in policy


def test_what_the_worker_writes_for_a_while_is_in_the_private_folder(steward: Steward, small: OpenTable) -> None:
    process = steward.desk.worker._process
    assert process is not None
    given = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    assert f"TMPDIR={steward.folder.path}".encode() in given


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    parent = tmp_path / "all"
    left = parent / "left"
    left.mkdir(parents=True)
    (left / "in-use").symlink_to(tmp_path / "made-by-us")
    folder = PrivateFolder(parent)
    assert not (tmp_path / "made-by-us").exists()
    folder.close()


@pytest.mark.skipif(os.name == "nt", reason="there are no links of this kind")
def test_a_private_folder_that_is_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match="belongs to somebody else"):
        PrivateFolder(tmp_path / "file")
