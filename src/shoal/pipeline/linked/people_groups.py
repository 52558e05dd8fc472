"""Groups of people over all tables: at least k people, who keep equally many rows in every table.

People with the same numbers of rows are grouped by the chosen method, each represented by one record: the quasi-
identifiers of the first, middle and last of their rows in every table. Then groups that miss a requirement of some
table, counted over all rows that are kept, are joined (`meet`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.clock import Clock
from shoal.errors import InfeasibleError
from shoal.pipeline.groups import make_groups
from shoal.pipeline.linked.tables import Linked, LinkedTable
from shoal.pipeline.row_order import own_order
from shoal.pipeline.task import build_task
from shoal.policy import Column, Policy
from shoal.tables import Origin, Table

Ints = npt.NDArray[np.int64]
SHOWN = 3
"""How many rows of a person stand for all of them when people are grouped: the first, a middle one and the last."""


@dataclass(frozen=True, slots=True, eq=False)
class PeopleGroups:
    """The group of every person, -1 for who is left out, and the rows that each person of a group keeps per table."""

    labels: Ints
    rows: Ints
    """(groups, tables)."""

    @property
    def n_groups(self) -> int:
        return len(self.rows)

    def row_groups(self, table: LinkedTable, place: int) -> Ints:
        """Return the group of every row of a table, -1 for rows that are dropped; `place` is that of the table."""
        of_person = np.append(self.rows[:, place], 0)[self.labels]  # the last entry is for people who are left out
        return np.where(table.rank < of_person[table.people], self.labels[table.people], -1)


def group_people(linked: Linked, counts: Ints, clock: Clock) -> PeopleGroups:
    """Return groups of at least k people with the same `counts` of rows that they keep."""
    k = linked.tables[0].task.policy.k
    labels = np.full(linked.n_people, -1, dtype=np.int64)
    found: list[Ints] = []
    kept = np.flatnonzero(counts.any(axis=1))
    kinds, kind_of = np.unique(counts[kept], axis=0, return_inverse=True)
    for place, rows in enumerate(kinds):
        people = kept[kind_of.reshape(-1) == place]
        groups = _grouped(linked, people, rows, k, clock)
        labels[people] = groups + len(found)
        found += [rows] * (int(groups.max()) + 1)
    return PeopleGroups(labels, np.array(found, dtype=np.int64).reshape(len(found), len(linked.tables)))


def _grouped(linked: Linked, people: Ints, rows: Ints, k: int, clock: Clock) -> Ints:
    """Return the group of each of `people`, who keep the same number of rows in every table."""
    if len(people) < 2 * k:
        return np.zeros(len(people), dtype=np.int64)
    table, policy = _records(linked, people, rows)
    secret = linked.secret.of_part(f"people with {rows.tolist()} rows")
    order = own_order(table, policy, secret)
    task = None
    for asked in (policy, _only_k(policy)):
        try:
            task = build_task(table.taken(order), asked, secret, clock)
            break
        except InfeasibleError:  # these people alone do not meet l or t; they will be joined with others
            continue
    assert task is not None  # at least 2k people meet k
    with clock("groups"):
        labels = np.empty(len(people), dtype=np.int64)
        labels[order] = make_groups(task).labels
    return labels


def _records(linked: Linked, people: Ints, rows: Ints) -> tuple[Table, Policy]:
    """Return a table with one record per person, and the policy by which they are grouped."""
    columns: dict[str, Column] = {"person": Column(role="identifier")}
    cells = [pl.Series("person", people)]
    for place, (table, n) in enumerate(zip(linked.tables, rows.tolist(), strict=True)):
        if not n:
            continue
        of_person = _rows_of(table, people, n)
        policy, frame = table.task.asked, table.rows.table.frame
        shown = sorted({0, n // 2, n - 1})[:SHOWN]
        for turn, position in enumerate(shown):
            chosen = frame[of_person[:, position]]
            for name in policy.quasi:
                column = policy.columns[name]
                called = f"{place}.{turn}.{name}"
                columns[called] = column.model_copy(update={"weight": column.weight * n / len(shown)})
                cells.append(chosen[name].alias(called))
        for name in policy.sensitive if n == 1 else ():
            asked = {
                "diversity": policy.diversity_of(name),
                "closeness": policy.closeness_of(name),
                "disclosure": policy.disclosure_of(name),
            }
            if any(asked.values()):
                called = f"{place}.{name}"
                columns[called] = policy.columns[name].model_copy(update=asked)
                cells.append(frame[name][of_person[:, 0]].alias(called))
    first = linked.tables[0].task.asked
    shared = {"k", "method", "objective", "loss", "effort", "time_limit", "seed", "publication"}
    joint = Policy(**first.model_dump(include=shared, exclude_none=True))
    return Table(pl.DataFrame(cells), Origin("polars")), joint.model_copy(update={"columns": columns})


def _only_k(policy: Policy) -> Policy:
    """Return the policy without what it requires of sensitive values."""
    nothing = {"diversity": None, "closeness": None, "disclosure": None}
    columns = {
        name: column if column.role != "sensitive" else column.model_copy(update=nothing)
        for name, column in policy.columns.items()
    }
    return policy.model_copy(update={"columns": columns})


def _rows_of(table: LinkedTable, people: Ints, n: int) -> Ints:
    """Return the rows that each of `people` keeps, in the order of the table, (people, n)."""
    wanted = np.zeros(int(table.people.max()) + 1, dtype=bool)
    wanted[people] = True
    rows = np.flatnonzero(wanted[table.people] & (table.rank < n))
    by_person = rows[np.argsort(table.people[rows], kind="stable")]
    found: Ints = by_person.reshape(len(people), n)
    return found


def without_empty(groups: PeopleGroups, fate: Ints, rows: Ints) -> PeopleGroups:
    """Return groups after group g became `fate[g]`, with the rows that the people of each of these keep."""
    used, number = np.unique(fate, return_inverse=True)
    labels = np.where(groups.labels < 0, -1, number.reshape(-1)[groups.labels])
    return replace(groups, labels=labels, rows=rows[used])
