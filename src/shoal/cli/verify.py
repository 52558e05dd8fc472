"""`shoal verify`: does a released file keep its promise?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import failed, result, watched
from shoal.errors import ShoalError


def register(app: typer.Typer) -> None:
    app.command(
        "verify", short_help="Re-check a released file.", epilog="Example: `shoal verify release/release.csv`"
    )(verify)


def verify(
    released: Annotated[
        Path, typer.Argument(metavar="RELEASED", help="The released file, or its folder.", show_default=False)
    ],
    policy: Annotated[
        Path | None,
        typer.Argument(
            metavar="POLICY",
            help="Policy (TOML) or certificate (JSON); by default certificate.json beside the file.",
            show_default=False,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="Public key by which the certificate must be signed.", show_default=False),
    ] = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Count again, from the released file alone, what its certificate or policy claims.

    Beside a certificate.json the whole folder is checked: every file listed there with its digest, nothing else.
    With a policy of your own, what is asked comes from it and not from the certificate. Not counted, and so the
    publisher's word: how many records were suppressed, the method, and what is proved of it.

    Exit code 0: every claim holds. Exit code 4: one does not; what failed is said, with counts and no values.
    """
    with watched():
        # Not through the API, which would load what verifying has no use for.
        from shoal.certify import interrupted
        from shoal.certify import verify as count_again
        from shoal.report import terminal

        told = interrupted(released)
        try:
            findings = count_again(released, policy, key=key)
        except ShoalError as refused:
            raise told or refused from None
        if told is not None:
            typer.echo(f"note: {told.message}\nHint: {told.hint}", err=True)
        result({"ok": findings.holds} | findings.to_dict(), lambda: terminal.verified(findings))
    if not findings.holds:
        failed("; ".join(failure.message for failure in findings.failures))
