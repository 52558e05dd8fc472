"""Options on how a text file is read, where detection should be overridden."""

from __future__ import annotations

from typing import Annotated

import typer

READING = "Reading files (by default detected)"
DATABASES = "Databases"
Separator = Annotated[
    str | None, typer.Option("--separator", help="Character between cells.", rich_help_panel=READING)
]
Quote = Annotated[
    str | None,
    typer.Option(
        "--quote",
        help="Character around quoted cells; empty if cells are never quoted.",
        rich_help_panel=READING,
        metavar="CHAR",
    ),
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Encoding, such as cp1252.", rich_help_panel=READING)
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        metavar="",
        help="Whether the first line has the column names.",
        rich_help_panel=READING,
    ),
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", help="Decimal mark: point or comma.", rich_help_panel=READING)
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="Sheet of an .xlsx file.", rich_help_panel=READING),
]
NullValues = Annotated[
    list[str] | None,
    typer.Option(
        "--null", metavar="TEXT", help="Text that means a missing value, such as NA.", rich_help_panel=READING
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="NAME",
        help="Table or view of the database: patients, or schema.patients.",
        rich_help_panel=DATABASES,
    ),
]
Query = Annotated[
    str | None,
    typer.Option("--query", metavar="SQL", help="SELECT that is read instead of a table.", rich_help_panel=DATABASES),
]
