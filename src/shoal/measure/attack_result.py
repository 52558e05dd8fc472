"""What attacks on a release found, as plain numbers beside what the policy guarantees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal._repr import brief
from shoal.measure.questions.result import Questions
from shoal.measure.result import Result, Unit
from shoal.measure.risk_result import Inference, Singled

Evidence = Literal["mapping", "files"]


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
    """Whether the rate is too far above chance to be luck, so that the order of rows links people to rows."""

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
    questions: Questions | None = None
    """The three questions of the European guidance (WP216); None for centers, whose rows are not about people."""
    row_order: tuple[OrderAttack, ...] = ()
    """Empty if no two records have equal quasi-identifiers, or no sensitive column is published."""
    exceeds: bool

    def __repr__(self) -> str:
        verdict = "one exceeds" if self.exceeds else "none exceeds"
        return brief(self, f"{verdict} what k = {self.k} guarantees, {self.n_sampled} of {self.n_originals} tried")

    def __str__(self) -> str:
        from shoal.report.plain_text import attacks

        return attacks(self)

    def _repr_html_(self) -> str:
        from shoal.report.notebook import attacks_html

        return attacks_html(self)
