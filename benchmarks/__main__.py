"""`make bench`: Shoal beside its peers, how it grows, and where its time goes; results are kept by commit.

python -m benchmarks [--quick] [--only TEXT] [--page]
python -m benchmarks compare REVISION
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from benchmarks import history, page, profiles, results, scaling
from benchmarks.contests import contests
from benchmarks.waits import waits


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Shoal beside its peers.")
    parser.add_argument("compare", nargs="*", metavar="compare REVISION", help="compare this commit with another")
    parser.add_argument("--quick", action="store_true", help="smaller inputs, under ten minutes")
    parser.add_argument("--only", default="", help="contests whose name has this text, and nothing else")
    parser.add_argument("--page", action="store_true", help="also write docs/benchmarks.md")
    asked = parser.parse_args()
    if asked.compare:
        print("\n".join(history.compare(history.load(asked.compare[-1]), history.load("HEAD"))))
        return
    found = measured(quick=asked.quick, only=asked.only)
    for line in found["lines"]:
        show(line)
    for row in found.get("waits", []):
        print(f"{row['name']:59} {row['seconds']:9.3f} s {row['peak_mb']:7.0f} MB")
    for row in found.get("exponents", []):
        print(f"{row['task']:40} seconds grow as n^{row['slope']:.2f}, {row['bytes_per_record']:.0f} bytes a record")
    if not asked.only:
        print(f"kept in {history.save(found)}")
    if asked.page:
        print(f"written {page.write(found)}")


def measured(*, quick: bool, only: str) -> dict[str, Any]:
    """All of it, or the contests asked for."""
    lines: list[dict[str, Any]] = []
    for contest in contests(quick=quick):
        if only in contest.name:
            lines += [asdict(line) for line in results.play(contest, 3 if quick else 5, 120 if quick else 1200)]
    found: dict[str, Any] = {"commit": history.commit(), "machine": history.machine(), "quick": quick, "lines": lines}
    if not only:
        found["waits"] = [asdict(one) for one in waits()]
        measures = scaling.sweep(quick=quick)
        found["measures"] = [asdict(one) for one in measures]
        found["exponents"] = [asdict(one) for one in scaling.exponents(measures)]
        found["profiles"] = [asdict(step) for step in profiles.profile(None if quick else 1_000_000)]
    return found


def show(line: dict[str, Any]) -> None:
    """One contestant in the terminal."""
    who = f"{line['contest']:36} {line['contestant']:22}"
    if line["seconds"] is None:
        print(f"{who} {line['note']}")
        return
    loss = "" if line["loss"] is None else f"{line['loss']:.5g}"
    meets = {True: "meets k", False: "MISSES k", None: ""}[line["meets"]]
    print(f"{who} {line['seconds']:9.3f} s {line['peak_mb']:7.0f} MB  {loss:>10} {meets} {line['note']}")


if __name__ == "__main__":
    main()
