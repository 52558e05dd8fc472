"""The steps of a release of linked tables, in order, from their sources to verified tables with common pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify import verify
from shoal.certify.linked.counting import LinkedFindings, inspect_tables
from shoal.clock import Clock
from shoal.errors import CertificateError, InfeasibleError
from shoal.partition.group_labels import number_groups
from shoal.partition.result import Partition, share_of
from shoal.pipeline.blocks import check_levels
from shoal.pipeline.groups import Grouped
from shoal.pipeline.inputs import Source
from shoal.pipeline.linked.meet import meet
from shoal.pipeline.linked.people_groups import PeopleGroups, group_people
from shoal.pipeline.linked.positions import places
from shoal.pipeline.linked.row_counts import published_counts
from shoal.pipeline.linked.tables import Linked, LinkedTable, read_tables
from shoal.pipeline.publication import Checked, measure, publish_groups
from shoal.pipeline.published_texts import check_released_labels
from shoal.pipeline.released_rows import reshape_to_released
from shoal.pipeline.reporting import reporting_compilation
from shoal.policy.linked import LinkedPolicy
from shoal.publish.result import published_alike
from shoal.requirements import check_feasible, count
from shoal.results.linked import LinkedRelease, ReleasedTable
from shoal.secret import Earlier, Secret
from shoal.tables.text import as_written

Ints = npt.NDArray[np.int64]
_FAULT = "this is a fault of Shoal: please report it with the policy and the shape of the tables."


def anonymize_tables(sources: Mapping[str, Source], asked: LinkedPolicy, secret: Secret | Earlier) -> LinkedRelease:
    """Return a release of several tables in which every person is published like at least k - 1 others in all."""
    clock = Clock()
    with reporting_compilation():
        linked = read_tables(sources, asked, secret, clock)
        counts = linked.row_counts()
        kept = published_counts(counts, asked.first.k)
        _check_left_out(linked, kept, asked.first.max_suppressed, "nobody is known by how many rows they have")
        _check_requirements(linked, kept)
        groups = meet(linked, group_people(linked, kept, clock))
        of_person = np.append(groups.rows, [groups.rows[0] * 0], axis=0)[groups.labels]  # the last: who is left out
        _check_left_out(linked, of_person, asked.first.max_suppressed, "every group meets its requirements")
        made = [_published(table, place, groups, clock) for place, table in enumerate(linked.tables)]
        released = [_released(linked, table, one, clock) for table, one in zip(linked.tables, made, strict=True)]
        tables = {table.name: one for table, one in zip(linked.tables, released, strict=True)}
        with clock("verify"):
            findings = _verified(tables)
        return LinkedRelease(
            parts=tables, secret=linked.secret, findings=findings, seconds=clock.seconds,
            notes=_people_notes(linked, counts, groups),
        )  # fmt: skip


def _check_requirements(linked: Linked, kept: Ints) -> None:
    """Raise an InfeasibleError, with the way out, if l cannot be met by all rows that are kept as one group."""
    for place, table in enumerate(linked.tables):
        rows = np.flatnonzero(table.rank < kept[table.people, place])
        problem = table.task.problem
        if len(rows):
            check_feasible(list(problem.requirements), problem.records.take(rows))


def _check_left_out(linked: Linked, kept: Ints, share: float, purpose: str) -> None:
    """Raise an InfeasibleError if more rows of a table would have to be left out than the policy allows."""
    if not kept.any():
        raise InfeasibleError.too_few_people(linked.n_people, linked.tables[0].task.policy.k)
    needed = 0.0
    short = []
    for place, table in enumerate(linked.tables):
        n_rows = len(table.people)
        dropped = n_rows - int(kept[:, place].sum())
        if dropped > share_of(share, n_rows):
            short.append(f"{dropped} of {n_rows} rows of {table.name}")
            needed = max(needed, dropped / n_rows)
    if short:
        raise InfeasibleError(
            f"{' and '.join(short)} have to be left out, so that {purpose}; max_suppressed={share:g} allows fewer.",
            f"set max_suppressed to {np.ceil(needed * 1000) / 1000:g}, lower k, or merge rows of one person before.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A published table whose people are still numbered within groups, and the group of each row."""

    grouped: Grouped
    checked: Checked


