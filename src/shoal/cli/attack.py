"""`shoal attack`: how often an attacker who has the original table succeeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import failed, result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "attack",
        short_help="Try to find people in a release.",
        epilog="Example: `shoal attack visits.csv release/release.csv -p policy.toml`",
    )(expanded(attack))


def attack(
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL",
            help="The original table, which the attacker knows: a file, or the URI of a database.",
            callback=o.no_password,
            show_default=False,
        ),
    ],
    released: Annotated[Path, typer.Argument(metavar="RELEASED", help="The released file.", show_default=False)],
    policy: o.PolicyFile = None,
    reading: Settings = NOTHING,
    people: Annotated[int, typer.Option("--people", help="The most people to attack.")] = 2000,
    seed: Annotated[int, typer.Option(help="A number that chooses the people to attack, if not all are.")] = 0,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Try to find people of ORIGINAL in RELEASED, and compare how often that succeeds with what k guarantees.

    Exit code 4: an attack succeeds more often than the release guarantees.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.attack(original, released, policy, people=people, seed=seed, **reading)
        result(found.to_dict(), lambda: terminal.attacks(found))
    if found.exceeds:
        failed("an attack succeeds more often than the release guarantees")
