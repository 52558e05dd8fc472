"""`shoal recover`: completes or undoes what a killed run left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import result


def register(app: typer.Typer) -> None:
    app.command(
        "recover", short_help="Complete or undo what a killed run left.", epilog="Example: `shoal recover release`"
    )(recover)


def recover(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder of the release.", show_default=False)],
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Bring OUT and OUT.private to one complete release after a run was killed.

    If the run had written its journal, its change is completed; otherwise it is undone. Every run that writes to OUT
    does the same first. Nothing is computed, and no table is read.
    """
    from shoal import api

    done = api.recover(out)
    message = "The interrupted change was completed." if done else "No change of this release was interrupted."
    result({"out": str(out), "completed": done}, lambda: message)