def _published(table: LinkedTable, which: int, groups: PeopleGroups, clock: Clock) -> _Made:
    """Return one table, published so that each person of a group has the same cells, and that rows with equal cells
    in a group meet every requirement; where they do not, two places are published as one.
    """
    labels = groups.row_groups(table, which)
    with clock("groups"):
        place = places(table, labels)
    while True:
        task, partition = table.task, _partition(table, labels, place)
        grouped = Grouped(task=reshape_to_released(task, partition, clock), partition=partition,
                          order=table.rows.order)  # fmt: skip
        published, _ = publish_groups(grouped, clock)
        check_levels(published, task.policy)
        kept = labels >= 0
        alike = published_alike(published.columns)[partition.labels[kept]]
        pair = np.unique(np.stack([labels[kept], alike]), axis=1, return_inverse=True)[1].reshape(-1)
        cells = np.full(len(labels), -1, dtype=np.int64)
        cells[kept] = pair
        failing = _failing(table, cells)
        if not len(failing):
            with clock("verify"):  # the table by itself, in which people are numbered within classes
                findings = verify(published.frame, task.policy, form=task.choice.form).require()
            checked = Checked(grouped=grouped, published=published, findings=findings, shown=task.table.as_read)
            return _Made(grouped, checked)
        broken = np.isin(labels, np.unique(labels[np.isin(cells, failing)]))
        coarser = np.where(broken, place // 2, place)
        if (coarser == place).all():  # t of rows is compared with rows of all groups, so others are made coarser
            coarser = np.where(kept, place // 2, place)
        if (coarser == place).all():  # one place in every group is left, and then classes of rows are the groups
            raise CertificateError("the rows of a group miss a requirement that the group meets.", _FAULT)
        place = coarser


def _partition(table: LinkedTable, labels: Ints, place: Ints) -> Partition:
    """Return the groups of rows by which cells are published: those of one group of people and one place."""
    task = table.task
    span = int(place.max(initial=0)) + 1
    joint = np.where(labels < 0, -1, labels * span + place)
    numbered = number_groups(joint)
    return Partition(
        labels=numbered,
        method=task.choice.method,
        objective=task.choice.minimizes,
        cost=task.problem.cost(numbered),
        notes=("groups were made of people over all linked tables; no lower bound is known",),
    )


def _failing(table: LinkedTable, cells: Ints) -> Ints:
    """Return the classes of equal cells in a group that miss a requirement."""
    if not (cells >= 0).any():
        return np.zeros(0, dtype=np.int64)
    counts = count(cells, table.task.problem.records)
    missed = np.zeros(len(counts.people), dtype=bool)
    for requirement in table.task.problem.requirements:
        missed |= ~requirement.holds(counts)
    return np.flatnonzero(missed)


def _released(linked: Linked, table: LinkedTable, made: _Made, clock: Clock) -> ReleasedTable:
    """Return one table with pseudonyms, what it lost and what risk is left."""
    checked = made.checked
    check_released_labels(checked)
    lost, risks = measure(checked, clock)
    published = checked.published
    whose = table.people[published.rows]
    names = [linked.secret.pseudonym(name) for name in linked.names]
    if len(set(names)) < len(names):  # 80 bits: it will not happen, and would make one person of two
        raise CertificateError("two people have the same pseudonym.", "make the release again, with another secret.")
    people = pl.Series(table.person, [names[person] for person in whose.tolist()], dtype=pl.String)
    task = made.grouped.task
    return ReleasedTable(
        source=table.source,
        origin=task.table.origin,
        policy=task.policy,
        frame=published.frame.with_columns(people),
        suppressed=made.grouped.partition.n_suppressed,
        loss=lost,
        risk=risks,
        notes=(*task.table.notes,),
    )


def _verified(tables: Mapping[str, ReleasedTable]) -> LinkedFindings:
    """Return what the verifier counts in the tables; a CertificateError if something does not hold."""
    found = inspect_tables(
        {name: as_written(one.frame) for name, one in tables.items()},
        {name: one.policy for name, one in tables.items()},
    )
    if found.failures:
        raise CertificateError(f"the release failed its own check ({found.failures[0].message}); nothing was "
                               "released.", _FAULT)  # fmt: skip
    return found


def _people_notes(linked: Linked, counts: Ints, groups: PeopleGroups) -> tuple[str, ...]:
    """Return sentences on how many people are in which tables, and how many were left out."""
    there = counts > 0
    names = [table.name for table in linked.tables]
    said = ", ".join(f"{int(there[:, place].sum())} in {name}" for place, name in enumerate(names))
    notes = [f"{linked.n_people} people: {said}, {int(there.all(axis=1).sum())} in all tables"]
    if left := int((groups.labels < 0).sum()):
        notes.append(f"{left} people were left out of all tables: too few others have as many rows as they")
    return tuple(notes)
