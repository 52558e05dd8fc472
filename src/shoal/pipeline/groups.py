"""Make groups of a task's rows that meet every requirement, within the budget of its policy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.errors import InfeasibleError
from shoal.partition.methods.other_objective import with_less_generalized
from shoal.partition.methods.outlier_curve import with_curve
from shoal.partition.methods.problem import Budget
from shoal.partition.methods.run import solve
from shoal.partition.repair.again import searched_again
from shoal.partition.repair.balanced import or_simpler
from shoal.partition.repair.leave_out import leave_out
from shoal.partition.repair.meet import GROWING, met, or_grown
from shoal.partition.repair.proved_start import or_proved
from shoal.partition.repair.shake import unforeseen
from shoal.partition.repair.too_frequent import rows_to_keep, with_suppressed
from shoal.partition.result import Partition, share_of
from shoal.pipeline.blocks import blocks_of, group_blocks
from shoal.pipeline.task import Task
from shoal.plans import Plan
from shoal.publish import GroupColumn
from shoal.requirements import check_feasible
from shoal.sequence import History
from shoal.space import Space, build_space

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

    def placed(self, rows: npt.NDArray[np.int64]) -> Grouped:
        """Return the same groups of records that were selected from the `rows` of a larger input."""
        return replace(self, order=np.where(self.order < 0, -1, rows[np.maximum(self.order, 0)]))


def make_groups(task: Task) -> Partition:
    """Return groups that meet every requirement.

    They are those of the chosen method, repaired if needed, or groups built from different sensitive values if the
    policy requires l-diversity and these cost less. Rows are suppressed if that costs less than keeping them, within
    `max_suppressed`. If sensitive values are too frequent for the whole table to meet the requirements, the fewest
    rows that suffice are suppressed first. If a column has a greatest level, groups are made block by block.
    """
    if not task.policy.quasi:
        return _one_group(task)
    blocks = blocks_of(task)
    return _groups(task) if blocks is None else group_blocks(task, blocks, _groups)


def search_again(task: Task, present: Partition) -> Partition:
    """Return groups that meet every requirement and cost less than `present`, or `present` if none were found."""
    return searched_again(present, task.problem, task.budget())


def _one_group(task: Task) -> Partition:
    """Return all rows as one group, where only items of a set are known and nothing tells groups apart."""
    check_feasible(list(task.problem.requirements), task.problem.records)
    return Partition(
        labels=np.zeros(len(task.space), dtype=np.int64),
        method=task.choice.method,
        objective=task.choice.minimizes,
        cost=0.0,
        notes=("all rows are one group: no quasi-identifier but the set of items is known",),
    )


def _groups(task: Task) -> Partition:
    """Return groups as `make_groups` describes; the rows of the task may be one block of the table."""
    record = task.choice.record
    if record.suppresses and record.meets_requirements:  # the method itself suppresses groups that miss a requirement
        try:
            return _groups_of_all(task)
        except InfeasibleError:
            if not task.problem.max_suppressed:
                raise
    kept = rows_to_keep(task.problem)
    if kept is None:
        if task.problem.max_suppressed:
            check_feasible(list(task.problem.requirements), task.problem.records)
        return _groups_of_all(task)
    problem, n_rows = task.problem, len(task.space)
    left = share_of(problem.max_suppressed, n_rows) - (n_rows - len(kept))
    others = replace(
        problem,
        space=problem.space.take(kept),
        records=problem.records.take(kept),
        apart=None if problem.apart is None else problem.apart[kept],
        max_suppressed=left / len(kept),
    )
    found = _groups_of_all(replace(task, problem=others))
    why = f"{n_rows - len(kept)} rows were left out because their sensitive values are too frequent for l-diversity"
    return with_suppressed(found, kept, problem, why)


def _groups_of_all(task: Task) -> Partition:
    """Return groups that meet every requirement, made from all rows; rows may be suppressed if that costs less."""
    budget, limit = task.budget(), task.policy.time_limit
    growing = limit is not None and (1.0 - POLISHED) * limit >= GROWING * len(task.table)
    search = budget.part(1.0 if task.problem.only_k else SEARCHED)
    repair = budget.part(POLISHED if growing else 1.0)
    # Classes of labels and areas are derived from the released rows, so what suppressing saves is not known before.
    # People who are suppressed in the first release of a sequence could be published later only with enough others.
    settled = task.whole.takes_groups_of(task.whole, whole_columns=False) and task.asked.sequence is None
    everyone = task.with_max_suppressed(0.0)
    try:
        first = _unforeseen(task, search)
        usual = _met_at_less_cost(first, task, repair, suppress=settled)
        if first.n_suppressed and usual.repair is not None:  # the repair may have undone what suppressing gained
            usual = _or_of_everyone(usual, everyone, search, repair)
    except InfeasibleError:
        if not task.problem.max_suppressed:
            raise
        # the requirements cannot be met without the suppressed records
        usual = of_all_rows(_met_at_less_cost(_unforeseen(everyone, search), task, repair, suppress=settled))
    found = or_simpler(or_grown(usual, task.problem, budget), task.problem, suppress=settled)
    found = or_proved(found, task.problem, budget)
    return leave_out(found, task.problem, budget) if settled else found


def _met_at_less_cost(first: Partition, task: Task, repair: Budget, *, suppress: bool) -> Partition:
    """Return groups that meet every requirement; what a repair suppresses is merged instead if that costs no more.

    The repair only estimates what merging costs in the end: groups that it suppressed may turn out to have been
    suppressed for nothing, so both ways are computed and compared.
    """
    usual = met(first, task.problem, repair)
    if not suppress or usual.n_suppressed <= first.n_suppressed:
        return usual
    try:
        merged = met(first, task.with_max_suppressed(0.0).problem, repair)
    except InfeasibleError:  # not all groups together meet the requirements
        return usual
    return min(usual, merged, key=lambda one: (one.cost, one.n_suppressed))


def _or_of_everyone(usual: Partition, everyone: Task, search: Budget, repair: Budget) -> Partition:
    """Return `usual`, or groups of all rows if these meet the requirements and cost no more."""
    try:
        found = met(_unforeseen(everyone, search), everyone.problem, repair)
    except InfeasibleError:
        return usual
    # the bound of `usual` is one of the problem that was asked, in which rows may be suppressed
    return replace(of_all_rows(found), lower_bound=usual.lower_bound) if found.cost <= usual.cost else usual


def of_all_rows(partition: Partition) -> Partition:
    """Return groups that were made without suppressing rows, and remove the bound and ratio proved for that problem.

    If the policy allows suppressing rows, the optimum of its problem may be lower.
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


def with_other_objective(task: Task, partition: Partition) -> Partition:
    """Return the partition with `less_generalized` filled in if its groups have centers and others keep more.

    Otherwise it is returned unchanged.
    """
    if not task.choice.minimized.around_records:
        return partition
    space = build_space(task.table.frame, task.whole.policy, norm=1, loss="ncp").space
    return with_less_generalized(partition, task.problem, space)
