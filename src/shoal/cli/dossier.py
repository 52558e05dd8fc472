"""`shoal dossier`: the documentation of a release for the person who signs it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "dossier",
        short_help="Write the documentation of a release for its approval.",
        epilog="Example: `shoal dossier release --original visits.csv -o dossier.pdf`",
    )(dossier)


def dossier(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The folder of a release.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="The .html or .pdf to write.")] = Path("dossier.html"),
    original: Annotated[
        Path | None,
        typer.Option("--original", help="The original table: adds reasons and attacks.", show_default=False),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option("--control", help="People who were not released: adds risks of attacks.", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Replace the file if it exists.")] = False,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Write one page on a release: purpose, roles, attackers, criteria, tests, residual risk, and lines to sign.

    Purpose, recipients and approval come from the section [dossier] of the policy; what is missing there is a line to
    fill in by hand.
    """
    with watched():
        from shoal import api

        api.dossier(release, out, original=original, control=control, force=force)
        result({"out": str(out)}, lambda: f"written: {out} (private; read it, print it, sign it)")
