"""Make groups of people instead of rows: all rows of a person are in one group, and so are published alike.

Every person is represented by one row, the one with their most frequent quasi-identifiers, and groups of these rows
are made as any groups are. Then every row follows its person. Groups that miss a requirement when all rows are
counted are merged, which keeps people together.

Guarantee   No person has rows in two groups, a person is left out with all rows or not at all, and every group meets
            every requirement, counted in people over all rows (PRIVACY-8, docs/proofs/privacy.md). No ratio and no
            lower bound: what is proved of the representatives is not proved of all rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.clock import Clock
from shoal.errors import ParameterError
from shoal.partition.repair.merge import repair
from shoal.partition.result import Labels, Partition, share_of
from shoal.pipeline.groups import make_groups
from shoal.pipeline.released_rows import reshape_to_released
from shoal.pipeline.row_order import sort_keys
from shoal.pipeline.task import Task, build_task
from shoal.policy import Policy


def keeps_people_together(policy: Policy) -> bool:
    """Return whether all rows of a person must be published alike."""
    return policy.person is not None and policy.columns[policy.person].consistent


def group_people(task: Task, clock: Clock) -> tuple[Task, Partition]:
    """Return groups in which every person is whole, and the task with its shape derived from the released rows."""
    if task.choice.whole_columns:
        raise ParameterError(
            f"method {task.choice.method} recodes whole columns and cannot keep the rows of a person together.",
            "choose another method, such as forest.",
        )
    people = task.problem.records.people
    assert people is not None  # the policy has a person column
    whose, number = np.unique(people, return_inverse=True)
    number = number.reshape(-1).astype(np.int64)
    rows = _representatives(task, number, len(whose))
    place = np.argsort(np.argsort(rows))[number]  # rows stay in their own order, which says nothing of names
    for share in dict.fromkeys((task.problem.max_suppressed, 0.0)):
        with clock("groups"):
            found = make_groups(_task_of(task, np.sort(rows), share, clock))
            labels = found.labels[place]
        if np.count_nonzero(labels < 0) <= share_of(task.problem.max_suppressed, len(labels)):
            break
    with clock("groups"):
        partition = _repaired(task, found, labels)
    return reshape_to_released(task, partition, clock), partition


def _representatives(task: Task, number: Labels, n_people: int) -> Labels:
    """Return one row of every person: one with the quasi-identifiers that most of their rows have."""
    keys = sort_keys(task.table.frame.select(task.policy.quasi))
    kind = np.zeros(len(number), dtype=np.int64)  # if only items of a set are known, rows do not differ
    if keys:
        kind = np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].reshape(-1)
    pairs, first, times = np.unique(np.column_stack([number, kind]), axis=0, return_index=True, return_counts=True)
    order = np.lexsort((first, -times, pairs[:, 0]))
    start = np.searchsorted(pairs[order, 0], np.arange(n_people))
    return first[order][start].astype(np.int64)


def _task_of(task: Task, rows: Labels, share: float, clock: Clock) -> Task:
    """Return the task of grouping the representatives, each of which is a person of its own."""
    person = task.asked.person
    assert person is not None
    alone = task.asked.columns | {person: task.asked.columns[person].model_copy(update=_NOBODY)}
    asked = task.asked.model_copy(update={"columns": alone, "max_suppressed": share})
    inner = build_task(task.table.taken(rows), asked, task.secret, clock)
    return replace(inner, policy=inner.policy.model_copy(update={"max_suppressed": share}))


_NOBODY = {"role": "identifier", "consistent": False, "pseudonym": False}


def _repaired(task: Task, found: Partition, labels: Labels) -> Partition:
    """Return the groups of all rows, merged until every requirement is met, with centers if the form needs them."""
    whole = found.without_claim(
        "groups were made of people, by one row of each; all rows of a person are published alike",
        labels=labels,
        cost=task.problem.cost(labels),
        lower_bound=0.0,
        theorem_cost=None,
        centers=None,
        radii=None,
        outlier_curve=(),
    )
    problem = task.problem
    met = repair(whole, problem.space, problem.requirements, problem.records, cost=problem.cost)
    if not task.choice.minimized.around_records:
        return met
    from shoal.partition.radius.gather import best_centers

    centers, radii = best_centers(problem.space, met.labels)
    return replace(met, centers=centers, radii=radii)
