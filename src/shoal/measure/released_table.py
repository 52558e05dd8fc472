"""Reading a released table as an attacker does: its equivalence classes, and what each published cell may stand for.

`[a, b]` is a range of numbers, dates or ordered values, `{a, b}` a set of labels, `*` anything; a node of a hierarchy
is any leaf below it, a class of labels any of its labels, and any other text is the value itself. What ends in
` or missing` may also stand for a missing value.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.certify.legend import Classes
from shoal.certify.multiset import parse as read_multiset
from shoal.errors import SchemaError
from shoal.measure.column_views import NUMBERS, as_floats, codes_in, finite
from shoal.measure.equivalence_classes import Bools, Floats, Ints, numbered
from shoal.measure.notation import read_range, read_set, without_missing
from shoal.measure.published_cells import LabelCells, NumberCells, PublishedCells
from shoal.policy import Policy
from shoal.publish.group_values import days
from shoal.publish.notation import HIDDEN, OR_MISSING
from shoal.requirements.counts import Counts, Sparse, collect, count
from shoal.requirements.from_policy import records_of
from shoal.requirements.sensitive_codes import sensitive_codes
from shoal.requirements.spelling import one_spelling
from shoal.roles.kinds import as_kind
from shoal.space.hierarchy import Tree
from shoal.tables.text import text_of

_OFFSET = r"[+-]\d\d:\d\d$"
RADIUS = "_radius_m"
METERS = 111_195.0  # the length of a degree of latitude
PEOPLE = "people"  # the column in the form `centers` with the number of people in the group


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedTable:
    """The released cells of every class, by column; the people of every class; and the class of every row."""

    cells: Mapping[str, pl.Series]
    counts: Counts
    of_row: Ints
    centers: bool
    """Whether a row stands for a whole group (the form `centers`)."""


def read_release(released: pl.DataFrame, original: pl.DataFrame, policy: Policy) -> ReleasedTable:
    """Return the equivalence classes of a released table, with the people in them."""
    there = set(released.columns)
    parts = [part for name in policy.quasi for part in _parts(there, name, policy)]
    parts += [part for name in policy.quasi if (part := f"{name}{RADIUS}") in there]
    of_row = numbered(released.select(parts), len(released))
    _, first = np.unique(of_row, return_index=True)
    cells = {part.name: part for part in released.select(parts)[first].get_columns()}
    if PEOPLE in there and PEOPLE not in original.columns:
        return ReleasedTable(cells, _counted_centers(released, of_row, original, policy), of_row, centers=True)
    counted = {name: policy.columns[name] for name in policy.named("sensitive", "person") if name in there}
    values = [typed(released[name], original[name].dtype) for name in counted]
    records = records_of(policy.model_copy(update={"columns": counted}), pl.DataFrame(values))
    return ReleasedTable(cells, count(of_row, records), of_row, centers=False)


def _parts(released: Container[str], name: str, policy: Policy) -> list[str]:
    """Return the released columns of a quasi-identifier: itself, or both ends of its range; and, if there is one, the
    column that says whether values are missing, or how many.
    """
    ends, missing = [f"{name}_min", f"{name}_max"], f"{name}_missing"
    beside = [missing] if missing in released and missing not in policy.columns else []
    if name in released:
        return [name, *beside]
    if all(end in released for end in ends):
        return [*ends, *beside]
    raise SchemaError(
        f"the released table has no column {name}, which is a quasi-identifier.",
        "give the policy that the release was made with.",
    )


def typed(published: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return published text as numbers or dates, if the original column has these."""
    if published.dtype != pl.String or not (dtype.is_numeric() or dtype.is_temporal()):
        return published
    published = one_spelling(
        published
    )  # text published as it was read may have a decimal comma, or a blank instead of a T
    if dtype.is_temporal() and published.str.contains(_OFFSET).any():
        return published.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", strict=False, time_unit="us")
    return as_kind(published, "number" if dtype.is_numeric() else "date")


