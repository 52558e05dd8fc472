"""The same over HTTP, for programs: everything that the pages can do, described by OpenAPI at /api/openapi.json."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from shoal.errors import ParameterError
from shoal.web.draft import checked
from shoal.web.pages import desk_of
from shoal.web.policy_file import same_columns
from shoal.web.routes.api_models import (
    Answer,
    Asked,
    Failed,
    JobState,
    Opened,
    PersonAsked,
    QuestionAsked,
    Rows,
    RunMade,
    Sizes,
    TableState,
)
from shoal.web.routes.data import take_upload
from shoal.web.routes.report import FORMATS, packed
from shoal.web.routes.result import run_of
from shoal.web.rows import MOST_ROWS, rows_of

WRONG: dict[int | str, dict[str, Any]] = {
    404: {"model": Failed, "description": "There is nothing at this path."},
    403: {"description": "The token is missing, or the request comes from another page."},
    422: {"model": Failed, "description": "It cannot be done; the error says why and the hint what to do."},
}
router = APIRouter(prefix="/api", tags=["api"], responses=WRONG)
Id = Annotated[str, Path(description="The id of an open table.")]
Number = Annotated[int, Path(ge=1, le=2**31, description="The number of a run, from 1 on.")]


@router.get("/tables")
async def tables(request: Request) -> list[TableState]:
    """List the open tables."""
    return [TableState.of(table) for table in desk_of(request).tables.values()]


@router.post("/tables")
async def open_file(request: Request, asked: Opened) -> TableState:
    """Open a file of this computer by its path, or the bundled example if no path is given."""
    desk = desk_of(request)
    return TableState.of(desk.open_example() if asked.path is None else desk.open_path(asked.path))


@router.post("/upload")
async def upload(request: Request) -> TableState:
    """Open a file that is the body of the request; the header X-File-Name says how it is called."""
    return TableState.of(await take_upload(request))


@router.get("/tables/{table}")
async def table_state(request: Request, table: Id) -> TableState:
    """Return what was found in a table, its job, its runs, and whether it is ready."""
    return TableState.of(desk_of(request).table(table))


@router.delete("/tables/{table}")
async def close(request: Request, table: Id) -> dict[str, bool]:
    """Close a table and remove the copies of it."""
    desk_of(request).close(desk_of(request).table(table))
    return {"ok": True}


@router.get("/tables/{table}/rows")
async def rows(
    request: Request,
    table: Id,
    start: Annotated[int, Query(ge=0, le=2**40)] = 0,
    count: Annotated[int, Query(ge=0, le=MOST_ROWS)] = MOST_ROWS,
) -> Rows:
    """Return some rows of a table, every cell as text."""
    found = desk_of(request).ready_table(table)
    cells = await asyncio.to_thread(rows_of, found.rows, start, count)
    return Rows(columns=[column["name"] for column in found.columns], start=start, rows=cells)


@router.get("/tables/{table}/policy")
async def policy(request: Request, table: Id) -> dict[str, Any]:
    """Return the policy as it is decided now, with the settings that its TOML file has."""
    return desk_of(request).ready_table(table).settings


@router.put("/tables/{table}/policy")
async def set_policy(request: Request, table: Id, asked: Asked) -> dict[str, Any]:
    """Decide everything at once; a role for every column is needed."""
    found = desk_of(request).ready_table(table)
    settings = checked(asked.root)
    same_columns(found, settings)
    found.change({"k": 5} | settings)
    return found.settings


@router.get("/tables/{table}/questions")
async def questions(request: Request, table: Id) -> list[QuestionAsked]:
    """List the questions that only a person who knows the table can answer."""
    return [QuestionAsked.of(question) for question in desk_of(request).ready_table(table).questions]


@router.post("/tables/{table}/questions/{place}")
async def answer(
    request: Request, table: Id, place: Annotated[int, Path(ge=0, le=10**6)], given: Answer
) -> TableState:
    """Answer a question: as proposed, or by one of its fixes."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    desk.answer(found, place, given.fix)
    return TableState.of(found)


@router.post("/tables/{table}/runs")
async def run(request: Request, table: Id) -> JobState:
    """Begin to make a release with the present settings."""
    desk = desk_of(request)
    return JobState.of(desk.release(desk.ready_table(table)))


@router.get("/tables/{table}/runs/{number}")
async def run_made(request: Request, table: Id, number: Number) -> RunMade:
    """Return what was asked for in a run, and its numbers."""
    return RunMade.of(run_of(desk_of(request).ready_table(table), number))


@router.get(
    "/tables/{table}/runs/{number}/release",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}}},
)
async def release(request: Request, table: Id, number: Number, format: str = "csv") -> Response:
    """Download the public half of a release as a ZIP archive: verified, in one of the formats csv, xlsx, parquet."""
    if format not in FORMATS:
        raise ParameterError("this is not a format of a release.", f"choose one of {', '.join(FORMATS)}.")
    return await packed(request, table, number, f"public-{format}.zip")


@router.get(
    "/tables/{table}/runs/{number}/private",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}}},
)
async def private(request: Request, table: Id, number: Number) -> Response:
    """Download the private half of a release as a ZIP archive. It must not be published."""
    return await packed(request, table, number, "private.zip")


@router.post("/tables/{table}/runs/{number}/person")
async def person(request: Request, table: Id, number: Number, asked: PersonAsked) -> JobState:
    """Begin to look one person up in a release; the result of the job is what can be found out about them."""
    desk = desk_of(request)
    return JobState.of(desk.look_up(run_of(desk.ready_table(table), number), asked.row, asked.known))


@router.post("/tables/{table}/frontier")
async def frontier(request: Request, table: Id, asked: Sizes) -> JobState:
    """Begin to try several k; the points of the job come one by one."""
    desk = desk_of(request)
    return JobState.of(desk.compare(desk.ready_table(table), asked.k))


@router.get("/jobs/{job}")
async def job(request: Request, job: str) -> JobState:
    """Return how far a job is."""
    return JobState.of(desk_of(request).job(job))


@router.delete("/jobs/{job}")
async def cancel(request: Request, job: str) -> JobState:
    """Cancel a job."""
    desk = desk_of(request)
    found = desk.job(job)
    await asyncio.to_thread(desk.cancel, found)
    return JobState.of(found)
