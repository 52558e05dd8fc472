"""The worker process: reads one job per line, calls `shoal.api`, and writes its progress and result as lines.

Everything that goes through the pipe is JSON. Errors are sentences without any cell's value.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import IO, Any

from shoal import progress
from shoal.errors import ShoalError, TableError
from shoal.web.task_reports import TaskReports


def main() -> None:
    """Work on jobs until the server closes the pipe."""
    os.umask(0o077)
    if hasattr(os, "nice"):
        os.nice(5)  # the pages answer at once while a run takes every core
    out = _own_output()
    from shoal.web.tasks import run, warm_up

    warm_up()
    out.write('{"event": "ready"}\n')
    out.flush()
    for line in sys.stdin:
        asked: Any = json.loads(line)
        del line
        reports = TaskReports(out, asked["job"])
        try:
            with progress.watch(reports):
                result = run(asked["kind"], asked["asked"], reports)
        except ShoalError as error:
            reports.say(event="failed", error=error.message, hint=error.hint)
        except MemoryError:
            full = TableError.no_memory()
            reports.say(event="failed", error=full.message, hint=full.hint)
        except BaseException as fault:  # a panic in a Rust library is not an Exception
            reports.say(event="failed", **inside(fault))
        else:
            reports.say(event="done", result=result)
        finally:
            asked = None  # it may hold a password


def _own_output() -> IO[str]:
    """Return the pipe to the server, which nobody else may write to: solvers write to file descriptor 1."""
    ours = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return os.fdopen(ours, "w", encoding="utf-8")


def inside(fault: BaseException) -> dict[str, str]:
    """Return the sentences for a fault of Shoal, without the exception's text, which may quote cells."""
    trace = traceback.extract_tb(fault.__traceback__)
    places = [place for place in trace if f"{os.sep}shoal{os.sep}" in place.filename]
    where = f"{Path(places[-1].filename).name}, line {places[-1].lineno}" if places else "an unknown place"
    return {
        "error": f"internal error of Shoal ({type(fault).__name__} in {where}).",
        "hint": "please report it; the table was not changed and nothing was published.",
    }


if __name__ == "__main__":
    main()
