"""Making the groups of one block, by the same methods as those of a table, and publishing them.

Guarantee   The groups of a block meet every requirement against the whole table: k and l by themselves; t because
            a group that is within t - d of its block's distribution is within t of the table's, if the block is
            within d of it (BLOCKS-3, docs/proofs/blocks.md). What is published depends on the cells of the block,
            the outline of the table and the secret only.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
import pyarrow as pa

from shoal import progress
from shoal.engines.cut_tree import CutTree
from shoal.engines.outline import Outline
from shoal.engines.row_hash import Words, row_words
from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.methods.choose import Choice, choose
from shoal.partition.methods.problem import Problem
from shoal.partition.result import Floats, Partition
from shoal.pipeline.counted_values import counted
from shoal.pipeline.groups import make_groups
from shoal.pipeline.joined_groups import classes_hold, joined_alike
from shoal.pipeline.published_texts import rare_labels_error
from shoal.pipeline.row_order import own_order
from shoal.pipeline.shape import Shape
from shoal.pipeline.task import Task
from shoal.policy import Closeness, Policy
from shoal.publish import Published, publish
from shoal.publish.notation import OR_MISSING
from shoal.requirements import Records, Requirement
from shoal.requirements import build as build_requirements
from shoal.secret import Secret
from shoal.space import Built, Space, build_space
from shoal.tables import Table
from shoal.tables.from_frame import from_arrow
from shoal.tables.text import text_of

BLOCK, CLASS, ROW, SUMMARY = "shoal: block", "shoal: class", "shoal: row", "shoal: summary"
"""Columns that only the engine sees: a row's block, the place of its class, its place there, a block's summary."""


@dataclass(frozen=True, slots=True)
class BlockSummary:
    """What is known of the groups of one block."""

    n_rows: int
    n_groups: int
    cost: float
    lower_bound: float
    lost: Mapping[str, float]
    """Per column, the sum over the rows of the share of its whole range, or of its labels, that their cells cover."""
    levels: Mapping[str, Mapping[str, int]]
    """Per column with a hierarchy, the lowest level of every published node."""
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
class PublishBlock:
    """A function of the rows of one block that returns what is published of them, and a summary in the first row."""

    outline: Outline
    tree: CutTree
    secret: Secret
    t: Mapping[str, tuple[float, ...]]
    """Per column with t-closeness, the t that groups of each block are made with."""
    schema: pa.Schema
    effort: float
    """Proposals per record of the search."""
    alone: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per column with a hierarchy of labels, the values that one person alone has in the whole table."""

    def __call__(self, rows: pa.Table) -> pa.Table:
        number = int(rows[BLOCK][0].as_py())
        table = self.outline.typed(from_arrow(rows.drop_columns([BLOCK]), "parquet").frame)
        with progress.unheard():
            published, summary = self._published(table, number)
        frame = published.frame
        drawn = self._secret(number).stream("order of rows", frame.height)
        return arranged(
            frame,
            self.schema,
            {
                CLASS: _as_signed(class_words(published, self.secret)),
                ROW: _as_signed(drawn),
                BLOCK: np.full(frame.height, number, dtype=np.int32),
            },
            pickle.dumps(summary),
        )

    def _published(self, table: Table, number: int) -> tuple[Published, BlockSummary]:
        policy, choice, secret = self._policy(number), choose(self.outline.policy), self._secret(number)
        table = table.taken(own_order(table, policy, secret))
        requirements, records = build_requirements(policy, counted(table, policy))
        shaped = Shaped.of(self.outline, table.frame, choice)
        # the rows of a person are moved to one block, and then other blocks may be nearer than cuts say
        alone = records.people is None
        apart = self.tree.apart(shaped.space.coordinates) if alone else np.zeros(len(table))
        task = _task(table, policy, secret, choice, shaped, requirements, records, apart)
        partition, published = self._groups(task)
        self._check_nodes(published)
        summary = BlockSummary(
            n_rows=len(table),
            n_groups=partition.n_groups,
            cost=partition.cost,
            lower_bound=partition.lower_bound,
            lost=_lost(shaped.space, partition),
            levels=_levels(published, self.outline.policy),
            notes=partition.notes,
        )
        return published, summary

    def _groups(self, task: Task) -> tuple[Partition, Published]:
        """Return the groups and what is published of them; every class of rows published alike meets what is asked.

        A person's rows are in one block, so the part of a class that lies in another block has other people, and the
        union of both meets what each part meets (PRIVACY-4, docs/proofs/privacy.md).
        """
        partition = make_groups(task)
        while True:
            published = publish(
                task.table.as_read,
                self.outline.policy,
                partition,
                task.shape.built.trees,
                form=task.choice.form,
                secret=task.secret,
            )
            if task.problem.records.people is None or classes_hold(task, partition, published):
                return partition, published
            partition = joined_alike(task, partition, published)

    def _check_nodes(self, published: Published) -> None:
        """Raise a SchemaError for a published node "or missing" that stands for one value, which one person has."""
        for column in published.columns:
            alone = self.alone.get(column.name)
            if not alone or column.or_missing is None or not column.or_missing.any():
                continue
            assert column.domain is not None and column.cell is not None  # noqa: PT018 (a column of labels has all four)
            assert column.member_start is not None and column.members is not None  # noqa: PT018
            for cell in np.unique(column.cell[column.or_missing]).tolist():
                first, end = int(column.member_start[cell]), int(column.member_start[cell + 1])
                labels = {column.domain[code] for code in column.members[first:end].tolist()} - {None}
                if len(labels) == 1 and labels <= alone:
                    raise rare_labels_error({column.name: 1}, self.outline.policy)

    def _policy(self, number: int) -> Policy:
        """Return the policy with which groups of a block are made."""
        columns = dict(self.outline.policy.columns)
        for name, of_blocks in self.t.items():
            asked = self.outline.policy.closeness_of(name)
            assert asked is not None
            own = Closeness(t=of_blocks[number], distance=self.outline.policy.distance_of(name))
            columns[name] = columns[name].model_copy(update={"closeness": own})
        return self.outline.policy.model_copy(update={"columns": columns, "effort": self.effort})

    def _secret(self, number: int) -> Secret:
        """Return the secret of a block, from which nothing follows about that of another."""
        own = hashlib.blake2b(f"block {number}".encode(), key=self.secret.key, digest_size=32).digest()
        return Secret(own, self.secret.seed)


