"""Sentences and rows on the information loss of a release, over all columns and of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.axes import day_label
from shoal.report.content import Content
from shoal.report.formatting import NOTHING, count, name, percent, significant

if TYPE_CHECKING:
    from shoal.measure.loss_result import ColumnLoss, Loss, SetLoss


MOST_EXACT = 6  # the most columns named in one line, those with the fewest exact cells
MOST_COLUMNS = 24  # the most columns that are drawn, as more would make the page too long to read


def lost(loss: Loss, form: str) -> tuple[str, str]:
    """Return how much information was lost, and a remark that names NCP beside it.

    Of cells it is what they leave open; of means, medians and modes, which are points, their distance (NCP).
    """
    if form in ("aggregate", "centers"):
        return percent(loss.gcp), "0% unchanged, 100% nothing left"
    return percent(
        loss.information
    ), f"0% unchanged, 100% nothing left; as a share of ranges (NCP) {percent(loss.gcp)}"


def suppressed_share(loss: Loss) -> float:
    return loss.suppressed_rows / max(1, loss.n_rows)


def exact(loss: Loss) -> str:
    """Return the share of cells that are still exact in each column, the smallest first."""
    ranked = sorted(loss.columns, key=lambda column: column.exact)
    if not ranked:
        return "items that are published as they are"
    shown = [f"{name(column.name)} {percent(column.exact)}" for column in ranked[:MOST_EXACT]]
    rest = [f"{len(ranked) - MOST_EXACT} more"] if len(ranked) > MOST_EXACT else []
    return ", ".join(shown + rest)


def items_kept(one: SetLoss) -> str:
    """Return the share of the items of a column of sets that are published as they are."""
    return percent(one.kept / max(1, one.n_items))


def items_lost(one: SetLoss) -> str:
    """Return what became of the other items of a column of sets."""
    coarser = f"{percent(one.generalized / max(1, one.n_items))} published as coarser ones, "
    return (
        f"{name(one.name)}: {coarser if one.has_hierarchy else ''}"
        f"{percent(one.dropped / max(1, one.n_items))} left out, of {count(one.n_items)} items"
    )


def losses(loss: Loss) -> list[tuple[str, str, str]]:
    """Return the loss measures over all columns: name, value, in words."""
    entropy = f"{percent(loss.entropy_ratio)} ({significant(loss.entropy_bits)} bits per cell)"
    cells = f"{percent(loss.suppressed_cells / max(1, loss.n_cells))} ({count(loss.suppressed_cells)})"
    lines = [
        (
            "Certainty lost (GCP)",
            percent(loss.gcp),
            "Mean certainty penalty of the published values: 0% exact, 100% nothing said.",
        ),
        (
            "Information lost",
            percent(loss.information),
            "Logarithm of the number of values that a cell leaves open, over that of all values.",
        ),
        ("Cells still exact", percent(loss.exact), exact(loss)),
        *(
            (
                "Loss of items (NCP)",
                percent(one.lost),
                f"Mean share of all items that an item may be: {items_lost(one)}.",
            )
            for one in loss.sets
        ),
        (
            "Variance lost (SSE / SST)",
            percent(loss.sse_ratio),
            "Of numbers and dates, standardized; a range counts as its middle.",
        ),
        ("Generalization level", percent(loss.generalization_level), "Mean level over the height of the hierarchy."),
        ("Entropy lost", entropy, "Non-uniform entropy, as a share of what hiding every column would lose."),
        ("Cells that say nothing", cells, f"Of {count(loss.n_cells)}; including those of suppressed rows."),
        (
            "Average group",
            significant(loss.average_class_size),
            f"{significant(loss.c_avg)} times k; 1 is the least.",
        ),
        (
            "Discernibility",
            count(loss.discernibility),
            "Sum of squared group sizes; each suppressed row adds the number of all rows.",
        ),
    ]
    if loss.correlation is not None and loss.correlation.largest_pair is not None:
        pair = " and ".join(name(column) for column in loss.correlation.largest_pair)
        lines.append(("Largest change of a correlation", significant(loss.correlation.largest_change), f"Of {pair}."))
    if loss.accuracy is not None:
        kept, what = loss.accuracy, "right" if loss.accuracy.task == "classification" else "of the variance explained"
        others = f"on the original table {percent(kept.original)}, by guessing {percent(kept.baseline)}"
        lines.append(
            (
                f"Prediction of {name(kept.target)}",
                f"{percent(kept.release)} {what}",
                f"Trained on the release; {others}.",
            )
        )
    return [line for line in lines if line[1] != NOTHING]


def drift(content: Content) -> list[tuple[str, str, str, str]]:
    """Return, per column: name, mean before and after, share of the spread kept, distance of the distributions."""
    lines = []
    for column in costliest(content.loss, MOST_COLUMNS):
        dated = column.kind == "date"
        mean = _moved(column.mean_before, column.mean_after, dated=dated)
        kept = NOTHING
        if column.variance_before and column.variance_after is not None:
            kept = percent((column.variance_after / column.variance_before) ** 0.5)
        lines.append((name(column.name), mean, kept, percent(column.distance)))
    return lines


def _moved(before: float | None, after: float | None, *, dated: bool) -> str:
    if before is None or after is None:
        return NOTHING
    shown = day_label if dated else significant
    return f"{shown(before)} → {shown(after)}"


def costliest(loss: Loss, most: int) -> list[ColumnLoss]:
    """Return the columns with the largest loss, at most `most`, in the order of the table."""
    ranked = sorted(loss.columns, key=lambda column: -column.ncp)[:most]
    kept = {column.name for column in ranked}
    return [column for column in loss.columns if column.name in kept]
