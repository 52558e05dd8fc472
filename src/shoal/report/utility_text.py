"""Rows, sentences and points on the utility of trials, and on the risks of attacks on them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.charts import Placed
from shoal.report.content import Trial
from shoal.report.formatting import count, name, percent, significant

HEADER = ("method", "k", "overlap", "pMSE ratio", "model", "original")
RISKS_HEADER = ("method", "k", "singling out", "linkability", "inference")
NOTE = (
    "Overlap: of the confidence intervals of means, tables and regression coefficients with those of the original "
    "table. pMSE ratio: how well rows can be told from original ones, 1 for rows of a right model, 2 for another "
    "sample of as many. Model: share predicted right, or R², by a model of the first target trained on the release, "
    "and on the original. Ranges count by their middle, sets by equal shares."
)
RISKS = (
    "Risks: what having been in the table adds to the success of attacks (WP216), by quasi-identifiers or all "
    "published columns, whichever is worse; with intervals of 95% on the page and in JSON."
)


def measured(found: Sequence[Trial]) -> bool:
    """Return whether the utility of some trial was measured."""
    return any(trial.utility is not None for trial in found)


def asked(found: Sequence[Trial]) -> bool:
    """Return whether the three questions were asked of some trial."""
    return any(trial.questions is not None for trial in found)


def rows(found: Sequence[Trial]) -> list[tuple[str, ...]]:
    """Return one line per trial as in `HEADER`."""
    return [
        (
            name(trial.asked),
            count(trial.k),
            percent(trial.overlap),
            significant(trial.propensity),
            percent(trial.accuracy),
            percent(trial.original_accuracy),
        )
        for trial in found
    ]


def risk_rows(found: Sequence[Trial], *, intervals: bool = True) -> list[tuple[str, ...]]:
    """Return one line per trial as in `RISKS_HEADER`; a terminal has no room for the intervals."""
    return [
        (name(trial.asked), count(trial.k), *(_risk(trial, question, intervals) for question in RISKS_HEADER[2:]))
        for trial in found
    ]


def _risk(trial: Trial, question: str, intervals: bool) -> str:
    worst = () if trial.questions is None else trial.questions.worst
    one = next((one for one in worst if one.name == question), None)
    if one is None or one.risk is None:
        return percent(None)
    if not intervals:
        return percent(one.risk)
    return f"{percent(one.risk)} ({percent(one.risk_low)} to {percent(one.risk_high)})"


def placed(found: Sequence[Trial]) -> list[Placed]:
    """Return the trials whose utility was measured as points of the risk-utility map."""
    return [_point(trial) for trial in found if trial.overlap is not None]


def y_label(found: Sequence[Trial]) -> str:
    """Return the name of the risk on the map: the highest of the three questions, or that of re-identification."""
    return "highest risk of the three questions" if asked(found) else "mean re-identification risk"


def _point(trial: Trial) -> Placed:
    assert trial.overlap is not None
    worst = () if trial.questions is None else trial.questions.worst
    highest = max((one for one in worst if one.risk is not None), key=lambda one: one.risk or 0.0, default=None)
    what = f"k = {trial.k}" + ("" if highest is None else f", {highest.name}")
    return Placed(
        name=trial.line,
        utility=trial.overlap,
        risk=trial.mean_risk if highest is None or highest.risk is None else highest.risk,
        low=None if highest is None else highest.risk_low,
        high=None if highest is None else highest.risk_high,
        tip=what,
    )
