"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Format(StrEnum):
    """Of a released file."""

    csv = "csv"
    parquet = "parquet"
    arrow = "arrow"


@dataclass
class Output:
    """How this run speaks; set by the command, read where errors are shown."""

    json: bool = False
    quiet: bool = False


OUTPUT = Output()


def _json(value: bool) -> bool:
    OUTPUT.json = value
    return value


def _quiet(value: bool) -> bool:
    OUTPUT.quiet = value
    return value


Json = Annotated[
    bool,
    typer.Option("--json", callback=_json, is_eager=True, metavar="", help="Print one JSON object and nothing else."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_quiet, is_eager=True, metavar="", help="Print nothing but errors."),
]
Source = Annotated[Path, typer.Argument(help="CSV, Parquet or Arrow file.", metavar="SOURCE", show_default=False)]
PolicyFile = Annotated[Path | None, typer.Option("--policy", "-p", help="Policy as a TOML file.", show_default=False)]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", help="Folder for what may be published; OUT.private beside it stays home.", show_default=False
    ),
]
Sign = Annotated[
    Path | None,
    typer.Option(
        "--sign", metavar="KEY", help="Sign the certificate by this private key (shoal keygen).", show_default=False
    ),
]

ROLES = "Roles of columns (repeat an option, or separate names by commas)"
REQUIREMENTS = "What every group must meet"
HOW = "How"
READING = "Reading text files (detected where not given)"

Quasi = Annotated[
    list[str] | None,
    typer.Option(
        "--quasi",
        metavar="NAMES",
        help="Could identify a person together with others: age, zip.",
        rich_help_panel=ROLES,
    ),
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option("--sensitive", metavar="NAMES", help="Must not be learned about a person.", rich_help_panel=ROLES),
]
Identifier = Annotated[
    list[str] | None,
    typer.Option("--identifier", metavar="NAMES", help="Names a person: removed.", rich_help_panel=ROLES),
]
Person = Annotated[
    str | None,
    typer.Option("--person", metavar="NAME", help="Tells which rows are one person's.", rich_help_panel=ROLES),
]
Other = Annotated[
    list[str] | None, typer.Option("--other", metavar="NAMES", help="Published as it is.", rich_help_panel=ROLES)
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="NAME=FILE",
        help="A CSV of the values and the levels above each.",
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
        help="A column of latitudes and one of longitudes, published as rectangles.",
        rich_help_panel=ROLES,
    ),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--classes",
        metavar="NAME[=PEOPLE]",
        help="Labels without order: published in classes of at least k people, or so many.",
        rich_help_panel=ROLES,
    ),
]

RoundRanges = Annotated[
    list[str] | None,
    typer.Option(
        "--round-ranges",
        metavar="NAME=STEP",
        help="Ends of ranges moved outwards to multiples of a number, or to a month, quarter, year ...",
        rich_help_panel=ROLES,
    ),
]

K = Annotated[
    int | None,
    typer.Option("--k", "-k", help="Fewest people in a group. [default: 5]", rich_help_panel=REQUIREMENTS),
]
L = Annotated[
    float | None,
    typer.Option(
        "--l", "-l", help="Different values of a sensitive column in a group.", rich_help_panel=REQUIREMENTS
    ),
]
LKind = Annotated[
    str | None,
    typer.Option("--l-kind", help="distinct, frequency, entropy or recursive.", rich_help_panel=REQUIREMENTS),
]
C = Annotated[float | None, typer.Option("--c", help="The c of recursive diversity.", rich_help_panel=REQUIREMENTS)]
T = Annotated[
    float | None,
    typer.Option(
        "--t",
        "-t",
        help="Largest distance of a group's sensitive values from the table's.",
        rich_help_panel=REQUIREMENTS,
    ),
]
TDistance = Annotated[
    str | None, typer.Option("--t-distance", help="equal, ordered or hierarchical.", rich_help_panel=REQUIREMENTS)
]
MaxSuppressed = Annotated[
    float | None,
    typer.Option("--max-suppressed", help="Largest fraction of rows left out.", rich_help_panel=REQUIREMENTS),
]

SEQUENCE = "Several releases of one changing table"

