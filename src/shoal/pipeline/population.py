"""Estimate the risk of a table in the population that it is a sample of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.caller import setting
from shoal.certify import released_file
from shoal.clock import Clock
from shoal.errors import ParameterError, SchemaError
from shoal.measure.date_cells import dates_in_iso
from shoal.measure.equivalence_classes import Ints
from shoal.measure.population.estimate import population_risk as estimated
from shoal.measure.population.result import PopulationRisk
from shoal.measure.released_table import read_release
from shoal.pipeline.inputs import PolicyLike, Source, as_released, read_source, resolve_roles
from shoal.pipeline.reporting import reporting_memory
from shoal.policy import Policy
from shoal.policy.keywords import as_policy
from shoal.tables import Table


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
    _check(population, size)
    clock, asked = Clock(), _known(as_policy(policy, settings))
    with reporting_memory():
        whole = read_source(source, asked, clock)
        table, resolved = resolve_roles(_only(whole, asked), asked, clock)
        others = None
        if population_table is not None:
            others = resolve_roles(_only(read_source(population_table, asked, clock), asked), asked, clock)[0].frame
        return estimated(
            table.frame,
            resolved,
            population=population,
            weights=_column(whole, weight),
            households=_column(whole, household),
            table=others,
            released=None if released is None else _released_people(released, table.frame, resolved),
            size=size,
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
