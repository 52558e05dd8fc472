"""Options on columns: their roles, and how the values of each are compared and published."""

from __future__ import annotations

from typing import Annotated

import typer

ROLES = "Roles of columns (repeat an option, or separate names by commas)"
Quasi = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi",
        metavar="NAMES",
        help="Quasi-identifiers: together they could identify a person, such as age and zip.",
        rich_help_panel=ROLES,
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive", metavar="NAMES", help="Sensitive: must not be learned about a person.", rich_help_panel=ROLES
    ),
]
Identifier = Annotated[
    list[str] | None,
    typer.Option(
        "--identifier", metavar="NAMES", help="Direct identifiers, such as a name: removed.", rich_help_panel=ROLES
    ),
]
Person = Annotated[
    str | None,
    typer.Option(
        "--person", metavar="NAME", help="Identifies a person who may have several rows.", rich_help_panel=ROLES
    ),
]
Consistent = Annotated[
    bool | None,
    typer.Option(
        "--consistent/--no-consistent",
        metavar="",
        help="Publish all rows of a person alike, under one number. [default: no]",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]
Pseudonym = Annotated[
    bool | None,
    typer.Option(
        "--pseudonym/--no-pseudonym",
        metavar="",
        help="With --consistent: pseudonyms that are the same in every table made with one secret. [default: no]",
        rich_help_panel=ROLES,
        show_default=False,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="NAME", help="Sampling weights: published as they are, or rounded.", rich_help_panel=ROLES
    ),
]
Other = Annotated[
    list[str] | None,
    typer.Option("--other", metavar="NAMES", help="Harmless: published as it is.", rich_help_panel=ROLES),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME[=SEPARATOR]",
        help="Quasi-identifier with several items in one cell, such as diagnoses; separated by ; unless said.",
        rich_help_panel=ROLES,
    ),
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="NAME=FILE",
        help="Column and hierarchy file: a CSV of the values and the levels above each.",
        rich_help_panel=ROLES,
    ),
]
Maps = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="NAME=FILE",
        help="Regions: a CSV of neighbors, a .gal file or .geojson polygons; published as connected sets.",
        rich_help_panel=ROLES,
    ),
]
Places = Annotated[
    list[str] | None,
    typer.Option(
        "--place",
        metavar="LAT=LON",
        help="Columns of latitudes and longitudes, published as rectangles.",
        rich_help_panel=ROLES,
    ),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--classes",
        metavar="NAME[=PEOPLE]",
        help="Labels to publish in classes of at least k people, or of at least PEOPLE.",
        rich_help_panel=ROLES,
    ),
]
RoundRanges = Annotated[
    list[str] | None,
    typer.Option(
        "--round-ranges",
        metavar="NAME=STEP",
        help="Round the ends of ranges outwards to multiples of a number, or to a month, quarter, year ...",
        rich_help_panel=ROLES,
    ),
]
RelativeTo = Annotated[
    list[str] | None,
    typer.Option(
        "--relative-to",
        metavar="NAME=PERIOD",
        help="Dates whose classes move with the newest week, month, quarter or year when the plan is applied.",
        rich_help_panel=ROLES,
    ),
]
Origin = Annotated[
    list[str] | None,
    typer.Option(
        "--origin",
        metavar="NAME=DATE",
        help="For --relative-to: the first day of the newest period, instead of that found from the table.",
        rich_help_panel=ROLES,
    ),
]
PublishRare = Annotated[
    list[str] | None,
    typer.Option(
        "--publish-rare",
        metavar="NAME[=merged]",
        help="Publish labels that only one person has, unchanged or (merged) all rare ones as one label.",
        rich_help_panel=ROLES,
    ),
]
DateFormats = Annotated[
    list[str] | None,
    typer.Option(
        "--date-format",
        metavar="NAME=FORMAT",
        help="How dates are written, such as born=%d.%m.%Y; they are published in the same way.",
        rich_help_panel=ROLES,
    ),
]
NumberFormats = Annotated[
    list[str] | None,
    typer.Option(
        "--number",
        metavar="NAME=FORMAT",
        help="How numbers are written, as in a policy: wage={decimal=',', thousands='.'}.",
        rich_help_panel=ROLES,
    ),
]
Perturb = Annotated[
    list[str] | None,
    typer.Option(
        "--perturb",
        metavar="NAME={...}",
        help="Change values of a published column by chance, as in a policy: wage={method='noise', spread=0.3}.",
        rich_help_panel=ROLES,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="NAME=VALUES",
        help="Values that mean missing in one column, such as age=999,-1.",
        rich_help_panel=ROLES,
    ),
]
