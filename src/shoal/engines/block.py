"""The rows of one block as a grouping problem, and making its groups by the same methods as those of a table.

Guarantee   The groups of a block meet every requirement against the whole table: k and l by themselves; t because
            a group that is within t - d of its block's distribution is within t of the table's, if the block is
            within d of it (BLOCKS-3, docs/proofs/blocks.md). They depend on the cells of the block, the outline of
            the table and the secret only.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal import progress
from shoal.engines.borders import middles_near_borders
from shoal.engines.columns import BLOCK, GROUP, PLACE, RANK, SUMMARY
from shoal.engines.cut_tree import CutTree
from shoal.engines.outline import Outline
from shoal.partition.generalization.annealing_schedule import Whole
from shoal.partition.methods.choose import Choice, choose
from shoal.partition.methods.cost import suppression_costs
from shoal.partition.methods.problem import Problem
from shoal.partition.repair.leave_out import first_savings
from shoal.partition.result import Floats, Labels, Partition
from shoal.pipeline.counted_values import counted
from shoal.pipeline.groups import make_groups
from shoal.pipeline.joined_groups import classes_hold, joined_alike
from shoal.pipeline.row_order import own_order
from shoal.pipeline.shape import Shape
from shoal.pipeline.task import Task
from shoal.policy import Closeness, Policy
from shoal.publish import Published, publish
from shoal.requirements import build as build_requirements
from shoal.secret import Secret
from shoal.space import Built, Space, build_space
from shoal.tables import Table
from shoal.tables.from_frame import from_arrow


@dataclass(frozen=True, slots=True)
class BlockSummary:
    """What is known of a block when its groups have been made."""

    n_rows: int
    cost: float
    lower_bound: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """What the groups of one block cost with all their rows, and what leaving some out would save first."""

    number: int
    n_rows: int
    cost: float
    saves: tuple[tuple[float, int], ...]
    """Pairs of what is saved and how many rows that takes."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The rows of a block that are left out of the release."""

    n_rows: int
    cost: float
    """What they cost, each as a row that says nothing."""
    saved: float = 0.0
    """What was saved by leaving them out, their cost counted, if groups had been made of all rows before."""

    @classmethod
    def of(cls, partition: Partition, task: Task, saved: float = 0.0) -> LeftOut:
        """Return the rows that are in no group."""
        costs = suppression_costs(task.choice, task.space)[partition.labels < 0]
        return cls(len(costs), math.fsum(costs), saved)


@dataclass(frozen=True, slots=True, eq=False)
class Shaped:
    """The space of the rows of a block, on the axes of the whole table."""

    space: Space
    built: Built

    @classmethod
    def of(cls, outline: Outline, frame: pl.DataFrame, choice: Choice) -> Shaped:
        """Return the space of some rows; that of the outline's own rows if `frame` is empty."""
        names = outline.policy.quasi
        together = pl.concat([outline.table.frame.select(names), frame.select(names)])
        built = build_space(together, outline.policy, norm=choice.norm, scale=choice.scale, loss=choice.cell_loss)
        first = outline.table.frame.height
        rows = np.arange(first, together.height) if frame.height else np.arange(first)
        return cls(built.space.take(rows), built)


