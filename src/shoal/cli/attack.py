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
    released: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RELEASED]",
            help="The released file, of Shoal or another program. Without it, people are split off by --control, and "
            "a trial release of the others is attacked.",
            show_default=False,
        ),
    ] = None,
    policy: o.PolicyFile = None,
    reading: Settings = NOTHING,
    control: Annotated[
        str | None,
        typer.Option(
            "--control",
            metavar="FILE",
            help="A table of people who were not released; without RELEASED, the share of people to split off: 0.5.",
            show_default=False,
        ),
    ] = None,
    people: Annotated[int, typer.Option("--people", help="The most people to attack.")] = 2000,
    seed: Annotated[int, typer.Option(help="A number that chooses the people to attack, if not all are.")] = 0,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Try to find people of ORIGINAL in RELEASED, and compare how often that succeeds with what k guarantees.

    Singling out, linkability and inference (WP216) are measured, with --control against people who were not released.

    Exit code 4: an attack succeeds more often than the release guarantees.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.attack(original, released, policy, control=control, people=people, seed=seed, **reading)
        result(found.to_dict(), lambda: terminal.attacks(found))
    if found.exceeds:
        failed("an attack succeeds more often than the release guarantees")
