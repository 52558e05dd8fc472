"""`make fuzz`: generated releases recounted in SQL, `verify` beside SQL and pycanon, every reader under atheris.

Two processes share the time. The first finding ends both, with the input in tests/fuzz/findings/ and exit code 1.
What was tried is written to docs/evidence/.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
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
NOTES = {
    "crosscheck": [
        "pycanon rounds entropy down, and its (c, l) takes the rarest value of a group where the definition has the "
        "most frequent one; with that formula it agrees everywhere."
    ]
}


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--minutes", type=float, default=60.0)
    seconds = int(asked.parse_args().minutes * 60)
    FINDINGS.mkdir(parents=True, exist_ok=True)
    for kind in WHAT:
        (FINDINGS / f"{kind}.json").unlink(missing_ok=True)
    pycanon = _pycanon()
    commands = {
        "releases": ["tests.endtoend.many", str(seconds), str(FINDINGS), *([str(pycanon)] if pycanon else [])],
        "readers": ["tests.fuzz.many", str(seconds), str(FINDINGS)],
    }
    running = {name: subprocess.Popen([sys.executable, "-m", *one], cwd=ROOT) for name, one in commands.items()}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        failed = _wait(dict(running))
    finally:
        for process in running.values():
            process.terminate()
            process.wait()
        _write_evidence()
    print(f"found by the {failed}: see {FINDINGS}" if failed else "nothing got through")
    return 1 if failed else 0


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


def _wait(running: dict[str, subprocess.Popen[bytes]]) -> str:
    """The name of the process that found something first, or of none."""
    while running:
        for name, process in list(running.items()):
            code = process.poll()
            if code is None:
                continue
            del running[name]
            if code:
                return name
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
        }
        if found["tried"]:
            notes = {"notes": NOTES[kind]} if kind in NOTES else {}
            text = json.dumps(found | notes, indent=1, ensure_ascii=False) + "\n"
            (EVIDENCE / f"{kind}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
