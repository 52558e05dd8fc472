"""The rest of the API: databases, reading again, single columns, what else a run has, and ways to lose less."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from shoal.web.commands import command_line, python_code
from shoal.web.lose_less import chosen, ways
from shoal.web.pages import desk_of
from shoal.web.routes.api import WRONG, Id, Number
from shoal.web.routes.api_models import (
    Commands,
    DatabaseAsked,
    Groups,
    HouseholdAsked,
    JobState,
    LevelsLeft,
    PresetAsked,
    ReadingAsked,
    Rows,
    TableState,
    WayOffered,
)
from shoal.web.routes.columns import _name_at
from shoal.web.routes.report import file, made_dossier
from shoal.web.routes.result import run_of
from shoal.web.routes.start import known_preset
from shoal.web.rows import MOST_ROWS, header_of, rows_of
from shoal.web.texts import Texts

router = APIRouter(prefix="/api", tags=["api"], responses=WRONG)
Place = Annotated[int, Path(ge=0, le=100_000, description="The place of a column, from 0 on.")]
TEXTS = Texts("en")


@router.post("/database")
async def open_database(request: Request, asked: DatabaseAsked) -> TableState:
    """Copy a table or a query of a database and open it; address and password are not kept."""
    desk = desk_of(request)
    return TableState.of(
        desk.open_database(asked.address, asked.password, table=asked.table or None, query=asked.query or None)
    )


@router.post("/database/tables")
async def database_tables(request: Request, asked: DatabaseAsked) -> JobState:
    """Begin to list the tables of a database; nothing of the request is kept."""
    return JobState.of(desk_of(request).list_tables(asked.address, asked.password))


@router.put("/tables/{table}/reading")
async def read_again(request: Request, table: Id, asked: ReadingAsked) -> TableState:
    """Read the file anew in another way; decisions are kept as far as they still fit."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    desk.read_again(found, asked.model_dump(exclude_none=True))
    return TableState.of(found)


@router.put("/tables/{table}/preset")
async def begin_with(request: Request, table: Id, asked: PresetAsked) -> TableState:
    """Propose roles and settings anew by a rule, or by none; what was decided about columns is replaced."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    desk.begin_with(found, known_preset(asked.preset))
    return TableState.of(found)


@router.post("/tables/{table}/undo")
async def undo(request: Request, table: Id) -> dict[str, Any]:
    """Take the last change of the policy back, and return the policy."""
    found = desk_of(request).ready_table(table)
    found.undo()
    return found.settings


@router.post("/tables/{table}/redo")
async def redo(request: Request, table: Id) -> dict[str, Any]:
    """Make the change again that was taken back last, and return the policy."""
    found = desk_of(request).ready_table(table)
    found.redo()
    return found.settings


@router.post("/tables/{table}/singled_out")
async def singled_out(request: Request, table: Id) -> JobState:
    """Begin to count who is singled out by the present quasi-identifiers."""
    desk = desk_of(request)
    return JobState.of(desk.singled_out(desk.ready_table(table)))


@router.post("/tables/{table}/columns/{place}/levels")
async def levels(request: Request, table: Id, place: Place) -> JobState:
    """Begin to count the classes on each level of a column's hierarchy."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    return JobState.of(desk.levels(found, _name_at(found, place)))


@router.post("/tables/{table}/columns/{place}/values")
async def values(
    request: Request, table: Id, place: Place, propose: Annotated[bool, Query(description="Propose groups.")] = False
) -> JobState:
    """Begin to list the values of a column, with the groups that were written by hand or are proposed."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    return JobState.of(desk.values(found, _name_at(found, place), propose=propose))


@router.put("/tables/{table}/columns/{place}/groups")
async def groups(request: Request, table: Id, place: Place, asked: Groups) -> LevelsLeft:
    """Group the values of a column by hand: for each value, in the order of its list, the names above it."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    return LevelsLeft(levels=await desk.group_by_hand(found, _name_at(found, place), asked.names))


@router.get("/tables/{table}/runs/{number}/rows")
async def run_rows(
    request: Request,
    table: Id,
    number: Number,
    start: Annotated[int, Query(ge=0, le=2**40)] = 0,
    count: Annotated[int, Query(ge=0, le=MOST_ROWS)] = MOST_ROWS,
) -> Rows:
    """Return some rows of a run, before and after, with the number of their group. Private."""
    run = run_of(desk_of(request).ready_table(table), number)
    header, _ = await asyncio.to_thread(header_of, run.rows)
    cells = await asyncio.to_thread(rows_of, run.rows, start, count)
    return Rows(columns=list(header), start=start, rows=cells)


@router.get("/tables/{table}/runs/{number}/commands")
async def commands(request: Request, table: Id, number: Number) -> Commands:
    """Return the command line and the Python code that make the release of a run again."""
    found = desk_of(request).ready_table(table)
    run = run_of(found, number)
    return Commands(command=command_line(found, run), python=python_code(found, run))


@router.get("/tables/{table}/runs/{number}/ways")
async def offered(request: Request, table: Id, number: Number) -> list[WayOffered]:
    """List the ways to lose less than a run did."""
    found = desk_of(request).ready_table(table)
    return [
        WayOffered(way=way.key, text=way.label, price=way.price) for way in ways(found, run_of(found, number), TEXTS)
    ]


@router.post("/tables/{table}/runs/{number}/ways/{way}")
async def take_way(request: Request, table: Id, number: Number, way: str) -> JobState:
    """Change what was asked in a run in one of these ways, and begin to make that release."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    found.change(chosen(found, run_of(found, number), way, TEXTS))
    return JobState.of(desk.release(found))


@router.post("/tables/{table}/runs/{number}/household")
async def household(request: Request, table: Id, number: Number, asked: HouseholdAsked) -> JobState:
    """Begin to estimate the largest risk of a household of the original table in the population."""
    desk = desk_of(request)
    found = desk.ready_table(table)
    return JobState.of(desk.household(found, run_of(found, number), asked.column))


@router.get(
    "/tables/{table}/runs/{number}/dossier", response_class=Response, responses={200: {"content": {"text/html": {}}}}
)
async def dossier(request: Request, table: Id, number: Number) -> Response:
    """Download the dossier of a release as an HTML page. It must not be published."""
    found = desk_of(request).ready_table(table)
    made = await made_dossier(request, found, run_of(found, number))
    return Response(made.read_bytes(), media_type="text/html")


@router.get(
    "/tables/{table}/runs/{number}/{half}/files/{name}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def one_file(request: Request, table: Id, number: Number, half: str, name: str) -> Response:
    """Download one file of the public or the private half of a release."""
    return await file(request, table, number, half, name)
