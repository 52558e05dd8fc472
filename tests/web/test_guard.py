"""Who may ask the server for anything."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from shoal.web.guard import HEADERS, Guard, TooLargeError
from tests.web.steward import HOST, TOKEN


def ask(
    path: str = f"/{TOKEN}/t/1/data", method: str = "GET", body: bytes = b"", **headers: str | None
) -> tuple[int, dict[str, str], dict[str, Any]]:
    """Status and headers of an answer, and the scope that the application got; headers are named with underscores."""
    got: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        got.update(scope)
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    sent: list[Any] = []
    given: dict[str, str | None] = {"host": HOST} | headers
    lines = [(k.replace("_", "-").encode(), v.encode()) for k, v in given.items() if v is not None]
    scope = {"type": "http", "method": method, "path": path, "headers": lines, "query_string": b"", "root_path": ""}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    guard = Guard(app, token=TOKEN, hosts={HOST, "localhost:8765"}, uploads=("/upload",), most_uploaded=5_000_000)
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], {k.decode(): v.decode() for k, v in sent[0]["headers"]}, got


OWN = f"http://{HOST}"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": OWN, "sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
        {"host": "localhost:8765"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"},
    ],
)
def test_pages_of_this_server_are_served(headers: dict[str, str]) -> None:
    assert ask(**headers)[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:9999", "", None])
def test_a_name_that_was_rebound_to_this_computer_is_refused(host: str | None) -> None:
    assert ask(host=host)[0] == 421


@pytest.mark.parametrize(
    "path",
    ["/", "/t/1/data", "/the-tokem/t/1/data", f"/{TOKEN}", f"/{TOKEN}x/t/1/data", f"//{TOKEN}/", "/static/app.js"],
)
def test_without_the_token_nothing_is_served(path: str) -> None:
    status, _, got = ask(path)
    assert status == 403
    assert not got


def test_a_program_may_give_the_token_in_a_header() -> None:
    assert ask("/api/tables", authorization=f"Bearer {TOKEN}")[0] == 200
    assert ask("/api/tables", "POST", authorization=f"Bearer {TOKEN}")[0] == 200
    assert ask("/api/tables", authorization="Bearer something-else")[0] == 403


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:9999", f"https://{HOST}"])
def test_another_origin_is_refused_even_with_the_token(method: str, origin: str) -> None:
    assert ask(method=method, origin=origin)[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_site_cannot_load_or_post_anything(site: str, method: str) -> None:
    assert ask(method=method, sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="image")[0] == 403
    assert ask(method="POST", sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="document")[0] == 403
    assert ask(sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="iframe")[0] == 403


def test_a_change_must_say_which_page_it_comes_from() -> None:
    assert ask(method="POST")[0] == 403
    assert ask(method="POST", origin=OWN)[0] == 200


def test_every_answer_forbids_to_load_anything_from_elsewhere() -> None:
    for answer in (ask(), ask("/")):
        for name, value in HEADERS.items():
            assert answer[1][name] == value
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "frame-ancestors 'none'" in policy


def test_the_token_is_taken_off_the_path() -> None:
    assert ask()[2]["root_path"] == f"/{TOKEN}"


def test_a_body_that_is_too_large_is_refused_by_its_length_and_by_counting() -> None:
    own = {"origin": OWN}
    assert ask(method="POST", content_length="1000001", **own)[0] == 413
    assert ask(f"/{TOKEN}/upload", "POST", content_length="1000001", **own)[0] == 200
    assert ask(f"/{TOKEN}/upload", "POST", content_length="5000001", **own)[0] == 413
    with pytest.raises(TooLargeError):
        ask(method="POST", body=b"x" * 1_000_001, **own)
