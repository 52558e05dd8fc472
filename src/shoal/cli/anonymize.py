"""`shoal anonymize`: makes a verified release of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options as o
from shoal.cli.expand import NOTHING, Settings, expanded
from shoal.cli.show import private_folder, watched, write, write_large
from shoal.method_table import METHODS


def register(app: typer.Typer) -> None:
    app.command(
        "anonymize",
        short_help="Publish a table in groups of at least k people.",
        epilog="Example: `shoal anonymize visits.csv --out release --quasi age,zip --sensitive diagnosis "
        "--identifier name -k 5 -l 2`",
    )(expanded(anonymize))


def anonymize(
    source: o.Source,
    out: o.Out,
    policy: o.PolicyFile = None,
    k: o.K = None,
    l: o.L = None,  # noqa: E741
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
    max_suppressed: o.MaxSuppressed = None,
    roles: Settings = NOTHING,
    sampling: Settings = NOTHING,
    engines: Settings = NOTHING,
    after: o.After = None,
    sequence: Settings = NOTHING,
    method: Annotated[
        str | None,
        typer.Option(
            help=f"auto, {', '.join(METHODS)}; see the page on the policy.",
            rich_help_panel=o.HOW,
        ),
    ] = None,
    search: Settings = NOTHING,
    publication: o.Publication = None,
    ranges: Annotated[
        str | None, typer.Option(help="brackets: [a, b], or columns: x_min and x_max.", rich_help_panel=o.HOW)
    ] = None,
    synthetic: o.Synthetic = None,
    evidence: o.Evidence = None,
    seed: Annotated[
        int | None,
        typer.Option(help="A number: another one gives another release with the same secret.", rich_help_panel=o.HOW),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="secret.key of an earlier release's private folder, to make the same release again.",
            rich_help_panel=o.HOW,
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        o.Format | None,
        typer.Option(
            "--format",
            help="Format of the released file; by default that of SOURCE.",
            rich_help_panel=o.HOW,
            show_default=False,
        ),
    ] = None,
    rows_per_file: o.RowsPerFile = None,
    metadata: o.Metadata = None,
    sign: o.Sign = None,
    mapping: Annotated[
        bool,
        typer.Option(
            "--mapping",
            metavar="",
            help="Also write, to the private folder, which input row is in which group.",
            rich_help_panel=o.HOW,
        ),
    ] = False,
    excel: o.Excel = False,
    to: o.To = None,
    to_table: o.ToTable = None,
    replace: o.Replace = False,
    reading: Settings = NOTHING,
    quiet: o.Quiet = False,
    json: o.Json = False,
) -> None:
    """Publish a table so that every person in it is hidden in a group of at least k people.

    Every column needs a role, from a policy file or from the options below. OUT/ gets the released table and its
    public certificate; OUT.private/ gets the full certificate, the report and the secret, and must not be published.
    What was written is read back and verified before it replaces an earlier release.
    """
    settings = o.given(
        k=k, l=o.per_column(l, "-l", "occupation=3"), l_kind=l_kind, c=c, count_missing=count_missing,
        t=o.per_column(t, "-t", "income=0.2"), t_distance=t_distance,
        alpha=o.per_column(alpha, "--alpha", "diagnosis=0.5"), beta=o.per_column(beta, "--beta", "diagnosis=1.5"),
        beta_kind=beta_kind, delta=o.per_column(delta, "--delta", "diagnosis=2"),
        m=m, max_suppressed=max_suppressed, method=method, publication=publication, ranges=ranges,
        synthetic=synthetic, evidence=evidence,
        seed=seed, secret=secret, metadata=o.names(metadata),
    )  # fmt: skip
    with watched():
        from shoal import api

        o.check_key(sign)
        if secret is None and after is None and (earlier := private_folder(out)) is not None:
            settings["secret"] = earlier  # used only if it is the same table and policy
        given = {**settings, **search, **roles, **sampling, **sequence, **reading}
        if engines.get("engine", "memory") != "memory":
            target = {"to": to, "to_table": to_table, "replace": replace}
            unread = reading if engines["engine"] == "spark" else {}
            o.only_in_memory({"after": after, **sequence, **unread, "mapping": mapping, "excel": excel, **target})
            o.check_target(out, format.value if format else None)
            if engines["engine"] == "local":  # Spark keeps blocks on its workers, which may not know this folder
                engines.setdefault("work", out.absolute().parent)
            with api.anonymize(source, policy, **given, **engines) as large:
                write_large(large, out, format, sign=sign, rows_per_file=rows_per_file)
            return
        release = api.anonymize(source, policy, after=after, **given, **engines)
        write(
            release, out, format, mapping=mapping, sign=sign, excel=excel, to=to, to_table=to_table, replace=replace,
            rows_per_file=rows_per_file,
        )  # fmt: skip
