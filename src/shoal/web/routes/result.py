"""The release that was made: before and after, what was lost, what risk is left."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from shoal.errors import ParameterError
from shoal.web.forms import form_lists, form_of, place_in, whole
from shoal.web.lose_less import chosen, ways, why
from shoal.web.open_table import OpenTable, Run
from shoal.web.pages import desk_of, page, texts_of
from shoal.web.routes.data import FIRST_ROWS, to_table
from shoal.web.rows import MOST_ROWS, header_of, rows_of
from shoal.web.waiting import done

router = APIRouter(include_in_schema=False)


def run_of(table: OpenTable, number: int | None) -> Run:
    """Return a run of a table; raise ParameterError if there is none of this number."""
    run = table.run(number)
    if run is None:
        raise ParameterError("this run does not exist.", "make one from the page of the requirements.")
    return run


@router.get("/t/{wanted}/result")
async def result(request: Request, wanted: str, run: int | None = None) -> Response:
    table = desk_of(request).table(wanted)
    if table.found is None:
        return to_table(request, table)
    job = table.run_job
    if run is None and job is not None and not job.over and job.kind == "release":
        return page(request, "running.html", table=table, step="result", job=job)
    failed = job if run is None and job is not None and job.state == "failed" and job.kind == "release" else None
    found = table.run(run)
    if found is None or failed is not None:
        return page(request, "no_result.html", table=table, step="result", failed=failed)
    header, n_rows = await asyncio.to_thread(header_of, found.rows)
    first = await asyncio.to_thread(rows_of, found.rows, 0, FIRST_ROWS)
    t = texts_of(request)
    return page(
        request,
        "result.html",
        table=table,
        step="result",
        run=found,
        header=header,
        n_rows=n_rows,
        first=first,
        why=why(table, found, t),
        ways=ways(table, found, t),
        before=table.run(found.number - 1),
    )


@router.post("/t/{wanted}/runs/{number}/less")
async def less(request: Request, wanted: str, number: int) -> Response:
    """Change one thing of what was asked in a run so that less may be lost, and make that release."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    form = await form_of(request)
    settings = chosen(table, run_of(table, number), form.get("way", ""), texts_of(request))
    if table.run_job is None or table.run_job.over:
        table.change(settings)
        desk.release(table)
    return to_table(request, table, "result")


@router.get("/t/{wanted}/runs/{number}/rows")
async def pairs(request: Request, wanted: str, number: int, start: int = 0, count: int = MOST_ROWS) -> Response:
    run = run_of(desk_of(request).ready_table(wanted), number)
    header, _ = await asyncio.to_thread(header_of, run.rows)
    found = await asyncio.to_thread(rows_of, run.rows, start, count)
    return page(request, "pair_rows.html", header=header, rows=found, start=max(0, start))


@router.get("/t/{wanted}/risk")
async def risk(request: Request, wanted: str, run: int | None = None) -> Response:
    table = desk_of(request).table(wanted)
    if table.found is None:
        return to_table(request, table)
    found = table.run(run)
    if found is None:
        return page(request, "no_result.html", table=table, step="risk", failed=None)
    return page(request, "risk.html", table=table, step="risk", run=found)


@router.post("/t/{wanted}/runs/{number}/person")
async def person(request: Request, wanted: str, number: int) -> Response:
    """Show what can be found out about one person by someone who knows some columns."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    fields = await form_lists(request)
    found = await found_person(request, table, run_of(table, number), fields)
    return page(request, "person.html", table=table, step="risk", found=found)


@router.post("/t/{wanted}/runs/{number}/household")
async def household(request: Request, wanted: str, number: int) -> Response:
    """Show the largest risk of a household in the population."""
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    place = place_in((await form_of(request)).get("column", ""))
    column = table.columns[place]["name"] if place is not None and place < len(table.columns) else ""
    found = await done(desk.household(table, run_of(table, number), column))
    return page(request, "household.html", table=table, step="risk", found=found)


async def found_person(request: Request, table: OpenTable, run: Run, fields: dict[str, list[str]]) -> dict[str, Any]:
    """Return what the worker finds about the person in the row and by the columns that the fields name."""
    row = whole((fields.get("row") or [""])[0], "the number of the row")
    if row is None:
        raise ParameterError("the number of the row is missing.")
    places = [place_in(place) for place in fields.get("known", [])]
    known = [table.columns[place]["name"] for place in places if place is not None and place < len(table.columns)]
    return await done(desk_of(request).look_up(run, row - 1, known))
