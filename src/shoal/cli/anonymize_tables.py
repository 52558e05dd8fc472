"""`shoal anonymize-tables`: makes a verified release of several tables about the same people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import note_replaced, private_folder, result, secret_in, watched
from shoal.errors import ParameterError

_NAMED = re.compile(r"([A-Za-z][A-Za-z0-9_-]*)=(.+)", re.DOTALL)


def register(app: typer.Typer) -> None:
    app.command(
        "anonymize-tables",
        short_help="Publish linked tables, such as patients and visits, together.",
        epilog="Example: `shoal anonymize-tables patients.csv visits.csv --policy linked.toml --out release`",
    )(anonymize_tables)


def anonymize_tables(
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLES...",
            help="The tables: files, each named as in the policy without its ending, or NAME=FILE. A source can be "
            "whatever `shoal anonymize` reads.",
            show_default=False,
        ),
    ],
    policy: Annotated[
        Path,
        typer.Option(
            "--policy", "-p", help="Policy file (TOML) with a part [tables.NAME] for each table.", show_default=False
        ),
    ],
    out: o.Out,
    k: o.K = None,
    max_suppressed: Annotated[
        float | None,
        typer.Option(
            "--max-suppressed",
            help="Largest share of the rows of each table to leave out, such as 0.05; by default the policy's.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="A number: another one gives another release with the same secret.")
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="secret.key of an earlier release, to repeat it.", show_default=False),
    ] = None,
    format: Annotated[
        o.Format | None,
        typer.Option(
            "--format", help="Format of the released files; by default that of each table.", show_default=False
        ),
    ] = None,
    sign: o.Sign = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Publish several tables about the same people so that each person is hidden among k people in all of them.

    Everybody gets one pseudonym in all tables. At least k people have the same published quasi-identifiers in every
    table, and equally many rows there; rows beyond that are left out, drawn at random, within --max-suppressed. OUT/
    gets a file for every table and one public certificate, which `shoal verify OUT` checks; OUT.private/ gets the
    policy, the secret and what was measured, and must not be published. All files are written, or none.
    """  # fmt: skip
    sources = named_tables(tables)
    with watched():
        from rich.text import Text

        from shoal import api
        from shoal._escape import shown

        o.check_key(sign)
        # the secret of an earlier release is used only for the same tables and policy
        given = secret if secret is not None else private_folder(out)
        release = api.anonymize_tables(sources, policy, k=k, max_suppressed=max_suppressed, seed=seed, secret=given)
        earlier = secret_in(out)
        written = release.write(out, format=format.value if format else None, sign=sign)
        where = f"written to {out}; {out}.private must not be published"
        result(written.to_dict() | {"out": str(out)}, lambda: Text(shown(f"{written}\n{where}", keep="\n")))
        note_replaced(out, earlier)


def named_tables(given: list[str]) -> dict[str, str]:
    """Return tables by name: NAME=FILE, or a file that is called after its table."""
    found: dict[str, str] = {}
    for one in given:
        match = _NAMED.fullmatch(one)
        name, source = match.groups() if match else (Path(one).name.partition(".")[0], one)
        o.no_password(source)
        if name in found:
            raise ParameterError(
                f"two tables are called {name}.", "name them as in the policy: NAME=FILE, such as visits=2024.csv."
            )
        found[name] = source
    return found