After = Annotated[
    Path | None,
    typer.Option(
        "--after",
        metavar="FOLDER",
        help="Private folder of the release before this one.",
        rich_help_panel=SEQUENCE,
        show_default=False,
    ),
]
Link = Annotated[
    str | None,
    typer.Option(
        "--link", metavar="NAME", help="Identifier or person that tells who is who.", rich_help_panel=SEQUENCE
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        "--keep",
        help="groups: people stay together; values: the sensitive values around them stay.",
        rich_help_panel=SEQUENCE,
    ),
]
Reserve = Annotated[
    int | None, typer.Option("--reserve", help="People beyond k in new groups.", rich_help_panel=SEQUENCE)
]
Departures = Annotated[
    str | None,
    typer.Option(
        "--departures",
        help="covered: k or more vanish together; open: those who leave are not hidden.",
        rich_help_panel=SEQUENCE,
    ),
]
Counterfeits = Annotated[
    bool | None,
    typer.Option(
        "--counterfeits/--no-counterfeits",
        metavar="",
        help="Rows may be made up in the place of people who left.",
        rich_help_panel=SEQUENCE,
        show_default=False,
    ),
]

Publication = Annotated[
    str | None,
    typer.Option(
        "--publication", help="generalize, aggregate, centers or suppress.", rich_help_panel=HOW, metavar="FORM"
    ),
]

Loss = Annotated[
    str | None,
    typer.Option(
        "--loss", help="What full-domain minimizes: ncp, levels or entropy.", rich_help_panel=HOW, show_default=False
    ),
]

Excel = Annotated[
    bool,
    typer.Option(
        "--excel",
        metavar="",
        help="Write the CSV file for spreadsheets: what they would take for formulas is guarded by an apostrophe.",
        rich_help_panel=HOW,
    ),
]

Separator = Annotated[str | None, typer.Option("--separator", help="Between cells.", rich_help_panel=READING)]
Quote = Annotated[
    str | None,
    typer.Option("--quote", help="Around cells; empty: never quoted.", rich_help_panel=READING, metavar="CHAR"),
]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Such as cp1252.", rich_help_panel=READING)]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", metavar="", help="Whether the first line names the columns.", rich_help_panel=READING
    ),
]
Decimal = Annotated[str | None, typer.Option("--decimal", help="Point or comma.", rich_help_panel=READING)]
NullValues = Annotated[
    list[str] | None,
    typer.Option("--null", metavar="TEXT", help="Text that means missing, such as NA.", rich_help_panel=READING),
]


def names(values: list[str] | None) -> list[str] | None:
    """Column names from repeated options, each perhaps with commas."""
    return [name.strip() for value in values for name in value.split(",")] if values else None


def pairs(
    values: list[str] | None, option: str = "--hierarchy", example: str = "age=age_levels.csv"
) -> dict[str, str] | None:
    """`age=age.csv` options as a mapping."""
    if not values:
        return None
    for value in values:
        if "=" not in value:
            raise typer.BadParameter(f"give two names with = between them, such as {example}", param_hint=option)
    return dict(value.split("=", 1) for value in values)


def sizes(values: list[str] | None) -> dict[str, str | int] | None:
    """`surname` or `surname=50` options as a mapping."""
    found: dict[str, str | int] = {}
    for value in names(values) or []:
        name, _, size = value.rpartition("=") if "=" in value else (value, "", "k")
        if size != "k" and not size.isdecimal():
            raise typer.BadParameter("give NAME or NAME=PEOPLE, such as surname=50", param_hint="--classes")
        found[name] = int(size) if size != "k" else "k"
    return found or None


def steps(values: list[str] | None) -> dict[str, str | float] | None:
    """`age=10` and `born=month` options as a mapping."""
    found: dict[str, str | float] = {}
    for name, step in (pairs(values, "--round-ranges", "age=10 or born=month") or {}).items():
        try:
            found[name] = float(step)
        except ValueError:
            found[name] = step
    return found or None


def numbers(text: str | None, kind: type[int] | type[float] = int) -> list[Any] | None:
    """`2,5,10` as numbers."""
    if text is None:
        return None
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text} is not a list of numbers, such as 2,5,10") from None


def check_key(sign: Path | None) -> None:
    """Say at once, and not after an hour of work, that a key cannot sign."""
    if sign is not None:
        from shoal.certify.signature import private_key

        private_key(sign)


def given(**settings: Any) -> dict[str, Any]:
    """The settings that were given on the command line."""
    return {name: value for name, value in settings.items() if value is not None}
