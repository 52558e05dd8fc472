"""Rows that are left out of a table in blocks: what each block can save, how many may go where, and leaving them out.

Guarantee   No more rows are left out in all than the policy allows; the groups of the others meet every requirement
            against the whole table, and the release costs no more than with all rows, if a row that is left out
            counts as wholly lost (BLOCKS-6, docs/proofs/blocks.md). Rows that are left out are not stored any longer.
            Which ones these are depends neither on the engine nor on how rows are spread over partitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal import progress
from shoal.engines.along_borders import AlongBorders, grouped_rows
from shoal.engines.block import GroupBlock, LeftOut, Offer, classes_meet, in_groups
from shoal.engines.borders import add_own_key
from shoal.engines.columns import BLOCK, GROUP, KEY, PLACE, RANK, SUMMARY
from shoal.engines.engine import Data, Engine
from shoal.engines.outline import alone_values, in_values, outline_of_released
from shoal.engines.publishing import PublishGroups, released_schema
from shoal.engines.summaries import Summaries, summaries_of
from shoal.engines.survey import PICKLED, SurveyRows, merged
from shoal.partition.group_labels import number_groups
from shoal.partition.repair.leave_out import leave_out
from shoal.partition.result import Partition
from shoal.tables.from_frame import from_arrow


def divided(offers: Sequence[Offer], allowed: int) -> dict[int, int]:
    """Return how many rows each block may leave out, `allowed` in all: where they save most per row.

    What is then left is divided in proportion, because a row that leaves may let another one save something.
    """
    listed = [(-saved / n, one.number, place, n) for one in offers for place, (saved, n) in enumerate(one.saves)]
    granted: dict[int, int] = {}
    room = allowed
    for _, number, _, n in sorted(listed):
        if n <= room:
            granted[number] = granted.get(number, 0) + n
            room -= n
    total, rows = sum(granted.values()), {one.number: one.n_rows for one in offers}
    return {number: min(rows[number], own + room * own // total) for number, own in granted.items()}


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOut:
    """A function of the rows of one block in groups that returns those that are not left out, in their groups."""

    group: GroupBlock
    shares: Mapping[int, int]
    """How many rows of a block may be left out, if any."""

    def __call__(self, rows: pa.Table) -> pa.Table:
        number = int(rows[BLOCK][0].as_py())
        share = self.shares.get(number, 0)
        rows = rows.sort_by([(RANK, "ascending")])
        labels = number_groups(rows[GROUP].to_numpy().astype(np.int64))
        rows = rows.drop_columns([GROUP, RANK, PLACE, SUMMARY])
        tasks = self.group.tasks
        table = tasks.outline.typed(from_arrow(rows.drop_columns([BLOCK]), "parquet").frame)
        with progress.unheard():
            shaped = tasks.shaped(table)
            task = tasks.task(table, shaped, number)
            before = Partition(
                labels=labels,
                method=task.choice.method,
                objective=task.choice.minimizes,
                cost=task.problem.cost(labels),
            )
            found = leave_out(before, task.problem, task.budget(), most=share) if share else before
            if not classes_meet(task, found):
                found = before
        known = [LeftOut.of(found, task, before.cost - found.cost)] if found.n_suppressed else []
        reach = self.group.tree.apart(shaped.space.coordinates)
        return in_groups(rows, shaped.space, found.labels, reach, *known)


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """Released rows, their columns, and all summaries."""

    rows: Data
    summaries: Summaries
    schema: pa.Schema


def publish_without_some(
    engine: Engine,
    placed: Data,
    group: GroupBlock,
    publish: PublishGroups,
    again: AlongBorders | None,
    allowed: int,
) -> Made:
    """Return what is published of the rows with their blocks, of which at most `allowed` are left out.

    A table that is one block is grouped as one in memory: rows are also left out where sensitive values are too
    frequent. Otherwise groups are made of all rows first. `again` searches those of the others along borders again.
    """
    n_blocks = group.tree.n_blocks
    if n_blocks == 1:
        share = group.tasks.outline.policy.max_suppressed
        grouped, known = grouped_rows(engine, replace(group, max_suppressed=share), placed)
    else:
        grouped, known = grouped_rows(engine, replace(group, offered=allowed), placed)
        shares = divided([one for one in known if isinstance(one, Offer)], allowed)
        if shares:
            grouped, left_out = _without(engine, grouped, LeaveOut(group, shares))
            known = (*known, *left_out)
    gone = sum(one.n_rows for one in known if isinstance(one, LeftOut))
    work = _shaped_by_rest(engine, grouped, publish, gone) if gone else publish
    if again is not None:
        rows, found = replace(again, publish=work).published(grouped)
    else:
        schema = pa.schema([*engine.schema(grouped), pa.field(KEY, pa.int32())])
        keyed = engine.map(grouped, add_own_key, schema, stage="publishing")
        rows = engine.map_keys(keyed, KEY, n_blocks, work, work.schema, stage="publishing")
        rows = engine.keep(rows, stage="publishing")
        engine.drop(grouped)
        found = summaries_of(engine, rows)
    return Made(rows, (*known, *found), work.schema)


def _without(engine: Engine, grouped: Data, work: LeaveOut) -> tuple[Data, Summaries]:
    """Return the rows in groups without those that are left out, stored, and what is known of these."""
    schema, n_blocks = engine.schema(grouped), work.group.tree.n_blocks
    left = engine.map_keys(grouped, BLOCK, n_blocks, work, schema, stage="leaving rows out")
    left = engine.keep(left, stage="leaving rows out")
    engine.drop(grouped)
    return left, summaries_of(engine, left)


def _shaped_by_rest(engine: Engine, rows: Data, work: PublishGroups, gone: int) -> PublishGroups:
    """Return the function that publishes `rows`, all that are released; nothing in a cell is shaped by the others."""
    outline, policy = work.tasks.outline, work.tasks.outline.policy
    look = SurveyRows(tuple(policy.quasi), frozenset(in_values(policy)), policy.person, 1, 1)
    chosen = engine.select(rows, list(outline.schema))
    survey = merged(engine.collect(engine.map(chosen, look, PICKLED, stage="survey"), stage="survey"), 1, 1)
    rest = outline_of_released(survey, outline, gone)
    return replace(work, released=rest, schema=released_schema(rest), alone=alone_values(survey, policy))
