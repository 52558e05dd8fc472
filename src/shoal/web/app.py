"""The application: an object that can be called without a port, as the tests do."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.types import ASGIApp

from shoal._version import __version__
from shoal.errors import ShoalError
from shoal.web.desk import Desk
from shoal.web.guard import Guard, TooLargeError
from shoal.web.pages import HERE, is_part, page, style
from shoal.web.private_folder import PrivateFolder
from shoal.web.routes import api, api_more, columns, data, jobs, privacy, report, result, start
from shoal.web.worker import Worker
from shoal.web.worker_process import inside

MOST_UPLOADED = 2_000_000_000
STATIC = {"htmx.min.js": "text/javascript", "app.js": "text/javascript", "mark.svg": "image/svg+xml"}


def new_token() -> str:
    """Return a random token that nobody can guess."""
    return secrets.token_urlsafe(24)


def make_app(folder: PrivateFolder, *, token: str, port: int, most_uploaded: int = MOST_UPLOADED) -> ASGIApp:
    """Return the application, guarded; the worker starts and ends with it."""
    worker = Worker(folder.path)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        worker.start()
        yield
        worker.close()

    app = FastAPI(
        title="Shoal",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        root_path_in_servers=False,  # the path has the token
    )
    app.state.desk = Desk(folder, worker)
    app.state.language = None
    app.state.most_uploaded = most_uploaded
    for topic in (data, start, columns, privacy, jobs, result, report, api, api_more):
        app.include_router(topic.router)
    app.add_exception_handler(ShoalError, _said)
    app.add_exception_handler(Exception, _fault)
    app.add_exception_handler(TooLargeError, _too_large)
    app.add_exception_handler(HTTPException, _nothing_there)
    app.add_exception_handler(RequestValidationError, _not_understood)

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name == "shoal.css":
            return Response(style(), media_type="text/css")
        if name not in STATIC:
            return Response(status_code=404)
        return FileResponse(HERE / "static" / name, media_type=STATIC[name])

    hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
    return Guard(app, token=token, hosts=hosts, uploads=("/upload", "/api/upload"), most_uploaded=most_uploaded)


async def _said(request: Request, error: Exception, status: int = 422) -> Response:
    """Return an error as a page, a part of a page, or JSON, as the request needs it."""
    assert isinstance(error, ShoalError)
    by_program = request.url.path.removeprefix(request.scope.get("root_path", "")).startswith("/api/")
    if by_program or request.headers.get("accept", "").startswith("application/json"):
        shape = {"ok": False, "error": error.message, "hint": error.hint, "status": status}
        return JSONResponse(shape, status)
    name = "notice.html" if is_part(request) else "problem.html"
    answer = page(request, name, status=status, error=error.message, hint=error.hint or "")
    if is_part(request):
        answer.headers["hx-retarget"], answer.headers["hx-reswap"] = "#notice", "innerHTML"
    return answer


async def _fault(request: Request, fault: Exception) -> Response:
    """Return the answer to an internal error, without the exception's text, which may quote cells."""
    where = inside(fault)
    return await _said(request, ShoalError(where["error"], where["hint"]), 500)


async def _nothing_there(_request: Request, error: Exception) -> Response:
    """Return the answer to a path that does not exist, or to a method that it does not take."""
    assert isinstance(error, HTTPException)
    shape = {"ok": False, "error": "there is nothing at this path.", "hint": None, "status": error.status_code}
    return JSONResponse(shape, error.status_code, error.headers)


async def _too_large(request: Request, _error: Exception) -> Response:
    return JSONResponse({"ok": False, "error": "the request is too large.", "hint": None, "status": 413}, 413)


async def _not_understood(_request: Request, error: Exception) -> Response:
    """Return which part of a request is invalid, without its value."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    shape = {"ok": False, "error": f"the request is not understood at {where}.", "hint": None, "status": 422}
    return JSONResponse(shape, 422)