def _task(
    table: Table,
    policy: Policy,
    secret: Secret,
    choice: Choice,
    shaped: Shaped,
    requirements: list[Requirement],
    records: Records,
    apart: Floats,
) -> Task:
    shape = Shape(policy, replace(shaped.built, space=shaped.space), {})
    problem = Problem(
        choice=choice,
        space=shaped.space,
        k=policy.k,
        requirements=requirements,
        records=records,
        apart=apart,
    )
    return Task(table=table, asked=policy, policy=policy, secret=secret, problem=problem, whole=shape, shape=shape)


def class_words(published: Published, secret: Secret) -> Words:
    """Return a number for each released row that the rows of one equivalence class share, in all blocks."""
    cells = [cell.cast(pl.String) for column in published.columns for cell in column.published.get_columns()]
    return row_words(pl.DataFrame(cells), key=secret.key)[published.groups]


def arranged(
    frame: pl.DataFrame, schema: pa.Schema, placed: Mapping[str, np.ndarray], summary: bytes | None
) -> pa.Table:
    """Return released rows in the order and types of `schema`, with the engine's own columns beside them."""
    columns = []
    for wanted in schema:
        if wanted.name in placed:
            columns.append(pa.array(placed[wanted.name], wanted.type))
        elif wanted.name == SUMMARY:
            columns.append(pa.array([summary, *[None] * (frame.height - 1)][: frame.height], wanted.type))
        elif wanted.name in frame.columns:
            cells = frame[wanted.name]
            text = text_of(cells) if pa.types.is_large_string(wanted.type) else cells
            columns.append(pl.DataFrame([text]).to_arrow(compat_level=pl.CompatLevel.oldest())[0].cast(wanted.type))
        else:  # whether some numbers are missing, of a block in which none is
            columns.append(pa.array(np.zeros(frame.height, dtype=bool), wanted.type))
    return pa.table(columns, schema=schema)


def released_schema(outline: Outline) -> pa.Schema:
    """Return the columns of released rows, found by publishing the outline as one group, and the engine's own."""
    choice, policy = choose(outline.policy), outline.policy
    shaped = Shaped.of(outline, outline.table.frame.clear(), choice)
    labels = np.zeros(outline.table.frame.height, dtype=np.int64)
    together = Partition(labels=labels, method=choice.method, objective=choice.minimizes, cost=0.0)
    frame = publish(
        outline.table.as_read,
        policy,
        together,
        shaped.built.trees,
        form=choice.form,
        secret=Secret.draw(),
    ).frame
    found = frame.to_arrow(compat_level=pl.CompatLevel.oldest()).schema.remove_metadata()
    return pa.schema(
        [
            *(pa.field(one.name, one.type) for one in found),
            pa.field(CLASS, pa.int64()),
            pa.field(ROW, pa.int64()),
            pa.field(BLOCK, pa.int32()),
            pa.field(SUMMARY, pa.binary()),
        ]
    )


def _lost(space: Space, partition: Partition) -> dict[str, float]:
    """Return what the cells of each column cost together, in shares of a cell that says nothing."""
    order = np.argsort(partition.labels, kind="stable")
    starts = np.flatnonzero(np.diff(partition.labels[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    found: dict[str, float] = {}
    for name in dict.fromkeys(axis.column for axis in space.axes):
        places = [j for j, axis in enumerate(space.axes) if axis.column == name]
        own = Space(
            np.ascontiguousarray(space.coordinates[:, places]), tuple(space.axes[j] for j in places), space.norm
        )
        found[name] = math.fsum(cost_of_groups(own, order, starts) * sizes)
    return found


def _levels(published: Published, policy: Policy) -> dict[str, dict[str, int]]:
    """Return the lowest level of every published node, per column with a hierarchy."""
    found: dict[str, dict[str, int]] = {}
    for column in published.columns:
        if column.level is None:
            continue
        own = found.setdefault(column.name, {})
        cells = text_of(column.published.to_series()).to_list()
        least = policy.columns[column.name].least_level
        for text, level in zip(cells, (column.level + least).tolist(), strict=True):
            if text is not None and level > 0:
                node = text.removesuffix(OR_MISSING)
                own[node] = min(level, own.get(node, level))
    return found


def _as_signed(words: np.ndarray) -> np.ndarray:
    return words.view(np.int64)
