"""The rows of one block as a grouping problem, and making its groups by the same methods as those of a table.

Guarantee   The groups of a block meet every requirement against the whole table: k and l by themselves; t because
            a group that is within t - d of its block's distribution is within t of the table's, if the block is
            within d of it (BLOCKS-3, docs/proofs/blocks.md). They depend on the cells of the block, the outline of
            the table and the secret only.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

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
from shoal.partition.methods.problem import Problem
from shoal.partition.result import Floats, Partition
from shoal.pipeline.counted_values import counted
from shoal.pipeline.groups import make_groups
from shoal.pipeline.joined_groups import classes_hold, joined_alike
from shoal.pipeline.row_order import own_order
from shoal.pipeline.shape import Shape
from shoal.pipeline.task import Task
from shoal.policy import Closeness, Policy
from shoal.publish import publish
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

    def task(self, table: Table, shaped: Shaped, number: int, apart: Floats | None = None) -> Task:
        """Return the task of the rows of a block in their own order; `apart` is a bound on distances to others."""
        policy, choice = self.policy(number), choose(self.outline.policy)
        requirements, records = build_requirements(policy, counted(table, policy))
        shape = Shape(policy, replace(shaped.built, space=shaped.space), {})
        problem = Problem(
            choice=choice,
            space=shaped.space,
            k=policy.k,
            requirements=requirements,
            records=records,
            apart=np.zeros(len(table)) if apart is None else apart,
            whole=self.whole,
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
        return self.outline.policy.model_copy(update={"columns": columns, "effort": self.effort})

    def secret_of(self, number: int) -> Secret:
        """Return the secret of a block, from which nothing follows about that of another."""
        own = hashlib.blake2b(f"block {number}".encode(), key=self.secret.key, digest_size=32).digest()
        return Secret(own, self.secret.seed)


@dataclass(frozen=True, slots=True, eq=False)
class GroupBlock:
    """A function of the rows of one block that returns them with their groups, and a summary in the first row."""

    tasks: BlockTasks
    tree: CutTree

    def __call__(self, rows: pa.Table) -> pa.Table:
        number = int(rows[BLOCK][0].as_py())
        table = self.tasks.outline.typed(from_arrow(rows.drop_columns([BLOCK]), "parquet").frame)
        order = own_order(table, self.tasks.policy(number), self.tasks.secret_of(number))
        with progress.unheard():
            shaped = self.tasks.shaped(table := table.taken(order))
            reach = self.tree.apart(shaped.space.coordinates)
            # the rows of a person are moved to one block, and then other blocks may be nearer than cuts say
            alone = self.tasks.outline.policy.person is None
            task = self.tasks.task(table, shaped, number, reach if alone else None)
            partition = self._groups(task)
        summary = BlockSummary(len(order), partition.cost, partition.lower_bound, partition.notes)
        added = {
            GROUP: pa.array(partition.labels.astype(np.int32)),
            RANK: pa.array(np.arange(len(order), dtype=np.int32)),
            PLACE: middles_near_borders(task.space, partition.labels, reach),
            SUMMARY: pa.array([pickle.dumps((summary,)), *[None] * (len(order) - 1)], pa.binary()),
        }
        grouped = rows.take(order)
        for name, cells in added.items():
            grouped = grouped.append_column(name, cells)
        return grouped

    def _groups(self, task: Task) -> Partition:
        """Return groups of which every class of rows published alike meets what is asked.

        A person's rows are in one block, so the part of a class that lies in another block has other people, and the
        union of both meets what each part meets (PRIVACY-4, docs/proofs/privacy.md).
        """
        partition = make_groups(task)
        while task.problem.records.people is not None:
            published = publish(
                task.table.as_read,
                self.tasks.outline.policy,
                partition,
                task.shape.built.trees,
                form=task.choice.form,
                secret=task.secret,
            )
            if classes_hold(task, partition, published):
                break
            partition = joined_alike(task, partition, published)
        return partition


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
