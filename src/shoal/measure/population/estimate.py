"""All measures of population risk of one table, before and after a release."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.measure.equivalence_classes import EquivalenceClasses, Floats, Ints, classes_before, numbered
from shoal.measure.population.class_sizes import class_sizes
from shoal.measure.population.individual_risk import check_weights, class_risks, household_risks
from shoal.measure.population.log_linear import log_linear
from shoal.measure.population.minimal_uniques import MinimalUniques, minimal_uniques
from shoal.measure.population.presence import presence
from shoal.measure.population.result import (
    IndividualRisk,
    PopulationRisk,
    ReleasedRisk,
    SpecialColumn,
    SpecialUniques,
    UniqueInPopulation,
)
from shoal.measure.population.size import check_population
from shoal.measure.population.uniqueness import unique_in_population
from shoal.policy import Policy
from shoal.requirements.from_policy import records_of

THRESHOLD = 0.05
"""People with a risk above this are counted: one in twenty, a threshold that health agencies use."""


def population_risk(
    frame: pl.DataFrame,
    policy: Policy,
    *,
    population: int | None,
    weights: pl.Series | None,
    households: pl.Series | None,
    table: pl.DataFrame | None,
    released: Ints | None,
    size: int,
) -> PopulationRisk:
    """Return the risk of a table whose quasi-identifiers and person are in `frame`.

    `population` is the number of people that the table is a sample of; otherwise the sum of the weights or the size
    of the population table `table` is. `released` has the people in each class of a release.
    """
    records = records_of(policy, frame, ())
    classes, key = classes_before(frame, policy, records), frame.select(policy.quasi)
    first = np.arange(frame.height) if records.people is None else _first_rows(records.people, classes.of_row)
    share = _weights(weights, first, population, records.n_people)
    total = _population(population, share, table, records.n_people)
    fraction = 1.0 if total is None else records.n_people / total
    codes = np.column_stack([_numbers(key[name][first]) for name in policy.quasi])
    alone = classes.counts.people[classes.of_row[first]] == 1
    special = minimal_uniques(codes, size=size, fraction=fraction)
    risks = None if share is None else _row_risks(classes, first, share)
    return PopulationRisk(
        unit="rows" if records.people is None else "people",
        n_people=records.n_people,
        columns=tuple(policy.quasi),
        sample_uniques=int(np.count_nonzero(classes.counts.people == 1)),
        unique=_unique(classes.counts.people, total),
        individual=None if risks is None else _individual(risks, _codes(households, first)),
        log_linear=log_linear(codes, alone, fraction) if total is not None and alone.any() else (),
        special=_special(special, policy.quasi),
        presence=None if table is None else presence(key[first], table.select(policy.quasi)),
        released=None if released is None else _released(released, total),
        rows=_rows(frame.height, first, risks, special),
    )


def _numbers(column: pl.Series) -> Ints:
    """Return the values of a column as numbers 0, 1, ...; a missing value is a value of its own."""
    return column.rank("dense").fill_null(0).to_numpy().astype(np.int64)


def _first_rows(people: Ints, of_row: Ints) -> Ints:
    """Return one row of every person in every class: rows that repeat do not hide that a person is unique."""
    return np.sort(np.unique(np.column_stack([people, of_row]), axis=0, return_index=True)[1])


def _weights(weights: pl.Series | None, first: Ints, population: int | None, n_people: int) -> Floats | None:
    """Return how many people each chosen row stands for: its weight, or the same share of the population for all."""
    if weights is None:
        return None if population is None else np.full(len(first), population / n_people)
    numbers = weights.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()[first]
    check_weights(numbers, weights.name)
    return numbers


def _population(population: int | None, share: Floats | None, table: pl.DataFrame | None, n: int) -> int | None:
    """Return the size of the population, None if unknown; raise a ParameterError if it is smaller than the table."""
    if population is None and table is not None:
        population = table.height
    if population is None and share is not None:
        population = round(float(share.sum()))
    check_population(population, n)
    return population


def _unique(people: Ints, population: int | None) -> UniqueInPopulation | None:
    return None if population is None else unique_in_population(class_sizes(people), population)


def _row_risks(classes: EquivalenceClasses, first: Ints, share: Floats) -> Floats:
    """Return the risk of every chosen row: that of its class, by the weights of all rows in it."""
    of_row = classes.of_row[first]
    sums = np.bincount(of_row, weights=share, minlength=len(classes.counts.people)).astype(np.float64)
    return class_risks(classes.counts.people, sums)[of_row]


def _individual(risks: Floats, households: Ints | None) -> IndividualRisk:
    """Return the largest and mean risk, and those of households."""
    together = None if households is None else household_risks(risks, households)
    return IndividualRisk(
        largest=float(risks.max(initial=0.0)),
        mean=float(risks.mean()) if len(risks) else 0.0,
        expected=float(risks.sum()),
        above=int(np.count_nonzero(risks > THRESHOLD)),
        threshold=THRESHOLD,
        household_largest=None if together is None else float(together.max(initial=0.0)),
        household_mean=None if together is None else float(together.mean()),
    )


def _codes(households: pl.Series | None, first: Ints) -> Ints | None:
    """Return the household of every chosen row as a number; a missing household is a household of its own."""
    if households is None:
        return None
    chosen = households.to_frame()[first]
    codes = numbered(chosen, chosen.height)
    alone = chosen.to_series().is_null().to_numpy()
    codes = np.where(alone, codes.max(initial=0) + 1 + np.arange(len(codes)), codes)
    return np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _special(found: MinimalUniques, names: list[str]) -> SpecialUniques:
    """Return the special uniques as plain numbers, columns by their share of the score."""
    smallest, scored = found.smallest, found.dis[found.dis > 0]
    by_share = sorted(zip(names, found.contributions, strict=True), key=lambda one: (-one[1], one[0]))
    return SpecialUniques(
        size=found.size,
        people=tuple(int(np.count_nonzero(smallest == s)) for s in range(1, found.size + 1)),
        columns=tuple(SpecialColumn(name=name, share=float(share)) for name, share in by_share),
        dis_largest=float(scored.max(initial=0.0)),
        dis_mean=float(scored.mean()) if len(scored) else 0.0,
    )


def _released(people: Ints, population: int | None) -> ReleasedRisk:
    """Return the risk of a release by the people in its classes, all of the same weight."""
    n, risks = int(people.sum()), None
    if population is not None:
        risks = np.repeat(class_risks(people, people.astype(np.float64) * (population / n)), people)
    return ReleasedRisk(
        n_people=n,
        sample_uniques=int(np.count_nonzero(people == 1)),
        unique=_unique(people, population),
        individual=None if risks is None else _individual(risks, None),
    )


def _rows(height: int, first: Ints, risks: Floats | None, special: MinimalUniques) -> pl.DataFrame:
    """Return the figures of every row of the table; a repeated row of one person has null."""
    found = {"special_score": special.scores, "dis_score": special.dis}
    if risks is not None:
        found = {"individual_risk": risks} | found
    spread = {}
    for name, values in found.items():
        whole = np.full(height, np.nan)
        whole[first] = values
        spread[name] = pl.Series(name, whole).fill_nan(None)
    return pl.DataFrame(spread)
