"""`shoal serve`: the web app on this computer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.errors import EngineError


def register(app: typer.Typer) -> None:
    app.command(
        "serve",
        short_help="Open the web app on this computer.",
        epilog="Example: `shoal serve visits.csv`",
    )(serve)


def serve(
    source: Annotated[
        Path | None,
        typer.Argument(
            help="Table to open: CSV, Excel, Parquet or Arrow file, or one of SPSS, Stata, SAS or R.",
            metavar="[SOURCE]",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port to listen to; 0 takes a free one.")] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", metavar="", help="Print the address and open no browser.")
    ] = False,
) -> None:
    """Open a page on this computer where a table is looked at, its columns are decided, and a release is made.

    Only this computer can reach it, and only with the address that is printed. Nothing is loaded from elsewhere.
    Copies of raw data are kept in a private folder, which is removed at the end.
    """
    try:
        from shoal.web.serve import serve as run
    except ModuleNotFoundError as missing:
        raise EngineError(
            f"the web app needs the package {missing.name}, which is not installed.", "pip install 'shoal[web]'"
        ) from None
    run(source, port=port, browser=not no_browser, say=typer.echo)
