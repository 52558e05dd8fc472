"""Remarks on columns that make a plan useless for later tables: dates that advance while the classes do not."""

from __future__ import annotations

from shoal.caller import setting, settings
from shoal.partition.result import Partition
from shoal.policy import Policy
from shoal.policy.moving_dates import fitting_period
from shoal.report.formatting import listed
from shoal.results.release_folder import PLANNED
from shoal.roles import says_birth


def later_dates(policy: Policy, form: str, partition: Partition) -> tuple[str, ...]:
    """Return a remark that names the columns of dates whose later values are in no class of the release's plan.

    If no plan is made although dates shall move with time, the remark says so. Dates of birth get no remark. No
    column does if whole columns were recoded, or if a later release will follow this one in a sequence.
    """
    if form not in PLANNED:
        asked = [name for name in policy.quasi if policy.columns[name].relative_to is not None]
        return (_no_plan(asked),) if asked else ()
    if partition.levels is not None or policy.sequence is not None:
        return ()
    names = moving(policy)
    if not names:
        return ()
    return (
        f"the plan of this release is of no use for later tables: no class contains dates of {listed(names)} that "
        f"come after those of this one. {way_out(policy, names)}",
    )


def _no_plan(names: list[str]) -> str:
    """Return the remark that dates shall move with time, but means are published, of which no plan is made."""
    return (
        f"no plan is made for later tables, although dates of {listed(names)} shall move with time: only ranges and "
        f"sets have one. Ask for {setting('publication', 'generalize')}."
    )


def moving(policy: Policy) -> list[str]:
    """Return the quasi-identifiers of dates that advance with time while the classes of the plan do not."""
    return [name for name in dated(policy) if policy.columns[name].relative_to is None and not says_birth(name)]


def dated(policy: Policy) -> list[str]:
    """Return the quasi-identifiers of dates."""
    found = []
    for name in policy.quasi:
        column = policy.columns[name]
        by_periods = column.hierarchy is not None and column.hierarchy.periods is not None
        if column.kind == "date" or by_periods:
            found.append(name)
    return found


def way_out(policy: Policy, names: list[str]) -> str:
    """Return one sentence of advice for columns of dates that advance with time."""
    periods = {name: fitting_period(policy.columns[name]) for name in names}
    if None in periods.values():
        return f"For later dates of {listed(names)}, make the plan with {setting('method', 'full-domain')}."
    its = "its classes then move" if len(names) == 1 else "their classes then move"
    way = settings("relative_to", periods)
    return f"For later dates of {listed(names)}, make the plan with {way}: {its} with time."
