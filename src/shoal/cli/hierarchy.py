"""`shoal hierarchy`: how a column could get coarser, from its own values."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "hierarchy",
        short_help="Derive a hierarchy from a column, and show it.",
        epilog="Example: `shoal hierarchy visits.csv ward --out ward.csv -k 20`",
    )(expanded(hierarchy))


def hierarchy(
    source: o.Source,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="The column.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write a hierarchy file here.", show_default=False)
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="Fewest rows in a class of the first level.")] = 5,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="cover (labels), quantiles or widths (numbers), periods (dates), prefix (codes); by the type.",
            show_default=False,
        ),
    ] = None,
    fan_out: Annotated[int, typer.Option(help="So many times more rows at every further level.")] = 4,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Replace the file if it is there.")] = False,
    reading: Settings = NOTHING,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Derive a hierarchy from the values of a column: classes with enough rows in each, level by level.

    Labels are put together so that the largest class is small, numbers are cut into intervals of like many rows. Read
    it before you use it: classes of labels that mean nothing together can be edited in the file. It shows values of
    the table, so it stays home.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.hierarchy(source, column, k=k, by=by, fan_out=fan_out, **reading)
        if out is not None:
            api.write_hierarchy(found, out, force=force)
        told = found.to_dict() | {"out": str(out) if out else None}
        result(told, lambda: terminal.hierarchy(found.column, found.way, found.lines(), found.setting, out))
