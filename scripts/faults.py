"""Run the whole plan of faults and write docs/evidence/faults.json: what was struck, how it ended, what got through.

`scripts/faults.py [--every N]` strikes every N-th step (1 where not given) of writing a release by every command, on
every kind of file system, with every kind of fault; then kills real processes at random moments.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from shoal import __version__  # noqa: E402
from tests.faults.kills import kill_often  # noqa: E402
from tests.faults.plan import CANNOT, FAULTS  # noqa: E402
from tests.faults.scenarios import scenarios  # noqa: E402

EVIDENCE = ROOT / "docs" / "evidence" / "faults.json"


def struck(folder: Path, every: int) -> tuple[Counter[str], Counter[str], int]:
    """How many faults were placed by kind, how the runs ended, and how many broke a promise."""
    kinds: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    through = 0
    for name, one in scenarios(folder / "releases").items():
        for cannot in CANNOT:
            steps = one.steps(folder / "here", cannot).count
            for fault in FAULTS:
                for at in range(1, steps + 1, every):
                    kinds[f"{name}, {fault}"] += 1
                    try:
                        ends[one.after(folder / "here", fault, at, cannot)] += 1
                    except Exception:
                        through += 1
                        print(f"{name}, {cannot} cannot, {fault} at step {at}:", file=sys.stderr)
                        traceback.print_exc()
    return kinds, ends, through


def by_command(kinds: Counter[str]) -> dict[str, dict[str, int]]:
    """How many faults of each kind were placed in each command."""
    told: dict[str, dict[str, int]] = {}
    for kind, count in kinds.items():
        name, fault = kind.split(", ")
        told.setdefault(name, {})[fault] = count
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kills", type=int, default=25)
    asked = parser.parse_args()
    began = time.monotonic()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        kinds, ends, through = struck(Path(folder), asked.every)
    with tempfile.TemporaryDirectory() as folder:
        killed = kill_often(Path(folder), times=asked.kills, seed=1)
    found = {
        "kind": "faults",
        "what": f"A fault at one step of {asked.every} in writing a release, with {asked.kills} processes killed at "
        "random moments: afterwards "
        "the old or the new release is whole, nothing raw is readable by others and no file of others is touched.",
        "tried": kinds.total() + sum(killed.values()),
        "got_through": through,
        "details": by_command(kinds)
        | {f"runs that ended {end}": count for end, count in sorted(ends.items())}
        | {"processes killed": sum(killed.values()), "of these completed by recover": killed["completed"]},
        "seconds": round(time.monotonic() - began),
        "version": __version__,
    }
    EVIDENCE.parent.mkdir(exist_ok=True)
    EVIDENCE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{found['tried']} faults, {through} got through")
    sys.exit(through > 0)


if __name__ == "__main__":
    main()
