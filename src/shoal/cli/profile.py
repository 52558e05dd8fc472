"""`shoal profile`: which columns single people out, and a policy to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "profile",
        short_help="Which columns single people out; start a policy.",
        epilog="Example: `shoal profile visits.csv --write policy.toml`",
    )(expanded(profile))


def profile(
    source: o.Source,
    write: Annotated[
        Path | None, typer.Option("--write", "-w", help="Write the proposed policy here.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Replace the file if it is there.")] = False,
    reading: Settings = NOTHING,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Look at a table: types, uniqueness, likely identifiers, and a role proposed for every column.

    The proposal is a start: read it, and change what you know better. No value of the table is shown.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.profile(source, **reading)
        if write is not None:
            api.write_policy(found, write, force=force)
        result(
            found.to_dict() | {"policy": str(write) if write else None},
            lambda: terminal.profile(found, write, source=source),
        )
