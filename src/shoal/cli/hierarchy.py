"""`shoal hierarchy`: a hierarchy derived from the values of a column."""

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
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="Name of the column.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write the hierarchy to.", show_default=False)
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", help="Fewest rows in a class on the first level.")] = 5,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="How to derive it: cover (labels), quantiles or widths (numbers), periods (dates), prefix (codes); "
            "by default as the column's type suggests.",
            show_default=False,
        ),
    ] = None,
    fan_out: Annotated[int, typer.Option(help="How many times more rows a class has on each further level.")] = 4,
    force: Annotated[bool, typer.Option("--force", metavar="", help="Replace the file if it exists.")] = False,
    reading: Settings = NOTHING,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Derive a hierarchy from the values of a column: classes with enough rows in each, level by level.

    Labels are grouped so that the largest class is small; numbers are cut into intervals with about equally many
    rows. Read the result before you use it: classes of labels that do not belong together can be edited in the file.
    It shows values of the table, so do not publish it.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.hierarchy(source, column, k=k, fan_out=fan_out, **o.given(by=by), **reading)
        if out is not None:
            found.write(out, force=force)
        facts = found.to_dict() | {"out": str(out) if out else None}
        result(facts, lambda: terminal.hierarchy(found.column, found.way, found.lines(), found.setting, out))
