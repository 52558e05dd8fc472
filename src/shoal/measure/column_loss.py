"""The information loss of one quasi-identifier."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.measure.column_views import Labels, Numbers, View, mixed
from shoal.measure.distribution import Spread, is_whole, kolmogorov, label_bars, number_bars, total_variation
from shoal.measure.equivalence_classes import Floats, Ints
from shoal.measure.loss_result import ColumnLoss, Histogram
from shoal.measure.recoding_loss import stands_for_several
from shoal.publish.group_values import sets


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The group of every row (-1: suppressed), the rows of each group, and whether groups are published as points."""

    labels: Ints
    sizes: Floats
    points: bool

    @property
    def n(self) -> int:
        return len(self.labels)

    @property
    def suppressed(self) -> int:
        return self.n - int(self.sizes.sum())

    def mean(self, of_group: Floats, *, suppressed: float) -> float:
        """Return the mean over all rows of a number given per group; suppressed rows have the number `suppressed`."""
        return float(of_group @ self.sizes + suppressed * self.suppressed) / self.n if self.n else 0.0


def column_loss(view: View, rows: Rows, coarse: pl.Series | None = None, cells: View | None = None) -> ColumnLoss:
    """Return all loss measures of one quasi-identifier; `coarse` are recoded values that stand for several others.

    `cells` is the view on which the penalty and the information of cells are measured, if it is another one.
    """
    cells = cells or view
    column, numbers, labels = view.column, view.numbers, view.labels
    bits, most = _entropy(view, rows)
    left_open, exact = _left_open(cells, rows)
    if coarse is not None:
        exact = np.where(stands_for_several(view, coarse), 0.0, exact)
    level = _level(view, rows)
    before: tuple[float, float] | tuple[None, None] = (None, None)
    after = before
    if numbers is not None:
        before, after = _moments(numbers.x, np.ones(rows.n)), _moments(numbers.value, rows.sizes)
        distance, bars = _number_drift(numbers, rows)
    else:
        assert labels is not None
        distance, bars = _label_drift(labels, rows)
    return ColumnLoss(
        name=column.name,
        kind=column.kind,
        ncp=rows.mean(cells.column.loss, suppressed=1.0),
        information=rows.mean(left_open, suppressed=1.0),
        exact=rows.mean(exact, suppressed=0.0),
        sse_ratio=_sse_ratio(numbers, rows) if numbers is not None else None,
        level=rows.mean(level[0], suppressed=1.0) if level else None,
        n_levels=level[1] if level else None,
        entropy_bits=bits,
        entropy_most=most,
        entropy_ratio=bits / most if most else 0.0,
        mean_before=before[0],
        mean_after=after[0],
        variance_before=before[1],
        variance_after=after[1],
        distance=distance,
        distance_kind="total variation" if numbers is None else "kolmogorov",
        suppressed_cells=int(rows.sizes[(column.loss >= 1) & ~mixed(column)].sum()) + rows.suppressed,
        histogram=bars,
    )


def _moments(values: Floats, weights: Floats) -> tuple[float, float] | tuple[None, None]:
    """Return mean and variance (divided by n) of the values that are not missing."""
    there = np.isfinite(values) & (weights > 0)
    if not there.any():
        return None, None
    mean = float(np.average(values[there], weights=weights[there]))
    return mean, float(np.average((values[there] - mean) ** 2, weights=weights[there]))


def _sse_ratio(numbers: Numbers, rows: Rows) -> float | None:
    """Return SSE / SST. For a value that is missing in the release, the column's mean is used, as the best guess
    left.
    """
    there = np.isfinite(numbers.x)
    mean, variance = _moments(numbers.x, np.ones(rows.n))
    if not variance or mean is None:
        return None
    guess = np.append(numbers.value, np.nan)[rows.labels[there]]
    errors = numbers.x[there] - np.where(np.isnan(guess), mean, guess)
    return float((errors**2).sum()) / (variance * int(np.count_nonzero(there)))


