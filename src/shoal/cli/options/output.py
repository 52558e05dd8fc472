"""Options on files and on what a command prints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


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


Json = Annotated[
    bool,
    typer.Option("--json", callback=_json, is_eager=True, metavar="", help="Print one JSON object and nothing else."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_quiet, is_eager=True, metavar="", help="Print nothing but errors."),
]
Source = Annotated[
    Path,
    typer.Argument(
        help="CSV, Excel, Parquet or Arrow file, or one of SPSS, Stata, SAS or R.",
        metavar="SOURCE",
        show_default=False,
    ),
]
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


def check_key(sign: Path | None) -> None:
    """Raise an error if a key cannot sign, before any work is done."""
    if sign is not None:
        from shoal.certify.signature import private_key

        private_key(sign)
