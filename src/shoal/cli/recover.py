"""`shoal recover`: complete what a killed run had begun."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import result


def register(app: typer.Typer) -> None:
    app.command(
        "recover", short_help="Complete what a killed run had begun.", epilog="Example: `shoal recover release`"
    )(recover)


def recover(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder of the release.", show_default=False)],
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Bring OUT and OUT.private to one release after a run was killed, by the journal that it left.

    A change that had been decided is completed, any other is removed. Every run that writes to OUT does the same
    first; nothing is computed here, and no table is read.
    """
    from shoal import api

    done = api.recover(out)
    told = "The interrupted change was completed." if done else "No change of this release was interrupted."
    result({"out": str(out), "completed": done}, lambda: told)
