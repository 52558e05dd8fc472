"""Options on several releases of one changing table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SEQUENCE = "Several releases of one changing table"
After = Annotated[
    Path | None,
    typer.Option(
        "--after",
        metavar="FOLDER",
        help="Private folder of the previous release.",
        rich_help_panel=SEQUENCE,
        show_default=False,
    ),
]
Link = Annotated[
    str | None,
    typer.Option(
        "--link",
        metavar="NAME",
        help="Identifier or person column that identifies people in all releases.",
        rich_help_panel=SEQUENCE,
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep",
        help="groups: people stay in their groups; values: the set of sensitive values around a person stays.",
        rich_help_panel=SEQUENCE,
    ),
]
Reserve = Annotated[
    int | None, typer.Option("--reserve", help="How many people beyond k a new group has.", rich_help_panel=SEQUENCE)
]
Departures = Annotated[
    str | None,
    typer.Option(
        "--departures",
        help="covered: people disappear k or more at a time; open: those who leave are not hidden.",
        rich_help_panel=SEQUENCE,
    ),
]
Counterfeits = Annotated[
    bool | None,
    typer.Option(
        "--counterfeits/--no-counterfeits",
        metavar="",
        help="Whether made-up rows may take the place of people who left.",
        rich_help_panel=SEQUENCE,
        show_default=False,
    ),
]
