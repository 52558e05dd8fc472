"""`shoal bench`: the papers' experiments, the printed figure beside ours."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import result, watched


class Paper(StrEnum):
    """The experiments that can be repeated."""

    mst = "mst"


def register(app: typer.Typer) -> None:
    app.command(
        "bench",
        short_help="Repeat a paper's experiments.",
        epilog="Example: `shoal bench mst --tables 7,8 --html mst.html`",
    )(bench)


def bench(
    paper: Annotated[Paper, typer.Argument(help="mst: minimum spanning tree partitioning (2005), tables 5 to 10.")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Folder with Tarragona.csv and Census.csv; left out without it.", show_default=False
        ),
    ] = None,
    tables: Annotated[str, typer.Option("--tables", help="Which tables, separated by commas.")] = "5,6,7,8,9,10",
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with the chart.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="For the simulated data.")] = 0,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Repeat a paper's tables on the same data or its own generator, and print both figures side by side."""
    with watched():
        from shoal import api
        from shoal.report import terminal

        asked = tuple(o.numbers(tables) or ())
        rows = api.bench(paper.value, data, tables=asked, seed=seed, html=html)
        header = ("table", "data", "k", "what", "printed", "measured")
        result({"rows": [row._asdict() for row in rows]}, lambda: terminal.figures(header, rows))
