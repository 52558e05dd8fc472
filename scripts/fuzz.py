"""`make fuzz`: generated releases recounted in SQL, `verify` beside SQL and pycanon, every reader under atheris.

Two processes at a time. The first finding ends both, with the input in tests/fuzz/findings/ and exit code 1.
What was tried is written to docs/evidence/.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FINDINGS = ROOT / "tests" / "fuzz" / "findings"
EVIDENCE = ROOT / "docs" / "evidence"
WHAT = {
    "endtoend": "Generated tables and policies went all the way through Shoal; every written folder was counted "
    "again in SQL by a checker that shares no code with it, and every refusal read for a value of the table.",
    "crosscheck": "Random tables were counted by verify and by SQL, and half of them by pycanon: k, every kind of l, "
    "every distance of t.",
    "fuzz": "Damaged files, policies, plans, certificates, legends, hierarchies and maps were read, or refused in "
    "one sentence, within bounded time and memory.",
}
FIRST = {"endtoend": 300, "crosscheck": 120}
"""The numbers after those that `make test` tries."""
TABLES_SHARE = 0.4
"""Of one lane's time for tables at most; the readers have the rest."""
COUNTED = ("tried", "got_through", "seconds")
NOTES = {
    "crosscheck": [
        "pycanon rounds entropy down, and its (c, l) takes the rarest value of a group where the definition has the "
        "most frequent one; with that formula it agrees everywhere."
    ]
}


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--minutes", type=float, default=60.0)
    seconds = asked.parse_args().minutes * 60
    FINDINGS.mkdir(parents=True, exist_ok=True)
    for kind in WHAT:
        (FINDINGS / f"{kind}.json").unlink(missing_ok=True)
    lanes = _lanes(seconds)
    running = {lane: next(steps) for lane, steps in lanes.items()}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        failed = _wait(lanes, running)
    finally:
        for process in running.values():
            process.terminate()
            process.wait()
        _write_evidence()
    print(f"found by the {failed}: see {FINDINGS}" if failed else "nothing got through")
    return 1 if failed else 0


def _lanes(seconds: float) -> dict[str, Iterator[subprocess.Popen[bytes]]]:
    """Two lanes of processes, each started when the one before it has ended: releases; tables, then readers."""
    pycanon = _pycanon()
    until = time.monotonic() + seconds
    alone = os.environ | {"POLARS_MAX_THREADS": "1"}  # tables have some ten rows: threads only wait for each other

    def started(*words: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-m", *map(str, words)], cwd=ROOT, env=alone)

    def releases() -> Iterator[subprocess.Popen[bytes]]:
        yield started("tests.endtoend.many", "releases", _next("endtoend"), seconds, FINDINGS)

    def tables_and_readers() -> Iterator[subprocess.Popen[bytes]]:
        others = [pycanon] if pycanon else []
        share = TABLES_SHARE * seconds
        yield started("tests.endtoend.many", "tables", _next("crosscheck"), share, FINDINGS, *others)
        yield started("tests.fuzz.many", max(1, int(until - time.monotonic())), FINDINGS)

    return {"releases": releases(), "tables and readers": tables_and_readers()}


def _next(kind: str) -> int:
    """The number of the first case that no earlier run has tried: it is kept in the evidence."""
    path = EVIDENCE / f"{kind}.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return int(kept.get("next", FIRST[kind]))


def _pycanon() -> Path | None:
    """Its interpreter, in an environment of its own."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.environments import python_of
    from benchmarks.process import RunError

    try:
        return python_of("pycanon")
    except RunError as failed:
        print(f"pycanon {failed}: tables are compared with SQL alone", file=sys.stderr)
        return None


def _wait(lanes: Mapping[str, Iterator[subprocess.Popen[bytes]]], running: dict[str, subprocess.Popen[bytes]]) -> str:
    """The name of the lane that found something first, or of none; `running` is kept to what runs."""
    while running:
        for lane, process in list(running.items()):
            code = process.poll()
            if code is None:
                continue
            del running[lane]
            if code:
                return lane
            if following := next(lanes[lane], None):
                running[lane] = following
        time.sleep(1)
    return ""


def _write_evidence() -> None:
    from shoal import __version__

    EVIDENCE.mkdir(parents=True, exist_ok=True)
    for kind, what in WHAT.items():
        file = FINDINGS / f"{kind}.json"
        if not file.exists():
            continue
        told: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        counts: dict[str, int] = told["counts"]
        tried = {"endtoend": counts.get("cases", 0), "crosscheck": counts.get("verify beside SQL", 0)}
        found = {
            "kind": kind,
            "what": what,
            "tried": tried.get(kind, sum(counts.values())),
            "got_through": int(bool(told["found"])),
            "details": counts,
            "seconds": round(told["seconds"]),
            "version": __version__,
            **({"next": told["next"]} if "next" in told else {}),
        }
        if found["tried"]:
            path = EVIDENCE / f"{kind}.json"
            before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            found["in_all"] = in_all(before, found)
            found["notes"] = [*NOTES.get(kind, []), told_in_all(found["in_all"])]
            path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def in_all(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, int]:
    """The counts of all runs that left evidence; of the runs before these were kept, the last one counts."""
    earlier = before.get("in_all") or {"runs": int(bool(before)), **{key: before.get(key, 0) for key in COUNTED}}
    return {"runs": earlier["runs"] + 1, **{key: earlier[key] + now[key] for key in COUNTED}}


def told_in_all(counts: Mapping[str, int]) -> str:
    return (
        f"In all {counts['runs']} runs that were counted: {counts['tried']:,} tried, {counts['got_through']:,} got "
        "through. A run ends with the first finding, which is mended before the next; a run goes on with new inputs."
    )


if __name__ == "__main__":
    sys.exit(main())
