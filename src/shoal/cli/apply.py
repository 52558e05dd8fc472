"""`shoal apply`: the recoding of an earlier release, on a new table."""

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
        short_help="Recode a new table as an earlier one was.",
        epilog="Example: `shoal apply release.private/plan.json june.csv --out june --max-suppressed 0.02`",
    )(expanded(apply))


def apply(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="plan.json of a private folder.", show_default=False)],
    source: o.Source,
    out: o.Out,
    max_suppressed: Annotated[
        float | None,
        typer.Option("--max-suppressed", help="Largest fraction of rows left out; the policy's where not given."),
    ] = None,
    join: Annotated[
        bool,
        typer.Option(
            "--join", metavar="", help="Join classes that fall short in the new table: coarser cells, fewer rows out."
        ),
    ] = False,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option("--hierarchy", metavar="NAME=FILE", help="Where a hierarchy's file is now."),
    ] = None,
    reading: Settings = NOTHING,
    seed: Annotated[int | None, typer.Option(help="Another number, another release by the same secret.")] = None,
    secret: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="secret.key of a private folder: the same again.", show_default=False),
    ] = None,
    format: Annotated[
        o.Format | None, typer.Option("--format", help="Of the released file; as the input.", show_default=False)
    ] = None,
    sign: o.Sign = None,
    mapping: Annotated[
        bool, typer.Option("--mapping", metavar="", help="Also keep, privately, which input row is in which group.")
    ] = False,
    excel: o.Excel = False,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Put the rows of a new table into the classes of an earlier release: next month's file, a test set.

    Every class of the new release must meet the requirements by itself. Rows that no class holds, or whose classes
    fall short, are left out within the limit; beyond it the run refuses, with counts. Two releases about the same
    people can be held against each other: k does not protect from that.
    """
    settings = o.given(
        max_suppressed=max_suppressed, hierarchy=o.pairs(hierarchy), seed=seed, secret=secret, join=join or None
    )
    with watched():
        from shoal import api

        o.check_key(sign)
        release = api.apply(plan, source, **settings, **reading)
        write(release, out, format, mapping=mapping, sign=sign, excel=excel)
