"""Joining groups that share people and are published alike.

Guarantee   The groups that `joined_alike` returns meet every requirement (PRIVACY-4, docs/proofs/privacy.md), and
            groups with equal published cells are one group in them.

Groups with equal published cells are one equivalence class to a reader. If they share people, that class may miss a
requirement that each group meets by itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.partition.group_labels import number_groups
from shoal.partition.repair.meet import met
from shoal.partition.result import Labels, Partition
from shoal.pipeline.task import Task
from shoal.publish import Published
from shoal.requirements import count


def classes_of(partition: Partition, published: Published) -> Labels:
    """Return the number of each row's equivalence class, and -1 for a row that was suppressed."""
    return number_groups(np.where(partition.labels < 0, -1, published.alike[partition.labels]))


def classes_hold(task: Task, partition: Partition, published: Published) -> bool:
    """Return whether every class of rows with equal published cells meets every requirement."""
    counts = count(classes_of(partition, published), task.problem.records)
    return all(bool(asked.holds(counts).all()) for asked in task.problem.requirements)


def joined_alike(task: Task, partition: Partition, published: Published) -> Partition:
    """Return the partition with groups of equal published cells joined, and repaired to meet every requirement.

    The cells are derived from exactly these rows, so no more are suppressed. The repair has no time limit.
    """
    labels = classes_of(partition, published)
    joined = partition.without_claim(
        "groups that share people and are published alike were joined",
        labels=labels,
        cost=task.problem.cost(labels),
        centers=None,
        radii=None,
        theorem_cost=None,
    )
    return met(joined, task.with_max_suppressed(0.0).problem, replace(task.budget(), time_limit=None))
