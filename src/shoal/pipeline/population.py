"""Estimate the risk of a table, and of a release, in the population that the table is a sample of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal import progress
from shoal.caller import setting
from shoal.certify import released_file
from shoal.clock import Clock
from shoal.errors import ParameterError, SchemaError
from shoal.measure.date_cells import dates_in_iso
from shoal.measure.equivalence_classes import Ints
from shoal.measure.population.estimate import population_risk as estimated
from shoal.measure.population.result import PopulationRisk
from shoal.measure.population.size import check_population
from shoal.measure.released_table import read_release
from shoal.pipeline.inputs import PolicyLike, Source, as_released, read_source, resolve_roles
from shoal.pipeline.reporting import reporting_memory
from shoal.pipeline.selection import Selected, rows_where
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.roles.sampling_weights import in_people, weights_as_read
from shoal.tables import Table

SIZE = 3
"""The largest number of columns in a set that is searched for special uniques."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """What a table is a sample of, as far as the policy says."""

    size: int | None
    weights: pl.Series | None
    """How many people each row of the table stands for."""
    table: pl.DataFrame | None
    """The quasi-identifiers of all people."""
    notes: tuple[str, ...] = ()


def find_population(selected: Selected, table: Table, policy: Policy, clock: Clock) -> Population | None:
    """Return the population that a resolved policy states, None without one.

    `selected` has the weights before rounding. A sample is drawn from a population, at least from the table itself.
    The population is found before groups are made, so that one that is too small is refused at once.
    """
    if policy.population is None and policy.weight is None and policy.sample is None:
        return None
    _check_no_set(policy)
    n_people = len(table) if policy.person is None else table.frame[policy.person].n_unique()
    others, size = None, policy.population
    if isinstance(size, Path):
        others = _quasi_of(size, policy, clock)
        size = others.height
    check_population(size, n_people)
    drawn_from = None if policy.sample is None else selected.n_before_sampling
    if policy.weight is None:
        return Population(size=size or drawn_from, weights=None, table=others)
    column = policy.columns[policy.weight]
    weights, unusable = in_people(weights_as_read(selected.table, policy.weight, column), size or drawn_from)
    notes: tuple[str, ...] = ()
    if weights is None:
        notes = (
            f"column {policy.weight!r}: the risk in the population is estimated without the weights, because "
            f"{unusable} of {len(table)} are missing or below 1, and a person stands at least for themselves.",
        )
        progress.note(*notes)
        size = size or drawn_from
    elif size is None:
        size = round(float(weights.sum()))
        check_population(size, n_people)
    return Population(size=size, weights=weights, table=others, notes=notes)


def _quasi_of(path: Path, policy: Policy, clock: Clock) -> pl.DataFrame:
    """Return the quasi-identifiers of a table of the whole population, read and recoded as those of the release."""
    asked = without_person(_known(policy))
    return resolve_roles(_only(read_source(path, asked, clock), asked), asked, clock)[0].frame


def without_person(policy: Policy) -> Policy:
    """Return the policy without the person column: in a table of the population every row is a person."""
    return policy.model_copy(update={"columns": {name: policy.columns[name] for name in policy.quasi}})


def risk_of_release(
    table: Table, policy: Policy, population: Population, people: Ints, order: Ints
) -> PopulationRisk | None:
    """Return the risk in the population of a table and of its release, whose classes have so many `people`.

    `order` has the position in the source of every row of `table`. None if neither size nor weights are known.
    """
    if population.size is None:
        return None
    own = bool((order >= 0).all())  # made-up rows have no weight
    weights = None if population.weights is None or not own else population.weights.gather(order)
    return estimated(
        table.frame,
        policy,
        population=population.size,
        weights=weights,
        households=None,
        table=population.table,
        released=people,
        size=SIZE,
    )


def population_risk(
    source: Source,
    policy: PolicyLike,
    settings: Mapping[str, Any],
    *,
    population: int | None,
    weight: str | None,
    household: str | None,
    population_table: Source | None,
    released: Source | None,
    size: int,
) -> PopulationRisk:
    """Return the risk of a table in its population; only quasi-identifiers, person, weight and household are used."""
    given = as_policy(policy, settings)
    weight = given.weight if weight is None else weight
    if population is None and population_table is None:
        population = given.population if isinstance(given.population, int) else None
        population_table = given.population if isinstance(given.population, Path) else None
    _check(population, size)
    clock, asked = Clock(), _known(given)
    _check_no_set(asked)
    with reporting_memory():
        whole = read_source(source, asked, clock)
        whole = whole.taken(rows_where(whole, given))
        table, resolved = resolve_roles(_only(whole, asked), asked, clock)
        others = None
        if population_table is not None:
            counted = without_person(asked)
            others = resolve_roles(_only(read_source(population_table, asked, clock), counted), counted, clock)[0]
        return estimated(
            table.frame,
            resolved,
            population=population,
            weights=_column(whole, weight),
            households=_column(whole, household),
            table=None if others is None else others.frame,
            released=None if released is None else _released_people(released, table.frame, resolved),
            size=size,
        )


def _check_no_set(policy: Policy) -> None:
    """Raise ParameterError if items of a set may be known: nothing is estimated of their combinations."""
    if policy.set_column is not None:
        raise ParameterError(
            f"{policy.set_column} is a set, and the risk in a population is not estimated of combinations of items.",
            f"leave out the population, the weights and the sample, or give {policy.set_column} the role identifier.",
        )


def _check(population: int | None, size: int) -> None:
    """Raise ParameterError unless both are whole numbers of at least 1."""
    for name, value in (("population", population), ("size", size)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise ParameterError(f"{name} must be a whole number of at least 1.", f"give {setting(name, 'NUMBER')}.")


def _known(policy: Policy) -> Policy:
    """Return the policy with the quasi-identifiers and the person only; raise a SchemaError without the former."""
    columns = {name: column for name, column in policy.columns.items() if column.role in ("quasi", "person")}
    if not any(column.role == "quasi" for column in columns.values()):
        raise SchemaError(
            "no column is a quasi-identifier, so no risk can be estimated.",
            f"name those columns: {setting('quasi', 'COLUMN')}, or give a policy.",
        )
    return policy.model_copy(update={"columns": columns, "sequence": None})


def _only(table: Table, policy: Policy) -> Table:
    """Return the table with the columns of the policy only, as far as it has them."""
    pairs = [column.longitude for column in policy.columns.values() if column.longitude is not None]
    kept = [name for name in table.columns if name in policy.columns or name in pairs]
    return replace(
        table, frame=table.frame.select(kept), texts=table.texts.select(set(kept) & set(table.texts.columns))
    )


def _column(table: Table, name: str | None) -> pl.Series | None:
    """Return one column of the table, None for None; raise a SchemaError if the table does not have it."""
    if name is None:
        return None
    if name not in table.columns:
        raise SchemaError(f"the table has no column {name!r}.", f"it has {', '.join(table.columns[:20])}.")
    return table.frame[name]


def _released_people(released: Source, original: pl.DataFrame, policy: Policy) -> Ints:
    """Return the number of people in every class of a released table."""
    if isinstance(released, str | Path):
        released = released_file(released)
    found = read_release(dates_in_iso(as_released(released), policy), original, policy)
    return found.counts.people
