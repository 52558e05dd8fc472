"""Opening tables and looking at them."""

from __future__ import annotations

import asyncio
import shutil
from urllib.parse import unquote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from shoal.errors import TableError
from shoal.web.forms import database_file, form_lists, form_of, reading_settings
from shoal.web.guard import TooLargeError
from shoal.web.open_table import OpenTable
from shoal.web.pages import STEPS, desk_of, page, texts_of
from shoal.web.remarks import reading_questions, remarks
from shoal.web.rows import MOST_ROWS, rows_of
from shoal.web.texts import LANGUAGES
from shoal.web.waiting import done

router = APIRouter(include_in_schema=False)
FIRST_ROWS = 40  # rows that come with the page, before anybody scrolls
ENCODINGS = ("utf-8", "cp1252", "latin-1", "iso8859-15", "utf-16", "cp850")


def to_table(request: Request, table: OpenTable, step: str = "data") -> RedirectResponse:
    """Return the way to a page of a table."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}/t/{table.id}/{step}", 303)


@router.get("/")
async def home(request: Request) -> Response:
    return page(request, "home.html", most=request.app.state.most_uploaded, address="", found_tables=None)


@router.post("/language")
async def language(request: Request) -> Response:
    form = await form_of(request)
    if form.get("language") in LANGUAGES:
        request.app.state.language = form["language"]
    back = form.get("back", "")
    base = request.scope.get("root_path", "")
    return RedirectResponse(back if back.startswith(f"{base}/") and base else f"{base}/", 303)


@router.post("/open")
async def open_path(request: Request) -> Response:
    """Open a file by its path; the tables of a file that is a database are offered."""
    path = (await form_of(request)).get("path", "")
    if (address := database_file(path)) is None:
        return to_table(request, desk_of(request).open_path(path))
    tables = (await done(desk_of(request).list_tables(address, "")))["tables"]
    most = request.app.state.most_uploaded
    return page(request, "home.html", most=most, address=address, found_tables=tables)


@router.post("/database/tables")
async def database_tables(request: Request) -> Response:
    """Show the tables of a database; nothing of the form is kept."""
    form = await form_of(request)
    found = await done(desk_of(request).list_tables(form.get("address", "").strip(), form.get("password", "")))
    return page(request, "tables.html", found_tables=found["tables"])


@router.post("/database")
async def open_database(request: Request) -> Response:
    """Copy a table of a database; address and password go to the worker and are not kept."""
    fields = await form_lists(request)
    last = {key: next((one for one in reversed(given) if one.strip()), "") for key, given in fields.items()}
    table, query = (last.get(key, "").strip() or None for key in ("table", "query"))
    opened = desk_of(request).open_database(
        last.get("address", "").strip(), last.get("password", ""), table=table, query=query
    )
    return to_table(request, opened)


@router.post("/example")
async def example(request: Request) -> Response:
    return to_table(request, desk_of(request).open_example())


@router.post("/upload")
async def upload(request: Request) -> Response:
    """Take a file as the raw body of the request; its name only says how it is called on the pages."""
    table = await take_upload(request)
    return JSONResponse({"location": f"{request.scope.get('root_path', '')}/t/{table.id}/data"})


async def take_upload(request: Request) -> OpenTable:
    """Return the table of an upload, whose bytes went to the private folder without being held in memory."""
    desk, name = desk_of(request), unquote(request.headers.get("x-file-name", "table.csv"))
    file = desk.new_upload(name)
    length = request.headers.get("content-length") or "0"
    wanted = int(length) if length.isascii() and length.isdecimal() else 0
    if wanted > shutil.disk_usage(desk.folder.path).free * 0.9:
        raise TableError("there is not enough free space for a copy of this file.", "open it by its path instead.")
    try:
        with file.open("xb") as out:
            async for piece in request.stream():
                await asyncio.to_thread(out.write, piece)
    except TooLargeError:
        file.unlink(missing_ok=True)
        most = request.app.state.most_uploaded // 1_000_000
        raise TableError(f"the file has more than {most} MB.", "open it by its path instead.") from None
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    if not file.stat().st_size:
        file.unlink()
        raise TableError("the file is empty.", "choose another one.")
    return desk.open_upload(name, file)


@router.get("/t/{wanted}/data")
async def data(request: Request, wanted: str) -> Response:
    table = desk_of(request).table(wanted)
    if table.found is None:
        return page(request, "opening.html", table=table, step="data", job=table.job)
    first = await asyncio.to_thread(rows_of, table.rows, 0, FIRST_ROWS)
    return page(
        request,
        "data.html",
        table=table,
        step="data",
        first=first,
        encodings=ENCODINGS,
        remarks=remarks(table, texts_of(request)),
        asked=reading_questions(table),
    )


@router.get("/t/{wanted}/rows")
async def rows(request: Request, wanted: str, start: int = 0, count: int = MOST_ROWS) -> Response:
    table = desk_of(request).ready_table(wanted)
    found = await asyncio.to_thread(rows_of, table.rows, start, count)
    return page(request, "rows.html", table=table, rows=found, start=max(0, start))


@router.post("/t/{wanted}/reading")
async def reading(request: Request, wanted: str) -> Response:
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    form = await form_of(request)
    before = table.reading if "only" in form else {}
    desk.read_again(table, before | reading_settings(form))
    return to_table(request, table)


@router.post("/t/{wanted}/close")
async def close(request: Request, wanted: str) -> Response:
    desk_of(request).close(desk_of(request).table(wanted))
    return RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)


@router.post("/t/{wanted}/undo")
async def undo(request: Request, wanted: str) -> Response:
    """Take the last change back, and show the page where that was asked for again."""
    table = desk_of(request).ready_table(wanted)
    table.undo()
    return await _same_step(request, table)


@router.post("/t/{wanted}/redo")
async def redo(request: Request, wanted: str) -> Response:
    """Make the change again that was taken back last."""
    table = desk_of(request).ready_table(wanted)
    table.redo()
    return await _same_step(request, table)


async def _same_step(request: Request, table: OpenTable) -> Response:
    step = (await form_of(request)).get("step", "")
    return to_table(request, table, step if step in STEPS else "columns")
