"""The worker process, seen from the server: jobs one after the other, progress through a pipe, cancel by ending it.

The worker is started with the server, because importing Shoal takes seconds. It ends by itself when the pipe to it is
closed, so that none is left when the server is killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import RLock, Thread
from typing import IO, Any

from shoal.web.jobs import Job

ENDED = "the worker process ended before the work was done."
ENDED_HINT = "most often memory ran out: give fewer columns or rows, or end other programs, and try again."


class Worker:
    """Runs one job at a time, the others wait. All methods may be called from any thread."""

    def __init__(self, temporary: Path) -> None:
        self._lock, self._temporary = RLock(), temporary
        self._waiting: deque[Job] = deque()
        self._active: Job | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self.ready = False

    def start(self) -> None:
        """Start the process unless there is one; it warms up while the user looks at the first page."""
        with self._lock:
            if self._process is not None:
                return
            self.ready = False
            self._process = subprocess.Popen(
                [sys.executable, "-m", "shoal.web.worker_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # what libraries write there may quote cells
                env=os.environ | {"PYTHONUNBUFFERED": "1", "TMPDIR": str(self._temporary)},  # it may be killed
            )
            Thread(target=self._listen, args=(self._process,), daemon=True).start()

    def submit(self, job: Job) -> Job:
        """Queue a job and return it."""
        with self._lock:
            self._waiting.append(job)
            self._next()
        return job

    def cancel(self, job: Job) -> None:
        """End a job. If it is the one that runs, the process is ended and a new one started."""
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                job.end("cancelled")
            elif job is self._active:
                self._active = None
                job.end("cancelled")
                self._end_process()
                self.start()
                self._next()

    def close(self) -> None:
        """End the process and every job."""
        with self._lock:
            self._closed = True
            left = [*self._waiting, *([self._active] if self._active else [])]
            self._waiting.clear()
            self._active = None
            for job in left:
                job.end("cancelled")
            self._end_process()

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin,):  # the other pipe is closed by the thread that reads it
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _next(self) -> None:
        """Start the next waiting job if none runs. The caller holds the lock."""
        if self._active is not None or not self._waiting or self._closed:
            return
        if self._process is None:
            self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        job = self._active = self._waiting.popleft()
        job.state, job.started, job.step_started = "running", time.monotonic(), time.monotonic()
        line = json.dumps({"job": job.id, "kind": job.kind, "asked": job.asked | (job.once or {})}) + "\n"
        job.once = None
        with suppress(OSError):  # the process has ended: its listener says so
            self._process.stdin.write(line.encode("utf-8"))
            self._process.stdin.flush()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Read the output of a process until it ends."""
        assert process.stdout is not None
        with process.stdout as said:
            for line in _lines(said):
                self._hear(process, json.loads(line))
        with self._lock:
            if process is self._process and not self._closed:
                process.wait()
                self._end_process()
                job, self._active = self._active, None
                if job is not None:
                    job.end("failed", error=ENDED, hint=ENDED_HINT)
                    self.start()
                    self._next()

    def _hear(self, process: subprocess.Popen[bytes], said: dict[str, Any]) -> None:
        with self._lock:
            if process is not self._process:
                return
            if said["event"] == "ready":
                self.ready = True
                return
            job = self._active
            if job is None or job.id != said["job"]:
                return
            if said["event"] == "done":
                self._active = None
                job.end("done", result=said["result"])
            elif said["event"] == "failed":
                self._active = None
                job.end("failed", error=said["error"], hint=said["hint"] or "")
            else:
                job.hear(said)
            self._next()


def _lines(said: IO[bytes]) -> Any:
    with suppress(ValueError, OSError):  # closed from the other side
        yield from said
