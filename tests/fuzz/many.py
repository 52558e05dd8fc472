"""All targets one after the other, each for its share of the time: `python -m tests.fuzz.many SECONDS FOLDER`.

Under atheris where it can be installed, else by blind mutations. Counts are written to FOLDER/fuzz.json; the first
finding ends the run, with the input in FOLDER and exit code 1.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path
from random import Random

from tests.fuzz import targets
from tests.fuzz.mutations import mutations


def guided(name: str, seconds: int, findings: Path) -> tuple[int, str]:
    """Inputs tried, and what was found (empty: nothing)."""
    command = [sys.executable, "-m", "tests.fuzz.guided", name, str(seconds), str(findings)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    units = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    told = done.stderr[-4000:] + done.stdout[-4000:] if done.returncode else ""
    return int(units[1]) if units else 0, told


def blind(name: str, seconds: int, findings: Path) -> tuple[int, str]:
    """The same without coverage."""
    until, tried = time.monotonic() + seconds, 0
    warnings.simplefilter("ignore")
    for data in mutations(targets.seeds(name), Random(time.time_ns())):
        if time.monotonic() > until:
            break
        tried += 1
        try:
            targets.run(name, data)
        except targets.FoundError as found:
            (findings / f"{name}-input").write_bytes(data)
            return tried, str(found)
    return tried, ""


def main(seconds: int, findings: Path) -> int:
    way = guided if importlib.util.find_spec("atheris") else blind
    begun, counts, found = time.monotonic(), dict[str, int](), ""
    for place, name in enumerate(targets.NAMES):
        left = seconds - (time.monotonic() - begun)
        if left < 1:  # starting a target takes seconds that its own clock does not see
            print(f"no time for {', '.join(targets.NAMES[place:])}", file=sys.stderr)
            break
        counts[name], found = way(name, max(1, int(left / (len(targets.NAMES) - place))), findings)
        told = {"way": way.__name__, "counts": counts, "found": found, "seconds": time.monotonic() - begun}
        (findings / "fuzz.json").write_text(json.dumps(told), encoding="utf-8")
        if found:
            print(f"{name}: {found}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), Path(sys.argv[2]).resolve()))
