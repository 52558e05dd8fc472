"""The answers to the three questions, as plain numbers with their confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal._repr import brief
from shoal.measure.result import Result

Name = Literal["singling out", "linkability", "inference"]
Known = Literal["quasi", "published"]
Held = Literal["given", "split", "left out", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Result):
    """The share of attacks that succeed, with its interval of 95 % by Wilson."""

    attempts: int
    rate: float
    low: float
    high: float

    def __repr__(self) -> str:
        return brief(self, f"{self.rate:.1%} ({self.low:.1%} to {self.high:.1%}) of {self.attempts}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Result):
    """One question: how often its attack succeeds on people of the table, by a naive guess, and on the control."""

    name: Name
    known: Known
    """The columns that the attacker uses: the quasi-identifiers, or all published columns."""
    column: str | None = None
    """The column that is inferred; None for the other questions."""
    how: str
    """What the attacker does: of the ways that were tried, the one that succeeded most often in a trial run."""
    success: Rate
    naive: float
    """The rate of an attacker who does not use how columns go together in a row of the release."""
    control: Rate | None
    """The same attack on people who are not in the table; None if there is no control."""
    risk: float | None
    """(success - control) / (1 - control), at least 0; None without a control, or if all attacks on it succeed."""
    risk_low: float | None
    risk_high: float | None

    def __repr__(self) -> str:
        what = self.name if self.column is None else f"{self.name} of {self.column!r}"
        risk = "" if self.risk is None else f", risk {self.risk:.1%} ({self.risk_low:.1%} to {self.risk_high:.1%})"
        return brief(self, f"{what} by {self.known} columns: {self.success.rate:.1%} succeed{risk}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions(Result):
    """The three questions of WP216, by quasi-identifiers and by all published columns.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(300).select("sex", "ward", "diagnosis")
    >>> found = shoal.attack(table, k=5, quasi=["sex", "ward"], sensitive="diagnosis", control=0.5, people=100)
    >>> found.questions.held, found.questions.n_control
    ('split', 150)
    >>> [one.name for one in found.questions.worst]
    ['singling out', 'linkability', 'inference']
    """

    held: Held
    """"given": the control was given. "split": it was taken from the table before the release. "left out": the sample
    of the policy left these people out of the release. "none": there is none."""
    n_people: int
    n_control: int
    extrapolated: bool
    """Whether the control has fewer people than the table, so that how many of them are singled out is estimated for
    a control of that size."""
    answers: tuple[Question, ...]

    @property
    def worst(self) -> tuple[Question, ...]:
        """For each question the answer with the highest risk, of those that beat a naive guess if there are any.

        Without a control, the answer that is farthest above the naive guess.
        """
        return tuple(
            max((one for one in self.answers if one.name == name), key=_exposure)
            for name in dict.fromkeys(one.name for one in self.answers)
        )

    def __repr__(self) -> str:
        return brief(self, ", ".join(f"{one.name} {_exposure(one)[1]:.1%}" for one in self.worst))


def _exposure(one: Question) -> tuple[bool, float, float]:
    """Return whether a naive guess is beaten, the risk (without a control the rate above naive), and the rate."""
    beyond = one.success.rate - one.naive
    return (beyond > 0, one.risk if one.risk is not None else max(0.0, beyond), one.success.rate)