def _counted_centers(released: pl.DataFrame, of_row: Ints, original: pl.DataFrame, policy: Policy) -> Counts:
    """Return the counts of the form `centers`, whose rows have the number of people and multisets of sensitive
    values.
    """
    n_classes = int(of_row.max(initial=-1)) + 1
    people = np.bincount(of_row, weights=released[PEOPLE].cast(pl.Float64).to_numpy(), minlength=n_classes)
    sensitive: dict[str, Sparse] = {}
    totals: dict[str, Ints] = {}
    missing: dict[str, int] = {}
    for name in policy.sensitive:
        if name not in released.columns:
            continue
        multisets = [read_multiset(text) for text in released[name].cast(pl.String).to_list()]
        unread = sum(not multiset for multiset in multisets)
        if unread:
            raise SchemaError(
                f"column {name} of the released table has {unread} rows that are not a multiset of values.",
                "give the policy that the release was made with.",
            )
        read = [multiset or {} for multiset in multisets]
        values = pl.Series(name, [label for row in read for label in row], dtype=pl.String)
        coded = sensitive_codes(typed(values, original[name].dtype), policy.columns[name], in_order=False)
        if coded.missing is not None:
            missing[name] = coded.missing
        times = np.array([count for row in read for count in row.values()], dtype=np.int64)
        codes, groups = np.repeat(coded.codes, times), np.repeat(np.repeat(of_row, [len(row) for row in read]), times)
        sensitive[name] = collect(groups, codes, n_classes)
        totals[name] = np.bincount(codes).astype(np.int64)
    return Counts(people.astype(np.int64), sensitive, totals, {}, missing)


def release_cells(
    release: ReleasedTable,
    policy: Policy,
    values: pl.Series,
    attacked: Ints,
    tree: Tree | None,
    classes: Classes | None = None,
) -> PublishedCells:
    """Return the cells of one quasi-identifier, to be compared with the `attacked` ones of its original `values`."""
    name = values.name
    parts = [release.cells[part] for part in _parts(release.cells, name, policy)]
    kind = policy.columns[name].kind
    if tree is None and kind in NUMBERS:
        x = as_floats(values, policy, name)
        read = _brackets if parts[0].name == name else _two_columns
        low, high, hidden, or_missing = read(parts, as_kind(values, kind).dtype)
        hidden = hidden | (low > high)  # a range across the date line is treated as hidden
        low, high = _around(release, policy, name, low, high)
        present = x[np.isfinite(x)]
        span = float(np.ptp(present)) if len(present) else 0.0
        return NumberCells(x[attacked], low, high, (low + high) / 2, hidden, or_missing, span)
    return _label_cells(parts[0], policy, values, attacked, tree, classes)


