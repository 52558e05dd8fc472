"""Cases one after the other: `python -m tests.endtoend.many KIND FIRST SECONDS FOLDER [PYTHON OF PYCANON]`.

KIND is `releases` (up to 20,000 whole releases, recounted in SQL) or `tables` (up to 10,000 tables through `verify`,
SQL and pycanon); FIRST is the number of the first case. Counts, and the number after the last case, are written to
FOLDER; the first finding ends the run, with its recipe there and exit code 1.
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
BATCH = 100


def releases(first: int, seconds: float, findings: Path) -> str:
    """Whole releases from number `first` on; returns what was found (empty: nothing)."""
    begun = time.monotonic()
    happened: Counter[str] = Counter()
    found, number = "", first
    while not found and time.monotonic() < begun + seconds and happened["cases"] < CASES:
        try:
            happened += run(number)
        except FoundError as wrong:
            happened["cases"] += 1
            found = str(wrong)
            (findings / f"case-{number}.txt").write_text(found, encoding="utf-8")
        number += 1
    _tell(findings / "endtoend.json", happened, found, begun, number)
    return found


def tables(first: int, seconds: float, findings: Path, pycanon: Path | None) -> str:
    """Tables through `verify` and others from number `first` on; returns what was found (empty: nothing)."""
    begun = time.monotonic()
    happened: Counter[str] = Counter()
    found, number = "", first
    while not found and time.monotonic() < begun + seconds and happened["verify beside SQL"] < TABLES:
        made = [table(one) for one in range(number, number + BATCH)]
        try:
            measures = [check_with_sql(one) for one in made]
            happened["verify beside SQL"] += len(made)
            if pycanon is not None:
                beside = check_with_pycanon(made, measures, pycanon)
                happened += Counter({f"pycanon, {name}": count for name, count in beside.items()})
        except AssertionError as wrong:
            found = str(wrong)
            (findings / f"tables-{number}.txt").write_text(found, encoding="utf-8")
        number += BATCH
    _tell(findings / "crosscheck.json", happened, found, begun, number)
    return found


def _tell(file: Path, happened: Counter[str], found: str, begun: float, following: int) -> None:
    counts, seconds = dict(sorted(happened.items())), time.monotonic() - begun
    told = {"counts": counts, "found": found, "seconds": seconds, "next": following}
    file.write_text(json.dumps(told), encoding="utf-8")


def main(kind: str, first: str, seconds: str, findings: str, *pycanon: str) -> int:
    if kind == "releases":
        found = releases(int(first), float(seconds), Path(findings))
    else:
        found = tables(int(first), float(seconds), Path(findings), Path(pycanon[0]) if pycanon else None)
    print(found, file=sys.stderr, end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
