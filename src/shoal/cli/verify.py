"""`shoal verify`: checks whether a released file meets its requirements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.options.engine import ENGINE
from shoal.cli.show import failed, result, watched
from shoal.errors import ParameterError, ShoalError


def register(app: typer.Typer) -> None:
    app.command(
        "verify",
        short_help="Check a released file against its certificate.",
        epilog="Example: `shoal verify release/release.csv`",
    )(verify)


def verify(
    released: Annotated[
        str,
        typer.Argument(
            metavar="RELEASED",
            help="The released file, its folder, or the URI of the database it is in.",
            callback=o.no_password,
            show_default=False,
        ),
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
        typer.Option("--key", help="Public key of the signature that the certificate must have.", show_default=False),
    ] = None,
    preset: o.Preset = None,
    table: o.Table = None,
    query: o.Query = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="ENGINE",
            help="spark: count a Parquet file on a cluster, whose workers see it under the same path.",
            rich_help_panel=ENGINE,
            show_default=False,
        ),
    ] = None,
    master: o.Master = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Check, from the released file alone, what its certificate or policy claims.

    With a certificate.json beside the file the whole folder is checked: it must hold every file listed there, with
    its digest, and nothing else. With a policy of your own, the requirements come from it and not from the
    certificate. A table of a database is checked against the policy or certificate that is given. Some statements
    cannot be checked from the file and are only stated by the publisher: how many records were suppressed, the
    method, and what is proved about it.

    In the folder of linked tables all of them are checked together: people are counted over all tables.

    With --preset the released cells are also checked against a rule, line by line, such as HIPAA Safe Harbor; then a
    table without policy and certificate can be checked too.

    Exit code 0: every claim holds. Exit code 4: one does not; the failures are listed, with counts and no values.
    """
    with watched():
        # not through the API, which would load modules that verifying does not need
        from shoal.certify import interrupted
        from shoal.certify import verify as count_again
        from shoal.certify.linked.verifier import holds_linked_tables
        from shoal.report import terminal

        interruption = interrupted(released)
        try:
            if (folder := holds_linked_tables(released)) is not None:
                _linked(folder, policy, key, preset)
                return
            findings = count_again(
                released,
                policy,
                key=key,
                preset=preset,
                table=table,
                query=query,
                engine=engine,  # type: ignore[arg-type]  # any other word is refused there
                master=master,
            )
        except ShoalError as refused:
            raise interruption or refused from None
        if interruption is not None:
            typer.echo(f"note: {interruption.message}\nHint: {interruption.hint}", err=True)
        result({"ok": findings.holds} | findings.to_dict(), lambda: terminal.verified(findings))
    if not findings.holds:
        failed("; ".join(failure.message for failure in findings.failures))


def _linked(folder: Path, policy: Path | None, key: Path | None, preset: str | None) -> None:
    """Check tables that were released together, and print what was found."""
    from rich.text import Text

    from shoal._escape import shown
    from shoal.certify.linked.verifier import verify_tables

    if preset is not None:
        raise ParameterError("a preset is checked on a single table.", "leave --preset out.")
    findings = verify_tables(folder, policy, key=key)
    result({"ok": findings.holds} | findings.to_dict(), lambda: Text(shown(str(findings), keep="\n")))
    if not findings.holds:
        failed("; ".join(failure.message for failure in findings.failures))
