"""Who may ask the server for anything: only pages that this server made, opened with the address that it printed.

Guarantee   A request is served only if it is addressed to this server by a name of this computer (no rebinding of
            names), carries the random token (in its path, or as a bearer token from a program), and comes from no
            other site. There are no cookies, so that no other page can act in the user's name. Every answer forbids
            to be kept, framed, or to load anything from elsewhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",  # with no-referrer, browsers say Origin: null in our own forms
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
MOST_BYTES = 1_000_000  # of the body of any request that is no upload
LONGEST_LENGTH = 18  # digits of a length that can be one
SAFE = ("GET", "HEAD")


class Guard:
    """The outermost layer of the application: refuses, or removes the token from the path and passes it on."""

    def __init__(
        self, app: ASGIApp, *, token: str, hosts: set[str], uploads: tuple[str, ...], most_uploaded: int
    ) -> None:
        self.app, self.token, self.hosts = app, token, hosts
        self.uploads, self.most_uploaded = uploads, most_uploaded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await PlainTextResponse(refused[1] + "\n", refused[0], HEADERS)(scope, receive, send)
            return
        base = f"/{self.token}"
        path = scope["path"]
        if path.startswith(base + "/"):
            scope = dict(scope) | {"root_path": base}
            path = path.removeprefix(base)
        most = self.most_uploaded if path.startswith(self.uploads) else MOST_BYTES
        length = headers.get("content-length") or "0"
        if length.isascii() and length.isdecimal() and (len(length) > LONGEST_LENGTH or int(length) > most):
            await PlainTextResponse("too large\n", 413, HEADERS)(scope, receive, send)
            return
        await self.app(scope, _limited(receive, most), _with_headers(send))

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return status and sentence if a request must not be served."""
        if headers.get("host", "") not in self.hosts:
            return 421, "This server answers only to the address that it printed."
        if not self._has_token(scope["path"], headers):
            return 403, "Open the address that `shoal serve` printed: it ends in a secret that is missing here."
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return 403, "Requests from other pages are not served."
        if site not in (None, "same-origin", "none"):
            opened = scope["method"] in SAFE and headers.get("sec-fetch-mode") == "navigate"
            if not opened or headers.get("sec-fetch-dest") != "document":
                return 403, "Requests from other sites are not served."
        by_program = headers.get("authorization") is not None
        if scope["method"] not in SAFE and origin is None and site is None and not by_program:
            return 403, "A request that changes something must say which page it comes from."
        return None

    def _has_token(self, path: str, headers: Headers) -> bool:
        first = path[1:].partition("/")[0]
        if path.count("/") > 1 and secrets.compare_digest(first.encode(), self.token.encode()):
            return True
        given = headers.get("authorization", "")
        return secrets.compare_digest(given.encode(), f"Bearer {self.token}".encode())


class TooLargeError(Exception):
    """A body has more bytes than it may have."""


def _limited(receive: Receive, most: int) -> Receive:
    """Return a way to receive a body that stops after `most` bytes."""
    got = 0

    async def counted() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > most:
            raise TooLargeError
        return message

    return counted


def _with_headers(send: Send) -> Send:
    """Return a way to send an answer that adds the headers of every answer, unless it has its own."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own: Mapping[bytes, Any] = dict(message["headers"])
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in own]
            message = dict(message) | {"headers": [*message["headers"], *more]}
        await send(message)

    return sent
