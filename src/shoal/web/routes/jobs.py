"""Runs: begun, watched as they go, and cancelled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from shoal.web.jobs import Job
from shoal.web.pages import desk_of, texts_of
from shoal.web.routes.data import to_table
from shoal.web.texts import Texts

router = APIRouter(include_in_schema=False)
EVERY = 0.2  # seconds between two looks at a job


@router.post("/t/{wanted}/run")
async def run(request: Request, wanted: str) -> Response:
    desk = desk_of(request)
    table = desk.ready_table(wanted)
    if table.run_job is None or table.run_job.over:
        desk.release(table)
    return to_table(request, table, "result")


@router.post("/jobs/{wanted}/cancel")
async def cancel(request: Request, wanted: str) -> Response:
    desk = desk_of(request)
    job = desk.job(wanted)
    await asyncio.to_thread(desk.cancel, job)
    for table in desk.tables.values():
        if job in (table.run_job, table.frontier):
            return to_table(request, table, "privacy")
    return RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)


@router.get("/jobs/{wanted}/events")
async def events(request: Request, wanted: str) -> Response:
    """Send how far a job is, as server-sent events, until it is over."""
    job = desk_of(request).job(wanted)
    events = said(job, texts_of(request))
    return StreamingResponse(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


async def said(job: Job, t: Texts) -> AsyncIterator[str]:
    """Yield an event whenever something changed, and one every few seconds so that a lost connection is noticed."""
    last, quiet = "", 0.0
    while True:
        over = job.over
        now = json.dumps(progress_of(job, t))
        if now != last or quiet > 5:
            last, quiet = now, 0.0
            yield f"data: {now}\n\n"
        if over:
            return
        await asyncio.sleep(EVERY)
        quiet += EVERY


def progress_of(job: Job, t: Texts) -> dict[str, object]:
    """Return what a page shows of a job."""
    left = job.seconds_left
    step = job.step or ("waiting" if job.state == "waiting" else "starting")
    key = f"step.{step.replace(' ', '_')}"
    return {
        "state": job.state,
        "step": t(key) if t.has(key) else step,
        "share": job.share,
        "time": t.seconds(job.seconds),
        "left": "" if left is None else t("job.left", time=t.seconds(left)),
        "note": job.notes[-1] if job.notes else "",
        "points": len(job.points),
    }
