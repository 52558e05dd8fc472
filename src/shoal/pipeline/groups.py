"""Make groups of a task's rows that meet every requirement, within the budget of its policy."""

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
"""Shares of the time limit after which steps end. The search of the method ends at SEARCHED if there are requirements
beyond k. The repair and its search end at POLISHED if the rest of the time suffices to build groups of different
sensitive values."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouped:
    """A task and the groups that will be published, made by a method, by a plan or for a sequence of releases."""

    task: Task
    partition: Partition
    order: npt.NDArray[np.int64]
    """The input row of each record, -1 for a counterfeit."""
    history: History | None = None
    """What the next release of a sequence needs; None outside sequences."""
    plan: Plan | None = None
    """The plan of an earlier release that was applied; None if there was none."""
    cells: tuple[GroupColumn, ...] = ()
    """The published cells of each group if a plan was applied; otherwise empty."""
    notes: tuple[str, ...] = ()
    """Further remarks on the release."""

    def of(self, task: Task) -> Grouped:
        """Return the same groups with another task."""
        return replace(self, task=task)


def make_groups(task: Task) -> Partition:
    """Return groups that meet every requirement.

    They are those of the chosen method, repaired if needed, or groups built from different sensitive values if the
    policy requires l-diversity and these cost less.
    """
    budget, limit = task.budget(), task.policy.time_limit
    growing = limit is not None and (1.0 - POLISHED) * limit >= GROWING * len(task.table)
    search = budget.part(1.0 if task.problem.only_k else SEARCHED)
    repair = budget.part(POLISHED if growing else 1.0)
    try:
        usual = met(_unforeseen(task, search), task.problem, repair)
    except InfeasibleError:
        if not task.problem.max_suppressed:
            raise
        everyone = task.with_max_suppressed(0.0)  # the requirements cannot be met without the suppressed records
        usual = of_all_rows(met(_unforeseen(everyone, search), task.problem, repair))
    return or_grown(usual, task.problem, budget)


def of_all_rows(partition: Partition) -> Partition:
    """Return groups that were made as if no row might be suppressed, without what is proved beside such groups only.

    Where the policy allows to suppress rows, its problem has a lower optimum.
    """
    return partition.without_claim(
        "groups were made of all rows; what is proved of those alone is not claimed, as rows may be left out",
        lower_bound=0.0,
        theorem_cost=None,
    )


def _unforeseen(task: Task, budget: Budget) -> Partition:
    """Return the groups of the chosen method.

    If records will be exchanged between them, the groups are made from points with random noise, so that an attacker
    cannot reproduce them from the quasi-identifiers.
    """

    def again(space: Space) -> Partition:
        """Return the groups of the method on other points of the same records."""
        return solve(replace(task.problem, space=space), budget)

    return unforeseen(solve(task.problem, budget), task.problem, again, seed=task.secret.number("shake"))


def with_outlier_curve(task: Task, partition: Partition) -> Partition:
    """Return the partition with `outlier_curve` filled in if its groups have centers and records may be suppressed.

    Otherwise it is returned unchanged.
    """
    share = task.problem.max_suppressed
    if not task.choice.minimized.around_records or not share:
        return partition
    unlimited = replace(task.budget(), time_limit=None)
    return with_curve(partition, lambda other: solve(task.with_max_suppressed(other).problem, unlimited), share)
