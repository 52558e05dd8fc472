"""Assembling the released table: groups are published in the chosen form, identifiers are removed, rows are shuffled.

Nothing of the original order remains, and nothing of the groups: records with equal published quasi-identifiers are
one equivalence class for a reader, so they are shuffled as one class, and the classes are shuffled too, both from the
secret of the release (PRIVACY-6, docs/proofs/privacy.md). A person column becomes a number that identifies people
only within an equivalence class, so that they can be counted there but not followed anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.errors import SchemaError
from shoal.partition.column_classes.areas import Area
from shoal.partition.result import Partition
from shoal.policy import Column, Policy
from shoal.publish.aggregate import label_aggregates, number_aggregates
from shoal.publish.areas import area_columns
from shoal.publish.date_cells import in_format
from shoal.publish.generalize import hidden_or_equal, label_sets, number_ranges, order_ranges, tree_nodes
from shoal.publish.group_values import Ints, codes_of, sets
from shoal.publish.label_classes import class_sets
from shoal.publish.notation import rounded_up, write_multiset
from shoal.publish.result import GroupColumn, Published, published_alike
from shoal.publish.set_cells import SetColumn, publish_sets, recoded_sets
from shoal.secret import Secret
from shoal.space.hierarchy import Tree
from shoal.space.label_classes import Recoding

NUMBERS = ("number", "date", "place")


def publish(
    frame: pl.DataFrame,
    policy: Policy,
    partition: Partition,
    trees: Mapping[str, Tree],
    *,
    form: str,
    secret: Secret,
    recodings: Mapping[str, Recoding] | None = None,
    areas: Mapping[str, Area] | None = None,
    wider: Mapping[str, Ints] | None = None,
) -> Published:
    """Return the released table of `partition` in one of the forms generalize, aggregate, centers or suppress.

    `trees`, `recodings` and `areas` are those of the rows that are not suppressed. A column in `wider` is published
    by wider groups: `wider` has that of every group.
    """
    columns = group_columns(frame, policy, partition, trees, form=form, recodings=recodings, areas=areas, wider=wider)
    return assemble(frame, policy, partition, columns, form=form, secret=secret)


def group_columns(
    frame: pl.DataFrame,
    policy: Policy,
    partition: Partition,
    trees: Mapping[str, Tree],
    *,
    form: str,
    recodings: Mapping[str, Recoding] | None = None,
    areas: Mapping[str, Area] | None = None,
    wider: Mapping[str, Ints] | None = None,
) -> tuple[GroupColumn, ...]:
    """Return what every group is published as in each quasi-identifier but that of sets."""
    kept, labels = _kept(frame, partition)
    levels, recoded, wide = partition.levels or {}, recodings or {}, wider or {}

    def groups_of(name: str) -> tuple[Ints, int]:
        """Return the group of every row by which a column is published, and how many there are."""
        if name not in wide:
            return labels, partition.n_groups
        return wide[name][labels], int(wide[name].max()) + 1

    in_area: dict[str, GroupColumn] = {}
    for name, area in (areas or {}).items():
        for column in area_columns(area, *groups_of(name), shape=policy.columns[name].shape):
            in_area[column.name] = column
    columns = tuple(
        in_area[name]
        if name in in_area
        else class_sets(recoded[name], kept[name], *groups_of(name), hide=form == "suppress")
        if name in recoded
        else group_column(
            kept[name],
            policy.columns[name],
            *groups_of(name),
            form,
            policy,
            trees.get(name),
            level=levels.get(name),
        )
        for name in policy.quasi
    )
    return tuple(column.by_groups(wide[column.name]) if column.name in wide else column for column in columns)


def set_losses(frame: pl.DataFrame, policy: Policy, partition: Partition, *, form: str) -> npt.NDArray[np.float64]:
    """Return what the items of a column of sets lose in every group, its rows and the column's weight counted."""
    name = policy.set_column
    assert name is not None
    kept, labels = _kept(frame, partition)
    whose = kept[policy.person] if policy.person else None
    items, recoded = recoded_sets(kept[name], policy, labels, whose, form, partition.n_groups)[:2]
    found: npt.NDArray[np.float64] = recoded.lost * (
        policy.columns[name].weight * len(kept) / max(len(items.codes), 1)
    )
    return found


