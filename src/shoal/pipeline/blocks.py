"""Making groups that are not generalized above a greatest level of a hierarchy: each block of rows is grouped alone.

A block has the rows with equal nodes at the greatest level, in every column that has one; missing values are in a
block of their own. Rows of different blocks have a common node only above the greatest level and cannot share a
group, so every feasible grouping consists of groupings of the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shoal.caller import setting
from shoal.errors import InfeasibleError
from shoal.partition.result import Labels, Partition, share_of
from shoal.pipeline.task import Task
from shoal.policy import Policy
from shoal.publish import Published


def blocks_of(task: Task) -> Labels | None:
    """Return the block of every row; None if no column has a greatest level, or all rows are in one block."""
    nodes = []
    for name, tree in task.whole.built.trees.items():
        level = greatest_of(task.asked, name)
        if level is not None and level < tree.n_levels:
            nodes.append(tree.ancestors[tree.ranks(task.table.frame[name]), level])
    if not nodes:
        return None
    different, block = np.unique(np.stack(nodes), axis=1, return_inverse=True)
    return block.reshape(-1).astype(np.int64) if different.shape[1] > 1 else None


def greatest_of(policy: Policy, name: str) -> int | None:
    """Return the greatest level of a column, counted from the lowest level that is published; None without one."""
    column = policy.columns[name]
    return None if column.greatest_level is None else column.greatest_level - column.least_level


def group_blocks(task: Task, blocks: Labels, make: Callable[[Task], Partition]) -> Partition:
    """Return the groups of all blocks; the rows of blocks that cannot meet the requirements are suppressed.

    InfeasibleError is raised if more rows must be suppressed than the policy allows.
    """
    labels = np.full(len(blocks), -1, dtype=np.int64)
    found: list[Partition] = []
    n_groups, n_blocks = 0, int(blocks.max()) + 1
    for block in range(n_blocks):
        rows = np.flatnonzero(blocks == block)
        try:
            own = make(_of_rows(task, rows))
        except InfeasibleError:
            continue
        labels[rows] = np.where(own.labels < 0, -1, own.labels + n_groups)
        n_groups += own.n_groups
        found.append(own)
    _within_limit(task, int((labels < 0).sum()))
    bound = 0.0 if task.problem.max_suppressed else math.fsum(one.lower_bound for one in found)
    return found[0].without_claim(
        f"groups were made in {n_blocks} blocks of rows by themselves, because of a greatest level",
        labels=labels,
        cost=task.problem.cost(labels),
        lower_bound=bound,
        theorem_cost=None,
        centers=None,
        radii=None,
    )


def check_levels(published: Published, policy: Policy) -> None:
    """Raise InfeasibleError if a group is published at a coarser level than the greatest level of a column."""
    for column in published.columns:
        level = greatest_of(policy, column.name)
        if level is None or column.level is None:
            continue
        beyond = int(np.count_nonzero(column.level > level))
        if beyond:
            raise InfeasibleError(
                f"column {column.name}: {beyond} groups need a coarser level than its greatest_level, "
                f"{policy.columns[column.name].greatest_level}.",
                f"raise greatest_level, or allow to leave rows out ({setting('max_suppressed', 0.05)}).",
            )


def _of_rows(task: Task, rows: Labels) -> Task:
    """Return the task of grouping one block, in the space of all rows and without suppressing any."""
    inside = task.problem.records.take(rows)
    points = task.space.take(rows)
    problem = replace(task.problem, space=points, records=inside, max_suppressed=0.0, is_block=True)
    limit = task.policy.time_limit
    share = None if limit is None else limit * len(rows) / len(task.table)
    policy = task.policy.model_copy(update={"time_limit": share, "max_suppressed": 0.0})
    return replace(task, table=task.table.taken(rows), problem=problem, policy=policy)


def _within_limit(task: Task, left_out: int) -> None:
    """Raise InfeasibleError if more rows would have to be suppressed than the policy allows, or all of them."""
    n_rows = len(task.table)
    allowed = share_of(task.problem.max_suppressed, n_rows)
    if left_out <= allowed and left_out < n_rows:
        return
    names = [name for name in task.asked.quasi if task.asked.columns[name].greatest_level is not None]
    needed = math.ceil(1000 * left_out / n_rows) / 1000
    more = f"allow it ({setting('max_suppressed', needed)}), or " if needed < 1 else ""
    raise InfeasibleError(
        f"{left_out} of {n_rows} rows cannot be in a group that meets the requirements without going above "
        f"greatest_level of {', '.join(names)}, and {allowed} may be left out.",
        f"{more}raise greatest_level or lower k.",
    )
