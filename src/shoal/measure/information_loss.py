"""The information loss of a release, over the whole table and per column.

A suppressed record counts as fully lost: its penalty is 1, its squared error that of the column's mean, its level the
top. Means, variances, correlations and distributions after the release are those of the released rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from shoal.measure.accuracy import accuracy
from shoal.measure.column_loss import Rows, column_loss
from shoal.measure.column_views import POINTS, View, views
from shoal.measure.correlation import correlation
from shoal.measure.equivalence_classes import Ints, class_of_group
from shoal.measure.loss_result import ColumnLoss, Loss, SetLoss
from shoal.measure.recoding_loss import classes_made, least_levels, recoding_losses
from shoal.measure.whole_table import in_whole_table
from shoal.policy import Policy
from shoal.publish.result import Published
from shoal.publish.set_cells import SetColumn, n_items
from shoal.space.hierarchy import Tree
from shoal.tables.recoded import Recoded


def loss(
    original: pl.DataFrame,
    policy: Policy,
    published: Published,
    labels: Ints,
    *,
    trees: Mapping[str, Tree] | None = None,
    whole: Mapping[str, Tree] | None = None,
    target: str | None = None,
    seed: int = 0,
    recoded: Sequence[Recoded] = (),
) -> Loss:
    """Return all loss measures. `target` is the column to predict (by default the first sensitive one).

    `original` is the table of which groups were made; `recoded` says what recoding had changed in it. `seed` chooses
    the rows that are held out to test the prediction. `whole` are the hierarchies of all rows: if it is given and
    rows were suppressed, cells are measured as shares of the whole table, as they were when groups were made.
    """
    sizes = np.bincount(labels[labels >= 0], minlength=int(labels.max(initial=-1)) + 1).astype(np.float64)
    rows = Rows(labels, sizes, published.form in POINTS)
    seen = views(original, policy, published, trees)
    recoded = (*recoded, *least_levels(original, policy, seen))
    coarse = {one.name: one.coarse for one in recoded}
    recoded = (*recoded, *classes_made(policy, seen))
    measured = seen
    if whole is not None and rows.suppressed and published.form == "generalize":
        measured = tuple(
            in_whole_table(view, original[name], policy.columns[name].order, whole.get(name))
            for view, name in ((view, view.column.name) for view in seen)
        )
    sets = tuple(_set_loss(one, original[one.name], policy, labels) for one in published.sets)
    columns = tuple(
        column_loss(view, rows, coarse.get(view.column.name), cells)
        for view, cells in zip(seen, measured, strict=True)
    )
    n_released = rows.n - rows.suppressed
    class_rows = np.bincount(class_of_group(published), weights=sizes)
    average = n_released / len(class_rows) if len(class_rows) else 0.0
    levels = [column.level for column in columns if column.level is not None]
    bits, most = sum(column.entropy_bits for column in columns), sum(column.entropy_most for column in columns)
    return Loss(
        n_rows=rows.n,
        n_released=n_released,
        n_classes=len(class_rows),
        suppressed_rows=rows.suppressed,
        suppressed_cells=sum(column.suppressed_cells for column in columns),
        n_cells=rows.n * len(columns),
        gcp=_mean([column.ncp for column in columns], [one.lost for one in sets]),
        information=_mean([column.information for column in columns], [one.lost for one in sets]),
        exact=_mean([column.exact for column in columns], [one.kept / max(one.n_items, 1) for one in sets]),
        sse_ratio=_sse_ratio(columns, seen),
        generalization_cost=sum(levels) * rows.n if levels else None,
        generalization_level=sum(levels) / len(levels) if levels else None,
        entropy_bits=bits / max(len(columns), 1),
        entropy_ratio=bits / most if most else 0.0,
        discernibility=int((class_rows**2).sum()) + rows.suppressed * rows.n,
        average_class_size=average,
        c_avg=average / policy.k,
        columns=columns,
        correlation=correlation([(v.column.name, v.numbers) for v in seen if v.numbers is not None], sizes),
        accuracy=accuracy(original, policy, seen, labels, target=target, seed=seed),
        recoding=sum(one.lost for one in recoded if one.role == "quasi") / max(len(columns), 1),
        recoded=recoding_losses(recoded, policy, seen),
        sets=sets,
    )


def _mean(of_columns: Sequence[float], of_sets: Sequence[float]) -> float:
    """Return the mean over all columns, with a column of sets counted as one column; 0 without columns."""
    return (sum(of_columns) + sum(of_sets)) / max(len(of_columns) + len(of_sets), 1)


def _set_loss(one: SetColumn, values: pl.Series, policy: Policy, labels: Ints) -> SetLoss:
    """Return the loss of a column of sets, with the items of suppressed rows as dropped."""
    away = n_items(values.filter(labels < 0), policy.columns[one.name])
    total = one.n_items + away
    return SetLoss(
        name=one.name,
        n_items=total,
        kept=one.kept,
        generalized=one.generalized,
        dropped=one.dropped + away,
        lost=(one.lost * one.n_items + away) / max(total, 1),
        distinct=one.distinct,
        published=one.published,
        has_hierarchy=one.has_hierarchy,
    )


def _sse_ratio(columns: tuple[ColumnLoss, ...], seen: tuple[View, ...]) -> float | None:
    """Return SSE / SST over all columns, each weighted by its number of values, which is the SST of a standardized
    column.
    """
    parts = [
        (column.sse_ratio, int(np.count_nonzero(np.isfinite(view.numbers.x))))
        for column, view in zip(columns, seen, strict=True)
        if column.sse_ratio is not None and view.numbers is not None
    ]
    return sum(ratio * n for ratio, n in parts) / sum(n for _, n in parts) if parts else None
