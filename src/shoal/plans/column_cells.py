"""One quasi-identifier of a new table compared with the cells of a plan: which values fit each cell, and its loss."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.plans.ends import End, Exact, as_float, end_of, misfit, typed
from shoal.plans.plan import ANY, AnyOf, Cell, Node, Plan, Span
from shoal.policy import Policy
from shoal.publish.generalize import or_missing, order_text
from shoal.publish.group_values import Floats, Ints, codes_of
from shoal.publish.notation import OR_MISSING, write_alone, write_set
from shoal.publish.result import GroupColumn, Legend
from shoal.space.hierarchy import Tree
from shoal.space.hierarchy_sources import names_above

NUMBERS = ("number", "date", "place")
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The cells of a plan compared with a column: the code of every row's value, whether a cell contains a value
    (`fits[cell, code]`), and the loss of every cell.

    `published` returns what is released for groups with the given cells.
    """

    name: str
    codes: Ints
    fits: Bools
    loss: Floats
    published: Callable[[Ints], GroupColumn]


def column_of(values: pl.Series, policy: Policy, plan: Plan, cells: tuple[Cell, ...], tree: Tree | None) -> Column:
    """Return the cells of a plan compared with a column; raise a ParameterError if they do not fit its kind."""
    column = policy.columns[values.name]
    if plan.form == "generalize" and column.hierarchy is not None and tree is not None:
        mark = plan.hierarchies.get(values.name)
        length, least = mark.length if mark else None, column.least_level
        return _nodes(values, cells, tree, names_above(values, column.hierarchy, length=length, least_level=least))
    if plan.form == "generalize" and plan.levels is None and column.kind in NUMBERS:
        area, around = values.name in paired(policy), values.name in longitudes(policy)
        return _ranges(values, cells, two_columns=policy.ranges == "columns" and not area, around=around)
    order = column.order if column.kind == "ordered" else None
    ordered = column.kind == "ordered" and plan.form == "generalize"
    return _labels(values, cells, order, ordered=ordered, legend=(plan.legends or {}).get(values.name))


def longitudes(policy: Policy) -> set[str]:
    """Return the columns of longitudes, which are published together with their latitudes as areas."""
    return {column.longitude for column in policy.columns.values() if column.longitude is not None}


def paired(policy: Policy) -> set[str]:
    """Return the columns published as areas; their ranges are always in brackets."""
    return longitudes(policy) | {name for name, column in policy.columns.items() if column.longitude is not None}


# -- numbers and dates -------------------------------------------------------------------------------------------


def _ranges(values: pl.Series, cells: tuple[Cell, ...], *, two_columns: bool, around: bool = False) -> Column:
    """Return ranges compared with a column; with `around`, a range of longitudes may cross the date line."""
    exact = Exact.of(values)
    n, dtype = len(exact.values), values.dtype
    edges = [place for place, value in enumerate(exact.values) if abs(value) == 180] if around else []
    fits = np.zeros((len(cells), n + 1), dtype=bool)
    low, high = np.full(len(cells), np.nan), np.full(len(cells), np.nan)
    for place, cell in enumerate(cells):
        if cell == ANY:
            fits[place] = True
        elif isinstance(cell, Span):
            ends = end_of(values.name, cell.low, dtype), end_of(values.name, cell.high, dtype)
            first, last = bisect_left(exact.values, ends[0]), bisect_right(exact.values, ends[1])
            if around and ends[0] > ends[1]:
                fits[place, first:n] = fits[place, :last] = True
            else:
                fits[place, first:last] = True
            if around:  # 180 degrees west and 180 degrees east are the same meridian
                fits[place, edges] = any(_between(side, *ends) for side in (-180, 180))
            fits[place, n] = cell.missing
            low[place], high[place] = (as_float(end, dtype) for end in ends)
        elif cell is None:
            fits[place, n] = True
        else:
            raise misfit(values.name)
    crosses = low > high
    least, most = np.where(crosses, -180.0, low), np.where(crosses, 180.0, high)
    numbers = np.array([as_float(value, dtype) for value in (exact.values[:1] + exact.values[-1:])])
    known = np.concatenate([numbers, least[~np.isnan(least)], most[~np.isnan(most)]])
    span = float(np.ptp(known)) if len(known) else 0.0
    hidden, mixed = np.array([cell == ANY for cell in cells], dtype=bool), _or_missing(cells)
    wide = np.where(crosses, high + 360 - low, high - low) / span if span > 0 else np.zeros(len(cells))
    share = np.minimum(np.nan_to_num(wide), 1.0)
    loss = np.where(hidden, 1.0, np.where(mixed, or_missing(share), share))

    def published(cell: Ints) -> GroupColumn:
        hide = np.where(hidden[cell], np.nan, 1.0)
        return GroupColumn(
            name=values.name,
            kind="date" if dtype.is_temporal() else "number",
            loss=loss[cell],
            published=_in_two(values, cells, cell) if two_columns else _in_brackets(values.name, cells, cell),
            low=least[cell] * hide,
            high=most[cell] * hide,
            value=(least / 2 + most / 2)[cell] * hide,
            or_missing=mixed[cell],
        )

    return Column(values.name, exact.codes, fits, loss, published)