def _level(view: View, rows: Rows) -> tuple[Floats, int] | None:
    """Return level / number of levels for every group, and that number; labels without a hierarchy have one."""
    labels = view.labels
    if labels is None or rows.points or view.column.kind == "ordered":
        return None
    if view.tree is None:
        return (labels.sizes > 1)[labels.cell].astype(np.float64), 1
    assert view.column.level is not None
    n_levels = view.tree.n_levels
    # a node "or missing" costs what the root costs
    level = np.where(mixed(view.column), n_levels, view.column.level)
    return level / max(n_levels, 1), n_levels


def _left_open(view: View, rows: Rows) -> tuple[Floats, Floats]:
    """Return, per group, log s / log m if its cell leaves s of m values open, and 1 if the cell is exact, else 0.

    The values of a range are those that the table has between its ends. A range "or missing" has the mean of the two
    ranges from its lower end upwards and from its upper end downwards; a node "or missing" leaves everything open. A
    published mean or mode stands for all values of its group. Of a column that was recoded into classes or areas, s
    and m are about these, but a class of several labels is not exact.
    """
    at = mixed(view.column) & (not rows.points)
    if view.labels is not None:
        labels = view.labels
        cell, start, members = _sets_of_groups(labels, rows)
        n_open, n_values = np.diff(start)[cell], len(labels.domain)
        above = below = np.full(len(cell), n_values)
        if view.column.kind == "ordered" and None in labels.domain:
            n_values -= 1
            rank = np.cumsum([label is not None for label in labels.domain])  # from 1; of missing, that before it
            n_open = np.minimum(n_open, n_values)
            above = n_values - rank[members[start[:-1]]][cell] + 1
            below = rank[members[start[1:] - 1 - (np.diff(start) > 1)]][cell]
    else:
        assert view.numbers is not None
        n_open, n_values = _numbers_open(view, view.numbers)
        above, below = _numbers_beyond(view, view.numbers)
    share = np.log(np.maximum(n_open, 1)) / np.log(max(n_values, 2))
    if at.any():
        ends = np.log(np.maximum(above, 1)) + np.log(np.maximum(below, 1))
        share = np.where(at, ends / np.log(n_values) / 2 if n_values > 1 else 0.5, share)
    if (into := view.column.into) is not None:
        share = np.log(np.maximum(into.n_open, 1)) / np.log(max(into.n_values, 2))
    return share.astype(np.float64), ((n_open <= 1) & ~at).astype(np.float64)


def _numbers_beyond(view: View, numbers: Numbers) -> tuple[Ints, Ints]:
    """Return how many values of the table are at least the lower end of each range, and at most the upper end."""
    assert view.column.low is not None
    assert view.column.high is not None
    values, _, _ = _distinct(numbers.x)
    low, high = np.nan_to_num(view.column.low), np.nan_to_num(view.column.high)
    above = len(values) - np.searchsorted(values, low)
    return above.astype(np.int64), np.searchsorted(values, high, side="right").astype(np.int64)


def _numbers_open(view: View, numbers: Numbers) -> tuple[Ints, int]:
    """Return how many values each group's range leaves open, and how many there are; missing is none of them."""
    column = view.column
    assert column.low is not None
    assert column.high is not None
    values, _, _ = _distinct(numbers.x)
    low, high = np.nan_to_num(column.low), np.nan_to_num(column.high)
    inside = np.searchsorted(values, high, side="right") - np.searchsorted(values, low)
    # a rounded range may hold one value of the table only, and a reader does not know which
    inside = np.where(np.isnan(column.low), 1, np.maximum(inside, np.where(high > low, 2, 1)))
    n_values = max(len(values), 1)
    return np.where(numbers.hidden, n_values, np.minimum(inside, n_values)), n_values


def _entropy(view: View, rows: Rows) -> tuple[float, float]:
    """Return the bits lost per cell, and the most bits that can be lost.

    A cell whose value occurs c times, published as something that m cells of the table match, loses log2(m / c) bits.
    """
    if view.labels is not None:
        counts, fits = _label_fits(view.labels, rows)
    else:
        assert view.numbers is not None
        counts, fits = _number_fits(view, view.numbers, rows)
    if not rows.n:
        return 0.0, 0.0
    own = float((counts * np.log2(counts)).sum()) / rows.n
    most = np.log2(rows.n) - own
    bits = rows.mean(np.log2(np.maximum(fits, 1)), suppressed=float(np.log2(rows.n))) - own
    return max(bits, 0.0), max(float(most), 0.0)  # rounding may leave a small negative sum of logarithms


