"""The number of people in each group, and how many of them have each sensitive value.

Everything is counted in people. Without a person column every row is a person of its own; with one, a person counts
once per group, and a pair of person and value once per group, in however many rows it occurs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.kernels.sparse_merge import merge_rows

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """A sparse table with a nonempty row per group g: `keys[start[g]:start[g + 1]]` with their `weights`."""

    start: Ints
    keys: Ints
    weights: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.start)

    @property
    def groups(self) -> Ints:
        """The group of every entry."""
        return np.repeat(np.arange(len(self.start) - 1), self.sizes)

    def per_group(self, amounts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the sum over every group of amounts given per entry."""
        return np.add.reduceat(amounts, self.start[:-1]) if len(amounts) else amounts

    def per_entry(self, amounts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return amounts given per group, repeated for every entry of the group."""
        return np.repeat(amounts, self.sizes)

    def shares(self) -> Floats:
        """Return each entry's share of its group's total weight."""
        share: Floats = self.weights / self.per_entry(self.per_group(self.weights))
        return share

    def renamed(self, names: Ints) -> Sparse:
        """Return the table with keys replaced by `names`; entries of a group that get the same name are summed.

        Keys that get the same name must be adjacent within a group.
        """
        fresh = names[self.keys]
        opens = np.diff(fresh, prepend=-1) != 0
        opens[self.start[:-1]] = True
        first = np.flatnonzero(opens)
        start = np.concatenate(([0], np.cumsum(opens)[self.start[1:] - 1]))
        return Sparse(start, fresh[first], np.add.reduceat(self.weights, first) if len(first) else self.weights)

    def joined(self, first: Ints, second: Ints, *, once: bool) -> Sparse:
        """Return a table whose row i combines the rows first[i] and second[i] (-1: only the first).

        Keys increase within a row, before and after. Weights of equal keys are added, or with `once` kept.
        """
        room = int(self.sizes[first].sum() + self.sizes[second[second >= 0]].sum())
        ends, keys, weights = (np.empty(size, dtype=np.int64) for size in (len(first), room, room))
        merge_rows(self.start, self.keys, self.weights, first, second, once, ends, keys, weights)
        start = np.concatenate(([0], ends))
        return Sparse(start, keys[: start[-1]], weights[: start[-1]])


def collect(groups: Ints, keys: Ints, n_groups: int, *, once: bool = False) -> Sparse:
    """Return how often each pair of group and key occurs; with `once` every pair has weight 1."""
    span = int(keys.max(initial=0)) + 1
    cells = np.sort(groups * span + keys)
    first = np.flatnonzero(np.diff(cells, prepend=-1))
    rows, found = np.divmod(cells[first], span)
    start = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_groups), out=start[1:])
    return Sparse(start, found, np.ones_like(first) if once else np.diff(first, append=len(cells)))


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A hierarchy of sensitive values: row h of `nodes` has the node above each code at level h, without the root.

    If a value can be missing, missing is the last code, with a node of its own on every level.
    """

    nodes: Ints
    missing: bool = False

    def counting(self, totals: Ints) -> list[Ints]:
        """Return the values themselves and the levels that merge some values that occur in the table.

        A level that repeats the one below, or that has a single node, would make every distance smaller without any
        meaning. As levels nest, two levels are the same if they have equally many nodes.
        """
        occurs = totals > 0
        if self.missing and len(totals) == self.nodes.shape[1]:
            occurs[-1] = False
        kept: list[Ints] = []
        before = 0
        for nodes in self.nodes:
            n_nodes = len(np.unique(nodes[: len(totals)][occurs]))
            if kept and n_nodes <= 1:
                break
            if not kept or n_nodes < before:
                kept.append(nodes)
            before = n_nodes
        return kept


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """The counts that a requirement is evaluated on. Every group 0, 1, ... has at least one record.

    `sensitive[column]` has values as keys and the numbers of people who have them as weights; `totals[column][value]`
    is their sum over all groups, which t-closeness compares with; `ancestors` are the hierarchies of the sensitive
    values. `missing[column]` is the code of a missing value, where the column has missing values.
    """

    people: Ints
    sensitive: Mapping[str, Sparse]
    totals: Mapping[str, Ints]
    ancestors: Mapping[str, Levels]
    missing: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The person and the sensitive values of each row; if `people` is None, every row is a person of its own.

    `sensitive[column]` has codes 0, 1, ... in the order of the values if they have one. A column that is compared by
    its hierarchy has codes in depth-first order, so that those below one node are consecutive, and its levels in
    `ancestors[column]`. `missing[column]` is the code of a missing value, where the column has missing values.
    """

    n_rows: int
    people: Ints | None
    sensitive: Mapping[str, Ints]
    ancestors: Mapping[str, Levels] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_people(self) -> int:
        return self.n_rows if self.people is None else len(np.unique(self.people))

    def take(self, rows: Ints) -> Records:
        """Return the records of some rows."""
        return replace(
            self,
            n_rows=len(rows),
            people=None if self.people is None else np.ascontiguousarray(self.people[rows]),
            sensitive={name: np.ascontiguousarray(codes[rows]) for name, codes in self.sensitive.items()},
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Groups with everything that is needed to merge them; `counts` returns what requirements are evaluated on.

    If rows are people, counts of merged groups are added. With a person column a merged group is a union of sets:
    `members` has people as keys, `holders` has pairs of value and person, and `value_of` gives the value of such a
    pair.
    """

    members: Sparse
    holders: Mapping[str, Sparse]
    value_of: Mapping[str, Ints]
    once: bool
    ancestors: Mapping[str, Levels]
    totals: Mapping[str, Ints] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, labels: Ints, records: Records) -> Tally:
        """Return the tally of the groups 0, 1, ... of `labels`; rows with negative labels are suppressed and not
        counted.
        """
        kept = np.flatnonzero(labels >= 0)
        groups, n_groups = labels[kept], int(labels.max(initial=-1)) + 1
        people, once = records.people, records.people is not None
        who = np.zeros(len(kept), dtype=np.int64) if people is None else people[kept]
        holders: dict[str, Sparse] = {}
        value_of: dict[str, Ints] = {}
        for name, codes in records.sensitive.items():
            if people is None:
                keys, value_of[name] = codes, np.arange(int(codes.max(initial=-1)) + 1)
            else:
                span = int(people.max(initial=0)) + 1
                pairs, keys = np.unique(codes * span + people, return_inverse=True)
                value_of[name] = pairs // span
            holders[name] = collect(groups, keys[kept], n_groups, once=once)
        members = collect(groups, who, n_groups, once=once)
        tally = cls(members, holders, value_of, once, records.ancestors, missing=records.missing)
        return tally._with_totals()

    def _with_totals(self) -> Tally:
        totals = {
            name: np.bincount(self.value_of[name][sparse.keys], weights=sparse.weights).astype(np.int64)
            for name, sparse in self.holders.items()
        }
        return replace(self, totals=totals)

    def counts(self) -> Counts:
        people = self.members.per_group(self.members.weights)
        sensitive = {
            name: sparse.renamed(self.value_of[name]) if self.once else sparse
            for name, sparse in self.holders.items()
        }
        return Counts(people, sensitive, self.totals, self.ancestors, self.missing)

    def joined(self, first: Ints, second: Ints, *, trial: bool = False) -> Tally:
        """Return a tally in which group i combines the groups first[i] and second[i] (-1: only the first).

        With `trial` the result need not be a partition, and is compared with the totals of the current table.
        """
        after = replace(
            self,
            members=self.members.joined(first, second, once=self.once),
            holders={name: sparse.joined(first, second, once=self.once) for name, sparse in self.holders.items()},
        )
        return after if trial else after._with_totals()


def count(labels: npt.ArrayLike, records: Records) -> Counts:
    """Return the counts of the groups 0, 1, ... of `labels`; rows with negative labels are suppressed and not
    counted.
    """
    return Tally.of(np.asarray(labels, dtype=np.int64), records).counts()
