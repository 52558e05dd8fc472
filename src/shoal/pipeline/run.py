"""The steps of one run, in order, from a source to a release.

`anonymize` and `apply` differ only in how groups are made. A trial of `compare` (`pipeline.frontier`) publishes,
verifies and measures its groups by the same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from shoal.caller import named, setting
from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.measure import Loss, Risk
from shoal.partition.methods.choose import choose
from shoal.pipeline.apply_plan import fit_to_plan
from shoal.pipeline.consistent_people import group_people, keeps_people_together
from shoal.pipeline.evidence import find_evidence
from shoal.pipeline.fingerprint import settled
from shoal.pipeline.groups import Grouped, make_groups, with_other_objective, with_outlier_curve
from shoal.pipeline.inputs import Source, name_of, read_source, sha256_of_source
from shoal.pipeline.item_classes import with_items
from shoal.pipeline.key_sets import check_keys
from shoal.pipeline.next_release import After, follow
from shoal.pipeline.origins import origin_remarks, origins_of
from shoal.pipeline.plan_remarks import later_dates
from shoal.pipeline.population import Population, find_population
from shoal.pipeline.publication import Checked, cheapest_for_keys, measure, publish_and_verify
from shoal.pipeline.published_texts import check_released_labels, resolve_for_release
from shoal.pipeline.released_rows import reshape_to_released, restrict_to_released
from shoal.pipeline.reporting import reporting_compilation
from shoal.pipeline.row_order import Rows, in_own_order
from shoal.pipeline.selection import Selected, select_rows
from shoal.pipeline.task import build_task
from shoal.plans import Plan
from shoal.policy import Policy
from shoal.report.charts.area_maps import area_maps
from shoal.results.release import Release
from shoal.secret import SIZE, Earlier, Secret
from shoal.tables import Table

Grouping = Callable[[Rows, Clock], Grouped]
"""A function that makes groups of rows with a resolved policy."""


def make_release(
    source: Source, asked: Policy, secret: Secret | Earlier, group_rows: Grouping, *, planned: bool = False
) -> Release[Any]:
    """Return a release whose groups are made by `group_rows`; the released table has been verified.

    `planned` says that the cells of its groups were published before.
    """
    clock = Clock()
    with reporting_compilation():
        whole = read_source(source, asked, clock)
        with clock("read"):
            used = None if asked.sample is None else settled(secret, whole, asked)
            selected = select_rows(whole, asked, used)
        table, policy = resolve_for_release(selected.table, asked, clock, planned=planned)
        population = find_population(selected, table, policy, clock)
        rows = in_own_order(table, policy, secret, clock, used=used)
        grouped = group_rows(rows, clock)
        checked = publish_and_verify(grouped, clock)
        lost, risks = measure(checked, clock, population)
        release = build_release(name_of(source), checked, lost, risks, clock, selected, population)
        release = replace(release, original_sha256=sha256_of_source(source))
        if not asked.evidence:
            return release

        def again(some: Table, trial: Policy) -> Release[Any]:  # not published, so the secret may be known
            return make_release(some, trial, Secret(bytes(SIZE), trial.seed or 0), group_rows, planned=planned)

        with clock("evidence"):
            found = find_evidence(release, table, selected, whole, asked, again, planned=planned)
        return replace(release, evidence=found)


def anonymize(source: Source, asked: Policy, secret: Secret | Earlier, *, after: After | None = None) -> Release[Any]:
    """Return a release of `source` under a policy.

    In a sequence of releases, `after` is the previous release or its history, None for the first one.
    """

    def group_rows(rows: Rows, clock: Clock) -> Grouped:
        if rows.policy.sequence is not None:
            check_keys(rows.policy, choose(rows.policy))
            if keeps_people_together(rows.policy):
                raise ParameterError(
                    "in a sequence every person has one row, so there is nothing to publish consistently.",
                    f"leave {named('consistent')} out.",
                )
            return group_after(rows, after, clock)
        if after is not None:
            raise ParameterError(
                "a release can follow another only if the policy names the column that identifies people in both.",
                f'give it: {setting("link", "COLUMN")}, or link = "..." under [sequence].',
            )
        return group_by_method(rows, clock)

    return make_release(source, asked, secret, group_rows)


def apply(source: Source, asked: Policy, secret: Secret | Earlier, plan: Plan, *, join: bool = False) -> Release[Any]:
    """Return a release of `source` in the classes of a plan; `asked` is the policy of the plan, possibly changed."""

    def group_rows(rows: Rows, clock: Clock) -> Grouped:
        return fit_to_plan(rows, plan, clock, join=join)

    return make_release(source, asked, secret, group_rows, planned=True)


def group_by_method(rows: Rows, clock: Clock) -> Grouped:
    """Return groups by the method that is chosen for the policy, with cells derived from the released rows only."""
    check_keys(rows.policy, choose(rows.policy))
    grouped = _grouped(rows, clock)
    return cheapest_for_keys(grouped, lambda policy: _grouped(replace(rows, policy=policy), clock), clock)


def _grouped(rows: Rows, clock: Clock) -> Grouped:
    """Return groups that meet every requirement besides key sets."""
    task = build_task(rows.table, rows.policy, rows.secret, clock)
    if keeps_people_together(rows.policy):
        task, partition = group_people(task, clock)
    else:
        with clock("groups"):
            partition = with_other_objective(task, with_outlier_curve(task, make_groups(task)))
        task, partition = restrict_to_released(task, partition, clock)
    with clock("groups"):
        partition = with_items(task, partition)
    return Grouped(task=task, partition=partition, order=rows.order)


def group_after(rows: Rows, after: After | None, clock: Clock) -> Grouped:
    """Return groups that keep the guarantees of the earlier releases of the sequence.

    Cells are derived from the released rows only; the groups are not made again, even if rows are suppressed.
    """
    grouped = follow(rows, after, clock)
    return grouped.of(reshape_to_released(grouped.task, grouped.partition, clock))


def build_release(
    source: str,
    checked: Checked,
    lost: Loss,
    risks: Risk,
    clock: Clock,
    selected: Selected,
    population: Population | None,
) -> Release[Any]:
    """Return the release with the results of all steps; raise SchemaError if it shows a label of one person only."""
    check_released_labels(checked)
    grouped = checked.grouped.placed(selected.rows)
    notes = (*selected.notes, *(() if population is None else population.notes))
    task, partition = grouped.task, grouped.partition
    origins = origins_of(task.table.frame, task.policy, partition.labels)
    remarks = origin_remarks(origins, task.policy)
    if grouped.plan is None:
        remarks += later_dates(task.policy, task.choice.form, partition)
    return Release(
        source=source,
        origin=task.table.origin,
        order=grouped.order,
        secret=task.secret,
        policy=task.policy,
        choice=task.choice,
        space=task.space,
        partition=partition,
        published=checked.published,
        findings=checked.findings,
        loss=lost,
        risk=risks,
        seconds=clock.seconds,
        notes=(*task.table.notes, *notes, *grouped.notes, *remarks),
        trees=task.shape.built.trees,
        recodings=task.shape.built.recodings,
        areas=task.shape.areas,
        maps=area_maps(task.shape.areas, task.table.frame.filter(partition.labels >= 0)),
        origins=origins,
        applied=grouped.plan,
        history=grouped.history,
    )
