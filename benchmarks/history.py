"""Results as JSON, one file per commit and machine, and two of them side by side."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.environments import FOLDER

RESULTS = FOLDER / "results"


def commit(revision: str = "HEAD") -> str:
    """Short name of a commit; with a plus where the working tree differs from it."""
    name = subprocess.check_output(["git", "rev-parse", "--short", revision], text=True).strip()
    dirty = (
        revision == "HEAD" and subprocess.check_output(["git", "status", "--porcelain", "-uno"], text=True).strip()
    )
    return f"{name}+" if dirty else name


def machine() -> str:
    """Processor and cores: results of different machines are never compared."""
    model = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores"


def save(results: dict[str, Any]) -> Path:
    """Keep a run under its commit and machine."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    mark = "".join(c if c.isalnum() else "-" for c in machine())
    path = RESULTS / f"{commit()}.{mark}.json"
    path.write_text(json.dumps(results, indent=1))
    return path


def load(revision: str) -> dict[str, Any]:
    """The run of a commit on this machine."""
    mark = "".join(c if c.isalnum() else "-" for c in machine())
    for name in (commit(revision), f"{commit(revision)}+"):
        path = RESULTS / f"{name}.{mark}.json"
        if path.exists():
            return dict(json.loads(path.read_text()))
    raise SystemExit(f"no results of {revision} on this machine: check it out and run `make bench` there first")


def compare(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Shoal's lines of both runs: seconds, memory and loss as ratios, more than the spread marked."""
    old = {(line["contest"], line["contestant"]): line for line in before["lines"]}
    found = [f"{'contest':40} {'contestant':24} {'time':>8} {'memory':>8} {'loss':>8}"]
    for line in after["lines"]:
        was = old.get((line["contest"], line["contestant"]))
        if was is None or line["seconds"] is None or was["seconds"] is None:
            continue
        apart = line["least"] > was["most"] or line["most"] < was["least"]
        loss = line["loss"] / was["loss"] if line["loss"] and was["loss"] else float("nan")
        found.append(
            f"{line['contest']:40} {line['contestant']:24} {line['seconds'] / was['seconds']:8.2f} "
            f"{line['peak_mb'] / was['peak_mb']:8.2f} {loss:8.4f}{'  *' if apart else ''}"
        )
    return [*found, "* the runs' times do not overlap"]
