"""Evidence beside a release: what attackers and analysts get from it, measured when it was made.

Everything here is a statistic of the original table, so it stays in the private folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shoal._repr import brief
from shoal.measure.questions.result import Question, Questions, Rate
from shoal.measure.result import Result
from shoal.measure.utility.result import (
    MeanOverlap,
    Propensity,
    RegressionOverlap,
    TableOverlap,
    TargetModel,
    Utility,
)

NoTrial = Literal["", "control", "sequence", "plan", "refused", "centers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured(Result):
    """One published table: what its analyses say, and how often attacks on it succeed."""

    utility: Utility | None
    """Compared with the same analyses of the original table; None for centers."""
    questions: Questions | None
    """The three questions of WP216, asked of this table; None for centers."""

    def __repr__(self) -> str:
        return brief(self, ", ".join(repr(one) for one in (self.utility, self.questions) if one is not None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Result):
    """What attackers and analysts get from a release, as the setting `evidence` of the policy asks.

    Attacks on the release itself show how often they succeed. How much of that is due to having been in the table is
    shown by people who were not: those whom `sample` left out, or those who were held out of a trial release.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(300).select("height_cm", "sex", "diagnosis")
    >>> release = shoal.anonymize(table, k=5, quasi=["height_cm", "sex"], sensitive="diagnosis", evidence=True)
    >>> [one.name for one in release.evidence.trial.worst]
    ['singling out', 'linkability', 'inference']
    >>> release.evidence.trial.n_people, release.evidence.trial.n_control
    (150, 150)
    """

    release: Measured
    synthetic: Measured | None
    """The same of the synthetic rows, if they are published as well."""
    trial: Questions | None
    """The questions asked of a trial release of half of the people, with the other half as control."""
    n_people: int
    """The people, or rows without a person column, that the release is about; a trial may be of a sample of them."""
    no_trial: NoTrial = ""
    """Why there is no trial: the release has a control of its own, follows others, has cells of a plan, was refused
    for half of the people, or has one row per group."""

    @property
    def compared(self) -> Questions | None:
        """The questions with a control: those of the release if it has one, otherwise those of the trial."""
        asked = self.release.questions
        return asked if asked is not None and asked.held != "none" else self.trial

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Evidence:
        """Return the evidence that `to_dict` made these plain values of.

        Parameters
        ----------
        plain : dict
            As in `measures.json` of a private folder.

        Returns
        -------
        Evidence
            The same numbers.

        Raises
        ------
        KeyError, TypeError
            If these are other values.
        """
        return cls(
            **{
                **plain,
                "release": _measured(plain["release"]),
                "synthetic": None if plain["synthetic"] is None else _measured(plain["synthetic"]),
                "trial": None if plain["trial"] is None else _questions(plain["trial"]),
            }
        )

    def __repr__(self) -> str:
        return brief(self, repr(self.compared or self.release))


def _measured(plain: Mapping[str, Any]) -> Measured:
    return Measured(
        utility=None if plain["utility"] is None else _utility(plain["utility"]),
        questions=None if plain["questions"] is None else _questions(plain["questions"]),
    )


def _questions(plain: Mapping[str, Any]) -> Questions:
    return Questions(**{**plain, "answers": tuple(_question(one) for one in plain["answers"])})


def _question(plain: Mapping[str, Any]) -> Question:
    control = None if plain["control"] is None else Rate(**plain["control"])
    return Question(**{**plain, "success": Rate(**plain["success"]), "control": control})


def _utility(plain: Mapping[str, Any]) -> Utility:
    return Utility(
        overlap=plain["overlap"],
        means=tuple(MeanOverlap(**one) for one in plain["means"]),
        tables=tuple(TableOverlap(**{**one, "columns": tuple(one["columns"])}) for one in plain["tables"]),
        regressions=tuple(RegressionOverlap(**one) for one in plain["regressions"]),
        propensity=None if plain["propensity"] is None else Propensity(**plain["propensity"]),
        models=tuple(TargetModel(**one) for one in plain["models"]),
    )
