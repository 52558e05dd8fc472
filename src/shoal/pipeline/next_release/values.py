"""Make groups for `keep = "values"`, which is m-invariance.

A person's signature, the set of sensitive values in the group of the person, stays the same in all releases.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from shoal import progress
from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.partition.group_labels import number_groups
from shoal.pipeline.groups import Grouped
from shoal.pipeline.next_release.counterfeits import made_up_rows
from shoal.pipeline.next_release.result import MADE_UP, partition_of, sequence_remarks, standing_of, within_limit
from shoal.pipeline.row_order import Rows
from shoal.pipeline.task import build_task
from shoal.policy import Policy
from shoal.sequence import History, assign, split
from shoal.sequence.check import require_values
from shoal.sequence.history import GROUP, WHO
from shoal.tables.text import text_of


def by_values(rows: Rows, history: History, who: pl.Series, clock: Clock) -> Grouped:
    """Return groups in which every value of their signature occurs equally often, with counterfeits if allowed."""
    table, policy, order, secret = rows.table, rows.policy, rows.order, rows.secret
    asked = policy.sequence
    assert asked is not None
    column, m = _invariant(policy)
    texts = text_of(table.frame[column])
    domain = sorted({text for one in history.signatures for text in one} | set(texts.drop_nulls().to_list()))
    code_of = {text: code for code, text in enumerate(domain)}
    values = np.array([-1 if text is None else code_of[text] for text in texts.to_list()], dtype=np.int64)
    group, _ = standing_of(history, who)
    with clock("groups"):
        signatures = [tuple(code_of[text] for text in one) for one in history.signatures]
        places = assign(values, group, signatures, m=m, k=policy.k, counterfeits=asked.counterfeits)
        made_up = made_up_rows(table, policy, secret, places.signature, places.counterfeits, domain, column, values)
    n_rows = len(table)
    placed = places.signature
    if made_up.height:
        table = replace(table, frame=pl.concat([table.frame, made_up]))
        number, value, times = np.array(places.counterfeits, dtype=np.int64).T
        placed = np.concatenate([placed, np.repeat(number, times)])
        values = np.concatenate([values, np.repeat(value, times)])
        order = np.concatenate([order, np.full(made_up.height, MADE_UP, dtype=np.int64)])
    left_out = placed[:n_rows] < 0
    own = [set(one) for one in signatures]
    changed = left_out & np.array(
        [v < 0 or (g >= 0 and v not in own[g]) for v, g in zip(values, group, strict=False)]
    )
    within_limit(
        policy,
        n_rows=n_rows,
        thinned=int(np.count_nonzero((group >= 0) & left_out & ~changed)),
        waiting=int(np.count_nonzero((group < 0) & left_out & ~changed)),
        changed=int(np.count_nonzero(changed)),
    )
    task = build_task(table, policy, secret, clock)
    with clock("groups"), progress.step("groups"):
        labels = number_groups(split(task.space, values, placed, policy.k))
    named = tuple(tuple(domain[code] for code in one) for one in places.signatures)
    facts = pl.DataFrame(
        {"group": labels, "signature": placed, "value": [*texts.to_list(), *(domain[v] for v in values[n_rows:])]}
    )
    require_values(facts.filter(pl.col("group") >= 0), named, m=m, k=policy.k)
    shown = pl.DataFrame({WHO: who, GROUP: placed[:n_rows]}).filter(pl.col(GROUP) >= 0)
    later = history.after(shown, named)
    notes = sequence_remarks(history, later, int(np.count_nonzero(group >= 0)), policy)
    if made_up.height:
        notes = (*notes, f"{made_up.height} of the released rows are made up, in the place of people who left")
    partition = partition_of(task, labels, notes)
    partition = replace(partition, method="m-invariance", counterfeits=made_up.height)
    return Grouped(task=task, partition=partition, order=order, history=later)


def _invariant(policy: Policy) -> tuple[str, int]:
    """Return the sensitive column whose values form signatures, and the least number of values in a signature.

    Raises ParameterError if the policy does not have exactly one such column with distinct l-diversity.
    """
    limits = 'keep = "values" keeps the values of one sensitive column'
    instead = 'or take keep = "groups", which takes any columns and requirements.'
    exact = policy.unchanged
    if len(exact) != 1 or not policy.sensitive:
        raise ParameterError(
            f"{limits}; {len(exact)} columns are published as they are, and rows could be linked by any other.",
            f"give one column the role sensitive and none the role other, {instead}",
        )
    if policy.sensitive_quasi:
        raise ParameterError(
            f"{limits}; {policy.sensitive_quasi[0]}, a quasi-identifier, has a requirement on its values as well.",
            f"leave that out, {instead}",
        )
    name = exact[0]
    asked = policy.diversity_of(name)
    if asked is None or asked.kind != "distinct" or asked.l < 2 or policy.closeness_of(name):
        raise ParameterError(
            f"{limits}, at least l different ones in every group; {name} has no distinct l of 2 or more, or has a t.",
            f"require diversity = {{ l = 2 }} and no closeness, {instead}",
        )
    if policy.disclosure_of(name) is not None:
        raise ParameterError(
            f"{limits}; with l = {asked.l:g} no value has a larger share of a group than 1 in {asked.l:g}, and other "
            "limits on single values are not kept.",
            f"leave out alpha, beta and delta, {instead}",
        )
    if policy.columns[name].bins is not None:
        raise ParameterError(f"{limits}; the bins of {name} contain several.", f"leave out its bins, {instead}")
    return name, int(asked.l)
