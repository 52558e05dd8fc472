"""`shoal anonymize`: a table in, a verified release out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.show import result, watched


def register(app: typer.Typer) -> None:
    app.command(
        "anonymize",
        short_help="Publish a table: everyone hides among at least k.",
        epilog="Example: `shoal anonymize visits.csv --out release --quasi age,zip --sensitive diagnosis "
        "--identifier name -k 5 -l 2`",
    )(anonymize)


def anonymize(
    source: o.Source,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Folder for what may be published; OUT.private beside it stays home.",
            show_default=False,
        ),
    ],
    policy: o.PolicyFile = None,
    k: o.K = None,
    l: o.L = None,  # noqa: E741
    l_kind: o.LKind = None,
    c: o.C = None,
    t: o.T = None,
    t_distance: o.TDistance = None,
    max_suppressed: o.MaxSuppressed = None,
    quasi: o.Quasi = None,
    sensitive: o.Sensitive = None,
    identifier: o.Identifier = None,
    person: o.Person = None,
    other: o.Other = None,
    hierarchy: o.Hierarchies = None,
    map: o.Maps = None,
    place: o.Places = None,
    classes: o.Classes = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="auto, forest, mondrian, full-domain, gather, cellular, mdav, best ...; see the guide.",
            rich_help_panel=o.HOW,
        ),
    ] = None,
    loss: o.Loss = None,
    publication: o.Publication = None,
    ranges: Annotated[
        str | None, typer.Option(help="brackets: [a, b], or columns: x_min and x_max.", rich_help_panel=o.HOW)
    ] = None,
    effort: Annotated[
        float | None, typer.Option(help="Work per record spent on improving.", rich_help_panel=o.HOW)
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds after which improving stops.", rich_help_panel=o.HOW)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For the same release again; keep it secret.", rich_help_panel=o.HOW)
    ] = None,
    format: Annotated[
        o.Format | None,
        typer.Option(
            "--format", help="Of the released file; as the input.", rich_help_panel=o.HOW, show_default=False
        ),
    ] = None,
    mapping: Annotated[
        bool,
        typer.Option(
            "--mapping",
            metavar="",
            help="Also keep, privately, which input row is in which group.",
            rich_help_panel=o.HOW,
        ),
    ] = False,
    separator: o.Separator = None,
    quote: o.Quote = None,
    encoding: o.Encoding = None,
    decimal: o.Decimal = None,
    header: o.Header = None,
    null: o.NullValues = None,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Publish a table so that every person in it hides in a group of at least k.

    Every column needs a role: in a policy file, or by the options below. OUT/ then holds the released table and its
    public certificate; OUT.private/ holds the full certificate, the report and the seed. What was written is read
    back and verified before anything replaces an earlier release.
    """
    settings = o.given(
        k=k, l=l, l_kind=l_kind, c=c, t=t, t_distance=t_distance, max_suppressed=max_suppressed,
        quasi=o.names(quasi), sensitive=o.names(sensitive), identifier=o.names(identifier), person=person,
        other=o.names(other), hierarchy=o.pairs(hierarchy),
        map=o.pairs(map, "--map", "county=neighbours.csv"), place=o.pairs(place, "--place", "lat=lon"),
        classes=o.sizes(classes), method=method, loss=loss,
        publication=publication, ranges=ranges, effort=effort, time_limit=time_limit, seed=seed,
        separator=separator, quote=quote, encoding=encoding, decimal=decimal, has_header=header, null_values=null,
    )  # fmt: skip
    with watched():
        from shoal import api
        from shoal.report import terminal

        release = api.anonymize(source, policy, **settings)
        file = out / (f"release.{format.value}" if format else release.file_name)
        written = release.write(out, format=format.value if format else None, mapping=mapping)
        result(
            written.to_dict() | {"out": str(out), "file": str(file)},
            lambda: terminal.release(written.content(checked=file.name), out),
        )
