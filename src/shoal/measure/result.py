"""What the measures hand on: plain numbers, ready to be shown. Nothing here computes.

Everything stays home: the numbers are statistics of the original table. Shares are fractions of 1, a missing
value among labels is None, and a number that is not defined (a correlation with a constant column) is None in
`to_dict`. Dates are in days since 1970.
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
    """The same as dictionaries, lists, strings, numbers and None; NaN and infinities become None."""
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
    """Anything measured."""

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = _plain(self)
        return plain


# -- loss ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram(Result):
    """A column before and after, as shares of the rows of the table and of the released rows.

    Numbers and dates have `edges`, one more than bars; labels have `labels`, most frequent first, and where
    there are too many the bar of the rest comes last and `n_other` says how many labels it stands for.
    `missing_before` and `missing_after` are the shares of missing numbers (among labels, missing is a bar).
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
    """What one quasi-identifier lost. Suppressed rows count as fully lost in ncp, sse_ratio, level and entropy."""

    name: str
    kind: str
    ncp: float
    """Mean normalized certainty penalty: 0 every value exact, 1 nothing is said."""
    sse_ratio: float | None
    """SSE / SST; None for labels and for a column without variance."""
    level: float | None
    """Mean generalization level / number of levels; None for numbers without a hierarchy."""
    n_levels: int | None
    entropy_bits: float
    """Bits lost per cell (non-uniform entropy)."""
    entropy_most: float
    """What hiding the whole column would lose: the column's entropy."""
    entropy_ratio: float
    """`entropy_bits` / `entropy_most`; 0 for a column of one value."""
    mean_before: float | None
    mean_after: float | None
    variance_before: float | None
    variance_after: float | None
    distance: float
    """Between the column's distributions before and after: 0 equal, 1 disjoint."""
    distance_kind: Literal["kolmogorov", "total variation"]
    suppressed_cells: int
    """Cells whose published value says nothing, those of suppressed rows included."""
    histogram: Histogram

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}, {self.kind}: {self.ncp:.1%} lost")


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
    """How well `target` is predicted from the quasi-identifiers on held-out originals.

    Share predicted right for a classification, R² for a regression; by guessing without a model (`baseline`),
    by a model trained on the originals, and by the same model trained on the release.
    """

    target: str
    task: Task
    n_train: int
    n_test: int
    baseline: float
    original: float
    release: float
    kept: float | None
    """(release - baseline) / (original - baseline); None where the originals hardly predict better than guessing."""

    def __repr__(self) -> str:
        return brief(self, f"of {self.target!r}: {self.release:.1%}, on the originals {self.original:.1%}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss(Result):
    """What the release lost. A suppressed record counts as fully lost."""

    n_rows: int
    n_released: int
    n_classes: int
    suppressed_rows: int
    suppressed_cells: int
    n_cells: int
    gcp: float
    """Mean NCP over all cells: 0 nothing lost, 1 everything."""
    sse_ratio: float | None
    """SSE / SST over standardized numbers and dates (times 100: the loss of the microaggregation papers)."""
    generalization_cost: float | None
    """Sum over cells of level / number of levels, over columns of labels and hierarchies."""
    generalization_level: float | None
    """The same per cell."""
    entropy_bits: float
    entropy_ratio: float
    discernibility: int
    average_class_size: float
    c_avg: float
    """Average class size / k: 1 is the least possible."""
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
    """How many classes, and people in them, have a quantity from `low` to `high` (equal: exactly that)."""

    low: float
    high: float
    classes: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AtRisk(Result):
    """People who can be picked out with a probability above 1 / `one_in`."""

    one_in: int
    people: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveRisk(Result):
    """One sensitive column over the classes: how diverse, and how close to the whole table."""

    name: str
    l_kind: str
    l_asked: float | None
    l_smallest: float
    l_classes: tuple[Bar, ...]
    homogeneous_people: int
    """People in classes with a single sensitive value."""
    t_distance: str
    t_asked: float | None
    t_largest: float
    t_mean: float
    """Over people."""
    t_classes: tuple[Bar, ...]

    def __repr__(self) -> str:
        return brief(self, f"{self.name!r}: l at least {self.l_smallest:.3g}, t at most {self.t_largest:.3g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(Result):
    """Risk of re-identification of one table: the original, or the release."""

    n_people: int
    n_classes: int
    smallest_class: int
    prosecutor_max: float
    prosecutor_mean: float
    journalist_max: float
    journalist_mean: float
    marketer: float
    """The share of people that an attacker who links everybody is expected to get right."""
    unique_people: int
    unique_share: float
    class_sizes: tuple[Bar, ...]
    at_risk: tuple[AtRisk, ...]
    sensitive: tuple[SensitiveRisk, ...]

    def __repr__(self) -> str:
        return brief(self, f"{self.n_people} in {self.n_classes} groups, at worst {self.prosecutor_max:.1%}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SinglingColumn(Result):
    """What one column that is published as it is does to make rows like no other."""

    name: str
    role: Literal["sensitive", "other"]
    alone: int
    """Rows that nobody else's equals in the quasi-identifiers and this column."""
    without: int
    """Rows that nobody else's would equal in all published columns if this one were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Singled(Result):
    """Singling out by all published columns together: k promises nothing of them. Counted in rows of the release."""

    rows: int
    """Rows that stand for one person each; 0 where none does (`centers`)."""
    unique: int
    """Rows that nobody else's equals in all published columns."""
    unique_sensitive: int
    """The same, in quasi-identifiers and sensitive columns."""
    tried: int
    """Unique rows of which a description was held against the original table."""
    isolated: int
    """Descriptions that fit exactly one person of the original table."""
    columns: tuple[SinglingColumn, ...]
    """Of sensitive and other columns, those first without which the fewest rows are unique."""

    @property
    def isolating(self) -> int:
        """How many rows single out one original: counted, or estimated from those tried."""
        return round(self.unique * self.isolated / self.tried) if self.tried else 0

    def __repr__(self) -> str:
        return brief(self, f"{self.unique} of {self.rows} rows are like no other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Result):
    """Before: classes of equal original quasi-identifiers. After: classes of equal published ones."""

    unit: Unit
    population: int | None
    before: Exposure
    after: Exposure
    singled: Singled
    """By all published columns, not by quasi-identifiers alone."""

    def __repr__(self) -> str:
        before, after = self.before.prosecutor_max, self.after.prosecutor_max
        return brief(self, f"picked out at worst {after:.1%}, before {before:.1%}")

    def __str__(self) -> str:
        from shoal.report.plain_text import risk

        return risk(self)


# -- attacks -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Result):
    """One attack, tried on `attempts` originals.

    Every attempt has a score from 0 to 1: the probability of picking the right record (nearest, join), 1 where
    the sensitive value is certain (homogeneity), 1 where it is once another value is ruled out (exclusion), the gain
    in belief in a sensitive value (skewness). `successes` is their sum, `rate` their mean, `worst` their largest.
    """

    name: Literal["nearest", "join", "homogeneity", "exclusion", "skewness"]
    known: tuple[str, ...]
    sensitive: str | None = None
    attempts: int
    successes: float
    rate: float
    worst: float
    promise: float | None
    """What no attempt's score may exceed: 1/k, or what l or t promise. None: the policy promises nothing here."""
    exceeds: bool
    """Some attempt's score is above the promise."""

    def __repr__(self) -> str:
        promised = "" if self.promise is None else f", promised at most {self.promise:.1%}"
        return brief(self, f"{self.name}: succeeds in {self.rate:.1%}, at worst {self.worst:.1%}{promised}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderAttack(Result):
    """Guesses that who is next in a list stands next in the file, by somebody who knows her own row.

    `rate` of them are right; `chance` would be if rows stood in any order, give or take `standard_error`.
    """

    order: str
    """What the list is sorted by: a column, the input, or all cells."""
    sensitive: str
    attempts: int
    rate: float
    chance: float
    standard_error: float
    exceeds: bool
    """So far above chance that it is no luck: the order of rows tells who is who."""

    def __repr__(self) -> str:
        return brief(self, f"by {self.order!r}: {self.rate:.1%} right, {self.chance:.1%} by chance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks(Result):
    """All attacks. `exceeds`: at least one beat what the policy promises."""

    k: int
    unit: Unit
    evidence: Evidence
    """mapping: it is known which record is whose, so successes are counted. files: every match is taken as right."""
    n_originals: int
    n_sampled: int
    n_subsets: int
    """Subsets of up to three known quasi-identifiers tried by the join."""
    n_subsets_possible: int
    nearest: Attack
    full_join: Attack
    """The join on everything known."""
    joins: tuple[Attack, ...]
    """The joins on subsets."""
    worst_join: Attack
    """The subset with the largest probability, then the largest rate."""
    homogeneity: tuple[Attack, ...]
    exclusion: tuple[Attack, ...]
    skewness: tuple[Attack, ...]
    singled: Singled
    """By all published columns: nothing is promised of these."""
    row_order: tuple[OrderAttack, ...] = ()
    """None where nobody has equals, or nothing sensitive is published."""
    exceeds: bool

    def __repr__(self) -> str:
        told = "one beats" if self.exceeds else "none beats"
        return brief(self, f"{told} what k = {self.k} promises, {self.n_sampled} of {self.n_originals} tried")

    def __str__(self) -> str:
        from shoal.report.plain_text import attacks

        return attacks(self)