def _between(longitude: int, west: End, east: End) -> bool:
    return west <= longitude <= east if west <= east else longitude >= west or longitude <= east


def _or_missing(cells: tuple[Cell, ...]) -> Bools:
    """Return, per cell, whether it is a range or node that says "or missing"."""
    return np.array([isinstance(cell, Span | Node) and cell.missing for cell in cells], dtype=bool)


def _in_brackets(name: str, cells: tuple[Cell, ...], chosen: Ints) -> pl.DataFrame:
    """Return the ranges as texts, as a release writes them."""
    texts = [_text(cell, ordered=False) for cell in cells]
    return pl.DataFrame({name: pl.Series(texts, dtype=pl.String)[chosen]})


def _in_two(values: pl.Series, cells: tuple[Cell, ...], chosen: Ints) -> pl.DataFrame:
    """Return the ends of the ranges in two columns and, if some values are missing, a third that says which.

    The ends have the column's own type, or one that can represent all of them.
    """
    ends = {}
    for end, name in (("low", f"{values.name}_min"), ("high", f"{values.name}_max")):
        texts = [getattr(cell, end) if isinstance(cell, Span) else None for cell in cells]
        ends[name] = typed(name, texts, values.dtype)[chosen]
    missing = np.array([cell is None for cell in cells], dtype=bool) | _or_missing(cells)
    if missing[chosen].any():
        ends[f"{values.name}_missing"] = pl.Series(missing[chosen])
    return pl.DataFrame(ends)


# -- labels and hierarchies --------------------------------------------------------------------------------------


def _labels(
    values: pl.Series,
    cells: tuple[Cell, ...],
    order: tuple[str, ...] | None,
    *,
    ordered: bool,
    legend: Legend | None = None,
) -> Column:
    """Return sets of labels, or single labels, compared with a column."""
    domain, codes = codes_of(values, order)
    named = [label for cell in cells if isinstance(cell, AnyOf) for label in cell.any_of]
    named += [cell.node for cell in cells if isinstance(cell, Node)]
    domain += tuple(dict.fromkeys(label for label in named if label not in set(domain)))
    place = {label: code for code, label in enumerate(domain)}
    fits = np.zeros((len(cells), len(domain)), dtype=bool)
    for row, cell in enumerate(cells):
        if isinstance(cell, Span) or (isinstance(cell, Node) and cell.level):
            raise misfit(values.name)
        if cell == ANY:
            fits[row] = True
        else:
            inside = cell.any_of if isinstance(cell, AnyOf) else [cell.node if isinstance(cell, Node) else None]
            fits[row, [place[label] for label in inside if label in place]] = True
    sizes = fits.sum(axis=1)
    hidden = np.array([cell == ANY for cell in cells], dtype=bool)
    mixed = np.zeros(len(cells), dtype=bool)
    if ordered:
        missing = fits[:, place[None]] if None in place else mixed
        mixed = missing & (sizes > 1) & ~hidden
        share = np.minimum((sizes - missing - 1) / max(len(domain) - (None in place) - 1, 1), 1.0)
        share = np.where(mixed, or_missing(share), share)
    else:
        share = np.minimum(sizes / len(domain), 1.0)
    loss = np.where(hidden, 1.0, np.where(sizes > 1, share, 0.0))
    texts = [_text(_named(cell, legend), ordered=ordered) for cell in cells]
    made = _with_members(values.name, "ordered" if ordered else "label", codes, fits, loss, texts, domain)
    return replace(made, published=lambda cell: replace(made.published(cell), legend=legend, or_missing=mixed[cell]))


