"""Options that recode the values of columns before groups are made."""

from __future__ import annotations

from typing import Annotated

import typer

RECODING = "Recoding before groups are made (repeat an option for several columns)"

Top = Annotated[
    list[str] | None,
    typer.Option(
        "--top",
        metavar="NAME=VALUE",
        help="Publish values at or above this one as 'VALUE or more'.",
        rich_help_panel=RECODING,
    ),
]
Bottom = Annotated[
    list[str] | None,
    typer.Option(
        "--bottom",
        metavar="NAME=VALUE",
        help="Publish values at or below this one as 'VALUE or less'.",
        rich_help_panel=RECODING,
    ),
]
Round = Annotated[
    list[str] | None,
    typer.Option(
        "--round",
        metavar="NAME=STEP",
        help="Round to the nearest multiple of a number, or dates to the beginning of a month, quarter, year ...",
        rich_help_panel=RECODING,
    ),
]
LeastLevel = Annotated[
    list[str] | None,
    typer.Option(
        "--least-level",
        metavar="NAME=LEVEL",
        help="Publish nothing finer than this level of the column's hierarchy.",
        rich_help_panel=RECODING,
    ),
]
GreatestLevel = Annotated[
    list[str] | None,
    typer.Option(
        "--greatest-level",
        metavar="NAME=LEVEL",
        help="Publish nothing coarser than this level; rows that need more are left out.",
        rich_help_panel=RECODING,
    ),
]
Merge = Annotated[
    list[str] | None,
    typer.Option(
        "--merge",
        metavar="NAME=LABEL:VALUES",
        help="Publish several values as one label, such as job=other:smith,tailor.",
        rich_help_panel=RECODING,
    ),
]
