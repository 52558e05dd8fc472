"""The risk-utility frontier: one table, read once and grouped under several policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from shoal import progress
from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.method_table import METHODS
from shoal.partition.methods.choose import choose
from shoal.pipeline.consistent_people import group_people, keeps_people_together
from shoal.pipeline.groups import Grouped, make_groups
from shoal.pipeline.inputs import Source, name_of, read_source, resolve_roles
from shoal.pipeline.item_classes import with_items
from shoal.pipeline.key_sets import check_keys
from shoal.pipeline.publication import cheapest_for_keys, measure, publish_and_verify
from shoal.pipeline.published_texts import check_published_texts, check_released_labels
from shoal.pipeline.released_rows import restrict_to_released
from shoal.pipeline.reporting import reporting_compilation
from shoal.pipeline.row_order import Rows, in_own_order
from shoal.pipeline.selection import select_rows
from shoal.pipeline.shape import Spaces
from shoal.pipeline.task import build_task
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.report.content import Trial
from shoal.results.comparison import Comparison
from shoal.results.facts import facts_of
from shoal.secret import Secret


def compare(
    source: Source,
    asked: Policy,
    secret: Secret,
    *,
    k: Sequence[int],
    l: Sequence[float] | None = None,  # noqa: E741 (the field's own name)
    methods: Sequence[str] | None = None,
    max_suppressed: Sequence[float] | float | None = None,
) -> Comparison:
    """Return a trial for every combination of k, l, method and share of rows that may be suppressed.

    The table is read once, and trials with the same geometry share their points. Texts that `anonymize` refuses to
    publish, because they may name people, are refused here, too.
    """
    if not k:
        raise ParameterError("compare needs at least one k.", "give k=[2, 5, 10].")
    clock = Clock()
    with reporting_compilation():
        selected = select_rows(read_source(source, asked, clock), asked, secret)
        table, base = resolve_roles(selected.table, asked, clock)
        # All trials use one order of rows. With an l, it considers every sensitive column that a trial considers.
        rows = in_own_order(table, as_policy(base, {"l": max(l) if l else None}), secret, clock)
        spaces: Spaces = {}
        trials = []
        levels: Sequence[float | None] = l or [None]
        shares = (
            [max_suppressed] if max_suppressed is None or isinstance(max_suppressed, int | float) else max_suppressed
        )
        runs = list(product(methods or [base.method], levels, k, shares or [None]))
        # Methods for a single k run only with that k. If no run is left, they all run, so that the error says why.
        only_k = {name: one.only_k for name, one in METHODS.items() if one.only_k is not None}
        runs = [run for run in runs if only_k.get(run[0], run[2]) == run[2]] or runs
        with progress.step("comparison", total=len(runs)) as advance:
            for method, level, size, share in runs:
                policy = as_policy(base, {"k": size, "l": level, "method": method, "max_suppressed": share})
                check_published_texts(rows.table, policy, planned=False)
                trials.append(make_trial(replace(rows, policy=policy), spaces))
                advance(1)
    return Comparison(source=name_of(source), policy=base, trials=tuple(trials))


def make_trial(rows: Rows, spaces: Spaces) -> Trial:
    """Make, publish, verify and measure the groups for one policy, and return the measures as a trial."""
    clock = Clock()
    check_keys(rows.policy, choose(rows.policy))
    grouped = _grouped(rows, spaces, clock)
    grouped = cheapest_for_keys(grouped, lambda policy: _grouped(replace(rows, policy=policy), spaces, clock), clock)
    checked = publish_and_verify(grouped, clock)
    task = checked.grouped.task
    check_released_labels(checked)
    lost, risks = measure(checked, clock)
    policy = rows.policy
    facts = facts_of(task.choice, checked.grouped.partition)
    return Trial(
        method=task.choice.method,
        k=policy.k,
        requirement=_requirements(policy),
        max_suppressed=policy.max_suppressed,
        groups=facts,
        suppressed_share=facts.suppressed / len(rows.table),
        loss=lost.gcp,
        sse_ratio=lost.sse_ratio,
        highest_risk=risks.after.prosecutor_max,
        mean_risk=risks.after.prosecutor_mean,
        seconds=sum(clock.seconds.values()),
    )


def _grouped(rows: Rows, spaces: Spaces, clock: Clock) -> Grouped:
    """Return groups that meet every requirement besides key sets."""
    task = build_task(rows.table, rows.policy, rows.secret, clock, spaces)
    if keeps_people_together(rows.policy):
        task, partition = group_people(task, clock)
    else:
        with clock("groups"):
            partition = make_groups(task)
        task, partition = restrict_to_released(task, partition, clock)
    with clock("groups"):
        partition = with_items(task, partition)
    return Grouped(task=task, partition=partition, order=rows.order)


def _requirements(policy: Policy) -> str:
    """Return the requirements of the whole policy besides k, such as `l = 2, alpha = 0.5`."""
    known = policy.known_items if policy.set_column is not None else None
    asked = {"m": known, "l": policy.diversity and policy.diversity.l, "t": policy.closeness and policy.closeness.t}
    if policy.disclosure:
        asked |= {name: getattr(policy.disclosure, name) for name in ("alpha", "beta", "delta")}
    return ", ".join(f"{name} = {value:g}" for name, value in asked.items() if value is not None)
