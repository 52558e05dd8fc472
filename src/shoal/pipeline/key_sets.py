"""Widen the cells of columns that somebody knows, until every combination of them is shared by the k of that key set.

A key set is some of the quasi-identifiers with a k of its own. The groups already share every combination of all
quasi-identifiers among k people. For a set with a larger k, groups are joined into wider ones by the columns of the
set alone, and these columns are published by the wider groups; all others keep the cells of their group.

Guarantee   Every wider group has at least the k of its set, and all of its rows have the same cells in the columns of
            the set, so every published combination of these is shared by at least so many people (PRIVACY-10,
            docs/proofs/privacy.md). A column of several sets is published by groups that are unions of the wider
            groups of each, which keeps that of every set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from shoal.caller import named
from shoal.errors import ParameterError
from shoal.partition.group_labels import number_groups
from shoal.partition.methods.choose import Choice
from shoal.partition.methods.cost import cost_function
from shoal.partition.repair.merge import repair
from shoal.partition.result import Partition
from shoal.pipeline.task import Task
from shoal.policy import Policy
from shoal.publish.result import Published, published_alike
from shoal.requirements.k_anonymity import KAnonymity
from shoal.space.space import Space

Ints = npt.NDArray[np.int64]


def check_keys(policy: Policy, choice: Choice) -> None:
    """Raise a ParameterError if the key sets of a policy cannot be kept with its other settings."""
    if not policy.keys:
        return
    person = None if policy.person is None else policy.columns[policy.person]
    if choice.whole_columns or choice.form == "centers" or choice.minimized.around_records:
        raise ParameterError(
            f"key sets cannot be kept by method {choice.method} in the form {choice.form}.",
            "choose another method, such as forest or mondrian, and another form than centers.",
        )
    if person is not None and not person.consistent:
        raise ParameterError(
            "key sets count people over several groups, which nobody can do if a person may be in two of them.",
            f"publish all rows of a person alike ({named('consistent')}).",
        )
    if policy.set_column is not None:
        raise ParameterError(
            f"key sets cannot be kept beside {policy.set_column!r}, a column of sets.",
            "leave keys or that column out.",
        )
    if policy.sequence is not None:
        raise ParameterError("a sequence of releases cannot keep key sets.", "leave keys or sequence out.")


def wider_groups(task: Task, partition: Partition, published: Published) -> dict[str, Ints]:
    """Return, for columns that must be published by wider groups, the wider group of every group."""
    found: dict[str, Ints] = {}
    for keys in task.policy.keys.values():
        own = tuple(column for column in published.columns if column.name in keys.columns)
        alike = published_alike(own)
        joined = replace(
            partition,
            labels=number_groups(np.where(partition.labels < 0, -1, alike[partition.labels])),
            centers=None,
            radii=None,
        )
        space = _of_columns(task.space, keys.columns)
        met = repair(joined, space, [KAnonymity(keys.k)], task.problem.records, cost=lambda _: 0.0)
        if met is joined:
            continue
        wide = np.empty(partition.n_groups, dtype=np.int64)
        kept = np.flatnonzero(partition.labels >= 0)
        wide[partition.labels[kept]] = met.labels[kept]
        for name in keys.columns:
            found[name] = wide if name not in found else _unions(found[name], wide)
    return found


def with_price(task: Task, partition: Partition, wider: Mapping[str, Ints]) -> Partition:
    """Return the partition with the cost of what is published: every column by its own groups."""
    cost = 0.0
    for name in task.policy.quasi:
        labels = partition.labels
        if name in wider:
            labels = np.where(labels < 0, -1, wider[name][labels])
        space = _of_columns(task.space, (name,))
        cost += cost_function(task.choice, space)(labels) if space.axes else 0.0
    note = f"{', '.join(wider)}: published by wider groups, for the k of the key sets"
    return partition.without_claim(note, cost=max(cost, partition.cost), theorem_cost=None)


def _of_columns(space: Space, names: tuple[str, ...]) -> Space:
    """Return the points on the axes of some columns only."""
    chosen = [place for place, axis in enumerate(space.axes) if axis.column in names]
    return replace(
        space,
        coordinates=np.ascontiguousarray(space.coordinates[:, chosen]),
        axes=tuple(space.axes[place] for place in chosen),
    )


def _unions(one: Ints, other: Ints) -> Ints:
    """Return the smallest groups that are unions of the wider groups in both."""
    n_one, n_other = int(one.max()) + 1, int(other.max()) + 1
    size = n_one + n_other
    links = coo_matrix((np.ones(len(one)), (one, n_one + other)), shape=(size, size))
    return connected_components(links, directed=False)[1][one].astype(np.int64)
