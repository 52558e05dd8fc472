"""Results as JSON, one file per machine and commit, and two of them side by side."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.environments import FOLDER, tools
from benchmarks.process import OURS, ROOT

RESULTS = ROOT / "benchmarks" / "history"
MADE = (":!docs/benchmarks.md", ":!docs/benchmarks-tables.md", ":!docs/images", ":!benchmarks/history")
"""What a run itself writes: no change of what is timed."""


def commit(revision: str = "HEAD") -> str:
    """Short name of a commit; with a plus where the working tree differs from it."""
    done = subprocess.run(
        ["git", "rev-parse", "--short=10", f"{revision}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{revision} is no commit of this repository: give REV=<commit, tag or branch>.")
    asked = ["git", "status", "--porcelain", "-uno", "--", ".", *MADE]
    dirty = revision == "HEAD" and subprocess.check_output(asked, cwd=ROOT, text=True).strip()
    return f"{done.stdout.strip()}{'+' if dirty else ''}"


def machine() -> str:
    """Processor, cores and memory: results of different machines are never compared."""
    model, info = platform.machine(), Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.M)
        model = found[1].strip() if found else model
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB"


def path_of(name: str, *, quick: bool = False) -> Path:
    """The file of a commit on this machine."""
    mark = re.sub(r"[^A-Za-z0-9]+", "-", machine()).strip("-")
    return RESULTS / mark / f"{name}{'.quick' * quick}.json"


def save(results: dict[str, Any]) -> Path:
    """Keep a run under its machine and commit."""
    path = path_of(results["commit"], quick=results["quick"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return path


def load(name: str) -> dict[str, Any]:
    """What is kept of a commit on this machine, the full run before the quick one; nothing where nothing is."""
    for quick in (False, True):
        path = path_of(name, quick=quick)
        if path.exists():
            return dict(json.loads(path.read_text(encoding="utf-8")))
    return {}


def timed_steps(revision: str | None = None) -> list[dict[str, Any]]:
    """The steps of `steps.py` by pytest-benchmark, on this tree or on a commit checked out beside it."""
    with tempfile.TemporaryDirectory() as name:
        out, source = Path(name) / "out.json", ROOT / "src"
        environment = os.environ | OURS
        if revision is not None:
            tree = Path(name) / "tree"
            _git("worktree", "add", "-q", "--detach", str(tree), revision)
            source = tree / "src"
            environment["SHOAL_CACHE_DIR"] = str(FOLDER / "kernels" / commit(revision))
        environment["PYTHONPATH"] = os.pathsep.join(map(str, (tools(), source, ROOT)))
        command = [sys.executable, "-m", "pytest", "-q", "benchmarks/steps.py", f"--benchmark-json={out}"]
        command += ["--benchmark-max-time=1", "--benchmark-min-rounds=3", "--benchmark-warmup=on"]
        command += [
            "--benchmark-warmup-iterations=1",
            "--benchmark-disable-gc",
            "-o",
            "addopts=--import-mode=importlib",
        ]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        finally:
            if revision is not None:
                _git("worktree", "remove", "--force", str(tree))
        if not out.exists():
            raise SystemExit("the steps could not be timed:\n" + "\n".join(done.stdout.splitlines()[-15:]))
        found = json.loads(out.read_text(encoding="utf-8"))["benchmarks"]
    return [
        {"name": one["param"], "seconds": one["stats"]["median"], "least": one["stats"]["min"]}
        | {"most": one["stats"]["max"], "rounds": one["stats"]["rounds"]}
        for one in found
    ]


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True)


def with_steps(revision: str) -> dict[str, Any]:
    """What is kept of a commit; its steps are timed now where they are not kept."""
    name = commit(revision)
    known = load(name)
    if not known.get("steps") or name.endswith("+"):
        print(f"timing the steps of {name}", file=sys.stderr, flush=True)
        known = {"commit": name, "machine": machine(), "quick": True, "lines": []} | known
        known["steps"] = timed_steps(None if name == commit() else revision)
        save(known)
    return known


def compare(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Steps and Shoal's lines of both runs as ratios; a star where the times do not overlap."""
    found = [f"{after['commit']} over {before['commit']}, {after['machine']}; below 1 is better now"]
    found.append(f"{'':64} {'time':>8} {'memory':>8} {'loss':>8}")
    old = {step["name"]: step for step in before.get("steps", [])}
    for step in after.get("steps", []):
        if step["name"] in old:
            found.append(f"{step['name']:64} {_times(step, old[step['name']])}")
    if before.get("quick") != after.get("quick"):
        return found
    was = {(line["contest"], line["contestant"]): line for line in before["lines"]}
    for line in after["lines"]:
        then = was.get((line["contest"], line["contestant"]))
        if then is None or not line["seconds"] or not then["seconds"]:
            continue
        name = f"{line['contest']}: {line['contestant']}"
        now_spread = line["seconds"] | {"seconds": line["seconds"]["middle"]}
        then_spread = then["seconds"] | {"seconds": then["seconds"]["middle"]}
        loss = f"{line['loss'] / then['loss']:8.4f}" if line["loss"] and then["loss"] else ""
        found.append(
            f"{name:64} {_times(now_spread, then_spread)} {line['peak_mb'] / then['peak_mb']:8.2f} {loss:>8}"
        )
    return found


def _times(now: dict[str, float], then: dict[str, float]) -> str:
    apart = now["least"] > then["most"] or now["most"] < then["least"]
    return f"{now['seconds'] / then['seconds']:7.2f}{'*' if apart else ' '}"
