"""`shoal papers`: repeats experiments of the papers and shows the printed figures beside ours."""

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
    names = "names"
    gather = "gather"
    cellular = "cellular"
    diversity = "diversity"
    generalization = "generalization"


def register(app: typer.Typer) -> None:
    app.command(
        "papers",
        short_help="Repeat a paper's experiments.",
        epilog="Example: `shoal papers names --data census1990names --html names.html`",
    )(papers)


def papers(
    paper: Annotated[
        Paper,
        typer.Argument(
            help="mst: minimum spanning tree partitioning (2005), tables 5 to 11. "
            "names: classes of labels (2009), figure 7. "
            "gather, cellular, diversity, generalization: the measured ratio beside the proved one."
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="mst: folder with Tarragona.csv and Census.csv, otherwise omitted. names: folder with the census "
            "files dist.all.last, dist.female.first and dist.male.first; by default names are generated.",
            show_default=False,
        ),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            "--tables", help="mst: numbers of tables, separated by commas; by default all.", show_default=False
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Also write an HTML page with the chart to this file.", show_default=False),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="A number that determines the simulated data and the random order of names.")
    ] = 0,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Repeat a paper's experiments on the same or on generated data, and show the figures that the paper prints
    beside ours.
    """
    with watched():
        from shoal import api
        from shoal.report import terminal

        asked = None if tables is None else tuple(o.numbers(tables) or ())
        rows = api.papers(paper.value, data, tables=asked, seed=seed, html=html)
        header = [name.replace("_", "\n") for name in rows[0]._fields]
        result({"rows": [row._asdict() for row in rows]}, lambda: terminal.figures(header, rows))
