"""Interleaved repetitions of a contest, and what came out: medians, spreads, and ratios to the first contestant."""

from __future__ import annotations

import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contests import Contest, Contestant
from benchmarks.environments import version_of
from benchmarks.process import Run, RunError


@dataclass(frozen=True)
class Line:
    """One contestant of one contest. Times are of the work alone; `meets` is None where there is no k."""

    contest: str
    what: str
    contestant: str
    version: str
    seconds: float | None
    least: float | None
    most: float | None
    cpu: float | None
    peak_mb: float | None
    loss: float | None
    meets: bool | None
    note: str = ""


def play(contest: Contest, repeat: int, limit: float) -> list[Line]:
    """Every contestant `repeat` times, in turns, so that a busy moment of the machine hits them all."""
    print(f"{contest.name}: {contest.what}", file=sys.stderr, flush=True)
    runs: dict[Contestant, list[Run]] = {one: [] for one in contest.contestants}
    failed: dict[Contestant, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = contest.make(folder)
        for turn in range(repeat):
            for one in contest.contestants:
                if one in failed or (one.once and turn > 0):
                    continue
                try:
                    runs[one].append(one.compete(source, contest.output(folder, one), limit))
                except RunError as error:
                    failed[one] = str(error)
        return [_line(contest, one, runs[one], failed.get(one), source, folder) for one in contest.contestants]


def _line(contest: Contest, one: Contestant, runs: list[Run], failed: str | None, source: Path, folder: Path) -> Line:
    version = version_of(one.peer)
    if failed is not None or not runs:
        nothing = (None,) * 6
        return Line(contest.name, contest.what, one.name, version, *nothing, None, failed or "not run")
    seconds = sorted(run.seconds for run in runs)
    loss, meets, note = runs[-1].told.get("loss"), None, ""
    if contest.judged_by is not None:
        verdict = contest.judged_by(contest.output(folder, one), source)
        loss, meets = verdict.loss, verdict.smallest >= contest.k
        note = "" if meets else f"smallest group {verdict.smallest:g}"
    elif "answer" in runs[-1].told:
        note = " ".join(map(str, runs[-1].told["answer"]))
    return Line(
        contest.name,
        contest.what,
        one.name,
        version,
        statistics.median(seconds),
        seconds[0],
        seconds[-1],
        statistics.median(run.cpu for run in runs),
        max(run.peak_mb for run in runs),
        loss,
        meets,
        note,
    )
