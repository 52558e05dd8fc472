"""One command in a process of its own: seconds, processor seconds, peak memory, and the JSON it printed last."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class RunError(Exception):
    """A contestant ended with an error, or ran out of time; the text says which."""


@dataclass(frozen=True)
class Run:
    """What one run took. `told` is what the process says of itself, such as the seconds of the work alone."""

    wall: float
    cpu: float
    peak_mb: float
    told: dict[str, Any]

    @property
    def seconds(self) -> float:
        """The work alone where the process has measured it: start-up and compilation apart."""
        return float(self.told.get("seconds", self.wall))


def run(*command: str | Path, limit: float = 600.0, environment: dict[str, str] | None = None) -> Run:
    """Run a command to its end, for at most `limit` seconds."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | (environment or {}),
        start_new_session=True,
    )
    stop = threading.Timer(limit, lambda: os.killpg(process.pid, signal.SIGKILL))
    stop.start()
    try:
        lines = (process.stdout.read() if process.stdout else "").strip().splitlines()
        _, status, usage = os.wait4(process.pid, 0)
    finally:
        stop.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if process.returncode == -signal.SIGKILL:
        raise RunError(f"stopped after {limit:.0f} s")
    if process.returncode:
        raise RunError(lines[-1] if lines else f"exit code {process.returncode}")
    told = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, told)
