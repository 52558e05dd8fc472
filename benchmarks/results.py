"""Interleaved repetitions of a contest, and what came out: medians, spreads, and ratios to the first contestant."""

from __future__ import annotations

import statistics
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.contests import Contest, Contestant
from benchmarks.environments import version_of
from benchmarks.process import Run, RunError


@dataclass(frozen=True)
class Spread:
    """Median, least and most of one or several numbers."""

    middle: float
    least: float
    most: float
    count: int

    @classmethod
    def of(cls, numbers: list[float]) -> Spread:
        return cls(statistics.median(numbers), min(numbers), max(numbers), len(numbers))


@dataclass(frozen=True)
class Line:
    """One contestant of one contest. Seconds are of the work alone; ratios are to the first contestant.

    A ratio of times is taken turn by turn, between two runs that followed each other, so that a slow minute of the
    machine weighs on both. `meets` is None where there is no k.
    """

    contest: str
    contestant: str
    version: str
    seconds: Spread | None = None
    times: Spread | None = None
    cpu: float | None = None
    peak_mb: float | None = None
    memory: float | None = None
    loss: float | None = None
    losses: float | None = None
    by_sql: int | None = None
    by_verify: int | None = None
    meets: bool | None = None
    target: float | None = None
    note: str = ""
    because: str = ""


@dataclass(frozen=True)
class Limits:
    """At most `repeat` turns; a contestant that has used `budget` seconds sits out; `one` run may take `limit`."""

    repeat: int
    budget: float
    limit: float


def play(contest: Contest, limits: Limits) -> list[Line]:
    """Every contestant in turns, so that a busy moment of the machine hits them all."""
    print(f"{contest.name}: {contest.what}", file=sys.stderr, flush=True)
    runs: dict[Contestant, dict[int, Run]] = {one: {} for one in contest.contestants}
    failed: dict[Contestant, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = contest.make(folder)
        for turn in range(limits.repeat):
            playing = [one for one in contest.contestants if one not in failed and _in_budget(runs[one], limits)]
            first = contest.contestants[0]
            if playing and first not in (*playing, *failed):
                playing.insert(0, first)  # nobody plays without the one to compare with
            for one in playing:
                try:
                    runs[one][turn] = one.compete(source, contest.output(folder, one), limits.limit)
                except RunError as error:
                    failed[one] = str(error)
        beside = runs[contest.contestants[0]]
        return compared([_line(contest, one, runs[one], beside, failed.get(one), folder, source) for one in runs])


def _in_budget(runs: dict[int, Run], limits: Limits) -> bool:
    """Whether another run, as long as those before, still fits."""
    used = sum(run.wall for run in runs.values())
    return not runs or used + used / len(runs) <= limits.budget


def ratios(runs: dict[int, Run], first: dict[int, Run]) -> Spread | None:
    """Seconds over those of the first contestant, for each turn that both played."""
    both = [runs[turn].seconds / first[turn].seconds for turn in runs if turn in first and first[turn].seconds]
    return Spread.of(both) if both else None


def _line(
    contest: Contest,
    one: Contestant,
    runs: dict[int, Run],
    first: dict[int, Run],
    failed: str | None,
    folder: Path,
    source: Path,
) -> Line:
    known = {"contest": contest.name, "contestant": one.name, "version": version_of(one.peer)}
    known |= {"target": one.target, "because": one.because}
    if failed is not None or not runs:
        return Line(**known, note=failed or "not run")  # type: ignore[arg-type]
    told = [run.told for run in runs.values()]
    found = {"loss": told[-1].get("loss"), "note": " ".join(map(str, told[-1].get("answer", ())))}
    if contest.judged_by is not None:
        try:
            verdict = contest.judged_by(contest.output(folder, one), source)
        except Exception as error:  # what a peer wrote may be anything
            return Line(**known, note=f"its output could not be judged ({type(error).__name__})")  # type: ignore[arg-type]
        found |= {"loss": verdict.loss, "by_sql": verdict.by_sql, "by_verify": verdict.by_verify}
        found |= {"meets": verdict.meets(contest.k), "note": verdict.note(contest.k)}
    return Line(
        **known,  # type: ignore[arg-type]
        **found,
        seconds=Spread.of([run.seconds for run in runs.values()]),
        times=ratios(runs, first),
        cpu=statistics.median(float(one.get("cpu", 0)) for one in told),
        peak_mb=max(run.peak_mb for run in runs.values()),
    )


def compared(lines: list[Line]) -> list[Line]:
    """The same with memory and loss as multiples of the first line's."""
    first = lines[0]
    return [
        replace(
            line,
            memory=line.peak_mb / first.peak_mb if line.peak_mb and first.peak_mb else None,
            losses=line.loss / first.loss if line.loss is not None and first.loss else None,
        )
        for line in lines
    ]
