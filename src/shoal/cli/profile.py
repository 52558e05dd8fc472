"""`shoal profile`: the columns that single people out, and a first policy."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "profile",
        short_help="Show which columns single people out; suggest a policy.",
        epilog="Example: `shoal profile visits.csv --write policy.toml`",
    )(expanded(profile))


def profile(
    source: o.Source,
    write: Annotated[
        Path | None, typer.Option("--write", "-w", help="File to write the suggested policy to.", show_default=False)
    ] = None,
    preset: o.Preset = None,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Replace the file if it exists.")] = False,
    reading: Settings = NOTHING,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Describe a table: types, uniqueness, likely identifiers, and a suggested role for every column.

    The suggestion is a start: read it, and correct what you know better. No value of the table is shown.
    With --preset it follows a rule; `shoal verify --preset` checks whether the release does.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.profile(source, preset=preset, **reading)
        if write is not None:
            found.write(write, force=force)
        result(
            found.to_dict() | {"policy": str(write) if write else None},
            lambda: terminal.profile(found, write, source=_as_typed(source, reading)),
        )


def _as_typed(source: str, reading: Settings) -> str:
    """Return the words of the command line that name the source; a query is not repeated."""
    if "table" in reading:
        return f"{shlex.quote(source)} --table {shlex.quote(reading['table'])}"
    return f"{shlex.quote(source)} --query ..." if "query" in reading else shlex.quote(source)
