"""The functions behind `shoal demo`, `shoal papers` and the example of `shoal serve`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.api.releases import anonymize
from shoal.policy import Policy
from shoal.results.release import Release
from shoal.results.release_folder import write_release
from shoal.tables import write_text

if TYPE_CHECKING:
    import polars as pl

    from shoal.papers import mst, names, ratios


def example_table(people: int = 2000) -> pl.DataFrame:
    """Return the generated hospital table; none of the people in it exist."""
    from shoal.datasets import hospital

    return hospital(people)


def demo(out: str | Path, *, people: int = 2000) -> Release[pl.DataFrame]:
    """Return a release of the generated hospital table, written to `out`; `out.private` also has the table itself."""
    from shoal.datasets import POLICY, hospital

    table = hospital(people)
    release = replace(anonymize(table, Policy.loads(POLICY)), source="hospital.csv")
    return write_release(release, out, raw={"hospital.csv": table})


def papers(
    paper: str,
    data: str | Path | None = None,
    *,
    tables: Sequence[int] | None = None,
    seed: int = 0,
    html: str | Path | None = None,
) -> Sequence[mst.Row] | Sequence[names.Row] | Sequence[ratios.Row]:
    """Return the rows of a paper's experiments: figures that the paper prints beside ours.

    "mst" has tables 5 to 11; "names" has figure 7, with the largest ratio in every subrange of k. The papers of
    "gather", "cellular", "diversity" and "generalization" print no figures; their rows have the measured ratio beside
    the proved one. `html` is a file for a page with the charts.
    """
    from shoal.papers.repeat import repeat

    rows, page = repeat(paper, None if data is None else Path(data), tables=tables, seed=seed)
    if html is not None:
        write_text(html, page)
    return rows
