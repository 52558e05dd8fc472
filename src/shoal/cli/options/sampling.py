"""Options on which rows a release is about, and what they are a sample of."""

from __future__ import annotations

from typing import Annotated

import typer

SAMPLING = "Which rows, and what they are a sample of"
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help="Only rows that meet a condition on their cells, such as \"country = 'DE' and age >= 18\".",
        rich_help_panel=SAMPLING,
        show_default=False,
    ),
]
Sample = Annotated[
    float | None,
    typer.Option(
        "--sample",
        metavar="SHARE",
        help="Only this share of the people, or of the rows without a person column, drawn at random.",
        rich_help_panel=SAMPLING,
        show_default=False,
    ),
]
Population = Annotated[
    str | None,
    typer.Option(
        "--population",
        metavar="NUMBER|FILE",
        help="How many people SOURCE is a sample of, or a table of all of them: the report has the risk among them.",
        rich_help_panel=SAMPLING,
        show_default=False,
    ),
]


def size_or_file(text: str | None) -> int | str | None:
    """Return a number of people, or the path of a file."""
    plain = "" if text is None else text.replace("_", "")
    return int(plain) if plain.isascii() and plain.isdecimal() else text
