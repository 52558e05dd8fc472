"""Publish groups as a released table, verify it, and measure its loss and risk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal import progress
from shoal.certify import Findings, verify
from shoal.certify.perturbed import check_perturbed
from shoal.certify.true_values import check_true_values
from shoal.clock import Clock
from shoal.errors import CertificateError, InfeasibleError
from shoal.measure import Loss, Risk, loss, risk
from shoal.measure.equivalence_classes import classes_after
from shoal.measure.moved_statistics import Moved, moved
from shoal.partition.result import Labels, Partition
from shoal.perturb.columns import as_measured, perturbed
from shoal.pipeline.blocks import check_levels
from shoal.pipeline.groups import Grouped
from shoal.pipeline.inputs import numbers_may_be_huge
from shoal.pipeline.joined_groups import joined_alike
from shoal.pipeline.key_sets import wider_groups, with_price
from shoal.pipeline.population import Population, risk_of_release
from shoal.pipeline.task import Task
from shoal.policy import Policy
from shoal.publish import Published, assemble, prices_of, publish
from shoal.roles import compared
from shoal.tables.text import as_written, text_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checked:
    """A published table, the findings of the verifier on it, and the groups that it has in the end."""

    grouped: Grouped
    published: Published
    findings: Findings
    shown: pl.DataFrame
    """The table as it was read, with the perturbed values in the columns that are perturbed."""


def publish_and_verify(grouped: Grouped, clock: Clock) -> Checked:
    """Return the published table after the verifier has found that every requirement holds in it.

    Groups with equal published cells are one equivalence class to the reader. If they share people, that class may
    miss a requirement that each group meets; then they are joined, repaired and published again. The classes of a
    plan are never changed. Raises CertificateError if the verifier finds anything else.
    """
    task, partition = grouped.task, grouped.partition
    while True:
        shown = with_perturbed_values(task, partition, clock)
        published, priced = publish_groups(replace(grouped, partition=partition), clock, shown)
        check_levels(published, task.policy)
        with clock("verify"):
            findings = _with_true_values(verify(published.frame, task.policy, form=task.choice.form), task, partition,
                                         published)  # fmt: skip
        if grouped.plan is not None:
            return Checked(grouped=grouped, published=published, findings=findings.require(), shown=shown)
        if findings.holds:
            partition = replace(priced, notes=(*priced.notes, *prices_of(published, priced.sizes)))
            done = replace(grouped, partition=partition)
            return Checked(grouped=done, published=published, findings=findings, shown=shown)
        with clock("groups"):
            partition = _joined(task, partition, published)


def _with_true_values(findings: Findings, task: Task, partition: Partition, published: Published) -> Findings:
    """Return the findings with l and t of quasi-identifiers that are also sensitive, counted on their true values."""
    names = task.policy.sensitive_quasi
    if not names:
        return findings
    if task.choice.form == "centers":
        rows = np.flatnonzero(partition.labels >= 0)
        place = np.empty(partition.n_groups, dtype=np.int64)
        place[published.groups] = np.arange(len(published.groups))
        of_row = place[partition.labels[rows]]
    else:
        rows, of_row = published.rows, np.arange(len(published.rows))
    frame = task.table.frame[rows]
    people = None if task.policy.person is None else text_of(frame[task.policy.person]).to_list()
    true = as_written(frame.select(names))
    found = check_true_values(as_written(published.frame), true, of_row, people, task.policy, task.choice.form)
    return replace(findings, true_claims=found.claims, failures=(*findings.failures, *found.failures))


def with_perturbed_values(task: Task, partition: Partition, clock: Clock) -> pl.DataFrame:
    """Return the table as it was read, with the values of the released rows perturbed as the policy states.

    Raises CertificateError if they do not keep what they should, which is counted by other code.
    """
    if not task.policy.perturbed:
        return task.table.as_read
    rows = np.flatnonzero(partition.labels >= 0)
    with clock("publish"):
        shown = perturbed(task.table.frame, task.table.as_read, task.policy, rows, task.secret)
    with clock("verify"):
        names = task.policy.perturbed
        noisy = [name for name in names if getattr(task.policy.columns[name].perturb, "method", None) == "noise"]
        measured = as_measured(task.table.frame, task.policy).select(noisy)
        before = task.table.as_read.with_columns(measured).select(names)[rows]
        after = shown.with_columns(as_measured(shown, task.policy).select(noisy)).select(names)[rows]
        if wrong := check_perturbed(before, after, task.policy):
            raise CertificateError(
                f"{wrong[0].message}; nothing was released.",
                "this is a fault of Shoal: please report it with the policy and the shape of the table.",
            )
    return shown


def publish_groups(grouped: Grouped, clock: Clock, shown: pl.DataFrame | None = None) -> tuple[Published, Partition]:
    """Return the released table in the chosen form, or with the cells of the plan if one is applied.

    `shown` is the table with perturbed values; without it the true ones are published, to find what groups cost.
    The second result is the partition, with its cost as published if columns are published by wider groups.
    """
    task, partition = grouped.task, grouped.partition
    with clock("publish"):
        if grouped.plan is not None:
            planned = assemble(
                task.table.as_read if shown is None else shown,
                task.policy,
                partition,
                grouped.cells,
                form=task.choice.form,
                secret=task.secret,
            )
            return planned, partition
        published = _published(task, partition, {}, shown)
        wider = wider_groups(task, partition, published) if task.policy.keys else {}
        if not wider:
            return published, partition
        return _published(task, partition, wider, shown), with_price(task, partition, wider)


def cheapest_for_keys(grouped: Grouped, group_again: Callable[[Policy], Grouped], clock: Clock) -> Grouped:
    """Return groups that lose least under the key sets of the policy: those given, or larger ones that need no more.

    Groups with the largest k of all sets meet every set by themselves; they are made and compared if the groups given
    would need wider columns.
    """
    task = grouped.task
    most = max((keys.k for keys in task.policy.keys.values()), default=0)
    if most <= task.policy.k:
        return grouped
    _, priced = publish_groups(grouped, clock)
    if priced is grouped.partition:
        return grouped
    try:
        other = group_again(task.asked.model_copy(update={"k": most}))
    except InfeasibleError:
        return grouped
    if other.partition.cost >= priced.cost:
        return grouped
    policy = other.task.policy.model_copy(update={"k": task.policy.k})
    problem = replace(other.task.problem, k=task.problem.k, requirements=task.problem.requirements)
    partition = other.partition.without_claim(
        f"groups of at least {most} lose less than wider columns for the key sets",
        # classes and areas depend on k, and so does what a cell of them costs
        lower_bound=0.0 if task.whole.areas or task.whole.built.recodings else grouped.partition.lower_bound,
        theorem_cost=None,
    )
    return replace(
        other, task=replace(other.task, asked=task.asked, policy=policy, problem=problem), partition=partition
    )


def _published(
    task: Task, partition: Partition, wider: Mapping[str, Labels], shown: pl.DataFrame | None
) -> Published:
    """Return the released table; columns in `wider` are published by the wider group of each group."""
    return publish(
        task.table.as_read if shown is None else shown,
        task.policy,
        partition,
        task.shape.built.trees,
        form=task.choice.form,
        secret=task.secret,
        recodings=task.shape.built.recodings,
        areas=task.shape.areas,
        wider=wider,
    )


def _joined(task: Task, partition: Partition, published: Published) -> Partition:
    """Return the partition with groups of equal published cells joined, repaired to meet every requirement.

    Raises CertificateError if that cannot be the reason why the verification failed.
    """
    alike = published.alike
    if task.policy.person is None or task.choice.form == "centers" or len(np.unique(alike)) == len(alike):
        raise CertificateError(
            "the release failed its own check; nothing was released.",
            "this is a fault of Shoal: please report it with the policy and the shape of the table.",
        )
    return joined_alike(task, partition, published)


def without_perturbed_values(policy: Policy) -> Policy:
    """Return the policy in which no perturbed column is sensitive: no true value is certain there."""
    columns = {
        name: column if column.perturb is None else column.model_copy(update={"role": "other"})
        for name, column in policy.columns.items()
    }
    return policy.model_copy(update={"columns": columns}) if policy.perturbed else policy


def _moved(task: Task, shown: pl.DataFrame, labels: Labels) -> tuple[Moved, ...]:
    """Return how far perturbation moved the statistics of each column, over the released rows."""
    names = task.policy.perturbed
    known = task.policy.named("quasi", "sensitive", "other")
    before = as_measured(task.table.frame, task.policy).select(known).filter(labels >= 0)
    after = as_measured(shown, task.policy).filter(labels >= 0).select(names)
    return moved(before, before.with_columns(after), names)


def measure(checked: Checked, clock: Clock, population: Population | None = None) -> tuple[Loss, Risk]:
    """Return the information loss of the release and its re-identification risk, also in a population if given."""
    task, labels = checked.grouped.task, checked.grouped.partition.labels
    with clock("measure"), progress.step("measures"), numbers_may_be_huge():
        trees, recoded = task.shape.built.trees, task.table.recoded
        # Groups that were made in the shape of all rows are measured in it, too, if rows were suppressed.
        kept = checked.grouped.plan is None and task.shape.takes_groups_of(
            task.whole, whole_columns=task.choice.whole_columns
        )
        whole = task.whole.built.trees if kept else None
        lost = loss(
            task.table.frame, task.policy, checked.published, labels, trees=trees, whole=whole, recoded=recoded
        )
        if task.policy.perturbed:
            lost = replace(lost, perturbed=_moved(task, checked.shown, labels))
        policy = without_perturbed_values(task.policy)
        size = None if population is None else population.size
        risks = risk(compared(task.table, task.policy), policy, checked.published, labels, population=size)
        if population is not None:
            after = classes_after(checked.published, labels, task.problem.records, task.policy)
            found = risk_of_release(task.table, task.policy, population, after.counts.people, checked.grouped.order)
            risks = replace(risks, in_population=found)
        return lost, risks
