"""How many people a group has, and how many of them hold each sensitive value.

Everything is counted in people. Without a person column every row is a person of its own; with one, a person
counts once per group and a (person, value) pair once per group, however many rows say so.
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
    """A table with one row per group, none of them empty: `keys[start[g]:start[g + 1]]` and their `weights`."""

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
        """The sum of one amount per entry over every group."""
        return np.add.reduceat(amounts, self.start[:-1]) if len(amounts) else amounts

    def per_entry(self, amounts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """One amount per group, for every entry of the group."""
        return np.repeat(amounts, self.sizes)

    def shares(self) -> Floats:
        """Each entry's part of its group."""
        share: Floats = self.weights / self.per_entry(self.per_group(self.weights))
        return share

    def renamed(self, names: Ints) -> Sparse:
        """The same weights under new keys; keys that get one name stand side by side and are summed."""
        fresh = names[self.keys]
        opens = np.diff(fresh, prepend=-1) != 0
        opens[self.start[:-1]] = True
        first = np.flatnonzero(opens)
        start = np.concatenate(([0], np.cumsum(opens)[self.start[1:] - 1]))
        return Sparse(start, fresh[first], np.add.reduceat(self.weights, first) if len(first) else self.weights)

    def joined(self, first: Ints, second: Ints, *, once: bool) -> Sparse:
        """Row i is row first[i] and row second[i] (-1: none) together; keys increase within a row, before and after.

        Weights of equal keys are added, or with `once` kept.
        """
        room = int(self.sizes[first].sum() + self.sizes[second[second >= 0]].sum())
        ends, keys, weights = (np.empty(size, dtype=np.int64) for size in (len(first), room, room))
        merge_rows(self.start, self.keys, self.weights, first, second, once, ends, keys, weights)
        start = np.concatenate(([0], ends))
        return Sparse(start, keys[: start[-1]], weights[: start[-1]])


def collect(groups: Ints, keys: Ints, n_groups: int, *, once: bool = False) -> Sparse:
    """How often each (group, key) occurs; with `once` it weighs 1 however often that is."""
    span = int(keys.max(initial=0)) + 1
    cells = np.sort(groups * span + keys)
    first = np.flatnonzero(np.diff(cells, prepend=-1))
    rows, found = np.divmod(cells[first], span)
    start = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_groups), out=start[1:])
    return Sparse(start, found, np.ones_like(first) if once else np.diff(first, append=len(cells)))


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A hierarchy of values: row h of `nodes` has the node at level h above each code, from the values to just below
    the root. Where a value can be missing, the last code is the missing one, with a node of its own on every level.
    """

    nodes: Ints
    missing: bool = False

    def counting(self, totals: Ints) -> list[Ints]:
        """The levels that join some values of the table that the level below keeps apart, and the values themselves.

        A level that repeats the one below, or above which there is nothing but the root, would make every distance
        look smaller and say nothing. As levels nest, two are the same where they have as many nodes.
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
    """What a requirement looks at. Every group 0, 1, ... has a record.

    `sensitive[column]` has values as keys and the people who hold them as weights; `totals[column][value]` is the
    sum over the groups of the whole table, the reference of t-closeness; `ancestors` are those of the records.
    """

    people: Ints
    sensitive: Mapping[str, Sparse]
    totals: Mapping[str, Ints]
    ancestors: Mapping[str, Levels]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Who each row is about and what it says: `people` None makes every row a person of its own.

    `sensitive[column]` holds codes 0, 1, ... in the order of the values where they have one. A column compared by its
    hierarchy has codes in depth-first order, so that those below one node stand side by side, and its levels in
    `ancestors[column]`.
    """

    n_rows: int
    people: Ints | None
    sensitive: Mapping[str, Ints]
    ancestors: Mapping[str, Levels] = field(default_factory=dict)

    @property
    def n_people(self) -> int:
        return self.n_rows if self.people is None else len(np.unique(self.people))


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Groups with all that is needed to merge them; `counts` is what requirements see.

    Additive where rows are people. With persons a merged group is a union of sets: `members` has people as keys,
    `holders` (value, person) pairs, and `value_of` says which value a key speaks of.
    """

    members: Sparse
    holders: Mapping[str, Sparse]
    value_of: Mapping[str, Ints]
    once: bool
    ancestors: Mapping[str, Levels]
    totals: Mapping[str, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, labels: Ints, records: Records) -> Tally:
        """Count the groups 0, 1, ... of `labels`; negative labels are left out."""
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
        return cls(members, holders, value_of, once, records.ancestors)._with_totals()

    def _with_totals(self) -> Tally:
        totals = {
            name: np.bincount(self.value_of[name][held.keys], weights=held.weights).astype(np.int64)
            for name, held in self.holders.items()
        }
        return replace(self, totals=totals)

    def counts(self) -> Counts:
        people = self.members.per_group(self.members.weights)
        sensitive = {
            name: held.renamed(self.value_of[name]) if self.once else held for name, held in self.holders.items()
        }
        return Counts(people, sensitive, self.totals, self.ancestors)

    def joined(self, first: Ints, second: Ints, *, trial: bool = False) -> Tally:
        """Group i is the groups first[i] and second[i] (-1: none) together.

        Trials need not be a partition; they are held against the totals of the table as it is.
        """
        after = replace(
            self,
            members=self.members.joined(first, second, once=self.once),
            holders={name: held.joined(first, second, once=self.once) for name, held in self.holders.items()},
        )
        return after if trial else after._with_totals()


def count(labels: npt.ArrayLike, records: Records) -> Counts:
    """People per group and per (group, sensitive value); labels are 0, 1, ..., negative ones are left out."""
    return Tally.of(np.asarray(labels, dtype=np.int64), records).counts()
