"""The re-identification risk of a table, of single columns and of combined ones, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal._repr import brief
from shoal.measure.population.result import PopulationRisk
from shoal.measure.result import Result, Unit


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
    """The number of people whose value is the only known one of their class; missing counts only if required."""
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
    role: Literal["sensitive", "weight", "other", "quasi"]
    """A quasi-identifier stands here if it is a set, as the rows of a group differ in it."""
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

    The attacker knows a person's original values in the set; candidates are all released rows whose cells cover them.
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
    """The number of records whose value is likelier, from some set, than the required l or t allows."""
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

    in_population: PopulationRisk | None = None
    """The risk in the population that the table is a sample of, if the policy has its size, its table or weights."""

    def __repr__(self) -> str:
        before, after = self.before.prosecutor_max, self.after.prosecutor_max
        return brief(self, f"highest risk {after:.1%}, before {before:.1%}")

    def __str__(self) -> str:
        from shoal.report.plain_text import risk

        return risk(self)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import risk_html

        return risk_html(self)
