"""Making the plan of a release."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import date

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._version import __version__
from shoal.errors import ParameterError
from shoal.plans.plan import ANY, AnyOf, Cell, Mark, Node, Plan, Span
from shoal.policy import Policy
from shoal.publish.notation import OR_MISSING
from shoal.publish.result import GroupColumn, Published
from shoal.space.hierarchy import Tree
from shoal.space.hierarchy_sources import file_rows
from shoal.tables.text import text_of


def plan_of(
    policy: Policy,
    published: Published,
    trees: Mapping[str, Tree],
    *,
    method: str,
    levels: Mapping[str, int] | None = None,
    origins: Mapping[str, date] | None = None,
) -> Plan:
    """Return the plan of a release in the form generalize or suppress.

    `levels` is given for a full-domain release, in which each whole column is published at one level. `origins` has
    the first day of the newest period of each column whose cells move with it.
    """
    if published.form not in ("generalize", "suppress"):
        raise ParameterError(
            f"a release of the form {published.form} has no plan: its groups have no limits with which a new record "
            "could be compared.",
            "use publication=generalize.",
        )
    settings = policy.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    settings.pop("seed", None)
    columns: dict[str, tuple[Cell, ...]] = {}
    numbers = []
    # all groups, not one per published class: a hidden cell and the label "*" have the same text
    every = np.arange(len(published.columns[0].loss))
    for column in published.columns if levels is None else ():
        groups, kind = _kinds(column, every)
        cells = [_cell(column, group, trees.get(column.name)) for group in groups]
        different = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
        columns[column.name] = tuple(different)
        numbers.append(np.array([different[cell] for cell in cells])[kind].tolist())
    return Plan(
        shoal=__version__,
        form=published.form,  # type: ignore[arg-type]
        method=method,
        policy={"k": policy.k} | settings,
        hierarchies=marks(policy, trees),
        levels=None if levels is None else dict(levels),
        legends=published.legends or None,
        origins=dict(origins) if origins else None,
        columns=columns,
        # sorted, because the order of the groups reveals the order of the rows
        classes=tuple(sorted(set(zip(*numbers, strict=True)))),
    )


def marks(policy: Policy, trees: Mapping[str, Tree]) -> dict[str, Mark]:
    """Return a fingerprint of every hierarchy from a file or of codes, by which a plan recognizes it."""
    found = {}
    for name in policy.quasi:
        source = policy.columns[name].hierarchy
        if source is not None and source.file is not None:
            lines = "\n".join("\x1f".join(row) for row in file_rows(name, source.file))
            found[name] = Mark(sha256=hashlib.sha256(lines.encode()).hexdigest())
        elif source is not None and source.prefix and name in trees:
            codes = [leaf for leaf in trees[name].leaf_labels if leaf is not None]
            found[name] = Mark(length=max(map(len, codes), default=0))
    return found


def _kinds(column: GroupColumn, groups: npt.NDArray[np.int64]) -> tuple[list[int], npt.NDArray[np.int64]]:
    """Return one group of each kind of equal cells, and the kind of every group."""
    no_value = None if column.value is None else np.isnan(column.value)
    known = (column.level, column.cell, column.loss >= 1, no_value, column.or_missing)
    shown = column.published[groups].get_columns()
    parts = [*shown, *(pl.Series(part[groups]) for part in known if part is not None)]
    keys = pl.DataFrame([part.alias(str(place)) for place, part in enumerate(parts)]).with_row_index("group")
    alike = keys.group_by(pl.exclude("group"), maintain_order=True).agg("group").get_column("group")
    kind = np.empty(len(groups), dtype=np.int64)
    kind[alike.explode().to_numpy()] = np.repeat(np.arange(len(alike)), alike.list.len().to_numpy())
    return groups[alike.list.first().to_numpy()].tolist(), kind


def _cell(column: GroupColumn, group: int, tree: Tree | None) -> Cell:
    """Return the cell of a group in a column."""
    if column.low is not None:
        return _span(column, group)
    text = column.published[column.name][group]
    if column.level is not None and tree is not None:
        level = int(column.level[group])
        if text is None:
            return None
        if text == ANY and level == tree.n_levels:
            return ANY
        missing = column.or_missing is not None and bool(column.or_missing[group])
        return Node(node=text.removesuffix(OR_MISSING) if missing else text, level=level, missing=missing)
    assert column.cell is not None
    assert column.domain is not None
    assert column.member_start is not None
    assert column.members is not None
    if text == ANY and column.loss[group] >= 1:
        return ANY
    cell = int(column.cell[group])
    inside = column.members[column.member_start[cell] : column.member_start[cell + 1]]
    return AnyOf(any_of=tuple(column.domain[code] for code in inside.tolist()))


def _span(column: GroupColumn, group: int) -> Cell:
    """Return a range as it was published, with the digits that were written."""
    cells = column.published.row(group)
    missing = column.or_missing is not None and bool(column.or_missing[group])
    if len(cells) > 1:  # the lower and the upper end, each in its own column
        if cells[0] is None:
            return None
        low, high = (str(text_of(ends[group : group + 1])[0]) for ends in column.published.get_columns()[:2])
        return Span(low=low, high=high, missing=missing)
    text = cells[0]
    if text is None or text == ANY:
        return ANY if text else None
    stated = text.removesuffix(OR_MISSING).removeprefix("[").removesuffix("]")
    low_text, _, high_text = stated.partition(", ")
    return Span(low=low_text, high=high_text or low_text, missing=missing)
