"""Cases one after the other for some time: `python -m tests.endtoend.many SECONDS FOLDER [PYTHON OF PYCANON]`.

First up to 20,000 whole releases, then up to 10,000 tables through `verify`, SQL and pycanon. A run goes on where the
last one ended. Counts are written to FOLDER; the first finding ends the run, with its recipe there and exit code 1.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

from tests.endtoend.crosscheck import check_with_pycanon, check_with_sql, table
from tests.endtoend.run import FoundError, run

CASES, TABLES = 20_000, 10_000
SHARE = 0.65
"""Of the time for whole releases."""
BATCH = 100


def main(seconds: int, findings: Path, pycanon: Path | None) -> int:
    state = findings / "next.json"
    first = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {"endtoend": 300, "crosscheck": 120}
    begun = time.monotonic()
    found = _releases(first, begun, begun + SHARE * seconds, findings)
    if not found:
        found = _tables(first, time.monotonic(), begun + seconds, findings, pycanon)
    state.write_text(json.dumps(first), encoding="utf-8")
    print(found, file=sys.stderr, end="")
    return 1 if found else 0


def _releases(first: dict[str, int], begun: float, until: float, findings: Path) -> str:
    happened: Counter[str] = Counter()
    found = ""
    while not found and time.monotonic() < until and happened["cases"] < CASES:
        try:
            happened += run(first["endtoend"])
        except FoundError as wrong:
            happened["cases"] += 1
            found = str(wrong)
            (findings / f"case-{first['endtoend']}.txt").write_text(found, encoding="utf-8")
        first["endtoend"] += 1
    _tell(findings / "endtoend.json", happened, found, begun)
    return found


def _tables(first: dict[str, int], begun: float, until: float, findings: Path, pycanon: Path | None) -> str:
    happened: Counter[str] = Counter()
    found = ""
    while not found and time.monotonic() < until and happened["verify beside SQL"] < TABLES:
        tables = [table(number) for number in range(first["crosscheck"], first["crosscheck"] + BATCH)]
        try:
            measures = [check_with_sql(one) for one in tables]
            happened["verify beside SQL"] += len(tables)
            if pycanon is not None:
                beside = check_with_pycanon(tables, measures, pycanon)
                happened += Counter({f"pycanon, {name}": count for name, count in beside.items()})
        except AssertionError as wrong:
            found = str(wrong)
            (findings / f"tables-{first['crosscheck']}.txt").write_text(found, encoding="utf-8")
        first["crosscheck"] += BATCH
    _tell(findings / "crosscheck.json", happened, found, begun)
    return found


def _tell(file: Path, happened: Counter[str], found: str, begun: float) -> None:
    told = {"counts": dict(sorted(happened.items())), "found": found, "seconds": time.monotonic() - begun}
    file.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(main(int(arguments[0]), Path(arguments[1]), Path(arguments[2]) if len(arguments) > 2 else None))
