"""Synthetic rows of a release: every row is drawn anew from the published cells and values of its own group.

Guarantee   The rows are a function of the released table, its public policy and legend, and random numbers that are
            independent of everything else; no original value is read. So whoever has the release learns nothing
            more from them (SYNTHETIC-1, docs/proofs/synthetic.md). They are not groups of equal rows, and no k is
            claimed of them by themselves.

Row i is drawn for row i of the release. A quasi-identifier is drawn from the cell: evenly from a range, by estimated
frequencies from a set of labels; the node of a hierarchy stays as it is. The values of every other column, and whole
sets of items, are dealt out anew within the group, so each group keeps all of them. With "marginals" every column is
drawn by itself; with "copula", numbers, dates and ordered values follow one another as they do in the whole release.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.codebook.kinds import HIDDEN, INTERVALS, Stated
from shoal.certify.date_cells import check_dates
from shoal.certify.equivalence_classes import class_ids
from shoal.certify.legend import Classes
from shoal.certify.number_cells import check_numbers
from shoal.certify.recoded import without_marks
from shoal.certify.released_columns import sort_columns
from shoal.policy import Policy
from shoal.results.interval_cells import interval_columns
from shoal.results.label_cells import label_columns, node_columns, order_columns
from shoal.results.synthetic_cells import (
    Cells,
    GridCells,
    WideCells,
    as_released,
    ends_of,
    interval_cells,
    label_cells,
    order_cells,
)
from shoal.results.typed_values import dates, numbers
from shoal.secret import Secret
from shoal.tables.text import as_written

if TYPE_CHECKING:
    from shoal.policy import Synthetic

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MISSING_SHARE = 0.5
"""How often a cell "or missing" is drawn as missing. The release says that some are and some are not, and no more."""
_NANOSECONDS = r"\.\d{7}"
"""Times finer than a microsecond, of which only the ends of ranges can be drawn."""
DECIMALS = 3
"""The correlations of a copula are rounded to so many decimals, so that no rounding of sums can change a row."""
SHRUNK = 0.995
"""Correlations are multiplied by this, so that columns that determine one another can still be drawn."""


def synthetic_rows(
    released: pl.DataFrame,
    policy: Policy,
    stated: Mapping[str, Stated],
    legend: Mapping[str, Classes],
    *,
    variant: Synthetic,
    secret: Secret,
) -> pl.DataFrame:
    """Return one synthetic row for every row of `released`, in the same order, without a person column.

    `policy` is the public one of the certificate. `stated` has the kinds of the quasi-identifiers, as the data
    package of the release states them.
    """
    texts = as_written(released)
    plain = check_dates(check_numbers(without_marks(texts, policy), policy)[0], policy)[0]
    groups = class_ids(
        texts.select(sort_columns(texts.columns, policy, "generalize", texts.height).quasi), texts.height
    )
    cells = {name: _every_cell(name, texts, plain, policy, stated[name], legend.get(name)) for name in policy.quasi}
    kept = [name for name in released.columns if name in policy.unchanged or name == policy.set_column]
    ordered = [name for name in kept if name != policy.set_column]  # sets have no order, even if all are one number
    scores = _scores(cells, released.select(ordered), secret) if variant == "copula" else {}
    found: dict[str, pl.Series] = {}
    for name, own in cells.items():
        drawn = _drawn(own, _uniform(secret, f"synthetic cells of {name}", len(groups), scores.get(name)), secret)
        column = policy.columns[name]
        drawn = _as_ends(drawn, name, texts, released)
        found[name] = as_released(drawn, column, marked=policy.ranges == "brackets")
    for name in kept:
        ranks = _order_of(released[name]) if name in scores else None
        found[name] = released[name][_dealt(groups, name, secret, ranks, scores.get(name))]
    return pl.DataFrame([found[name].alias(name) for name in _names(released.columns, policy)])


def _names(released: list[str], policy: Policy) -> list[str]:
    """Return the columns of the synthetic table, in the order of the release; two ends of a range are one column."""
    found: dict[str, None] = {}
    published = policy.unchanged
    for name in released:
        base = name if name in policy.columns else name.removesuffix("_min")
        if base in policy.quasi or base in published or base == policy.set_column:
            found[base] = None
    return list(found)


def _every_cell(
    name: str, texts: pl.DataFrame, plain: pl.DataFrame, policy: Policy, stated: Stated, classes: Classes | None
) -> Cells:
    """Return what the cells of a quasi-identifier leave open; every different cell is read once."""
    ends = [f"{name}_{end}" for end in ("min", "max", "missing")]
    shown = [name] if name in texts.columns else [end for end in ends if end in texts.columns]
    _, first, of_row = np.unique(class_ids(texts.select(shown), texts.height), return_index=True, return_inverse=True)
    own = _cells(name, texts[first], plain[first], policy, stated, classes)
    return own.of_rows(of_row.reshape(-1).astype(np.int64))


def _cells(
    name: str, texts: pl.DataFrame, plain: pl.DataFrame, policy: Policy, stated: Stated, classes: Classes | None
) -> Cells:
    """Return what the cells of a quasi-identifier leave open."""
    if name not in texts.columns:
        ends = [plain[f"{name}_{end}"] for end in ("min", "max")]
        beside = f"{name}_missing"
        missing = plain[beside] == "true" if beside in plain.columns else ends[0].is_null()
        if stated.kind == "date" and any(end.str.contains(_NANOSECONDS).any() for end in ends):
            return _either_end(name, texts[f"{name}_min"].to_list(), texts[f"{name}_max"].to_list(), missing)
        low, high = (_ends(end, stated) for end in ends)
        return interval_cells(name, low, high, missing, None, (ends[0].to_list(), ends[1].to_list()))
    if stated.kind in INTERVALS:
        columns = {one.name: one for one in interval_columns(name, plain[name], stated, midpoints=False)}
        low, high, missing = (columns[f"{name}_{part}"] for part in ("min", "max", "missing"))
        if low.dtype.is_temporal() and plain[name].str.contains(_NANOSECONDS).any():
            return _either_end(name, *ends_of(texts[name]), missing)
        return interval_cells(name, low, high, missing, columns.get(f"{name}_open"), ends_of(plain[name]))
    order = policy.columns[name].order
    if stated.kind == "ordered" and order is not None:
        lowest, highest, missing = order_columns(name, texts[name])
        return order_cells(name, lowest, highest, missing, order)
    if stated.kind in ("hierarchy", "ordered"):
        node, missing = node_columns(name, texts[name])
        nodes = [None if one == HIDDEN else [] if one is None else [one] for one in node.to_list()]
        return label_cells(name, pl.Series(nodes, dtype=pl.List(pl.String)), missing)
    labels, missing = label_columns(name, texts[name], classes)
    return label_cells(name, labels, missing)


def _either_end(name: str, low: list[str | None], high: list[str | None], missing: pl.Series) -> Cells:
    """Return cells of which either end is drawn; a cell without ends is hidden, or missing if it says so."""
    both = [[a, b] if a and b else None for a, b in zip(low, high, strict=True)]
    nothing = missing.fill_null(value=False)
    lists = [[] if none and one is None else one for one, none in zip(both, nothing, strict=True)]
    return label_cells(name, pl.Series(lists, dtype=pl.List(pl.String)), missing)


def _as_ends(drawn: pl.Series, name: str, texts: pl.DataFrame, released: pl.DataFrame) -> pl.Series:
    """Return drawn texts of moments in the type of the released column of ends, where there is one."""
    ends = [f"{name}_{end}" for end in ("min", "max")]
    if drawn.dtype != pl.String or name in released.columns or not released[ends[0]].dtype.is_temporal():
        return drawn
    shown = pl.concat([texts[end].alias(name) for end in ends])
    typed = pl.concat([released[end].alias(name) for end in ends])
    known = pl.DataFrame({"text": shown, "value": typed}).drop_nulls().unique("text")
    return drawn.replace_strict(known["text"], known["value"], default=None, return_dtype=typed.dtype)


def _ends(plain: pl.Series, stated: Stated) -> pl.Series:
    return dates(plain.to_list()) if stated.kind == "date" else numbers(plain.to_list())


def _drawn(cells: Cells, u: Floats, secret: Secret) -> pl.Series:
    """Return a value for every row, from its cell or, if that is hidden, from the cell of a row drawn by chance."""
    n = len(u)
    rows = np.arange(n)
    shown = np.flatnonzero(~cells.hidden)
    if len(shown) < n:
        if not len(shown):
            return pl.Series(cells.name, [None] * n, dtype=pl.String)
        other = shown[np.floor(_uniform(secret, f"synthetic rows for {cells.name}", n) * len(shown)).astype(np.int64)]
        rows = np.where(cells.hidden, other, rows)
    values = cells.draw(u, rows)
    left_out = _uniform(secret, f"synthetic missing values of {cells.name}", n) < MISSING_SHARE
    missing = cells.is_missing[rows] | (cells.may_be_missing[rows] & left_out)
    return pl.select(pl.when(pl.Series(~missing)).then(values).alias(cells.name)).to_series()


def _dealt(groups: Ints, name: str, secret: Secret, ranks: Ints | None, score: Floats | None) -> Ints:
    """Return, for every row, the row of its group whose value it gets; each is taken once.

    Without a score the values are dealt out by chance. Otherwise the row with the i-th smallest score of its group
    gets the i-th smallest value.
    """
    chance = secret.stream(f"synthetic values of {name}", len(groups))
    places = np.lexsort((chance, groups))
    if ranks is None or score is None:
        taken = np.lexsort((np.arange(len(groups)), groups))
    else:
        empty = (
            ranks < 0
        )  # missing values have no rank: they go to rows drawn by chance, the last of their group here
        taken = np.lexsort((secret.stream(f"synthetic ties of {name}", len(groups)), ranks, empty, groups))
        gets_none = np.empty(len(groups), dtype=bool)
        gets_none[places] = empty[taken]
        places = np.lexsort((chance, score, gets_none, groups))
    source = np.empty(len(groups), dtype=np.int64)
    source[places] = taken
    return source


def _uniform(secret: Secret, label: str, n: int, score: Floats | None = None) -> Floats:
    """Return independent uniform numbers in [0, 1), or those of given normal scores."""
    if score is not None:
        from scipy.special import ndtr

        return np.minimum(ndtr(score), 1.0 - 2.0**-53)
    return (secret.stream(label, n) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _scores(cells: Mapping[str, Cells], others: pl.DataFrame, secret: Secret) -> dict[str, Floats]:
    """Return normal scores for every column with an order, correlated as the columns are in the whole release.

    Correlations are those of the ranks, which the middles of ranges and the published values have.
    """
    from scipy.special import ndtri

    seen: dict[str, Floats] = {}
    for name, own in cells.items():
        if isinstance(own, GridCells | WideCells):
            seen[name] = own.middle
    for name in others.columns:
        ranks = _order_of(others[name])
        if ranks is not None:
            seen[name] = np.where(ranks < 0, np.nan, ranks.astype(np.float64))
    if not seen:
        return {}
    n = others.height or len(next(iter(seen.values())))
    known = np.array([_normal_scores(values) for values in seen.values()])
    length = np.sqrt((known**2).sum(axis=1))
    unit = known / np.where(length > 0, length, 1.0)[:, None]
    related = np.round(unit @ unit.T, DECIMALS) * SHRUNK
    np.fill_diagonal(related, 1.0)
    root = np.linalg.cholesky(_positive(related))
    normal = ndtri(np.array([_uniform(secret, f"synthetic scores of {name}", n) for name in seen]) + 2.0**-54)
    return dict(zip(seen, root @ normal, strict=True))


def _positive(related: Floats) -> Floats:
    """Return a matrix of correlations, moved toward none until it can be drawn from: rounding may have spoiled it."""
    while np.linalg.eigvalsh(related)[0] < 1e-6:
        related = related * 0.99
        np.fill_diagonal(related, 1.0)
    return related


def _normal_scores(values: Floats) -> Floats:
    """Return the normal scores of ranks, equal ones for ties, 0 for what is missing; all 0 for a constant."""
    from scipy.special import ndtri

    there = ~np.isnan(values)
    found = np.zeros(len(values))
    distinct, codes, times = np.unique(values[there], return_inverse=True, return_counts=True)
    if len(distinct) > 1:
        middle = np.cumsum(times) - (times - 1) / 2 - 0.5
        scores = ndtri(middle / there.sum())
        found[there] = scores[codes] - np.average(scores, weights=times)
    return found


def _order_of(values: pl.Series) -> Ints | None:
    """Return the rank of each value of a number or date, -1 if missing; None for a column that has no order."""
    if values.dtype == pl.String:
        texts = values.drop_nulls().str.strip_chars()
        typed = values.str.strip_chars().str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
        if not len(texts) or typed.null_count() > values.null_count():
            return None
        values = typed
    if not (values.dtype.is_numeric() or values.dtype.is_temporal()):
        return None
    ranks = values.rank("dense").cast(pl.Int64).fill_null(-1)
    return ranks.to_numpy()
