"""Waiting for a short job of the worker, while the server goes on serving."""

from __future__ import annotations

import asyncio
from typing import Any

from shoal.errors import TableError
from shoal.web.jobs import Job


async def done(job: Job | None) -> dict[str, Any]:
    """Return the result of a job once it is done; raise TableError with its own sentence if it failed."""
    while job is not None and not job.over:
        await asyncio.sleep(0.05)
    if job is None or (job.state == "done" and job.result is not None):
        return {} if job is None or job.result is None else job.result
    raise TableError(job.error or "the work was cancelled.", job.hint or None)