@dataclass(frozen=True, slots=True, eq=False)
class BlockTasks:
    """Turns the rows of a block into a task: everything about the whole table and the policy that this needs."""

    outline: Outline
    secret: Secret
    effort: float
    """Proposals per record of the search."""
    whole: Whole
    """How many rows the table has, and about how many of them cost something."""
    t: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Per column with t-closeness, the t that groups of each block are made with."""

    def shaped(self, table: Table) -> Shaped:
        """Return the space of the rows of a block."""
        return Shaped.of(self.outline, table.frame, choose(self.outline.policy))

    def task(
        self,
        table: Table,
        shaped: Shaped,
        number: int,
        apart: Floats | None = None,
        max_suppressed: float = 0.0,
    ) -> Task:
        """Return the task of the rows of a block in their own order; `apart` is a bound on distances to others.

        `max_suppressed` is the share of them that may be left out while groups are made.
        """
        policy, choice = self.policy(number), choose(self.outline.policy)
        requirements, records = build_requirements(policy, counted(table, policy), check=not max_suppressed)
        shape = Shape(policy, replace(shaped.built, space=shaped.space), {})
        problem = Problem(
            choice=choice,
            space=shaped.space,
            k=policy.k,
            requirements=requirements,
            records=records,
            apart=np.zeros(len(table)) if apart is None else apart,
            whole=self.whole,
            max_suppressed=max_suppressed,
        )
        own = self.secret_of(number)
        return Task(table=table, asked=policy, policy=policy, secret=own, problem=problem, whole=shape, shape=shape)

    def policy(self, number: int) -> Policy:
        """Return the policy with which groups of a block are made."""
        columns = dict(self.outline.policy.columns)
        for name, of_blocks in self.t.items():
            asked = self.outline.policy.closeness_of(name)
            assert asked is not None
            own = Closeness(t=of_blocks[number], distance=self.outline.policy.distance_of(name))
            columns[name] = columns[name].model_copy(update={"closeness": own})
        return self.outline.policy.model_copy(
            update={"columns": columns, "effort": self.effort, "max_suppressed": 0.0}
        )

    def secret_of(self, number: int) -> Secret:
        """Return the secret of a block, from which nothing follows about that of another."""
        own = hashlib.blake2b(f"block {number}".encode(), key=self.secret.key, digest_size=32).digest()
        return Secret(own, self.secret.seed)


@dataclass(frozen=True, slots=True, eq=False)
class GroupBlock:
    """A function of the rows of one block that returns them with their groups, and a summary in the first row."""

    tasks: BlockTasks
    tree: CutTree
    max_suppressed: float = 0.0
    """The share of rows that may be left out while groups are made, if the table is one block."""
    offered: int = 0
    """If rows may be left out afterwards: the largest number, of which blocks say what it would save."""

    def __call__(self, rows: pa.Table) -> pa.Table:
        number = int(rows[BLOCK][0].as_py())
        table = self.tasks.outline.typed(from_arrow(rows.drop_columns([BLOCK]), "parquet").frame)
        order = own_order(table, self.tasks.policy(number), self.tasks.secret_of(number))
        with progress.unheard():
            shaped = self.tasks.shaped(table := table.taken(order))
            reach = self.tree.apart(shaped.space.coordinates)
            # the rows of a person are moved to one block, and then other blocks may be nearer than cuts say
            alone = self.tasks.outline.policy.person is None
            task = self.tasks.task(table, shaped, number, reach if alone else None, self.max_suppressed)
            partition = self._groups(task)
            known: list[object] = [BlockSummary(len(order), partition.cost, partition.lower_bound, partition.notes)]
            if self.offered:
                saves = first_savings(partition, task.problem, min(self.offered, len(order)))
                known.append(Offer(number, len(order), partition.cost, tuple(saves)))
        if partition.n_suppressed:
            known.append(LeftOut.of(partition, task))
        return in_groups(rows.take(order), task.space, partition.labels, reach, *known)

    def _groups(self, task: Task) -> Partition:
        """Return groups of which every class of rows published alike meets what is asked.

        A person's rows are in one block, so the part of a class that lies in another block has other people, and the
        union of both meets what each part meets (PRIVACY-4, docs/proofs/privacy.md).
        """
        partition = make_groups(task)
        while task.problem.records.people is not None:
            published = _published(task, partition)
            if classes_hold(task, partition, published):
                break
            partition = joined_alike(task, partition, published)
        return partition


def in_groups(rows: pa.Table, space: Space, labels: Labels, reach: Floats, *known: object) -> pa.Table:
    """Return the rows of a block that are in groups, in their order; what is `known` of the block is in the first.

    `reach` is at most the distance of a row to other blocks.
    """
    kept = np.flatnonzero(labels >= 0)
    own = labels[kept]
    added: dict[str, pa.Array[Any]] = {
        GROUP: pa.array(own.astype(np.int32)),
        RANK: pa.array(np.arange(len(kept), dtype=np.int32)),
        PLACE: middles_near_borders(space.take(kept), own, reach[kept]),
        SUMMARY: pa.array([pickle.dumps(known), *[None] * (len(kept) - 1)], pa.binary()),
    }
    rows = rows.take(kept)
    for name, cells in added.items():
        rows = rows.append_column(name, cells)
    return rows


def classes_meet(task: Task, partition: Partition) -> bool:
    """Return whether every class of rows published alike meets what is asked, as every group does.

    Groups without common people need not be looked at: what each of them meets, their union meets.
    """
    if task.problem.records.people is None:
        return True
    return classes_hold(task, partition, _published(task, partition))


def _published(task: Task, partition: Partition) -> Published:
    """Return what is published of the groups of a block, as it is looked at before the release."""
    return publish(
        task.table.as_read,
        task.policy,
        partition,
        task.shape.built.trees,
        form=task.choice.form,
        secret=task.secret,
    )


def grouped_schema(schema: pa.Schema) -> pa.Schema:
    """Return the columns of rows with their groups; `schema` has those of the rows with their blocks."""
    return pa.schema(
        [
            *schema,
            pa.field(GROUP, pa.int32()),
            pa.field(RANK, pa.int32()),
            pa.field(PLACE, pa.binary()),
            pa.field(SUMMARY, pa.binary()),
        ]
    )
