"""Run the plan of faults and write docs/evidence/faults.json: what was struck, how it ended, what got through.

`scripts/faults.py` strikes every step of writing a release by every command, on every kind of file system, with every
kind of fault; spoils every read by which a release is read back; and kills real processes at random moments.
`--every N` strikes every N-th step only, `--kills N` and `--commands N` say how many processes are killed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import shoal  # noqa: E402
from tests.api.test_rules import policy, visits  # noqa: E402
from tests.faults.kills import THROUGH, kill_commands, kill_often, open_umask  # noqa: E402
from tests.faults.plan import CANNOT, FAULTS  # noqa: E402
from tests.faults.readback import FORMATS, READ_FAULTS, ReadBack  # noqa: E402
from tests.faults.scenarios import scenarios  # noqa: E402

EVIDENCE = ROOT / "docs" / "evidence" / "faults.json"


class Counts:
    """How many faults were placed, by where and which, how the runs ended, and how many broke a promise."""

    def __init__(self) -> None:
        self.placed: dict[str, Counter[str]] = {}
        self.ends: Counter[str] = Counter()
        self.through = 0

    def place(self, where: str, fault: str, run: Callable[[], str], at: str) -> None:
        self.placed.setdefault(where, Counter())[fault] += 1
        try:
            self.ends[run()] += 1
        except Exception:
            self.through += 1
            print(f"{where}, {fault}, {at}:", file=sys.stderr)
            traceback.print_exc()

    @property
    def tried(self) -> int:
        return sum(counts.total() for counts in self.placed.values())


def strike(counts: Counts, folder: Path, every: int) -> None:
    """Every fault at every step, or at one of `every`."""
    for name, one in scenarios(folder / "releases").items():
        for cannot in CANNOT:
            for at in range(1, one.steps(folder / "here", cannot).count + 1, every):
                for fault in FAULTS:
                    run = lambda: one.after(folder / "here", fault, at, cannot)  # noqa: B023, E731
                    counts.place(f"writing, {name}", fault, run, f"{cannot} cannot, step {at}")
        print(f"{name}: {counts.tried} faults so far", file=sys.stderr, flush=True)


def spoil(counts: Counts, folder: Path) -> None:
    """Every fault at every open, listing and read by which a release is verified before it takes its place."""
    first, later = (shoal.anonymize(visits(n), policy()) for n in (24, 28))
    for name, options in FORMATS.items():
        one = ReadBack.of(folder / name, first, later, **options)
        for fault in READ_FAULTS:
            for at in one.struck(folder / "here", fault):
                run = lambda: one.after(folder / "here", fault, at)  # noqa: B023, E731
                counts.place(f"reading back, {name}", fault, run, f"read {at}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--commands", type=int, default=20)
    asked = parser.parse_args()
    began, counts = time.monotonic(), Counts()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder, open_umask():
        spoil(counts, Path(folder) / "reads")
        strike(counts, Path(folder), asked.every)
    met: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        met += kill_often(Path(folder), times=asked.kills, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        met += kill_commands(Path(folder), times=asked.commands, seed=1)
    through = counts.through + met[THROUGH]
    steps = "every step" if asked.every == 1 else f"every {asked.every}th step"
    found = {
        "kind": "faults",
        "what": f"A fault at {steps} of writing a release and at every read that verifies it, and processes killed "
        "at random moments: afterward the old or the new release is whole, nothing raw is readable by others and no "
        "file of others is touched.",
        "tried": counts.tried + met.total(),
        "got_through": through,
        "details": counts.placed
        | {"a process that writes, at random": {"kill": asked.kills}}
        | {"`shoal anonymize`, at random": {"kill": asked.commands}},
        "notes": [
            f"How the runs ended: {told(counts.ends)}. Where the random kills struck: {told(met)}.",
        ],
        "seconds": round(time.monotonic() - began),
        "version": shoal.__version__,
    }
    EVIDENCE.parent.mkdir(exist_ok=True)
    EVIDENCE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{found['tried']} faults, {through} got through")
    sys.exit(through > 0)


def told(counted: Counter[str]) -> str:
    return "; ".join(f"{name} {count:,}" for name, count in sorted(counted.items()))


if __name__ == "__main__":
    main()