def _around(release: ReleasedTable, policy: Policy, name: str, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the ranges widened by the radius in degrees, if places are published as circles."""
    latitude = next((one for one, column in policy.columns.items() if name in (one, column.longitude)
                     and f"{one}{RADIUS}" in release.cells), None)  # fmt: skip
    if latitude is None:
        return low, high
    reach = _floats(release.cells[f"{latitude}{RADIUS}"], pl.Float64()) / METERS
    if name != latitude:
        farthest = np.minimum(np.abs(_floats(release.cells[latitude], pl.Float64())) + reach, 89.9)
        reach = np.minimum(reach / np.cos(np.radians(farthest)), 180.0)
    return low - reach, high + reach


def _two_columns(parts: list[pl.Series], dtype: pl.DataType) -> tuple[Floats, Floats, Bools, Bools]:
    """Return low, high, whether the value is hidden and whether it may also be missing, from columns `x_min`, `x_max`
    and, where values are missing, `x_missing`.
    """
    low, high = (_floats(part, dtype) for part in parts[:2])
    nowhere = np.zeros(len(low), dtype=bool)
    if len(parts) == 2:
        # older releases have the whole range for groups in which some values are missing and others are not
        widest = (low == np.nanmin(low, initial=np.inf)) & (high == np.nanmax(high, initial=-np.inf)) & (low < high)
        return low, high, widest, nowhere
    some = (parts[2].cast(pl.String).str.to_lowercase() == "true").fill_null(False).to_numpy()
    return low, high, nowhere, some & ~np.isnan(low)


def _brackets(parts: list[pl.Series], dtype: pl.DataType) -> tuple[Floats, Floats, Bools, Bools]:
    """Return low, high, whether the value is hidden and whether it may also be missing, from texts `[a, b]`, `*` or a
    single value, perhaps followed by ` or missing`.
    """
    published = parts[0]
    if published.dtype != pl.String or len(parts) > 1:  # means, perhaps with the number of missing values
        value, nowhere = _floats(published, dtype), np.zeros(len(published), dtype=bool)
        some = parts[1].cast(pl.Int64).fill_null(0).to_numpy() > 0 if len(parts) > 1 else nowhere
        return value, value, nowhere, some & ~np.isnan(value)
    text = published.str.strip_chars()
    or_missing = text.str.ends_with(OR_MISSING).fill_null(False).to_numpy()
    text = text.str.strip_suffix(OR_MISSING)
    hidden = (text == HIDDEN).fill_null(False)
    is_range = text.str.starts_with("[").fill_null(False)
    ends = text.str.extract_groups(r"^\[(?<low>[^,]+), (?<high>[^,]+)\]$").struct
    plain = pl.select(pl.when(~hidden & ~is_range).then(text)).to_series()
    exact = _floats(plain, dtype)
    low, high = (np.where(is_range.to_numpy(), _floats(ends.field(end), dtype), exact) for end in ("low", "high"))
    unread = int(np.count_nonzero(np.isnan(low) & ~hidden.to_numpy() & text.is_not_null().to_numpy()))
    if unread:
        raise SchemaError(
            f"column {published.name} of the released table has {unread} cells that are neither a value nor a range.",
            "give the policy that the release was made with.",
        )
    return low, high, hidden.to_numpy(), or_missing


def _floats(published: pl.Series, dtype: pl.DataType) -> Floats:
    """Return numbers, or dates as days since 1970; NaN if missing or not readable."""
    return finite(days(typed(published, dtype)))


def _label_cells(
    published: pl.Series,
    policy: Policy,
    values: pl.Series,
    attacked: Ints,
    tree: Tree | None,
    classes: Classes | None,
) -> LabelCells:
    """Return the cells of a column of labels; every different text is read once."""
    domain = tree.leaf_labels if tree is not None else _ordered(values, policy)
    place = {label: code for code, label in enumerate(domain)}
    nodes: dict[str | None, Ints] = {}
    nodes.update(_nodes(tree))
    for name, own in classes or ():
        nodes[name] = np.array([place[label] for label in own if label in place], dtype=np.int64)
    texts = published.cast(pl.String)
    distinct = texts.unique(maintain_order=True)
    sets = [_members(text, place, nodes) for text in distinct.to_list()]
    return LabelCells(
        codes=codes_in(domain, values[attacked] if tree is None else tree.as_leaves(values[attacked])),
        cell=codes_in(tuple(distinct.to_list()), texts),
        start=np.concatenate([[0], np.cumsum([len(members) for members in sets])]).astype(np.int64),
        members=np.concatenate([np.zeros(0, dtype=np.int64), *sets]),
        hidden=(distinct == HIDDEN).fill_null(False).to_numpy(),
        n_labels=len(domain),
        missing=domain.index(None) if None in domain else -1,
    )


def _ordered(values: pl.Series, policy: Policy) -> tuple[str | None, ...]:
    """Return all labels in the column's order, missing last."""
    order = policy.columns[values.name].order
    present = list(order) if order else text_of(values.drop_nulls().unique().sort()).to_list()
    return (*present, None)


def _nodes(tree: Tree | None) -> Mapping[str, Ints]:
    """Return the leaves below every node, by its name; a name on several levels stands for all of them."""
    found: dict[str, list[Ints]] = {}
    if tree is None:
        return {}
    for level, names in enumerate(tree.node_names):
        start = np.searchsorted(tree.ancestors[:, level], np.arange(len(names) + 1))
        for node, name in enumerate(names):
            if name is not None:
                found.setdefault(name, []).append(np.arange(start[node], start[node + 1]))
    return {name: np.unique(np.concatenate(leaves)) for name, leaves in found.items()}


def _members(text: str | None, place: Mapping[str | None, int], nodes: Mapping[str | None, Ints]) -> Ints:
    """Return the codes that a published text may stand for; none for a hidden cell, which may be any."""
    if text == HIDDEN:
        return np.zeros(0, dtype=np.int64)
    if text in nodes:
        return nodes[text]
    if text in place:
        return np.array([place[text]])
    stated, or_missing = without_missing(text or "")
    missing = np.array([place[None]] if or_missing and None in place else [], dtype=np.int64)
    if stated in nodes:
        return np.union1d(nodes[stated], missing)
    ends = read_range(stated)
    if ends is not None and ends[0] in place and ends[1] in place:
        return np.union1d(np.arange(place[ends[0]], place[ends[1]] + 1), missing)
    listed = [nodes.get(label, np.array([place[label]] if label in place else [])) for label in read_set(text or "")]
    return np.concatenate([np.zeros(0, dtype=np.int64), *listed]).astype(np.int64)