def _kept(frame: pl.DataFrame, partition: Partition) -> tuple[pl.DataFrame, Ints]:
    """Return the rows that are not suppressed, and their groups."""
    rows = np.flatnonzero(partition.labels >= 0)
    return (frame if len(rows) == len(frame) else frame[rows]), partition.labels[rows]


def assemble(
    frame: pl.DataFrame,
    policy: Policy,
    partition: Partition,
    columns: tuple[GroupColumn, ...],
    *,
    form: str,
    secret: Secret,
) -> Published:
    """Return the released table, given what every group is published as."""
    rows = np.flatnonzero(partition.labels >= 0)
    kept, labels = _kept(frame, partition)
    if form == "centers":
        if partition.centers is not None and partition.centers.ndim == 1:
            columns = tuple(_at_center(column, frame, partition) for column in columns)
        return _one_row_per_group(kept, policy, partition, columns, labels, secret)
    alike = published_alike(columns)
    class_rank = secret.permutation("classes", partition.n_groups)[alike]
    order = np.lexsort((secret.stream("rows", len(rows)), class_rank[labels]))
    name_of_set = policy.set_column
    sets: tuple[SetColumn, ...] = ()
    if name_of_set is not None:
        whose = kept[policy.person] if policy.person else None
        sets = (publish_sets(kept[name_of_set], policy, alike[labels], whose, form),)
    kept, labels = kept[order], labels[order]
    released: list[pl.Series] = []
    by_name = {column.name: column for column in columns}
    for name in frame.columns:
        role = policy.columns[name].role
        if name == name_of_set:
            released.append(sets[0].cells[order])
        elif role == "quasi":
            released += in_format(by_name[name].published, policy.columns[name])[labels].get_columns()
        elif role == "person":
            released.append(_published_people(kept[name], policy.columns[name], alike[labels], secret))
        elif role in ("sensitive", "weight", "other"):
            released.append(kept[name])
    return Published(
        frame=_unique_names(released, policy),
        form=form,
        rows=rows[order],
        groups=labels,
        columns=columns,
        sets=sets,
    )


def group_column(
    values: pl.Series,
    column: Column,
    labels: Ints,
    n_groups: int,
    form: str,
    policy: Policy,
    tree: Tree | None,
    *,
    level: int | None = None,
) -> GroupColumn:
    """Return one quasi-identifier in the given form; `level` is set if the whole column is published at one level."""
    name, kind = values.name, column.kind or "label"
    if form in ("aggregate", "centers"):
        if kind in NUMBERS:
            return number_aggregates(name, column, values, labels)
        return label_aggregates(name, column, values, labels, n_groups, tree)
    if form == "suppress":
        return hidden_or_equal(name, kind, values, labels, n_groups)
    if tree is not None:
        return tree_nodes(name, tree, tree.ranks(values), labels, n_groups, level=level)
    if kind in NUMBERS:
        in_two = policy.ranges == "columns"
        return number_ranges(name, kind, values, labels, two_columns=in_two, step=column.round_ranges)
    if kind == "ordered":
        return order_ranges(name, column, values, labels, n_groups)
    return label_sets(name, kind, values, labels, n_groups)


def _at_center(column: GroupColumn, frame: pl.DataFrame, partition: Partition) -> GroupColumn:
    """Return the column with the values of each group's center record, because the published radius refers to it."""
    chosen = frame[column.name][np.asarray(partition.centers, dtype=np.int64)]
    return replace(column, published=pl.DataFrame({column.name: chosen}), exact_loss=None)


