"""Options on files and on what a command prints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options.form import HOW
from shoal.cli.options.reading import DATABASES
from shoal.errors import ParameterError

_PASSWORD = re.compile(r"^[a-z0-9+.-]+:/+(?:[^/?#]*:[^/?#]*@|.*[?&](?:ssl)?password=)", re.IGNORECASE)


class Format(StrEnum):
    """The format of a released file."""

    csv = "csv"
    parquet = "parquet"
    arrow = "arrow"
    xlsx = "xlsx"


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


Preset = Annotated[
    str | None,
    typer.Option(
        "--preset", help="A rule to follow: hipaa-safe-harbor, or the path of your own (TOML).", show_default=False
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", callback=_json, is_eager=True, metavar="", help="Print one JSON object and nothing else."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_quiet, is_eager=True, metavar="", help="Print nothing but errors."),
]


def no_password(value: str | None) -> str | None:
    """Return a source as it is; raise an error for a URI with a password, which a list of processes shows."""
    if value is not None and _PASSWORD.search(value):
        raise ParameterError(
            "the URI holds a password, which everybody on this machine can see in the list of processes.",
            "change this password, and leave it out: set PGPASSWORD, use a password file (~/.pgpass or PGPASSFILE), "
            "or put the whole URI into an environment variable and give its name, as in env:DATABASE_URL.",
        )
    return value


Source = Annotated[
    str,
    typer.Argument(
        help="CSV, Excel, Parquet or Arrow file, one of SPSS, Stata, SAS or R, here or in a store (s3://), or the "
        "URI of a database: postgresql://, duckdb:///, sqlite:///.",
        metavar="SOURCE",
        callback=no_password,
        show_default=False,
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="URI",
        help="Database that the released table is also written to; by default that of SOURCE.",
        rich_help_panel=DATABASES,
        callback=no_password,
        show_default=False,
    ),
]
ToTable = Annotated[
    str | None,
    typer.Option(
        "--to-table",
        metavar="NAME",
        help="Table of a database to write the released table to, such as anon.patients.",
        rich_help_panel=DATABASES,
        show_default=False,
    ),
]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace",
        metavar="",
        help="Replace that table, if an earlier release wrote it.",
        rich_help_panel=DATABASES,
    ),
]
PolicyFile = Annotated[Path | None, typer.Option("--policy", "-p", help="Policy file (TOML).", show_default=False)]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", help="Folder for the release; OUT.private beside it must not be published.", show_default=False
    ),
]
RowsPerFile = Annotated[
    int | None,
    typer.Option(
        "--rows-per-file",
        metavar="N",
        min=1,
        help="Write the table to several files with at most N rows each, at random; CSV, Parquet and Arrow only.",
        rich_help_panel=HOW,
        show_default=False,
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


def check_key(sign: Path | None) -> None:
    """Raise an error if a key cannot sign, before any work is done."""
    if sign is not None:
        from shoal.certify.signature import private_key

        private_key(sign)
