"""`shoal keygen`: a key to sign certificates with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import result


def register(app: typer.Typer) -> None:
    app.command(
        "keygen", short_help="Make a key that signs certificates.", epilog="Example: `shoal keygen steward.key`"
    )(keygen)


def keygen(
    key: Annotated[
        Path,
        typer.Argument(
            metavar="KEY", help="File for the private key; the public key is written to KEY.pub.", show_default=False
        ),
    ],
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Write a private Ed25519 key to KEY, readable by its owner alone, and the public key to KEY.pub.

    `shoal anonymize --sign KEY` signs a release; whoever has KEY.pub checks it with `shoal verify --key KEY.pub`. No
    file is overwritten.
    """
    from shoal.certify.signature import new_key

    public = new_key(key)
    message = f"The private key is in {key}: keep it to yourself. Give {public} to those who check your releases."
    result({"key": str(key), "public": str(public)}, lambda: message)
