"""Assign the rows of a new table to the classes of a plan, and check every requirement anew in each class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.caller import named, setting
from shoal.clock import Clock
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.partition.methods.choose import Choice
from shoal.partition.repair.merge import repair
from shoal.partition.result import Partition, share_of
from shoal.pipeline.consistent_people import keeps_people_together
from shoal.pipeline.counted_values import counted
from shoal.pipeline.groups import Grouped
from shoal.pipeline.key_sets import check_keys
from shoal.pipeline.origins import origins_of
from shoal.pipeline.plan_remarks import moving, way_out
from shoal.pipeline.row_order import Rows
from shoal.pipeline.shape import Shape
from shoal.pipeline.task import Task, task_in
from shoal.plans import Fitted, Plan, fit, marks, moved
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.requirements import build as build_requirements
from shoal.requirements import count
from shoal.space import build_space

PlanLike = Plan | str | Path | dict[str, Any]
ORIGIN_ROUNDS = 4
"""How often rows are assigned again because suppressing rows changed the newest period of their dates."""
ALONE = (
    "the plan is of a release in a sequence, and this release is not part of it; to continue the sequence, use "
    "anonymize with after"
)


def as_plan(plan: PlanLike) -> Plan:
    """Return a plan, given as an object, as the path of its file, or as the parsed content of that file."""
    if isinstance(plan, Plan):
        return plan
    return Plan.load(plan) if isinstance(plan, str | Path) else Plan.parse(plan)


def policy_of(plan: Plan, changes: Mapping[str, Any]) -> Policy:
    """Return the policy for a new table: that of the plan with `changes` applied and without a sequence."""
    asked = plan.asked()  # dates of another table have another origin
    columns = {name: column.model_copy(update={"origin": None}) for name, column in asked.columns.items()}
    return as_policy(asked.model_copy(update={"columns": columns}), changes).model_copy(update={"sequence": None})


def fit_to_plan(rows: Rows, plan: Plan, clock: Clock, *, join: bool) -> Grouped:
    """Return the rows grouped by the narrowest class of the plan that contains them and meets every requirement.

    Requirements are checked on the new table. With `join`, classes that miss one are first merged with others. Rows
    without such a class are suppressed; InfeasibleError is raised if these are more than `max_suppressed` allows.
    """
    notes = () if plan.asked().sequence is None else (ALONE,)
    for remark in notes:
        progress.note(remark)
    _same_hierarchies(plan, rows.policy)
    task = _task_of(rows, plan, clock)
    _check_kept(rows.policy, plan, task.choice, join=join)
    problem, policy = task.problem, rows.policy
    people = problem.records.people if keeps_people_together(policy) else None

    def broken(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return which groups miss a requirement."""
        counts = count(labels, problem.records)
        missed: npt.NDArray[np.bool_] = np.logical_or.reduce([~asked.holds(counts) for asked in problem.requirements])
        return missed

    def joined(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the labels after groups that miss a requirement were merged with others."""
        groups = Partition(labels=labels, method=plan.method, objective="generalization", cost=0.0)
        limit = problem.max_suppressed
        return repair(
            groups, problem.space, problem.requirements, problem.records, cost=problem.cost, max_suppressed=limit
        ).labels

    with clock("groups"), progress.step("classes"):
        trees = task.shape.built.trees
        frame = rows.table.frame
        origins = origins_of(frame, policy)
        for _ in range(ORIGIN_ROUNDS):
            moved_plan = moved(plan, policy, origins)
            fitted = fit(moved_plan, policy, frame, trees, broken, joined if join else None, people)
            _within_limit(fitted, len(rows.table), policy, set(origins))
            released = origins_of(frame, policy, fitted.labels)
            if released == origins:
                break
            origins = released
        else:
            raise _no_origin(list(origins))
        partition = _partition(plan, fitted)
    return Grouped(task=task, partition=partition, order=rows.order, plan=plan, cells=fitted.columns, notes=notes)


def _check_kept(policy: Policy, plan: Plan, choice: Choice, *, join: bool) -> None:
    """Raise ParameterError for key sets or people that this plan cannot keep on another table."""
    check_keys(policy, choice)
    if policy.keys and join:
        raise ParameterError(
            "merged classes have cells of their own, which cannot keep key sets.",
            f"leave {named('join')} out, or make a release of the new table with the same policy.",
        )
    if keeps_people_together(policy) and plan.levels is not None:
        raise ParameterError(
            "this plan recodes whole columns and cannot keep the rows of a person together.",
            "make a release of the new table with the same policy.",
        )


def _task_of(rows: Rows, plan: Plan, clock: Clock) -> Task:
    """Return the task of the new table, whose space also accepts values that are not in the plan's hierarchies."""
    policy = rows.policy
    with clock("roles"):
        requirements, records = build_requirements(policy, counted(rows.table, policy))
    with clock("points"):
        built = build_space(rows.table.frame, policy, norm=1, strays=True)
    choice = Choice(plan.method, "generalization", plan.form, "the plan of an earlier release was applied")
    return task_in(Shape(policy, built, {}), rows.table, policy, rows.secret, choice, requirements, records)


def _same_hierarchies(plan: Plan, policy: Policy) -> None:
    """Raise SchemaError if the file of a hierarchy is not the one that the plan was made with."""
    for name, mark in marks(policy, {}).items():
        if mark.sha256 != (plan.hierarchies[name].sha256 if name in plan.hierarchies else None):
            raise SchemaError(
                f"the hierarchy of {name} is not the one that the plan was made with.",
                f"give the file as it was then ({setting('hierarchy', 'FILE', column=name)}), or anonymize the new "
                "table by itself.",
            )


def _within_limit(fitted: Fitted, n_rows: int, policy: Policy, origins: Set[str]) -> None:
    """Raise InfeasibleError if more rows would have to be suppressed than the policy allows.

    The message names the columns because of which rows fit no class, and what to do about dates that advance in time.
    """
    left_out = fitted.n_unfit + fitted.n_short
    allowed = share_of(policy.max_suppressed, n_rows)
    if left_out <= allowed:
        return
    needed = math.ceil(1000 * left_out / n_rows) / 1000
    ways = [f"allow it ({setting('max_suppressed', needed)})", "give more rows at once"] if needed < 1 else []
    if fitted.n_short and not policy.keys:
        ways.append(f"merge classes that miss the requirements ({setting('join', True)})")
    ways = [
        ", ".join([*ways, "or anonymize the new table by itself" if ways else "anonymize the new table by itself"])
    ]
    outside = [name for name in moving(policy) if name in fitted.outside]
    ways += [way_out(policy, outside)] if outside else []
    ways += [
        f"Dates of {name} are counted from the newest {policy.columns[name].relative_to} of this table; "
        f"to count from another, say its first day: {setting('origin', 'YYYY-MM-DD', column=name)}."
        for name in fitted.outside
        if name in origins
    ]
    why = _sentence(fitted.why_unfit) if fitted.n_unfit else ""
    raise InfeasibleError(
        f"{left_out} of {n_rows} rows would have to be left out, and {allowed} may be: {fitted.n_unfit} fit no class "
        f"of the plan, and {fitted.n_short} fit only classes that miss the requirements in this table.{why}",
        f"{ways[0]}. {' '.join(ways[1:])}".strip(),
    )


def _sentence(text: str) -> str:
    """Return a clause as a sentence that follows another one."""
    return f" {text[:1].upper()}{text[1:]}."


def _no_origin(names: list[str]) -> InfeasibleError:
    """Return the error for dates whose newest period cannot be determined from the released rows only."""
    listed = " and ".join(names)
    return InfeasibleError(
        f"which period of {listed} is the newest depends on rows that would be left out, so it cannot be published.",
        f"state its first day: {setting('origin', 'YYYY-MM-DD', column=names[0])}.",
    )


def _partition(plan: Plan, fitted: Fitted) -> Partition:
    """Return the fitted groups with their cost and with notes on the classes joined and the rows suppressed."""
    sizes = np.bincount(fitted.labels[fitted.labels >= 0])
    reasons = [f"the classes of an earlier release were applied; {len(sizes)} of them have rows here"]
    if fitted.n_joined:
        reasons.append(f"{fitted.n_joined} classes missed the requirements here and were merged with others")
    if fitted.n_unfit:
        reasons.append(f"{fitted.n_unfit} rows were left out because they fit no class: {fitted.why_unfit}")
    if fitted.n_short:
        reasons.append(f"{fitted.n_short} rows were left out because their classes miss the requirements here")
    return Partition(
        labels=fitted.labels,
        method=f"plan of {plan.method}",
        objective="ncp",
        cost=float(sum(column.loss @ sizes for column in fitted.columns)),
        notes=tuple(reasons),
    )
