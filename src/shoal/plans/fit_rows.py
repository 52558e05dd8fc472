"""Assigning the records of a new table to the classes of a plan.

Guarantee   A record is put only into a class whose cells contain all its values: the narrowest one (least penalty,
            then first in the plan), unless another class needs it to meet the requirements. Every class that is used
            meets them. Records that no class takes are suppressed (-1).
Complexity  O(r c d) bit operations for r different records, c classes and d columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.partition.group_labels import number_groups
from shoal.partition.result import Labels
from shoal.plans.column_cells import Column, column_of
from shoal.plans.join_cells import Joiner
from shoal.plans.plan import ANY, Cell, Node, Plan
from shoal.plans.share_rows import Broken, first_fit, settle
from shoal.plans.whole_people import of_people, short_of_keys
from shoal.policy import Policy
from shoal.publish.result import GroupColumn
from shoal.space.hierarchy import Tree
from shoal.space.hierarchy_sources import names_above
from shoal.tables.text import text_of

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The group of every row (-1: suppressed), the published cells of each group, and why rows were suppressed."""

    labels: Labels
    columns: tuple[GroupColumn, ...]
    n_unfit: int
    """The number of rows that fit no class of the plan."""
    n_combined: int
    """How many of them fit a cell of the plan in every column, but no class has these cells together."""
    n_short: int
    """The number of rows that fit some class, but none that meets the requirements in this table."""
    n_joined: int = 0
    """The number of classes that were merged with others."""
    outside: Mapping[str, int] = field(default_factory=dict)
    """For each column with values that are in no cell of the plan: the number of rows with such values."""

    @property
    def why_unfit(self) -> str:
        """Why rows fit no class: columns with values outside the plan, or combinations; empty if every row fits."""
        if not self.n_unfit:
            return ""
        counted = ", ".join(f"{name} ({n} row{'s' * (n != 1)})" for name, n in self.outside.items())
        alone = f"values are outside all cells of the plan in {counted}" if counted else ""
        combined = f"no class has the combination of values of {self.n_combined}" if self.n_combined else ""
        return "; ".join(filter(None, (alone, combined)))


def fit(
    plan: Plan,
    policy: Policy,
    frame: pl.DataFrame,
    trees: Mapping[str, Tree],
    broken: Broken,
    joined: Callable[[Labels], Labels] | None = None,
    people: Labels | None = None,
) -> Fitted:
    """Return every row of `frame` in a class of `plan` that meets the requirements, or suppressed.

    `joined` merges or suppresses groups until all meet the requirements; with it, classes that fail are merged before
    rows are suppressed. With `people`, the number of the person of each row, all rows of a person are put into one
    class, or suppressed. Every key set of the policy is met, unless classes are merged.
    """
    frame = _as_places(frame, policy) if plan.form == "generalize" else frame
    cells, classes = (plan.columns, plan.classes) if plan.levels is None else _at_levels(plan, policy, frame)
    names = list(plan.columns if plan.levels is None else plan.levels)
    columns = [column_of(frame[name], policy, plan, cells[name], trees.get(name)) for name in names]
    outside = {column.name: ~np.logical_or.reduce(column.fits, axis=0)[column.codes] for column in columns}
    table = np.array(classes, dtype=np.int64).reshape(len(classes), len(columns))
    width = sum((column.loss[table[:, j]] for j, column in enumerate(columns)), np.zeros(len(table)))
    table = table[np.argsort(width, kind="stable")]
    whose = np.arange(frame.height) if people is None else people
    assigned = columns if people is None else [of_people(column, people) for column in columns]
    codes = np.stack([column.codes for column in assigned], axis=1)
    records, record_of = np.unique(codes, axis=0, return_inverse=True)
    record_of = record_of.reshape(-1)
    narrowest = first_fit(records, assigned, table)
    short = short_of_keys(policy.keys, names, table)

    def broken_of_rows(labels: Labels) -> Flags:
        return broken(labels[whose])

    rows = settle(records, assigned, table, narrowest, record_of, broken_of_rows, policy.k, short)[whose]
    own = narrowest[record_of][whose]
    n_joined = 0
    if joined is not None and ((rows < 0) & (own >= 0)).any():
        before = np.where(rows < 0, own, rows)
        labels = joined(number_groups(before))
        columns, table, rows, n_joined = _as_joined(
            plan, policy, frame, trees, {name: cells[name] for name in names}, table, before, labels
        )
    labels = number_groups(rows)
    group_class = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    group_class[labels[labels >= 0]] = rows[labels >= 0]
    by_name = {column.name: column.published(table[group_class, j]) for j, column in enumerate(columns)}
    n_unfit = int(np.count_nonzero(own < 0))
    return Fitted(
        labels,
        tuple(by_name[name] for name in policy.quasi),
        n_unfit=n_unfit,
        n_combined=n_unfit - int(np.count_nonzero(np.logical_or.reduce(list(outside.values())))),
        outside={name: n for name, rows in outside.items() if (n := int(np.count_nonzero(rows)))},
        n_short=int(np.count_nonzero(rows < 0)) - n_unfit,
        n_joined=n_joined,
    )


