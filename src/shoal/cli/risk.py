"""`shoal risk`: the risk of people in the population that a table is a sample of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "risk",
        short_help="Estimate who is unique in the population.",
        epilog="Example: `shoal risk survey.csv -p policy.toml --population 83000000`",
    )(expanded(risk))


def risk(
    source: o.Source,
    policy: o.PolicyFile = None,
    quasi: o.Quasi = None,
    population: Annotated[
        int | None,
        typer.Option("--population", help="The number of people that SOURCE is a sample of.", show_default=False),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            "--weight", help="Column of sampling weights: the people each row stands for.", show_default=False
        ),
    ] = None,
    household: Annotated[
        str | None,
        typer.Option("--household", help="Column that says which rows are one household.", show_default=False),
    ] = None,
    population_table: Annotated[
        Path | None,
        typer.Option("--population-table", help="Table of the whole population, to count in.", show_default=False),
    ] = None,
    released: Annotated[
        Path | None,
        typer.Option("--released", help="A release of SOURCE, to show what risk remains.", show_default=False),
    ] = None,
    size: Annotated[int, typer.Option("--size", help="Look for uniques in sets of up to so many columns.")] = 3,
    reading: Settings = NOTHING,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Estimate how many people of SOURCE are unique in the population, and which columns make them so.

    Only the quasi-identifiers are looked at. No value of the table is shown.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.population_risk(
            source,
            policy,
            quasi=o.names(quasi),
            population=population,
            weight=weight,
            household=household,
            population_table=population_table,
            released=released,
            size=size,
            **reading,
        )
        result(found.to_dict(), lambda: terminal.population_risk(found))
