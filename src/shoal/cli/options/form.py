"""Options on the method and the form of a release."""

from __future__ import annotations

from typing import Annotated

import typer

HOW = "Method and form of the release"
Publication = Annotated[
    str | None,
    typer.Option(
        "--publication",
        help="Form of the release: generalize, aggregate, centers or suppress.",
        rich_help_panel=HOW,
        metavar="FORM",
    ),
]
Synthetic = Annotated[
    str | None,
    typer.Option(
        "--synthetic",
        help="Also publish synthetic rows drawn from the release: marginals or copula.",
        rich_help_panel=HOW,
        metavar="HOW",
        show_default=False,
    ),
]
Evidence = Annotated[
    bool | None,
    typer.Option(
        "--evidence/--no-evidence",
        help="Also try attacks and analyses on the release, for its report and dossier (private).",
        rich_help_panel=HOW,
        show_default=False,
    ),
]
Metadata = Annotated[
    list[str] | None,
    typer.Option(
        "--metadata",
        help="Descriptions for catalogs and archives to write: croissant, dcat-ap, health-dcat-ap, ddi.",
        metavar="FORMATS",
        show_default=False,
        rich_help_panel=HOW,
    ),
]
Loss = Annotated[
    str | None,
    typer.Option(
        "--loss",
        help="What a generalized cell costs: ncp, information, levels; for full-domain also entropy.",
        rich_help_panel=HOW,
        show_default=False,
    ),
]
Objective = Annotated[
    str | None,
    typer.Option(
        "--objective",
        help="What is minimized: auto, generalization, sse, radius or cellular.",
        rich_help_panel=HOW,
        metavar="OBJECTIVE",
    ),
]
Effort = Annotated[
    float | None,
    typer.Option("--effort", help="Search effort in proposals per record; more takes longer.", rich_help_panel=HOW),
]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", help="Seconds after which each search stops early.", rich_help_panel=HOW),
]
MaxGroups = Annotated[
    int | None,
    typer.Option("--max-groups", help="Largest number of groups, with --method gather.", rich_help_panel=HOW),
]
OpeningCost = Annotated[
    float | None,
    typer.Option(
        "--opening-cost",
        help="What each group costs besides its size times its radius, with --method cellular.",
        rich_help_panel=HOW,
    ),
]
Excel = Annotated[
    bool,
    typer.Option(
        "--excel",
        metavar="",
        help="Write the CSV file for spreadsheets: an apostrophe is put before texts that look like formulas.",
        rich_help_panel=HOW,
    ),
]
