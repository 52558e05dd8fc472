"""Joining groups where that keeps more items of a column of sets than it loses in the other quasi-identifiers.

Within a group, every combination of items must be shared by k people, so groups of about k people keep hardly any
item. Groups are put into a binary tree of near ones, cut at medians; of every node of the tree it is computed what
its groups lose as one, other quasi-identifiers and items together, and the cheapest cut through the tree is taken.
The cut is optimal for this tree; no ratio is proved of the groups.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal import progress
from shoal.partition.group_labels import number_groups
from shoal.partition.repair.meet import met
from shoal.partition.result import Partition
from shoal.pipeline.task import Task
from shoal.publish import group_columns, set_losses

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FINE = 20_000
"""Rows up to which every depth of the tree is tried; above, every second: groups of four times the size each time."""
NOT_CLAIMED = "nothing is proved of groups in which the items of {} are recoded as well"


def with_items(task: Task, partition: Partition) -> Partition:
    """Return the groups, joined where more items are kept; without bound and ratio, which are about other columns.

    Groups of methods that publish whole columns at one level, and groups with a greatest level, stay as they are. If
    cells are what is minimized, the cost includes what the items lose.
    """
    name, policy = task.policy.set_column, task.policy
    if name is None:
        return partition
    found = partition.without_claim(NOT_CLAIMED.format(name), lower_bound=0.0, theorem_cost=None)
    fixed = any(policy.columns[one].greatest_level is not None for one in policy.quasi)
    if not (task.choice.whole_columns or fixed or found.n_groups < 2 or policy.max_groups is not None):
        with progress.step("items"):
            labels = _joined(task, found)
        if (n_groups := int(labels.max()) + 1) < found.n_groups:
            remark = f"{found.n_groups} groups were joined to {n_groups} to keep more items of {name}"
            joined = replace(found, labels=labels, cost=task.problem.cost(labels), centers=None, radii=None)
            budget = replace(task.budget(), time_limit=None)
            found = met(joined, task.with_max_suppressed(0.0).problem, budget)
            found = replace(found, notes=(*found.notes, remark))
    if task.choice.minimizes != "generalization":
        return found
    lost = set_losses(task.table.as_read, policy, found, form=task.choice.form)
    return replace(found, cost=found.cost + float(lost.sum()))


def _joined(task: Task, partition: Partition) -> Ints:
    """Return the groups of the cheapest cut through a tree of groups."""
    labels = partition.labels
    path = _tree(_centers(task, labels, partition.n_groups))
    depth = int(path.shape[1]) - 1
    step = 1 if len(labels) <= FINE else 2
    depths = sorted({depth, *range(depth - step, 0, -step), 0}, reverse=True)
    best: Floats = np.zeros(0)
    chosen: Ints = np.zeros(0, dtype=np.int64)
    below: Ints = np.zeros(0, dtype=np.int64)
    for level in depths:
        node = path[:, level]
        lost = _losses(task, partition, node)
        if level == depth:
            best, chosen = lost, node.copy()
        else:
            apart = np.zeros(len(lost))
            parent = np.zeros(len(best), dtype=np.int64)
            parent[below] = node
            np.add.at(apart, parent, best)
            merge = lost < apart
            chosen = np.where(merge[node], (level + 1) * len(path) + node, chosen)
            best = np.where(merge, lost, apart)
        below = node
    found = np.where(labels < 0, -1, chosen[labels])
    return number_groups(found)


def _centers(task: Task, labels: Ints, n_groups: int) -> Floats:
    """Return the mean of every group on every axis, each axis as a share of its range."""
    kept = labels >= 0
    points = task.space.coordinates[kept]
    sizes = np.bincount(labels[kept], minlength=n_groups)
    sums = np.stack([np.bincount(labels[kept], weights=axis, minlength=n_groups) for axis in points.T], axis=1)
    means = sums / sizes[:, None]
    span = np.ptp(means, axis=0)
    found: Floats = means / np.where(span > 0, span, 1.0)
    return found


def _tree(centers: Floats) -> Ints:
    """Return, for every group and depth, the node of a tree of near groups; at the last depth each has its own.

    Every node is cut at the median of the axis on which its groups are widest.
    """
    nodes = np.zeros(len(centers), dtype=np.int64)
    levels = [nodes]
    while nodes.max() + 1 < len(centers):
        following = np.zeros(len(centers), dtype=np.int64)
        order = np.argsort(nodes, kind="stable")
        starts = np.searchsorted(nodes[order], np.arange(nodes.max() + 2))
        n_nodes = 0
        for low, high in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            inside = order[low:high]
            if len(inside) == 1:
                following[inside] = n_nodes
                n_nodes += 1
                continue
            own = centers[inside]
            axis = int(np.argmax(np.ptp(own, axis=0)))
            along = inside[np.lexsort((*own.T, own[:, axis]))]
            half = len(inside) // 2
            following[along[:half]], following[along[half:]] = n_nodes, n_nodes + 1
            n_nodes += 2
        nodes = following
        levels.append(nodes)
    return np.stack(levels, axis=1)


def _losses(task: Task, partition: Partition, node: Ints) -> Floats:
    """Return what the groups of every node lose as one: over its rows and columns, with the columns' weights."""
    labels = np.where(partition.labels < 0, -1, np.append(node, -1)[partition.labels])
    joined = replace(partition, labels=labels, centers=None, radii=None)
    built = task.shape.built
    columns = group_columns(
        task.table.as_read,
        task.policy,
        joined,
        built.trees,
        form=task.choice.form,
        recodings=built.recodings,
        areas=task.shape.areas,
    )
    sizes = joined.sizes.astype(np.float64)
    total = np.zeros(len(sizes))
    for column in columns:
        total += task.policy.columns[column.name].weight * column.loss * sizes
    return total + set_losses(task.table.as_read, task.policy, joined, form=task.choice.form)
