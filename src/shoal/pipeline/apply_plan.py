"""A plan applied to a new table: the steps of `api.anonymize`, with the classes given and the check made anew."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.certify import verify
from shoal.clock import Clock
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.measure import loss, risk
from shoal.partition.generalization.forest import generalization_cost
from shoal.partition.methods.choose import Choice
from shoal.partition.repair.merge import repair
from shoal.partition.result import Partition, share_of
from shoal.pipeline.counted_values import counted
from shoal.pipeline.inputs import Source, name_of, numbers_may_be_huge, read_options, with_roles
from shoal.pipeline.row_order import in_own_order
from shoal.plans import Fitted, Plan, fit, marks
from shoal.policy import Policy
from shoal.policy.keywords import SOURCE, as_policy
from shoal.publish import assemble
from shoal.requirements import build as build_requirements
from shoal.requirements import count
from shoal.results.release import Release
from shoal.roles import compared
from shoal.secret import SecretLike, as_secret
from shoal.space import build_space
from shoal.tables import read

PlanLike = Plan | str | Path | dict[str, Any]
ALONE = (
    "the plan is of a release in a sequence, and this release is not part of it: about the same people, "
    "take anonymize with after"
)


def apply_plan(
    plan: PlanLike,
    source: Source,
    *,
    max_suppressed: float | None = None,
    hierarchy: dict[str, str] | None = None,
    join: bool = False,
    seed: int | None = None,
    secret: SecretLike = None,
    **reading: Any,
) -> Release:
    """`source` in the classes of `plan`; see `api.apply`."""
    known = ("max_suppressed", "hierarchy", "join", "seed", "secret", *SOURCE)
    if unknown := sorted(set(reading) - set(SOURCE)):
        raise ParameterError(f"{unknown[0]} is no setting of apply.", f"known: {', '.join(known)}.")
    clock = Clock()
    if not isinstance(plan, Plan):
        plan = Plan.load(plan) if isinstance(plan, str | Path) else Plan.parse(plan)
    changes: dict[str, Any] = {"max_suppressed": max_suppressed, "hierarchy": hierarchy, "seed": seed or 0} | reading
    wanted = as_policy(plan.asked(), changes)
    apart = () if wanted.sequence is None else (ALONE,)
    wanted = wanted.model_copy(update={"sequence": None})
    chance = as_secret(secret, seed=wanted.seed)
    with clock("read"):
        table = read(source, read_options(wanted))
        for remark in (*table.notes, *apart):
            progress.note(remark)
    with clock("roles"):
        table, policy = with_roles(table, wanted)
        _same_hierarchies(plan, policy)
        table, order = in_own_order(table, policy, chance)
        requirements, records = build_requirements(policy, counted(table, policy))
    with clock("points"):
        built = build_space(table.frame, policy, norm=1, strays=True)

    def broken(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        counts = count(labels, records)
        missed: npt.NDArray[np.bool_] = np.logical_or.reduce([~asked.holds(counts) for asked in requirements])
        return missed

    def joined(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        groups = Partition(labels=labels, method=plan.method, objective="generalization", cost=0.0)
        limit, cost = policy.max_suppressed, partial(generalization_cost, built.space)
        return repair(groups, built.space, requirements, records, cost=cost, max_suppressed=limit).labels

    with clock("groups"), progress.step("classes"):
        fitted = fit(plan, policy, table.frame, built.trees, broken, joined if join else None)
        _within_limit(fitted, len(table), policy.max_suppressed)
        partition = _partition(plan, fitted)
    with clock("publish"):
        published = assemble(table.as_read, policy, partition, fitted.columns, form=plan.form, secret=chance)
    with clock("verify"):
        findings = verify(published.frame, policy, form=plan.form).require()
    with clock("measure"), progress.step("measures"), numbers_may_be_huge():
        lost = loss(table.frame, policy, published, partition.labels, trees=built.trees)
        risks = risk(compared(table, policy), policy, published, partition.labels)
    return Release(
        source=name_of(source),
        origin=table.origin,
        order=order,
        secret=chance,
        policy=policy,
        choice=Choice(plan.method, "generalization", plan.form, "the plan of an earlier release was applied"),
        space=built.space,
        partition=partition,
        published=published,
        findings=findings,
        loss=lost,
        risk=risks,
        seconds=clock.seconds,
        notes=(*table.notes, *apart),
        trees=built.trees,
        applied=plan,
    )


def _same_hierarchies(plan: Plan, policy: Policy) -> None:
    """Refuse a hierarchy file that is not the one of the release."""
    for name, mark in marks(policy, {}).items():
        if mark.sha256 != (plan.hierarchies[name].sha256 if name in plan.hierarchies else None):
            raise SchemaError(
                f"the hierarchy of {name} is not the one that the plan was made with.",
                f"give the file as it was then (--hierarchy {name}=FILE), or anonymize the new table by itself.",
            )


def _within_limit(fitted: Fitted, n_rows: int, limit: float) -> None:
    left_out = fitted.n_unfit + fitted.n_short
    allowed = share_of(limit, n_rows)
    if left_out <= allowed:
        return
    needed = math.ceil(1000 * left_out / n_rows) / 1000
    more = f"allow it (--max-suppressed {needed:g}), give more rows at once, " if needed < 1 else ""
    joining = "join classes that fall short (--join), or " if fitted.n_short else "or " if more else ""
    raise InfeasibleError(
        f"{left_out} of {n_rows} rows would have to be left out, and {allowed} may be: no class of the plan holds "
        f"{fitted.n_unfit}, and for {fitted.n_short} those that do miss the requirements in this table.",
        f"{more}{joining}anonymize the new table by itself.",
    )


def _partition(plan: Plan, fitted: Fitted) -> Partition:
    sizes = np.bincount(fitted.labels[fitted.labels >= 0])
    reasons = [f"the classes of an earlier release were applied; {len(sizes)} of them have rows here"]
    if fitted.n_joined:
        reasons.append(f"{fitted.n_joined} classes fell short here and were joined with others")
    if fitted.n_unfit:
        reasons.append(f"{fitted.n_unfit} rows were left out because no class holds them")
    if fitted.n_short:
        reasons.append(f"{fitted.n_short} rows were left out because their classes miss the requirements here")
    return Partition(
        labels=fitted.labels,
        method=f"plan of {plan.method}",
        objective="ncp",
        cost=float(sum(column.loss @ sizes for column in fitted.columns)),
        notes=tuple(reasons),
    )
