"""`shoal compare`: the information loss and risk of each k, l or method."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "compare",
        short_help="Compare loss and risk of several k, l or methods.",
        epilog="Example: `shoal compare visits.csv -p policy.toml --k 5,10 --methods forest,mondrian,full-domain`",
    )(expanded(compare))


def compare(
    source: o.Source,
    policy: o.PolicyFile = None,
    k: Annotated[str, typer.Option("--k", "-k", help="Values of k, separated by commas.")] = "2,3,5,10,20",
    l: Annotated[  # noqa: E741
        str | None, typer.Option("--l", "-l", help="Values of l, separated by commas.", show_default=False)
    ] = None,
    methods: Annotated[
        str | None, typer.Option("--methods", "-m", help="Methods, separated by commas.", show_default=False)
    ] = None,
    publications: Annotated[
        str | None,
        typer.Option(
            "--publications",
            help="Forms, separated by commas: generalize, aggregate, suppress, synthetic.",
            show_default=False,
        ),
    ] = None,
    control: Annotated[
        float | None,
        typer.Option(
            "--control",
            help="Share of people to leave out of all trials, for the risks of attacks compared with them.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Also write an HTML page with the chart to this file.", show_default=False),
    ] = None,
    l_kind: o.LKind = None,
    count_missing: o.CountMissing = None,
    c: o.C = None,
    t: o.T = None,
    t_distance: o.TDistance = None,
    alpha: o.Alpha = None,
    beta: o.Beta = None,
    beta_kind: o.BetaKind = None,
    delta: o.Delta = None,
    m: o.M = None,
    max_suppressed: Annotated[
        str | None,
        typer.Option(
            "--max-suppressed",
            help="Largest shares of rows to suppress, separated by commas.",
            rich_help_panel=o.REQUIREMENTS,
            show_default=False,
        ),
    ] = None,
    search: Settings = NOTHING,
    publication: o.Publication = None,
    roles: Settings = NOTHING,
    sampling: Settings = NOTHING,
    seed: Annotated[
        int | None, typer.Option(help="A number: another one gives other groups with the same secret.")
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="secret.key of an earlier release, to repeat its groups.", show_default=False
        ),
    ] = None,
    reading: Settings = NOTHING,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Compare loss, utility and risk for several k, l, methods or forms. Nothing is released."""
    settings = o.given(
        l_kind=l_kind,
        count_missing=count_missing,
        c=c,
        t=o.per_column(t, "-t", "income=0.2"),
        t_distance=t_distance,
        alpha=o.per_column(alpha, "--alpha", "diagnosis=0.5"),
        beta=o.per_column(beta, "--beta", "diagnosis=1.5"),
        beta_kind=beta_kind,
        delta=o.per_column(delta, "--delta", "diagnosis=2"),
        m=m,
    )
    settings |= o.given(publication=publication, seed=seed, secret=secret)
    with watched():
        from shoal import api
        from shoal.report import terminal

        found = api.compare(
            source, policy, k=o.numbers(k) or [], l=o.numbers(l, float),
            methods=o.names([methods] if methods else None),
            publications=o.names([publications] if publications else None), control=control,
            max_suppressed=o.numbers(max_suppressed, float), **settings, **search, **roles, **sampling, **reading,
        )  # fmt: skip
        if html is not None:
            found.write_html(html)
        result(found.to_dict(), lambda: terminal.comparison(found))
