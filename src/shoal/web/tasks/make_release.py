"""Making a release: anonymized, verified, written by Shoal's own way of writing, and shown in parts of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.web.task_reports import TaskReports
from shoal.web.tasks.kept import release_of, table_of
from shoal.web.tasks.open_file import ROW_GROUP
from shoal.web.tasks.parts import parts_of, report_of
from shoal.web.texts import LANGUAGES

FORMATS = ("csv", "xlsx", "parquet")


def make_release(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Return the numbers and the parts of pages of a release, which is written to `folder` and verified there."""
    release = release_of(asked)
    format = release.file_name.rpartition(".")[2]
    with reports.step("writing and verifying", None):
        written = release.write(Path(asked["folder"]) / format, format=format)
        pairs(release, table_of(asked)).write_parquet(asked["rows"], compression="zstd", row_group_size=ROW_GROUP)
    content = written.content(checked=f"release.{format}")
    for language in LANGUAGES:
        if language != "en":  # the English one is part of the release's private half
            report = Path(asked["folder"]) / f"report.{language}.html"
            report.write_text(report_of(content, language), encoding="utf-8")
    facts, loss, risk = content.groups, content.loss, content.risk
    return {
        "format": format,
        "policy": written.policy.dumps(),
        "parts": parts_of(content, groups_of(written)),
        "advice": list(content.advice),
        "numbers": {
            "k": written.findings.k,
            "holds": written.certificate.holds,
            "rows": loss.n_rows,
            "published": loss.n_released,
            "suppressed": loss.suppressed_rows,
            "groups": facts.n_groups,
            "smallest_group": risk.after.smallest_class,
            "information": loss.information,
            "gcp": loss.gcp,
            "exact": loss.exact,
            "ratio_seen": facts.ratio_seen,
            "ratio_proved": None if facts.ratio_proved is None else float(facts.ratio_proved),
            "theorem": facts.theorem,
            "method": facts.method,
            "form": content.form,
            "unit": risk.unit,
            "risk_before": risk.before.prosecutor_max,
            "risk_after": risk.after.prosecutor_max,
            "unique_before": risk.before.unique_people,
            "unique_rows": risk.singled.unique,
            "seconds": sum(written.seconds.values()),
            "columns": {
                column.name: {
                    "information": column.information,
                    "ncp": column.ncp,
                    "exact": column.exact,
                    "kind": column.kind,
                    "span": _span(column),
                }
                for column in loss.columns
            },
        },
    }


def groups_of(release: Any) -> list[tuple[int, float]]:
    """Return the rows of every group and what its cells lost, over all quasi-identifiers."""
    published = release.published
    if not published.columns:
        return []
    sizes = np.bincount(np.asarray(release.partition.labels)[np.asarray(release.partition.labels) >= 0])
    losses = np.mean([np.asarray(column.loss) for column in published.columns], axis=0)
    if len(sizes) != len(losses):
        return []
    return [(int(size), float(lost)) for size, lost in zip(sizes, losses, strict=True)]


def _span(column: Any) -> float | None:
    """Return how far apart the smallest and the largest number or date of a column are; None for labels."""
    edges = column.histogram.edges
    return float(edges[-1] - edges[0]) if edges else None


def export(asked: dict[str, Any], reports: TaskReports) -> dict[str, Any]:
    """Write the release of a run in another format, verified as the first one was."""
    release = release_of(asked)
    with reports.step("writing and verifying", None):
        release.write(Path(asked["folder"]) / asked["format"], format=asked["format"])
    return {"format": asked["format"]}


def pairs(release: Any, table: Any) -> pl.DataFrame:
    """Return every released row beside its original, with the number of its group; rows of a group are neighbors.

    Columns are called ``before:NAME``, ``after:NAME`` and ``group``. Of centers, which have a row per group, and of
    counterfeits there is no original.
    """
    published = release.published
    after: pl.DataFrame = published.frame.select(pl.all().cast(pl.String, strict=False).name.prefix("after:"))
    order = np.asarray(release.order)
    if len(published.rows) != published.frame.height:
        return after.with_columns(group=pl.Series(published.groups))
    rows = order[published.rows]
    own = table.as_read.select(pl.all().cast(pl.String, strict=False).name.prefix("before:"))
    before = own[np.maximum(rows, 0)]
    if (rows < 0).any():
        before = before.with_columns(pl.when(pl.Series(rows >= 0)).then(pl.all()))
    joined: pl.DataFrame = pl.concat([before, after], how="horizontal")[_side_by_side(table.columns, after.columns)]
    _, first, alike = np.unique(published.alike[published.groups], return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.int64)
    numbers[np.argsort(first)] = np.arange(1, len(first) + 1)
    return joined.with_columns(group=pl.Series(numbers[alike]))


def _side_by_side(before: list[str], after: list[str]) -> list[str]:
    """Return the columns so that a released one stands right of its original; what has no original comes last."""
    order: list[str] = []
    for name in before:
        own = [one for one in after if one in (f"after:{name}", f"after:{name}_min", f"after:{name}_max")]
        order += [f"before:{name}", *(one for one in own if one not in order)]
    return order + [one for one in after if one not in order]
