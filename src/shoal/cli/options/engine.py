"""Options on where a release of a large table is made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from shoal.caller import named, setting
from shoal.errors import ParameterError, TableError

ENGINE = "Tables larger than memory"
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="memory, the default; local: in blocks, on this computer; spark: in blocks, on a cluster.",
        rich_help_panel=ENGINE,
        show_default=False,
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="ADDRESS",
        help="The Spark cluster, such as spark://host:7077 or local[4].",
        rich_help_panel=ENGINE,
        show_default=False,
    ),
]
Work = Annotated[
    str | None,
    typer.Option(
        "--work",
        metavar="FOLDER",
        help="Where blocks are kept meanwhile, by default beside OUT; it needs about twice the space of SOURCE.",
        rich_help_panel=ENGINE,
        show_default=False,
    ),
]


def only_in_memory(given: Mapping[str, object]) -> None:
    """Raise a ParameterError for the first option that was given and is only for tables in memory."""
    for name, value in given.items():
        if value not in (None, False):
            raise ParameterError(
                f"{named(name)} is only for tables that are taken into memory.", f"leave it or {named('engine')} out."
            )


def check_target(out: Path, format: str | None) -> None:
    """Raise an error if a release in blocks could not be written, before hours of work are done for it."""
    if format not in (None, "parquet"):
        raise ParameterError(
            f"format={format} cannot be written block by block.", f"use {setting('format', 'parquet')}."
        )
    if not out.absolute().parent.is_dir():
        raise TableError(f"{str(out)!r} cannot be written: its parent is no folder.", "make that folder first.")
