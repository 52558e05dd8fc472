"""`shoal apply`: publishes a new table in the classes of an earlier release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import watched, write


def register(app: typer.Typer) -> None:
    app.command(
        "apply",
        short_help="Publish a new table in the classes of an earlier release.",
        epilog="Example: `shoal apply release.private/plan.json june.csv --out june --max-suppressed 0.02`",
    )(expanded(apply))


def apply(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="plan.json of a private folder.", show_default=False)],
    source: o.Source,
    out: o.Out,
    max_suppressed: Annotated[
        float | None,
        typer.Option(
            "--max-suppressed", help="Largest share of rows to suppress, such as 0.02; by default the policy's."
        ),
    ] = None,
    join: Annotated[
        bool,
        typer.Option(
            "--join",
            metavar="",
            help="Merge classes that are too small in the new table: coarser values, fewer suppressed rows.",
        ),
    ] = False,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option("--hierarchy", metavar="NAME=FILE", help="Column and hierarchy file, if the file has moved."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="NAME=DATE",
            help="For dates relative to a period: the first day of the newest one, such as admitted=2024-06-01.",
        ),
    ] = None,
    reading: Settings = NOTHING,
    seed: Annotated[
        int | None, typer.Option(help="A number: another one gives another release with the same secret.")
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="secret.key of an earlier release, to repeat it.", show_default=False),
    ] = None,
    format: Annotated[
        o.Format | None,
        typer.Option("--format", help="Format of the released file; by default that of SOURCE.", show_default=False),
    ] = None,
    sign: o.Sign = None,
    mapping: Annotated[
        bool,
        typer.Option(
            "--mapping", metavar="", help="Also write, to the private folder, which input row is in which group."
        ),
    ] = False,
    excel: o.Excel = False,
    to: o.To = None,
    to_table: o.ToTable = None,
    replace: o.Replace = False,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Put the rows of a new table into the classes of an earlier release: next month's file, a test set.

    Every class of the new release must itself meet the requirements. Rows that fit no class, or only classes that do
    not meet them, are suppressed within the limit; beyond the limit the command stops and says how many. Two releases
    about the same people can be compared with each other, and k does not protect against that.
    """
    settings = o.given(
        max_suppressed=max_suppressed,
        hierarchy=o.pairs(hierarchy),
        origin=o.pairs(origin, "--origin", "admitted=2024-06-01"),
        seed=seed,
        secret=secret,
        join=join or None,
    )
    with watched():
        from shoal import api

        o.check_key(sign)
        release = api.apply(plan, source, **settings, **reading)
        write(
            release, out, format, mapping=mapping, sign=sign, excel=excel, to=to, to_table=to_table, replace=replace
        )
