"""Risk in the population, as plain numbers with the assumption behind each."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from shoal._repr import brief
from shoal.measure.result import Result, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueInPopulation(Result):
    """The expected number of people who are unique in the population, by three estimates; None: it does not exist."""

    population: int
    sampling_fraction: float
    zayatz: float
    slide_negative_binomial: float | None
    pitman: float | None
    chosen: str
    """The estimate that the rule of Dankar et al. chooses."""
    people: float
    """The chosen estimate."""
    share: float
    """The chosen estimate as a share of the population."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndividualRisk(Result):
    """The risk of people by their sampling weights: the expectation of one over the people in their class."""

    largest: float
    mean: float
    expected: float
    """The number of people that a match with the population is expected to find: the sum of all risks."""
    above: int
    """The number of people whose risk is above `threshold`."""
    threshold: float
    household_largest: float | None = None
    """The largest risk that some member of a household is found; None where no household was given."""
    household_mean: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLinear(Result):
    """What a log-linear model of the quasi-identifiers expects of the people who are unique in the sample."""

    pairs: bool
    """Whether pairs of columns are as in the table; otherwise columns are taken as independent."""
    sample_uniques: int
    population_uniques: float
    correct_matches: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialColumn(Result):
    """One column's share of the score of all special uniques."""

    name: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialUniques(Result):
    """The people who are unique in small sets of columns."""

    size: int
    """Sets of up to so many columns were tried."""
    people: tuple[int, ...]
    """The number of people whose smallest set has 1, 2, ... columns."""
    columns: tuple[SpecialColumn, ...]
    """The columns, first the one with the largest share of the score."""
    dis_largest: float
    dis_mean: float
    """The mean over the people with a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence(Result):
    """What was counted in a population table."""

    population: int
    k_map: int
    """The fewest people of the population in a class of the sample."""
    delta_min: float
    delta_max: float
    population_uniques: int
    """The number of people of the sample who are unique in the population."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedRisk(Result):
    """The same of a released table, by its published classes."""

    n_people: int
    sample_uniques: int
    unique: UniqueInPopulation | None
    individual: IndividualRisk | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationRisk(Result):
    """The risk of the people of a table, taken as a sample of a population.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import hospital
    >>> table = hospital(300).select("sex", "zip", "ward")
    >>> risk = shoal.population_risk(table, quasi=["sex", "zip", "ward"], population=100_000)
    >>> risk.unique.people <= 100_000
    True
    """

    unit: Unit
    n_people: int
    columns: tuple[str, ...]
    """The quasi-identifiers."""
    sample_uniques: int
    unique: UniqueInPopulation | None
    """None if neither the size of the population nor weights are known."""
    individual: IndividualRisk | None
    log_linear: tuple[LogLinear, ...]
    """Empty if the size of the population is not known, or nobody is unique in the table."""
    special: SpecialUniques | None
    presence: Presence | None
    released: ReleasedRisk | None
    """What remains of the risk in a released table, if one was given."""
    rows: pl.DataFrame = field(repr=False, compare=False)
    """For every row of the table: individual_risk, special_score and dis_score, as far as they were computed."""

    def __repr__(self) -> str:
        known = "unknown" if self.unique is None else f"{self.unique.people:.0f}"
        return brief(self, f"{self.sample_uniques} of {self.n_people} unique in the table, {known} in the population")

    def __str__(self) -> str:
        from shoal.report.plain_text import population_risk

        return population_risk(self)
