"""Options on what every group must meet: k, l, t, alpha, beta, delta, and the rows that may be suppressed."""

from __future__ import annotations

from typing import Annotated

import typer

REQUIREMENTS = "Requirements on every group"
K = Annotated[
    int | None,
    typer.Option("--k", "-k", help="Fewest people in a group. [default: 5]", rich_help_panel=REQUIREMENTS),
]
L = Annotated[
    list[str] | None,
    typer.Option(
        "--l",
        "-l",
        metavar="[NAME=]NUMBER",
        help="Fewest different values of a sensitive column in a group; for one column: -l occupation=3.",
        rich_help_panel=REQUIREMENTS,
    ),
]
M = Annotated[
    int | None,
    typer.Option(
        "--m",
        help="How many items of a person's set others may know, 1 to 3. [default: 2]",
        rich_help_panel=REQUIREMENTS,
    ),
]
LKind = Annotated[
    str | None,
    typer.Option(
        "--l-kind",
        help="Kind of l-diversity: distinct, frequency, entropy or recursive.",
        rich_help_panel=REQUIREMENTS,
    ),
]
CountMissing = Annotated[
    bool | None,
    typer.Option(
        "--count-missing/--no-count-missing",
        metavar="",
        help="Whether a missing value counts as a value toward l. [default: no]",
        rich_help_panel=REQUIREMENTS,
        show_default=False,
    ),
]
C = Annotated[
    float | None, typer.Option("--c", help="The c of recursive (c, l)-diversity.", rich_help_panel=REQUIREMENTS)
]
T = Annotated[
    list[str] | None,
    typer.Option(
        "--t",
        "-t",
        metavar="[NAME=]NUMBER",
        help="Largest distance of a group's distribution of sensitive values from that of the table; for one column: "
        "-t income=0.2.",
        rich_help_panel=REQUIREMENTS,
    ),
]
TDistance = Annotated[
    str | None,
    typer.Option(
        "--t-distance",
        help="Distance of sensitive values for t: equal, ordered or hierarchical.",
        rich_help_panel=REQUIREMENTS,
    ),
]
Alpha = Annotated[
    list[str] | None,
    typer.Option(
        "--alpha",
        metavar="[NAME=]NUMBER",
        help="Largest share of a group's people with the same sensitive value: (alpha, k)-anonymity.",
        rich_help_panel=REQUIREMENTS,
    ),
]
Beta = Annotated[
    list[str] | None,
    typer.Option(
        "--beta",
        metavar="[NAME=]NUMBER",
        help="By how many times its share in the table a sensitive value's share in a group may exceed it: "
        "beta-likeness.",
        rich_help_panel=REQUIREMENTS,
    ),
]
BetaKind = Annotated[
    str | None,
    typer.Option("--beta-kind", help="Kind of beta-likeness: basic or enhanced.", rich_help_panel=REQUIREMENTS),
]
Delta = Annotated[
    list[str] | None,
    typer.Option(
        "--delta",
        metavar="[NAME=]NUMBER",
        help="A sensitive value's share in a group and in the table differ by a factor below 2 to the power of this: "
        "delta-disclosure privacy.",
        rich_help_panel=REQUIREMENTS,
    ),
]
MaxSuppressed = Annotated[
    float | None,
    typer.Option(
        "--max-suppressed", help="Largest share of rows to suppress, such as 0.01.", rich_help_panel=REQUIREMENTS
    ),
]
