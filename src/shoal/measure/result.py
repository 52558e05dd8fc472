"""The results of all measures as plain numbers, ready to be shown. Nothing is computed here.

They are statistics of the original table and must stay private. Shares are fractions of 1, a missing value among
labels is None, and a number that is undefined (a correlation with a constant column) is None in `to_dict`. Dates are
in days since 1970.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

from shoal._repr import brief

Task = Literal["classification", "regression"]
Unit = Literal["rows", "people"]
Evidence = Literal["mapping", "files"]


def _plain(value: Any) -> Any:
    """Return the value as dictionaries, lists, strings, numbers and None; NaN and infinities become None."""
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The base class of all results."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON.

        Returns
        -------
        dict
            Ready for JSON.
        """
        plain: dict[str, Any] = _plain(self)
        return plain


# -- loss ----------------------------------------------------------------------------------------------------


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

    def __repr__(self) -> str:
        return brief(self, f"{self.gcp:.1%} lost, {self.n_released} of {self.n_rows} rows in {self.n_classes} groups")

    def __str__(self) -> str:
        from shoal.report.plain_text import loss

        return loss(self)


# -- risk ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar(Result):
    """The number of classes, and of people in them, with a value from `low` to `high` (equal: exactly that value)."""

    low: float
    high: float
    classes: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AtRisk(Result):
    """People whose re-identification risk is above 1 / `one_in`."""

    one_in: int
    people: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveRisk(Result):
    """One sensitive column over the equivalence classes: its diversity, and its closeness to the whole table."""

    name: str
    l_kind: str
    l_asked: float | None
    l_smallest: float
    l_classes: tuple[Bar, ...]
    homogeneous_people: int
    """The number of people whose value is the only known one of their class; missing counts only where asked for."""
    t_distance: str
    t_asked: float | None
    t_largest: float
    t_mean: float
    """The mean over people."""
    t_classes: tuple[Bar, ...]

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}: l at least {self.l_smallest:.3g}, t at most {self.t_largest:.3g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(Result):
    """Re-identification risk of one table: the original, or the release."""

    n_people: int
    n_classes: int
    smallest_class: int
    prosecutor_max: float
    prosecutor_mean: float
    journalist_max: float
    journalist_mean: float
    marketer: float
    """The expected share of people whom an attacker who links everybody identifies correctly."""
    unique_people: int
    unique_share: float
    class_sizes: tuple[Bar, ...]
    at_risk: tuple[AtRisk, ...]
    sensitive: tuple[SensitiveRisk, ...]

    def __repr__(self) -> str:
        return brief(self, f"{self.n_people} in {self.n_classes} groups, at worst {self.prosecutor_max:.1%}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SinglingColumn(Result):
    """How much one column that is published unchanged contributes to making rows unique."""

    name: str
    role: Literal["sensitive", "other"]
    alone: int
    """The number of rows that are unique in the quasi-identifiers and this column."""
    without: int
    """The number of rows that would still be unique in all published columns if this one were removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Singled(Result):
    """Singling out by all published columns together, about which k guarantees nothing. Counted in rows of the
    release.
    """

    rows: int
    """The number of rows about one person each; 0 if there are none (`centers`)."""
    unique: int
    """The number of rows that are unique in all published columns."""
    unique_sensitive: int
    """The number of rows that are unique in the quasi-identifiers and the sensitive columns."""
    tried: int
    """The number of unique rows whose description was compared with the original table."""
    isolated: int
    """The number of descriptions that fit exactly one person of the original table."""
    columns: tuple[SinglingColumn, ...]
    """Sensitive and other columns; first those without which the fewest rows would be unique."""

    @property
    def isolating(self) -> int:
        """The number of rows that single out one original person: counted, or estimated from those tried."""
        return round(self.unique * self.isolated / self.tried) if self.tried else 0

    def __repr__(self) -> str:
        return brief(self, f"{self.unique} of {self.rows} rows are unique")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference(Result):
    """For how many people the value of one column follows from other columns, over every set of them that was tried.

    Somebody knows a person's original values in the set; candidates are all released rows whose cells cover them.
    """

    column: str
    role: Literal["sensitive", "quasi"]
    attempts: int
    """The number of attacked records that have a value."""
    n_sets: int
    certain: int
    """The number of records whose value is certain from some set."""
    certain_by_size: tuple[int, ...]
    """The same from sets of at most 0, 1, 2, ... columns."""
    known: tuple[str, ...]
    """The set from which most are certain; of several the smallest."""
    certain_by_known: int
    likely: int
    """The number of records whose value is likelier, from some set, than the l or t that was asked allows."""
    promise: float | None
    """0 if l guarantees that no value is certain; None if nothing is guaranteed: the column is not protected."""
    exceeds: bool

    def __repr__(self) -> str:
        return brief(self, f"{self.column!r}: certain for {self.certain} of {self.attempts}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Result):
    """Risk before the release (classes of equal original quasi-identifiers) and after (of equal published ones).

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> release.risk.after.prosecutor_max <= 1 / 5
    True
    """

    unit: Unit
    population: int | None
    before: Exposure
    after: Exposure
    singled: Singled
    """Singling out by all published columns, not only by quasi-identifiers."""
    inference: tuple[Inference, ...] = ()
    """What follows about every column from sets of quasi-identifiers; empty for means and centers."""

    def __repr__(self) -> str:
        before, after = self.before.prosecutor_max, self.after.prosecutor_max
        return brief(self, f"highest risk {after:.1%}, before {before:.1%}")

    def __str__(self) -> str:
        from shoal.report.plain_text import risk

        return risk(self)


# -- attacks -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Result):
    """One attack, tried on `attempts` original records.

    Every attempt has a score from 0 to 1: the probability of picking the right record (nearest, join), 1 if the
    sensitive value is certain (homogeneity), 1 if it is certain once another value is ruled out (exclusion), the gain
    in belief in a sensitive value (skewness). `successes` is the sum of the scores, `rate` their mean, `worst` their
    largest.
    """

    name: Literal["nearest", "join", "homogeneity", "exclusion", "skewness"]
    known: tuple[str, ...]
    sensitive: str | None = None
    attempts: int
    successes: float
    rate: float
    worst: float
    promise: float | None
    """The guaranteed bound on every score: 1/k, or what l and t guarantee; None if the policy guarantees nothing
    here.
    """
    exceeds: bool
    """Whether some score is above the guaranteed bound."""

    def __repr__(self) -> str:
        guaranteed = "" if self.promise is None else f", guaranteed at most {self.promise:.1%}"
        return brief(self, f"{self.name}: succeeds in {self.rate:.1%}, at worst {self.worst:.1%}{guaranteed}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderAttack(Result):
    """Guesses, by people who know their own row, that their neighbor in a list is their neighbor in the file.

    A share `rate` of them is right; if rows were in random order it would be `chance`, give or take `standard_error`.
    """

    order: str
    """What the list is sorted by: a column, the input, or all cells."""
    sensitive: str
    attempts: int
    rate: float
    chance: float
    standard_error: float
    exceeds: bool
    """Whether the rate is too far above chance to be luck, so that the order of rows reveals who is who."""

    def __repr__(self) -> str:
        return brief(self, f"by {self.order!r}: {self.rate:.1%} right, {self.chance:.1%} by chance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks(Result):
    """The results of all attacks. `exceeds` says that at least one did better than the policy guarantees.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(150).select("birth_date", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["birth_date", "sex"], sensitive="diagnosis")
    >>> attacks = shoal.attack(table, release.table, release.policy)
    >>> attacks.nearest.worst <= 1 / 5
    True
    """

    k: int
    unit: Unit
    evidence: Evidence
    """"mapping": it is known which row is whose, and successes are counted. "files": every match counts as right."""
    n_originals: int
    n_sampled: int
    n_subsets: int
    """The number of subsets of up to three known quasi-identifiers on which the join was tried."""
    n_subsets_possible: int
    nearest: Attack
    full_join: Attack
    """The join on all known quasi-identifiers."""
    joins: tuple[Attack, ...]
    """The joins on subsets."""
    worst_join: Attack
    """The join on the subset with the largest probability, then the largest rate."""
    homogeneity: tuple[Attack, ...]
    exclusion: tuple[Attack, ...]
    skewness: tuple[Attack, ...]
    singled: Singled
    """Singling out by all published columns, about which nothing is guaranteed."""
    inference: tuple[Inference, ...] = ()
    """What follows about every column from sets of quasi-identifiers; empty for means and centers."""
    row_order: tuple[OrderAttack, ...] = ()
    """Empty if no two records have equal quasi-identifiers, or no sensitive column is published."""
    exceeds: bool

    def __repr__(self) -> str:
        verdict = "one exceeds" if self.exceeds else "none exceeds"
        return brief(self, f"{verdict} what k = {self.k} guarantees, {self.n_sampled} of {self.n_originals} tried")

    def __str__(self) -> str:
        from shoal.report.plain_text import attacks

        return attacks(self)
