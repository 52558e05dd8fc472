"""What a profile and a comparison say, in words and lines of tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from shoal.report.charts import Line
from shoal.report.content import Trial
from shoal.report.formatting import at_most, chance, count, listed, name, percent, plural, seconds, significant

if TYPE_CHECKING:
    from shoal.roles.table_profile import Profile

COLUMNS_HEADER = ("column", "role", "kind", "different", "missing", "why")
TRIALS_HEADER = ("method", "k", "groups", "lost", "left out", "worst", "mean", "seen", "proved", "time")
SWEPT_HEADER = ("method", "k", "groups", "lost", "cost", "left out", "seen", "proved", "time")
TRIALS_NOTE = (
    "Worst and mean: how likely somebody is picked out. "
    "Seen and proved: at most so many times the least possible cost."
)
KEEP = "Private, keep it home: two tables that differ in one person have different losses."
SWEPT_NOTE = (
    "Cost: what the method minimizes, its own with every method. Left out: of the share that was allowed. "
    "Seen and proved: at most so many times the least possible cost."
)


def columns(found: Profile) -> list[tuple[str, ...]]:
    """The proposed role of every column, and why."""
    return [
        (
            name(column.name),
            column.role,
            column.kind or "",
            count(column.distinct),
            percent(column.missing / max(1, found.n_rows)),
            column.reason,
        )
        for column in found.columns
    ]


def risk_before(found: Profile) -> str:
    """What the suggested quasi-identifiers give away together."""
    risk = found.risk
    if not risk.columns:
        return "No quasi-identifiers are proposed."
    share = percent(risk.unique_rows / max(1, found.n_rows))
    return (
        f"Together, {listed([name(c) for c in risk.columns])} single out {count(risk.unique_rows)} of "
        f"{plural(found.n_rows, 'row')} ({share}); {count(risk.rows_below_k)} are in classes below k = {found.k}. "
        f"Somebody who knows them all picks the right row with probability {percent(risk.average)} on average, "
        f"{percent(risk.highest)} at worst."
    )


def singled_header(found: Profile) -> tuple[str, ...]:
    return ("columns", "rows singled out", f"rows below k = {found.k}")


def singled(found: Profile) -> list[tuple[str, ...]]:
    """Combinations of columns, and how many rows each singles out."""
    return [
        (listed([name(c) for c in one.columns]), count(one.unique_rows), count(one.rows_below_k))
        for one in (*found.uniqueness.combinations, *found.uniqueness.growing)
    ]


def trials_header(found: Sequence[Trial]) -> tuple[str, ...]:
    """Where several shares of rows might be left out, what that saved is shown for the risk, which k decides."""
    return SWEPT_HEADER if _swept(found) else TRIALS_HEADER


def trials_note(found: Sequence[Trial]) -> str:
    """What the columns mean, and that they are nobody else's."""
    return f"{SWEPT_NOTE if _swept(found) else TRIALS_NOTE} {KEEP}"


def trials(found: Sequence[Trial]) -> list[tuple[str, ...]]:
    """One run of a comparison per line."""
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
    """What each method loses as k grows."""
    return _lines(found, lambda trial: float(trial.k))


def risk_lines(found: Sequence[Trial]) -> list[Line]:
    """What each method loses for the risk that it leaves."""
    return _lines(found, lambda trial: trial.mean_risk)


def left_out_lines(found: Sequence[Trial]) -> list[Line]:
    """What the cost is for each share that may be left out, of that with the smallest share; none for one share."""
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
                    f"{percent(trial.suppressed_share)} left out: {significant(trial.cost)}",
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
        told = f"k = {trial.k}: {percent(trial.loss)} lost, mean risk {percent(trial.mean_risk)}"
        drawn.setdefault(trial.line, []).append((across(trial), trial.loss, told))
    return [Line(name=line, points=tuple(sorted(points))) for line, points in drawn.items()]