def _as_places(frame: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return the frame with longitudes from -180 to 180; a place with one missing coordinate is a missing place."""
    for name in policy.quasi:
        other = policy.columns[name].longitude
        if other is not None:
            latitude, longitude = (pl.col(one).cast(pl.Float64) for one in (name, other))
            there = latitude.is_finite().fill_null(False) & longitude.is_finite().fill_null(False)
            turned = pl.when(longitude > 180).then(longitude - 360).otherwise(longitude)
            frame = frame.with_columns(
                pl.when(there).then(latitude).alias(name), pl.when(there).then(turned).alias(other)
            )
    return frame


def _as_joined(
    plan: Plan,
    policy: Policy,
    frame: pl.DataFrame,
    trees: Mapping[str, Tree],
    cells: dict[str, tuple[Cell, ...]],
    table: Labels,
    before: Labels,
    labels: Labels,
) -> tuple[list[Column], Labels, Labels, int]:
    """Return the columns and classes after merging, the class of every row, and how many classes were merged."""
    kept = labels >= 0
    pairs = np.unique(np.stack([labels[kept], before[kept]], axis=1), axis=0)
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
    of_group = np.split(pairs[:, 1], starts[1:])
    joiners = [Joiner(frame[name], policy, plan) for name in cells]
    places = [{cell: place for place, cell in enumerate(column)} for column in cells.values()]
    lists = [list(column) for column in cells.values()]
    areas = _areas(plan, policy, list(cells))
    made = []
    for classes in of_group:
        own = [[lists[j][place] for place in table[classes, j].tolist()] for j in range(len(joiners))]
        joint = [join(list(dict.fromkeys(some))) for join, some in zip(joiners, own, strict=True)]
        for area in areas:
            # areas are nested or disjoint, and stay so only if one of them contains the others
            if tuple(joint[j] for j in area) not in set(zip(*(own[j] for j in area), strict=True)):
                for j in area:
                    joint[j] = ANY
        row = []
        for j, cell in enumerate(joint):
            if cell not in places[j]:
                places[j][cell] = len(lists[j])
                lists[j].append(cell)
            row.append(places[j][cell])
        made.append(row)
    different, class_of = np.unique(np.array(made, dtype=np.int64), axis=0, return_inverse=True)
    columns = [
        column_of(frame[name], policy, plan, tuple(column), trees.get(name))
        for name, column in zip(cells, lists, strict=True)
    ]
    rows = np.where(kept, class_of.reshape(-1)[labels], -1)
    return columns, different, rows, sum(len(classes) for classes in of_group if len(classes) > 1)


def _areas(plan: Plan, policy: Policy, names: list[str]) -> list[tuple[int, ...]]:
    """Return the indices of columns that are published as areas: regions of a map, or latitude with longitude."""
    if plan.form != "generalize":
        return []
    found: list[tuple[int, ...]] = []
    for name in names:
        column = policy.columns[name]
        if column.longitude is not None:
            found.append((names.index(name), names.index(column.longitude)))
        elif column.map is not None:
            found.append((names.index(name),))
    return found


def _at_levels(
    plan: Plan, policy: Policy, frame: pl.DataFrame
) -> tuple[dict[str, tuple[Cell, ...]], list[tuple[int, ...]]]:
    """Return the cells and classes that a full-domain plan's levels give to these rows.

    A value that is not in the hierarchy has no cell.
    """
    assert plan.levels is not None
    cells: dict[str, tuple[Cell, ...]] = {}
    places = []
    for name, level in plan.levels.items():
        source = policy.columns[name].hierarchy
        texts = text_of(frame[name])
        if source is not None:
            length = plan.hierarchies[name].length if name in plan.hierarchies else None
            names = names_above(frame[name], source, length=length, least_level=policy.columns[name].least_level)
        else:
            names = {text: [text] for text in texts.drop_nulls().unique().to_list()}
        top = max((len(path) for path in names.values()), default=1)
        of_text: dict[str | None, Cell] = {
            text: ANY if level >= top else Node(node=path[level], level=level) for text, path in names.items()
        }
        of_text[None] = ANY if level >= top else None
        if level >= top:
            of_text |= dict.fromkeys(texts.drop_nulls().unique().to_list(), ANY)
        different = {cell: place for place, cell in enumerate(dict.fromkeys(of_text.values()))}
        cells[name] = tuple(different)
        of_place = {text: different[cell] for text, cell in of_text.items()}
        places.append([of_place.get(text, -1) for text in texts.to_list()])
    classes = sorted({row for row in zip(*places, strict=True) if min(row) >= 0})
    return cells, classes
