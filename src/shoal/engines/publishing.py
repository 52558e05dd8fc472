"""Publishing groups: those of a block as they are, and those along borders after they have been searched again.

Guarantee   A group that is searched again meets every requirement against the whole table, and the groups of a call
            never cost more together than before (BLOCKS-5, docs/proofs/blocks.md). What is published depends on the
            cells of the rows, their groups, the outline of the table and the secret only.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pyarrow as pa

from shoal import progress
from shoal.engines.block import BlockSummary, BlockTasks, GroupBlock, Shaped
from shoal.engines.columns import BLOCK, CLASS, GROUP, KEY, PERSON, PLACE, RANK, ROW, SUMMARY
from shoal.engines.outline import Outline
from shoal.engines.row_hash import Words, cell_words, row_words
from shoal.partition.generalization.forest import cost_of_groups
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.choose import choose
from shoal.partition.methods.cost import cost_function
from shoal.partition.result import Labels, Partition
from shoal.pipeline.groups import search_again
from shoal.pipeline.published_texts import rare_labels_error
from shoal.policy import Policy
from shoal.publish import Published, publish
from shoal.publish.notation import OR_MISSING
from shoal.secret import Secret
from shoal.space import Space
from shoal.tables import Table
from shoal.tables.from_frame import from_arrow
from shoal.tables.text import text_of

_OWN = (BLOCK, GROUP, RANK, PLACE, KEY, SUMMARY)


@dataclass(frozen=True, slots=True)
class PublishedSummary:
    """What is known of the groups that were published in one call."""

    n_rows: int
    n_groups: int
    cost: float
    lost: Mapping[str, float]
    """Per column, the sum over the rows of the share of its whole range, or of its labels, that their cells cover."""
    levels: Mapping[str, Mapping[str, int]]
    """Per column with a hierarchy, the lowest level of every published node."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishGroups:
    """A function of the rows of one key that returns what is published of them, and a summary in the first row."""

    tasks: BlockTasks
    schema: pa.Schema
    searched: Mapping[int, bool] = field(default_factory=dict)
    """For keys of blocks along borders, whether their groups are searched again."""
    alone: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per column with a hierarchy of labels, the values that one person alone has among the rows."""
    released: Outline | None = None
    """The outline of the released rows if others were left out, so that no cell is shaped by those."""

    def __call__(self, rows: pa.Table) -> pa.Table:
        return self.published(rows)

    def published(self, rows: pa.Table, *known: BlockSummary) -> pa.Table:
        """Return what is published of the rows of one key, with its summary after those that are `known`."""
        number = int(rows[KEY][0].as_py())
        rows = rows.sort_by([(BLOCK, "ascending"), (RANK, "ascending")])
        labels = _groups_of(rows)
        table = self.tasks.outline.typed(from_arrow(rows.drop_columns(list(_OWN)), "parquet").frame)
        with progress.unheard():
            published, summary = self._published(table, labels, number)
        frame, person = published.frame, self.tasks.outline.policy.person
        placed = {
            CLASS: _as_signed(class_words(published, self.tasks.secret)),
            ROW: _as_signed(self.tasks.secret_of(number).stream("order of rows", frame.height)),
        }
        if person is not None:  # a person may have rows in other blocks, whose people are numbered separately
            placed[PERSON] = _as_signed(cell_words(table.as_read[person], self.tasks.secret.key)[published.rows])
        return arranged(frame, self.schema, placed, pickle.dumps((*known, summary)))

    def _published(self, table: Table, labels: Labels, number: int) -> tuple[Published, PublishedSummary]:
        outline = self.tasks.outline
        partition, shaped = self._groups(table, labels, number)
        built = shaped.built
        if self.released is not None:
            built = Shaped.of(self.released, table.frame, choose(outline.policy)).built
        published = publish(
            table.as_read,
            outline.policy,
            partition,
            built.trees,
            form=choose(outline.policy).form,
            secret=self.tasks.secret_of(number),
        )
        self._check_nodes(published)
        summary = PublishedSummary(
            n_rows=len(table),
            n_groups=partition.n_groups,
            cost=partition.cost,
            lost=_lost(shaped.space, partition),
            levels=_levels(published, outline.policy),
        )
        return published, summary

    def _groups(self, table: Table, labels: Labels, number: int) -> tuple[Partition, Shaped]:
        """Return the groups, searched again if they are along a border, and the space of the rows."""
        outline = self.tasks.outline
        choice = choose(outline.policy)
        shaped = self.tasks.shaped(table)
        cost = cost_function(choice, shaped.space)(labels)
        present = Partition(labels=labels, method=choice.method, objective=choice.minimizes, cost=cost)
        if not self.searched.get(number):
            return present, shaped
        task = self.tasks.task(table, shaped, number)
        return search_again(task, present), shaped

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
                    raise rare_labels_error({column.name: 1}, self.tasks.outline.policy)


@dataclass(frozen=True, slots=True, eq=False)
class GroupAndPublish:
    """A function of the rows of one block that makes their groups and publishes them, where borders do not matter."""

    group: GroupBlock
    publish: PublishGroups

    def __call__(self, rows: pa.Table) -> pa.Table:
        grouped = self.group(rows)
        known = pickle.loads(grouped[SUMMARY][0].as_py())
        return self.publish.published(grouped.append_column(KEY, grouped[BLOCK]), *known)


def _groups_of(rows: pa.Table) -> Labels:
    """Return the group of every row, numbered over all blocks in the order of rows."""
    block, group = rows[BLOCK].to_numpy().astype(np.int64), rows[GROUP].to_numpy().astype(np.int64)
    return number_groups(block * (int(group.max()) + 1) + group)


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
            *([] if policy.person is None else [pa.field(PERSON, pa.int64())]),
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
