"""Rows of tables, and sentences, for comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shoal.report.charts import Line
from shoal.report.content import Trial
from shoal.report.formatting import at_most, chance, count, name, percent, seconds, significant

TRIALS_HEADER = ("method", "k", "groups", "lost", "left out", "worst", "mean", "seen", "proved", "time")
SWEPT_HEADER = ("method", "k", "groups", "lost", "cost", "left out", "seen", "proved", "time")
TRIALS_NOTE = (
    "Lost: information loss. Worst and mean: re-identification risk. "
    "Seen and proved: at most so many times the least possible cost."
)
KEEP = "Private, do not publish: tables that differ in one person differ in these numbers."
SWEPT_NOTE = (
    "Cost: what the method minimizes, comparable within a method. Left out: rows suppressed, of the share allowed. "
    "Seen and proved: at most so many times the least possible cost."
)


def trials_header(found: Sequence[Trial]) -> tuple[str, ...]:
    """Return the header of the table, with the cost instead of the risk if several shares were tried."""
    return SWEPT_HEADER if _swept(found) else TRIALS_HEADER


def trials_note(found: Sequence[Trial]) -> str:
    """Return what the columns mean, and that they are private."""
    return f"{SWEPT_NOTE if _swept(found) else TRIALS_NOTE} {KEEP}"


def trials(found: Sequence[Trial]) -> list[tuple[str, ...]]:
    """Return one line per run of a comparison."""
    swept = _swept(found)
    return [
        (
            name(trial.asked),
            count(trial.k),
            count(trial.n_groups),
            percent(trial.loss),
            *(
                (significant(trial.cost), f"{percent(trial.suppressed_share)} of {percent(trial.max_suppressed)}")
                if swept
                else (percent(trial.suppressed_share), chance(trial.highest_risk), percent(trial.mean_risk))
            ),
            at_most(trial.ratio_seen),
            at_most(trial.ratio_proved),
            seconds(trial.seconds),
        )
        for trial in found
    ]


def _swept(found: Sequence[Trial]) -> bool:
    return len({trial.max_suppressed for trial in found}) > 1


def loss_lines(found: Sequence[Trial]) -> list[Line]:
    """Return the loss of each method by k."""
    return _lines(found, lambda trial: float(trial.k))


def risk_lines(found: Sequence[Trial]) -> list[Line]:
    """Return the loss of each method by the mean risk that remains."""
    return _lines(found, lambda trial: trial.mean_risk)


def left_out_lines(found: Sequence[Trial]) -> list[Line]:
    """Return the cost of each method by the share that may be suppressed, relative to the smallest share.

    Empty if only one share was tried.
    """
    drawn: dict[str, list[Trial]] = {}
    for trial in sorted(found, key=lambda trial: trial.max_suppressed):
        drawn.setdefault(f"{trial.method}, k = {trial.k}", []).append(trial)
    return [
        Line(
            name=line,
            points=tuple(
                (
                    trial.max_suppressed,
                    trial.cost / some[0].cost if trial.cost and some[0].cost else 0.0,
                    f"{percent(trial.suppressed_share)} suppressed: {significant(trial.cost)}",
                )
                for trial in some
            ),
        )
        for line, some in drawn.items()
        if len({trial.max_suppressed for trial in some}) > 1 and len({trial.requirement for trial in some}) == 1
    ]


def _lines(found: Sequence[Trial], across: Callable[[Trial], float]) -> list[Line]:
    drawn: dict[str, list[tuple[float, float, str]]] = {}
    for trial in found:
        tip = f"k = {trial.k}: {percent(trial.loss)} lost, mean risk {percent(trial.mean_risk)}"
        drawn.setdefault(trial.line, []).append((across(trial), trial.loss, tip))
    return [Line(name=line, points=tuple(sorted(points))) for line, points in drawn.items()]
