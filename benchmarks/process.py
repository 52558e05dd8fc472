"""One command in a process of its own: seconds, processor seconds, peak memory, and the JSON it printed last.

Run as a script, this file is the small parent of such a process. A process is born with the peak memory of its
parent, so the parent must be small.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OURS = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
"""The environment in which a process finds this checkout."""
READY = "ready"
"""The line that a contestant prints when its first, small run is over: only then its time limit begins."""
PATIENCE = 300.0
"""Seconds for that first run: some peers compile all they have."""


_PATH = re.compile(r"(?:/[\w.+-]+){2,}/?")
"""Places on this machine, which no page should tell."""


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
    """Run a command to its end, for at most `limit` seconds after it is ready."""
    parent = [sys.executable, "-I", "-S", __file__, str(limit), *map(str, command)]
    done = subprocess.run(parent, stdout=subprocess.PIPE, text=True, env=os.environ | (environment or {}), check=True)
    found = json.loads(done.stdout)
    if found["stopped"]:
        raise RunError(f"stopped after {limit:.0f} s")
    if found["code"]:
        raise RunError(_PATH.sub("...", found["last"])[:200] or f"exit code {found['code']}")
    told = json.loads(found["last"]) if found["last"].startswith("{") else {}
    return Run(found["wall"], found["cpu"], found["peak_mb"], told)


def _watch(limit: float, command: list[str]) -> dict[str, Any]:
    """The same, in the small parent."""
    begun = time.perf_counter()
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True
    )
    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        os.killpg(child.pid, signal.SIGKILL)

    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, lambda *_: stop())
    timer = threading.Timer(limit + PATIENCE, stop)
    timer.start()
    last = ""
    for line in child.stdout or ():
        if line.strip() == READY:
            timer.cancel()
            timer = threading.Timer(limit, stop)
            timer.start()
        elif line.strip():
            last = line.strip()
    _, status, usage = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    return {
        "wall": time.perf_counter() - begun,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
        "code": child.returncode,
        "stopped": stopped.is_set(),
        "last": last,
    }


if __name__ == "__main__":
    print(json.dumps(_watch(float(sys.argv[1]), sys.argv[2:])))
