"""Groups of a task's rows that meet every requirement, within the budget of its policy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError
from shoal.partition.methods.outlier_curve import with_curve
from shoal.partition.methods.problem import Budget
from shoal.partition.methods.run import solve
from shoal.partition.repair.meet import GROWING, met, or_grown
from shoal.partition.repair.shake import unforeseen
from shoal.partition.result import Partition
from shoal.pipeline.task import Task
from shoal.plans import Plan
from shoal.publish import GroupColumn
from shoal.sequence import History
from shoal.space import Space

SEARCHED, POLISHED = 0.6, 0.8
"""Parts of a time limit after which the first search ends where more than k is asked, and the exchanges that follow
where there is time to grow groups then."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouped:
    """A task and the groups that will be published, however they were made."""

    task: Task
    partition: Partition
    order: npt.NDArray[np.int64]
    """The input row of each record, -1 for one that is made up."""
    history: History | None = None
    """What the next release of a sequence must know."""
    plan: Plan | None = None
    """The plan of an earlier release that the groups follow."""
    cells: tuple[GroupColumn, ...] = ()
    """The published cells of each group, where a plan says what they are."""
    notes: tuple[str, ...] = ()
    """What else is to be said of the release."""

    def of(self, task: Task) -> Grouped:
        """The same groups of another task."""
        return replace(self, task=task)


def make_groups(task: Task) -> Partition:
    """Groups by the chosen method that meet every requirement, or grown for diversity if those lose less."""
    budget, limit = task.budget(), task.policy.time_limit
    growing = limit is not None and (1.0 - POLISHED) * limit >= GROWING * len(task.table)
    search = budget.part(1.0 if task.problem.only_k else SEARCHED)
    repair = budget.part(POLISHED if growing else 1.0)
    try:
        usual = met(_unforeseen(task, search), task.problem, repair)
    except InfeasibleError:
        if not task.problem.max_suppressed:
            raise
        everyone = task.with_max_suppressed(0.0)  # the others need what was left out
        usual = met(_unforeseen(everyone, search), task.problem, repair)
    return or_grown(usual, task.problem, budget)


def _unforeseen(task: Task, budget: Budget) -> Partition:
    """Groups by the chosen method which nobody can make again from the quasi-identifiers, if they will change."""

    def again(space: Space) -> Partition:
        return solve(replace(task.problem, space=space), budget)

    return unforeseen(solve(task.problem, budget), task.problem, again, seed=task.secret.number("shake"))


def with_outlier_curve(task: Task, partition: Partition) -> Partition:
    """The same groups; around records, with what leaving out more or fewer outliers would have bought."""
    share = task.problem.max_suppressed
    if not task.choice.minimized.around_records or not share:
        return partition
    unlimited = replace(task.budget(), time_limit=None)
    return with_curve(partition, lambda other: solve(task.with_max_suppressed(other).problem, unlimited), share)