def _named(cell: Cell, legend: Legend | None) -> Cell:
    """Return a set of labels as the names of the classes in which the labels are published."""
    if legend is None or not isinstance(cell, AnyOf):
        return cell
    contained = set(cell.any_of)
    return AnyOf(any_of=tuple(name for name, own in legend if contained.issuperset(own)))


def _nodes(values: pl.Series, cells: tuple[Cell, ...], tree: Tree, names: Mapping[str, Sequence[str]]) -> Column:
    """Return nodes of a hierarchy compared with a column; `names` are those on every level above each value."""
    levels = max((len(path) for path in names.values()), default=1)
    at = [
        {path[0]: _number(path[h]) if h == 0 else path[h] for path in names.values() if h < len(path)}
        for h in range(levels)
    ]
    fits = np.zeros((len(cells), tree.n_leaves), dtype=bool)
    level = np.zeros(len(cells), dtype=np.int64)
    for row, cell in enumerate(cells):
        if isinstance(cell, Span | AnyOf) or (isinstance(cell, Node) and cell.level >= levels):
            raise misfit(values.name)
        if isinstance(cell, Node):
            wanted = _number(cell.node) if cell.level == 0 else cell.node
            here, level[row] = at[cell.level], min(cell.level, tree.n_levels)
            fits[row] = [cell.missing if leaf is None else here.get(leaf) == wanted for leaf in tree.leaf_labels]
        elif cell == ANY:
            fits[row], level[row] = True, tree.n_levels
        else:
            fits[row] = [leaf is None for leaf in tree.leaf_labels]
    mixed = _or_missing(cells)
    loss = np.where(level > 0, fits.sum(axis=1) / max(tree.n_leaves, 1), 0.0)
    made = _with_members(
        values.name,
        "hierarchy",
        tree.ranks(values),
        fits,
        np.where(mixed | [cell == ANY for cell in cells], 1.0, loss),
        [_text(cell, ordered=False) for cell in cells],
        tree.leaf_labels,
    )
    return replace(
        made, published=lambda cell: replace(made.published(cell), level=level[cell], or_missing=mixed[cell])
    )


def _with_members(
    name: str,
    kind: str,
    codes: Ints,
    fits: Bools,
    loss: Floats,
    texts: list[str | None],
    domain: tuple[str | None, ...],
) -> Column:
    """Return a column of texts whose cells stand for the codes that fit them."""
    written = pl.Series(name, texts, dtype=pl.String)

    def published(cell: Ints) -> GroupColumn:
        used, place = np.unique(cell, return_inverse=True)
        contained = fits[used]
        return GroupColumn(
            name=name,
            kind=kind,  # type: ignore[arg-type]
            loss=loss[cell].astype(np.float64),
            published=pl.DataFrame({name: written[cell]}),
            domain=domain,
            cell=place.reshape(-1).astype(np.int64),
            member_start=np.concatenate(([0], np.cumsum(contained.sum(axis=1)))).astype(np.int64),
            members=np.nonzero(contained)[1].astype(np.int64),
        )

    return Column(name, codes, fits, loss, published)


def _text(cell: Cell, *, ordered: bool) -> str | None:
    """Return the cell as a release writes it."""
    if isinstance(cell, AnyOf):
        labels = cell.any_of
        if len(labels) == 1:
            return write_alone(labels[0])
        if not ordered:
            return write_set(labels)
        present = [label for label in labels if label is not None]
        return order_text(present[0], present[-1], missing=None in labels)
    if isinstance(cell, Span):
        stated = cell.low if cell.low == cell.high else f"[{cell.low}, {cell.high}]"
        return stated + OR_MISSING * cell.missing
    if isinstance(cell, Node):
        return cell.node + OR_MISSING * cell.missing
    return ANY if cell == ANY else None


def _number(text: str) -> str | Decimal:
    """Return a value in the form in which it is compared: 33 and 33.0 are equal."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return text
