"""`make bench`: Shoal beside its peers, the papers, how it grows, where its time goes; results are kept by commit.

python -m benchmarks [--quick] [--only TEXT] [--page]
python -m benchmarks compare REVISION
python -m benchmarks page FILE
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import history, page, papers, profiles, results, scaling
from benchmarks.contests import contests
from benchmarks.environments import install_all
from benchmarks.terminal import show
from benchmarks.waits import waits


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Shoal beside its peers.")
    parser.add_argument("words", nargs="*", metavar="compare REVISION | page FILE", help="instead of a run")
    parser.add_argument("--quick", action="store_true", help="smaller inputs, under ten minutes")
    parser.add_argument("--only", default="", help="contests whose name has this text, and nothing else")
    parser.add_argument("--page", action="store_true", help="also write docs/benchmarks.md and the tables behind it")
    asked = parser.parse_args()
    if asked.words[:1] == ["compare"]:
        revision = asked.words[1] if len(asked.words) > 1 else "HEAD~1"
        print("\n".join(history.compare(history.with_steps(revision), history.with_steps("HEAD"))))
    elif asked.words[:1] == ["page"] and len(asked.words) == 2:
        print(f"written {page.write(json.loads(Path(asked.words[1]).read_text(encoding='utf-8')))}")
    elif asked.words:
        parser.error(f"unknown: {' '.join(asked.words)}")
    else:
        _run(quick=asked.quick, only=asked.only, with_page=asked.page)


def _run(*, quick: bool, only: str, with_page: bool) -> None:
    install_all()
    found = measured(quick=quick, only=only)
    show(found)
    if not only:
        print(f"kept in {history.save(found).relative_to(history.ROOT)}")
        if with_page:
            print(f"written {page.write(found).relative_to(history.ROOT)}")


def measured(*, quick: bool, only: str = "") -> dict[str, Any]:
    """All of it, or the contests asked for. What fails is told and left out: the rest goes on."""
    begun = time.perf_counter()
    found: dict[str, Any] = {"commit": history.commit(), "machine": history.machine(), "quick": quick}
    found |= {"contests": [], "lines": []}
    often = results.Limits(3, 10, 90) if quick else results.Limits(5, 40, 240)
    once = results.Limits(1, often.budget, often.limit)
    for contest in contests(quick=quick):
        if only in contest.name:
            late = time.perf_counter() - begun > (150 if quick else 600)
            limits = once if late and not only else often
            lines = _tried(contest.name, lambda contest=contest, limits=limits: results.play(contest, limits)) or []
            found["contests"].append({"name": contest.name, "what": contest.what, "loss": contest.loss})
            found["lines"] += [asdict(line) for line in lines]
    if only:
        return found
    found["waits"] = [asdict(one) for one in _tried("waits", lambda: waits(quick=quick)) or []]
    measures = _tried("growth", lambda: scaling.sweep(quick=quick)) or []
    found["measures"] = [asdict(one) for one in measures]
    found["exponents"] = [asdict(one) for one in scaling.exponents(measures)]
    found["profiles"] = [
        asdict(step) for step in _tried("profile", lambda: profiles.profile(None if quick else 1_000_000)) or []
    ]
    figures, seconds = _tried("papers", lambda: papers.figures(quick=quick)) or ([], {})
    found["papers"], found["paper_seconds"] = [asdict(one) for one in figures], seconds
    found["steps"] = _tried("steps", history.timed_steps) or []
    found["minutes"] = (time.perf_counter() - begun) / 60
    return found


def _tried(name: str, work: Callable[[], Any]) -> Any:
    """None where it fails; the reason goes to the terminal."""
    begun = time.perf_counter()
    try:
        return work()
    except (Exception, SystemExit):
        print(f"{name} failed:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        return None
    finally:
        print(f"  {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
