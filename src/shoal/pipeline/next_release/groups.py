"""Make groups for `keep = "groups"`: people who were published in one group stay in one group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.clock import Clock
from shoal.errors import InfeasibleError
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Partition
from shoal.pipeline.groups import Grouped, make_groups
from shoal.pipeline.next_release.result import Ints, partition_of, sequence_remarks, standing_of, within_limit
from shoal.pipeline.row_order import Rows
from shoal.pipeline.task import Task, build_task
from shoal.requirements import LDiversity, ShareLimit, TCloseness, count
from shoal.sequence import History, Standing, staying, value_marks
from shoal.sequence.check import require_groups
from shoal.sequence.history import GROUP, LAST, WHO

AFTERWARDS = (TCloseness, ShareLimit)
"""Requirements for which groups are not thinned out: those that miss one are suppressed. t, beta and delta compare
with the whole release, which is known only when all groups are."""


def by_groups(rows: Rows, history: History, who: pl.Series, clock: Clock) -> Grouped:
    """Return the groups of the latest release, reduced to the people shown again, and new groups of new people."""
    table, policy = rows.table, rows.policy
    asked = policy.sequence
    assert asked is not None
    task = build_task(table, policy, rows.secret, clock)
    # Departures reveal something only if rows show values of their own, or means, which change when somebody leaves.
    telling = bool(policy.unchanged) or task.choice.form == "aggregate"
    covered = asked.departures == "covered" and telling
    group, last = standing_of(history, who)
    alive = (last == history.number) & (group >= 0)
    new = np.flatnonzero(group < 0)
    kept = _kept_values(task, history)
    with clock("groups"):
        cohort = np.full(len(table), -1, dtype=np.int64)
        found: Partition | None = None
        if history.number:
            again = np.flatnonzero(alive)
            shown = again[_shown(task, history, who, again, group, kept, covered=covered)]
            cohort[shown] = group[shown]
        if len(new):
            found = _new_groups(rows, new, history, clock)
            if found is not None:
                cohort[new] = np.where(found.labels < 0, -1, history.n_groups + found.labels)
        cohort = _close_enough(task, cohort)
    within_limit(
        policy,
        n_rows=len(table),
        thinned=int(np.count_nonzero(alive & (cohort < 0))),
        waiting=int(np.count_nonzero((group < 0) & (cohort < 0))),
        back=int(np.count_nonzero((group >= 0) & ~alive)),
    )
    labels = number_groups(cohort)
    later = history.after(
        pl.DataFrame({WHO: who, GROUP: cohort, **kept}).filter(pl.Series(cohort >= 0)),
    )
    require_groups(history, later, covered=covered)
    if found is not None and not history.number and not asked.reserve and (labels == found.labels).all():
        partition = found
    else:
        partition = partition_of(task, labels, sequence_remarks(history, later, int(alive.sum()), policy))
    return Grouped(task=task, partition=partition, order=rows.order, history=later)


def _kept_values(task: Task, history: History) -> dict[str, pl.Series]:
    """Return keyed hashes of the values of every column with l-diversity, as `value_0`, `value_1` and so on."""
    found = {}
    for place, asked in enumerate(one for one in task.problem.requirements if isinstance(one, LDiversity)):
        values, codes = task.table.frame[asked.column], pl.Series(task.problem.records.sensitive[asked.column])
        if task.policy.columns[asked.column].bins is not None:  # values in the same bin count as one value
            values = codes
        known = codes != task.problem.records.missing.get(asked.column, -1)  # blank texts are missing too
        values = pl.select(pl.when(known).then(values)).to_series()
        found[f"value_{place}"] = value_marks(values, history.key)
    return found


def _shown(
    task: Task,
    history: History,
    who: pl.Series,
    rows: Ints,
    group: Ints,
    kept: dict[str, pl.Series],
    *,
    covered: bool,
) -> npt.NDArray[np.bool_]:
    """Return which of `rows`, whose people were in the latest release, are shown again; the others are suppressed."""
    latest = history.people.filter(pl.col(LAST) == history.number)
    present = who[rows].alias(WHO).to_frame().join(latest, on=WHO, how="left", maintain_order="left")
    departed = latest.join(present.select(WHO), on=WHO, how="anti")
    known = pl.concat([present, departed])
    _, numbers = np.unique(known[GROUP].to_numpy(), return_inverse=True)
    asked = [one for one in task.problem.requirements if not isinstance(one, AFTERWARDS)]
    columns = dict(zip((one.column for one in asked if isinstance(one, LDiversity)), kept, strict=True))
    filler = np.zeros(departed.height, dtype=np.int64)
    standing = Standing(
        group=numbers.astype(np.int64),
        n_present=len(rows),
        now={name: np.concatenate([task.problem.records.sensitive[name][rows], filler]) for name in columns},
        before={
            name: known[hashed].rank("dense").fill_null(0).to_numpy().astype(np.int64)
            for name, hashed in columns.items()
        },
        missing_now=task.problem.records.missing,
        missing_before=dict.fromkeys(columns, 0),  # a missing value has no hash, and the ranks begin with 1
    )

    def draws(turn: int) -> npt.NDArray[np.uint64]:
        """Return a random number per row, drawn from the secret of the release."""
        return task.secret.stream(f"vanishing, turn {turn}", len(rows))

    return staying(standing, task.space.take(rows), asked, covered=covered, draws=draws)


def _new_groups(rows: Rows, new: Ints, history: History, clock: Clock) -> Partition | None:
    """Return groups of new people only, of at least k plus the policy's reserve, or of all of them if they are fewer.

    None if they cannot meet the requirements among themselves. In the first release this is an error instead.
    """
    table, policy = rows.table, rows.policy
    asked = policy.sequence
    assert asked is not None
    k = max(policy.k, min(policy.k + asked.reserve, len(new)))
    changes = {"k": k} if not history.number else {"k": k, "max_suppressed": 0.0}
    part = table if len(new) == len(table) else replace(table, frame=table.frame[new])
    try:
        return make_groups(build_task(part, policy.model_copy(update=changes), rows.secret, clock))
    except InfeasibleError:
        if not history.number:
            raise
        return None


def _close_enough(task: Task, cohort: Ints) -> Ints:
    """Return the groups after suppressing those that miss a requirement, until all others meet every one.

    Suppressing a group changes the distribution of the release, so the others are checked again each time. If only k
    and l are required, which hold already, the groups are returned unchanged.
    """
    if not any(isinstance(one, AFTERWARDS) for one in task.problem.requirements):
        return cohort
    while (cohort >= 0).any():
        labels = number_groups(cohort)
        counts = count(labels, task.problem.records)
        held = np.logical_and.reduce([one.holds(counts) for one in task.problem.requirements])
        if held.all():
            break
        cohort = np.where((labels >= 0) & held[labels], cohort, -1)
    return cohort
