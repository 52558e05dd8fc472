"""The information loss of a release as plain numbers: of the whole table and of each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal._repr import brief
from shoal.measure.moved_statistics import Moved
from shoal.measure.result import Result

Task = Literal["classification", "regression"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram(Result):
    """The distribution of a column before and after, as shares of the original rows and of the released rows.

    Numbers and dates have `edges`, one more than bars. Labels have `labels`, the most frequent first; if there are
    too many, the last bar has the rest, and `n_other` is the number of its labels. `missing_before` and
    `missing_after` are the shares of missing numbers (among labels, missing is a bar).
    """

    edges: tuple[float, ...] | None = None
    labels: tuple[str | None, ...] | None = None
    n_other: int = 0
    before: tuple[float, ...]
    after: tuple[float, ...]
    missing_before: float = 0.0
    missing_after: float = 0.0

    def __repr__(self) -> str:
        return brief(self, f"{len(self.before)} bars")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLoss(Result):
    """Information loss of one quasi-identifier. Suppressed rows count as fully lost in ncp, sse_ratio, level and
    entropy.
    """

    name: str
    kind: str
    ncp: float
    """Mean normalized certainty penalty: 0 if every value is exact, 1 if nothing is said."""
    information: float
    """Mean of log s / log m over cells that leave s of the column's m values open: 0 exact, 1 nothing said."""
    exact: float
    """The share of cells that are published exactly; none of a suppressed row is."""
    sse_ratio: float | None
    """SSE / SST; None for labels and for a column without variance."""
    level: float | None
    """Mean generalization level / number of levels; None for numbers without a hierarchy."""
    n_levels: int | None
    entropy_bits: float
    """Bits lost per cell (non-uniform entropy)."""
    entropy_most: float
    """The bits per cell that hiding the whole column would lose: the column's entropy."""
    entropy_ratio: float
    """`entropy_bits` / `entropy_most`; 0 for a column of one value."""
    mean_before: float | None
    mean_after: float | None
    variance_before: float | None
    variance_after: float | None
    distance: float
    """The distance between the column's distributions before and after: 0 if equal, 1 if disjoint."""
    distance_kind: Literal["kolmogorov", "total variation"]
    suppressed_cells: int
    """The number of cells whose published value says nothing, including those of suppressed rows."""
    histogram: Histogram

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.kind}: {self.ncp:.1%} lost, {self.exact:.1%} exact")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecodingLoss(Result):
    """What recoding one column before groups were made changed, and what that lost by itself."""

    name: str
    role: str
    top: str | None = None
    """The top, as text; None if there is none. The same for the other settings."""
    bottom: str | None = None
    round: str | None = None
    labels: tuple[str, ...] = ()
    """The labels that replaced merged ones."""
    least_level: int | None = None
    """The finest level of its hierarchy that is published."""
    classes: int | None = None
    """The number of classes of labels, or of areas, that replaced its values."""
    at_top: int
    """The number of cells that stand for the top or more."""
    at_bottom: int
    rounded: int
    """The number of other cells that rounding changed."""
    merged: int
    lost: float
    """The mean over all rows of the share of the column's range, or of its labels, that became the same value."""

    @property
    def cells(self) -> int:
        """The number of cells that recoding changed, or that stand for a limit and what lies beyond."""
        return self.at_top + self.at_bottom + self.rounded + self.merged

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.role}: {self.cells} cells, {self.lost:.1%} lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLoss(Result):
    """What recoding the items of a column of sets lost; the items of suppressed rows count as dropped."""

    name: str
    n_items: int
    """The number of items in all cells."""
    kept: int
    """How many of them are published as they are."""
    generalized: int
    """How many are published as a node of the hierarchy above them."""
    dropped: int
    lost: float
    """The mean over all items of the share of all different items below the published node; 0 for an item that is
    published as it is, 1 for one that is dropped."""
    distinct: int
    """The number of different items in the released rows, before they were recoded."""
    published: int
    """The number of different published items and nodes."""
    has_hierarchy: bool

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}: {self.kept} of {self.n_items} items kept, {self.lost:.1%} lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation(Result):
    """Pearson's matrix over the quasi-identifiers that are numbers or dates."""

    columns: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]
    largest_change: float
    largest_pair: tuple[str, str] | None

    def __repr__(self) -> str:
        return brief(self, f"{len(self.columns)} columns, moved by at most {self.largest_change:.3g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy(Result):
    """How well `target` is predicted from the quasi-identifiers, tested on held-out original rows.

    It is the share predicted right for a classification and R² for a regression: by guessing without a model
    (`baseline`), by a model trained on the original table, and by the same model trained on the release.
    """

    target: str
    task: Task
    n_train: int
    n_test: int
    baseline: float
    original: float
    release: float
    kept: float | None
    """(release - baseline) / (original - baseline); None if the original table predicts little more than guessing."""

    def __repr__(self) -> str:
        return brief(self, f"of {self.target!r}: {self.release:.1%}, on the originals {self.original:.1%}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss(Result):
    """Information loss of the release. A suppressed record counts as fully lost.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> 0 <= release.loss.gcp <= 1, release.loss.n_released
    (True, 150)
    """

    n_rows: int
    n_released: int
    n_classes: int
    suppressed_rows: int
    suppressed_cells: int
    n_cells: int
    gcp: float
    """Mean NCP over all cells: 0 if nothing is lost, 1 if everything is."""
    information: float
    """Mean share of information lost over all cells: 0 if every cell is exact, 1 if nothing is said."""
    exact: float
    """The share of all cells that are published exactly."""
    sse_ratio: float | None
    """SSE / SST over standardized numbers and dates (times 100: the loss of the microaggregation papers)."""
    generalization_cost: float | None
    """Sum over cells of level / number of levels, over columns of labels and hierarchies."""
    generalization_level: float | None
    """`generalization_cost` per cell."""
    entropy_bits: float
    entropy_ratio: float
    discernibility: int
    average_class_size: float
    c_avg: float
    """Average size of an equivalence class divided by k; 1 is the least possible."""
    columns: tuple[ColumnLoss, ...]
    correlation: Correlation | None
    accuracy: Accuracy | None
    recoding: float = 0.0
    """Mean loss of recoding before groups were made, over all cells of quasi-identifiers; not part of `gcp`, which is
    about the recoded table."""
    recoded: tuple[RecodingLoss, ...] = ()
    """The columns that were recoded, whatever their role."""
    sets: tuple[SetLoss, ...] = ()
    """The quasi-identifier whose cells are sets. It counts as one column in `gcp`, `information` and `exact`."""
    perturbed: tuple[Moved, ...] = ()
    """How far perturbation moved the statistics of each column; over the released rows."""

    def __repr__(self) -> str:
        return brief(self, f"{self.gcp:.1%} lost, {self.n_released} of {self.n_rows} rows in {self.n_classes} groups")

    def __str__(self) -> str:
        from shoal.report.plain_text import loss

        return loss(self)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import loss_html

        return loss_html(self)
