"""The results of the measures of utility, as plain numbers. They are statistics of the original table: private."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal._repr import brief
from shoal.measure.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanOverlap(Result):
    """The mean of one column of numbers or dates with its interval of 95 %, in the original and in the release."""

    column: str
    original: float
    original_low: float
    original_high: float
    release: float
    release_low: float
    release_high: float
    overlap: float

    def __repr__(self) -> str:
        return brief(self, f"{self.column}: intervals overlap by {self.overlap:.1%}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOverlap(Result):
    """The shares of the cells of a table by one or two columns: the mean overlap of their intervals."""

    columns: tuple[str, ...]
    cells: int
    """The number of cells with at least ten original rows, which are the ones that are compared."""
    overlap: float

    def __repr__(self) -> str:
        return brief(self, f"{' x '.join(self.columns)}: intervals overlap by {self.overlap:.1%}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionOverlap(Result):
    """The coefficients of a regression of one column on all others: the mean overlap of their intervals."""

    target: str
    kind: Literal["linear", "logistic"]
    coefficients: int
    overlap: float

    def __repr__(self) -> str:
        return brief(self, f"{self.target}: intervals overlap by {self.overlap:.1%}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Propensity(Result):
    """How well a logistic regression tells rows of the release from rows of the original (pMSE)."""

    pmse: float
    """The mean squared distance of the estimated propensities from the share of released rows: 0 if they cannot be
    told apart, at most 1/4."""
    expected: float
    """What is expected of rows that are drawn from a right model of the original table."""
    ratio: float

    def __repr__(self) -> str:
        return brief(self, f"{self.ratio:.2f} times what chance gives")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetModel(Result):
    """A model that predicts one column, trained on originals and on released rows, tested on the same people."""

    target: str
    task: Literal["classification", "regression"]
    """The share of labels predicted right, or R²."""
    baseline: float
    original: float
    release: float

    def __repr__(self) -> str:
        return brief(self, f"{self.target}: {self.release:.2f}, trained on originals {self.original:.2f}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility(Result):
    """All measures of utility; `overlap` is the mean over means, tables and regressions.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(300).select("height_cm", "sex", "weight_kg")
    >>> same = shoal.utility(table, table, k=5, quasi=["height_cm", "sex"], sensitive="weight_kg")
    >>> same.overlap, same.propensity.ratio < 0.01
    (1.0, True)
    """

    overlap: float
    """0: no interval overlaps; 1: all are the same."""
    means: tuple[MeanOverlap, ...]
    tables: tuple[TableOverlap, ...]
    regressions: tuple[RegressionOverlap, ...]
    propensity: Propensity | None
    models: tuple[TargetModel, ...]

    def __repr__(self) -> str:
        return brief(self, f"intervals overlap by {self.overlap:.1%}")