def _label_fits(labels: Labels, rows: Rows) -> tuple[Ints, Floats]:
    """Return how often each label occurs, and how many cells of the table match each group's published value."""
    counts = np.bincount(labels.codes, minlength=len(labels.domain))
    cell, start, members = _sets_of_groups(labels, rows)
    fits = np.add.reduceat(counts[members], start[:-1])[cell] if len(members) else np.zeros(0)
    return counts[counts > 0], fits.astype(np.float64)


def _sets_of_groups(labels: Labels, rows: Rows) -> tuple[Ints, Ints, Ints]:
    """Return the number of each group's set, where each set starts, and the values of all sets one after another.

    A set has the values that the group's cell leaves open. A published mode stands for all values of its group.
    """
    if not rows.points:
        return labels.cell, labels.start, labels.members
    kept = rows.labels >= 0
    found = sets(labels.domain, labels.codes[kept], rows.labels[kept], len(rows.sizes))
    return np.arange(len(rows.sizes)), found.start, found.codes


def _number_fits(view: View, numbers: Numbers, rows: Rows) -> tuple[Ints, Floats]:
    """Return how often each number occurs, and how many cells of the table match each group's published value."""
    column = view.column
    assert column.low is not None
    assert column.high is not None
    values, counts, missing = _distinct(numbers.x)
    below = np.concatenate([[0], np.cumsum(counts)])
    low, high = np.nan_to_num(column.low), np.nan_to_num(column.high)
    inside = below[np.searchsorted(values, high, side="right")] - below[np.searchsorted(values, low)]
    kept = rows.labels >= 0
    holds_missing = np.zeros(len(rows.sizes), dtype=bool)
    holds_missing[rows.labels[kept & np.isnan(numbers.x)]] = True
    fits = np.where(np.isnan(column.low), 0, inside) + np.where(holds_missing, missing, 0)
    return np.append(counts, [missing] if missing else []).astype(np.int64), np.where(numbers.hidden, rows.n, fits)


def _number_drift(numbers: Numbers, rows: Rows) -> tuple[float, Histogram]:
    """Return the distance of the distributions before and after, and both as a histogram, for numbers."""
    values, counts, missing = _distinct(numbers.x)
    whole = is_whole(values)
    half = 0.5 if whole and not rows.points else 0.0
    low, high = numbers.low - half, numbers.high + half
    if len(values):
        low = np.where(numbers.hidden, values[0] - half, low)
        high = np.where(numbers.hidden, values[-1] + half, high)
    there = np.isfinite(low) & (rows.sizes > 0)
    after = Spread(low[there], high[there], rows.sizes[there])
    released = rows.sizes.sum()
    shares = missing / rows.n if rows.n else 0.0, float(1 - rows.sizes[there].sum() / released) if released else 0.0
    return (
        kolmogorov(values, counts, after, half=half),
        number_bars(values, counts, after, whole=whole, missing=shares),
    )


def _label_drift(labels: Labels, rows: Rows) -> tuple[float, Histogram]:
    """Return the distance of the distributions before and after, and both as a histogram, for labels."""
    before = np.bincount(labels.codes, minlength=len(labels.domain)).astype(np.float64)
    mass = np.bincount(labels.cell, weights=rows.sizes, minlength=len(labels.sizes))
    share = np.repeat(mass / labels.sizes, labels.sizes)
    after = np.bincount(labels.members, weights=share, minlength=len(labels.domain)).astype(np.float64)
    return total_variation(before, after), label_bars(labels.domain, before, after)


def _distinct(x: Floats) -> tuple[Floats, Ints, int]:
    """Return the sorted distinct values, how often each occurs, and how many are missing."""
    values, counts = np.unique(x[np.isfinite(x)], return_counts=True)
    return values, counts.astype(np.int64), len(x) - int(counts.sum())