def _one_row_per_group(
    kept: pl.DataFrame,
    policy: Policy,
    partition: Partition,
    columns: tuple[GroupColumn, ...],
    labels: Ints,
    secret: Secret,
) -> Published:
    """Return one row per group, with the number of people and the counts of its sensitive values."""
    order = secret.permutation("classes", partition.n_groups)
    released = [
        series
        for column in columns
        for series in in_format(column.published, policy.columns[column.name])[order].get_columns()
    ]
    people = codes_of(kept[policy.person])[1] if policy.person else np.arange(len(kept))
    pairs = np.unique(np.stack([labels, people]), axis=1)
    released.append(pl.Series("people", np.bincount(pairs[0], minlength=partition.n_groups)[order]))
    if partition.radii is not None and len(partition.radii):
        # for a radius only the largest is published, for cellular cost each (Aggarwal et al. 2010, figure 1 c, d)
        shown = partition.radii if partition.method == "cellular" else np.full(len(order), partition.radii.max())
        released.append(pl.Series("radius", [rounded_up(float(radius)) for radius in shown[order]], dtype=pl.Float64))
    for name in policy.unchanged:
        domain, codes = codes_of(kept[name])
        groups = labels
        if policy.person:  # a person with one value in two rows counts once
            groups, _, codes = np.unique(np.stack([labels, people, codes]), axis=1)
        found = sets(domain, codes, groups, partition.n_groups)
        texts = []
        for a, b in zip(found.start[:-1].tolist(), found.start[1:].tolist(), strict=True):
            inside = zip(found.codes[a:b].tolist(), found.counts[a:b].tolist(), strict=True)
            texts.append(write_multiset((domain[code], count) for code, count in inside))
        released.append(pl.Series(name, texts, dtype=pl.String)[order])
    return Published(
        frame=_unique_names(released, policy),
        form="centers",
        rows=np.zeros(0, dtype=np.int64),
        groups=order,
        columns=columns,
    )


def _published_people(persons: pl.Series, column: Column, classes: Ints, secret: Secret) -> pl.Series:
    """Return the person column as published: numbers within classes, or if all rows of a person are alike, in all."""
    if column.pseudonym:
        return pl.Series(persons.name, _pseudonyms(persons, secret), dtype=pl.String)
    within = np.zeros_like(classes) if column.consistent else classes
    return pl.Series(persons.name, _numbers_within_classes(persons, within, secret))


def _pseudonyms(persons: pl.Series, secret: Secret) -> list[str]:
    """Return a keyed hash of every person, which nobody can compute or try out without the secret of the release."""
    domain, codes = codes_of(persons)
    names = [secret.pseudonym(person) for person in domain]
    if len(set(names)) < len(names):  # 80 bits: it will not happen, and would make one person of two
        raise SchemaError("two people have the same pseudonym.", "make the release again, with another secret.")
    return [names[code] for code in codes.tolist()]


def _numbers_within_classes(persons: pl.Series, classes: Ints, secret: Secret) -> Ints:
    """Return numbers 1 .. m for the m people of every equivalence class, in random order."""
    _, codes = codes_of(persons)
    pairs, inverse = np.unique(np.stack([classes, codes]), axis=1, return_inverse=True)
    group = pairs[0]
    order = np.lexsort((secret.stream("numbers of people", len(group)), group))
    start = np.searchsorted(group[order], group[order], side="left")
    number = np.empty(len(group), dtype=np.int64)
    number[order] = np.arange(len(group)) - start + 1
    return number[inverse.reshape(-1)]


def _unique_names(columns: list[pl.Series], policy: Policy) -> pl.DataFrame:
    """Return the released table; an error if two columns have one name, or one has the name of an identifier.

    A released column with an identifier's name would be taken for that identifier.
    """
    names = [column.name for column in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(
            f"the release would have two columns named {', '.join(twice)}.",
            "rename that column of the input, or choose another publication form.",
        )
    taken = [name for name in policy.named("identifier") if name in names]
    if taken:
        raise SchemaError(
            f"the release would add a column named {', '.join(taken)}, which is also the name of an identifier.",
            "rename or remove that column of the input, or choose another publication form.",
        )
    return pl.DataFrame(columns)
