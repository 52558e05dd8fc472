"""`shoal demo`: a release of a generated hospital table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "demo", short_help="Make a release of a generated hospital table.", epilog="Example: `shoal demo --out demo`"
    )(demo)


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the release.")] = Path("demo"),
    people: Annotated[
        int, typer.Option("--people", min=50, max=1_000_000, help="Number of rows to generate.")
    ] = 2000,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Anonymize a generated hospital table, to show what a release, its certificate and its report look like."""
    with watched():
        from shoal import api
        from shoal.report import terminal

        release = api.demo(out, people=people)
        result(
            release.to_dict() | {"out": str(out), "file": str(out / release.file_name)},
            lambda: terminal.release(release.content(checked=release.file_name), out),
        )
