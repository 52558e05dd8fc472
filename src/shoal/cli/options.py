"""Command-line options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Format(StrEnum):
    """The format of a released file."""

    csv = "csv"
    parquet = "parquet"
    arrow = "arrow"


@dataclass
class Output:
    """How this run prints; set by the command, read where errors are printed."""

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
PolicyFile = Annotated[Path | None, typer.Option("--policy", "-p", help="Policy file (TOML).", show_default=False)]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", help="Folder for the release; OUT.private beside it must not be published.", show_default=False
    ),
]
Sign = Annotated[
    Path | None,
    typer.Option(
        "--sign",
        metavar="KEY",
        help="Sign the certificate with this private key (see shoal keygen).",
        show_default=False,
    ),
]

ROLES = "Roles of columns (repeat an option, or separate names by commas)"
REQUIREMENTS = "Requirements on every group"
HOW = "Method and form of the release"
READING = "Reading text files (by default detected)"

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
Other = Annotated[
    list[str] | None,
    typer.Option("--other", metavar="NAMES", help="Harmless: published as it is.", rich_help_panel=ROLES),
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

K = Annotated[
    int | None,
    typer.Option("--k", "-k", help="Fewest people in a group. [default: 5]", rich_help_panel=REQUIREMENTS),
]
L = Annotated[
    float | None,
    typer.Option(
        "--l", "-l", help="Fewest different values of a sensitive column in a group.", rich_help_panel=REQUIREMENTS
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
        help="Whether a missing value counts as a value towards l. [default: no]",
        rich_help_panel=REQUIREMENTS,
        show_default=False,
    ),
]
C = Annotated[
    float | None, typer.Option("--c", help="The c of recursive (c, l)-diversity.", rich_help_panel=REQUIREMENTS)
]
T = Annotated[
    float | None,
    typer.Option(
        "--t",
        "-t",
        help="Largest distance of a group's distribution of sensitive values from that of the table.",
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
MaxSuppressed = Annotated[
    float | None,
    typer.Option(
        "--max-suppressed", help="Largest share of rows to suppress, such as 0.01.", rich_help_panel=REQUIREMENTS
    ),
]

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

Publication = Annotated[
    str | None,
    typer.Option(
        "--publication",
        help="Form of the release: generalize, aggregate, centers or suppress.",
        rich_help_panel=HOW,
        metavar="FORM",
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

Excel = Annotated[
    bool,
    typer.Option(
        "--excel",
        metavar="",
        help="Write the CSV file for spreadsheets: an apostrophe is put before texts that look like formulas.",
        rich_help_panel=HOW,
    ),
]

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
NullValues = Annotated[
    list[str] | None,
    typer.Option(
        "--null", metavar="TEXT", help="Text that means a missing value, such as NA.", rich_help_panel=READING
    ),
]


def names(values: list[str] | None) -> list[str] | None:
    """Return column names from repeated options, each of which may contain several separated by commas."""
    return [name.strip() for value in values for name in value.split(",")] if values else None


def pairs(
    values: list[str] | None, option: str = "--hierarchy", example: str = "age=age_levels.csv"
) -> dict[str, str] | None:
    """Return options such as `age=age.csv` as a mapping."""
    if not values:
        return None
    for value in values:
        if "=" not in value:
            raise typer.BadParameter(f"give two names with = between them, such as {example}", param_hint=option)
    return dict(value.split("=", 1) for value in values)


def sizes(values: list[str] | None) -> dict[str, str | int] | None:
    """Return options such as `surname` or `surname=50` as a mapping."""
    found: dict[str, str | int] = {}
    for value in names(values) or []:
        name, _, size = value.rpartition("=") if "=" in value else (value, "", "k")
        if size != "k" and not size.isdecimal():
            raise typer.BadParameter("give NAME or NAME=PEOPLE, such as surname=50", param_hint="--classes")
        found[name] = int(size) if size != "k" else "k"
    return found or None


def steps(values: list[str] | None) -> dict[str, str | float] | None:
    """Return options such as `age=10` or `born=month` as a mapping."""
    found: dict[str, str | float] = {}
    for name, step in (pairs(values, "--round-ranges", "age=10 or born=month") or {}).items():
        try:
            found[name] = float(step)
        except ValueError:
            found[name] = step
    return found or None


def numbers(text: str | None, kind: type[int] | type[float] = int) -> list[Any] | None:
    """Return the numbers in a text such as `2,5,10`."""
    if text is None:
        return None
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text} is not a list of numbers, such as 2,5,10") from None


def check_key(sign: Path | None) -> None:
    """Raise an error if a key cannot sign, before any work is done."""
    if sign is not None:
        from shoal.certify.signature import private_key

        private_key(sign)


def given(**settings: Any) -> dict[str, Any]:
    """Return the settings that were given on the command line."""
    return {name: value for name, value in settings.items() if value is not None}
