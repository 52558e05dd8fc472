"""The risk-utility frontier: one table, read once and grouped under several policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import polars as pl

from shoal import progress
from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.method_table import METHODS
from shoal.partition.methods.choose import choose
from shoal.pipeline.consistent_people import group_people, keeps_people_together
from shoal.pipeline.control import control_rows, split_off, with_rare_labels
from shoal.pipeline.groups import Grouped, make_groups
from shoal.pipeline.inputs import Source, name_of, read_source, resolve_roles
from shoal.pipeline.item_classes import with_items
from shoal.pipeline.key_sets import check_keys
from shoal.pipeline.publication import cheapest_for_keys, measure, publish_and_verify
from shoal.pipeline.published_texts import check_published_texts, check_released_labels
from shoal.pipeline.released_rows import restrict_to_released
from shoal.pipeline.reporting import reporting_compilation
from shoal.pipeline.row_order import Rows, in_own_order
from shoal.pipeline.run import build_release
from shoal.pipeline.selection import Selected, select_rows
from shoal.pipeline.shape import Spaces
from shoal.pipeline.task import build_task
from shoal.pipeline.trial_analysis import analyze
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.report.content import Trial
from shoal.results.comparison import Comparison
from shoal.results.facts import facts_of
from shoal.roles import compared
from shoal.secret import Secret

SYNTHETIC = "synthetic"
"""The name, among the forms that are compared, of synthetic rows drawn from a release."""


def compare(
    source: Source,
    asked: Policy,
    secret: Secret,
    *,
    k: Sequence[int],
    l: Sequence[float] | None = None,  # noqa: E741 (the field's own name)
    methods: Sequence[str] | None = None,
    publications: Sequence[str] | None = None,
    max_suppressed: Sequence[float] | float | None = None,
    control: float | None = None,
) -> Comparison:
    """Return a trial for every combination of k, l, method, form and share of rows that may be suppressed.

    The table is read once, and trials with the same geometry share their points. Texts that `anonymize` refuses to
    publish, because they may name people, are refused here, too. A share `control` of the people is left out of all
    trials, and attacks on these are compared with attacks on them; labels that one person has in a trial, and others
    in the whole table, are no fault.
    """
    if not k:
        raise ParameterError("compare needs at least one k.", "give k=[2, 5, 10].")
    clock = Clock()
    with reporting_compilation():
        selected = select_rows(read_source(source, asked, clock), asked, secret)
        table, base = whole, settled = resolve_roles(selected.table, asked, clock)
        others = None
        if control is not None:
            chosen, held = split_off(selected.table, asked, control, seed=asked.seed or 0)
            others = control_rows(held, asked)
            with progress.unheard():  # what is to be said of the columns was said of the whole table
                table, base = resolve_roles(chosen, with_rare_labels(asked), clock)
        # All trials use one order of rows. With an l, it considers every sensitive column that a trial considers.
        rows = in_own_order(table, as_policy(base, {"l": max(l) if l else None}), secret, clock)
        spaces: Spaces = {}
        trials = []
        levels: Sequence[float | None] = l or [None]
        shares = (
            [max_suppressed] if max_suppressed is None or isinstance(max_suppressed, int | float) else max_suppressed
        )
        forms: Sequence[str | None] = publications or [None]
        runs = list(product(methods or [base.method], levels, k, shares or [None], forms))
        # Methods for a single k run only with that k. If no run is left, they all run, so that the error says why.
        only_k = {name: one.only_k for name, one in METHODS.items() if one.only_k is not None}
        runs = [run for run in runs if only_k.get(run[0], run[2]) == run[2]] or runs
        with progress.step("comparison", total=len(runs)) as advance:
            for method, level, size, share, form in runs:
                wanted = {"k": size, "l": level, "method": method, "max_suppressed": share}
                check_published_texts(whole, as_policy(settled, wanted | _form(form)), planned=False)
                policy = as_policy(base, wanted | _form(form))
                trials.append(
                    make_trial(
                        replace(rows, policy=policy),
                        spaces,
                        control=others,
                        synthetic=form == SYNTHETIC,
                        name_form=len(forms) > 1,
                    )
                )
                advance(1)
    return Comparison(source=name_of(source), policy=settled, trials=tuple(trials))


def _form(form: str | None) -> dict[str, object]:
    """Return the settings of a form; synthetic rows are drawn from ranges and sets."""
    if form is None:
        return {}
    if form == SYNTHETIC:
        return {"publication": "generalize", "synthetic": "marginals"}
    return {"publication": form}


def make_trial(
    rows: Rows,
    spaces: Spaces,
    *,
    control: pl.DataFrame | None = None,
    synthetic: bool = False,
    name_form: bool = False,
) -> Trial:
    """Make, publish, verify and measure the groups for one policy, and return the measures as a trial.

    `synthetic` measures the utility and the questions on synthetic rows that are drawn from the release. `name_form`
    names the form beside the method.
    """
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
    seconds = sum(clock.seconds.values())
    original, published = compared(task.table, policy), checked.published
    if synthetic:
        form = "synthetic rows"
        made_up = build_release("", checked, lost, risks, clock, _all_rows(rows), None).synthetic_rows()
        found = analyze(original, made_up, policy, {}, control)
    else:
        form = task.choice.form
        legends = {name: list(classes) for name, classes in published.legends.items()}
        trees = task.shape.built.trees  # methods for whole columns derive some
        found = analyze(original, published.frame, policy, legends, control, trees=trees)
    return Trial(
        method=f"{task.choice.method}, {form}" if name_form else task.choice.method,
        k=policy.k,
        requirement=_requirements(policy),
        max_suppressed=policy.max_suppressed,
        groups=facts,
        suppressed_share=facts.suppressed / len(rows.table),
        loss=lost.gcp,
        sse_ratio=lost.sse_ratio,
        highest_risk=risks.after.prosecutor_max,
        mean_risk=risks.after.prosecutor_mean,
        seconds=seconds,
        utility=found.utility,
        questions=found.questions,
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


def _all_rows(rows: Rows) -> Selected:
    """Return the rows of a trial as those that were selected for it."""
    return Selected(rows.table, rows.order, len(rows.table))


def _requirements(policy: Policy) -> str:
    """Return the requirements of the whole policy besides k, such as `l = 2, alpha = 0.5`."""
    known = policy.known_items if policy.set_column is not None else None
    asked = {"m": known, "l": policy.diversity and policy.diversity.l, "t": policy.closeness and policy.closeness.t}
    if policy.disclosure:
        asked |= {name: getattr(policy.disclosure, name) for name in ("alpha", "beta", "delta")}
    return ", ".join(f"{name} = {value:g}" for name, value in asked.items() if value is not None)
