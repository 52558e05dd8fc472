"""Run the experiments of a paper by its short name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.errors import ParameterError
from shoal.papers import mst, mst_page, names, ratios

TABLES = (5, 6, 7, 8, 9, 10, 11)


def repeat(
    paper: str, folder: Path | None, *, tables: Sequence[int] | None = None, seed: int = 0
) -> tuple[Sequence[mst.Row] | Sequence[names.Row] | Sequence[ratios.Row], str]:
    """Run the experiments of a paper; return the results as rows, and an HTML page that shows them.

    `folder` has the paper's data sets; where it is None, data sets are generated or skipped. `tables` chooses tables
    of `mst`, by default all. A ParameterError is raised for a paper or a table that does not exist.
    """
    unknown = sorted(set(tables or ()) - set(TABLES if paper == "mst" else ()))
    if paper not in ("mst", "names", *ratios.PAPERS) or unknown:
        raise ParameterError(
            f"there is no {f'table {unknown[0]} of ' if unknown else ''}{paper} to repeat.",
            f"mst has tables 5 to 11; names has one figure; {', '.join(ratios.PAPERS)} have ratios, and no tables.",
        )
    if paper == "names":
        figure = names.run(folder, seed=seed)
        return figure, names.page(figure)
    if paper in ratios.PAPERS:
        seen = ratios.run(paper, seed=seed)
        return seen, ratios.page(paper, seen)
    rows = mst.run(folder, tables=tuple(tables or TABLES), seed=seed)
    return rows, mst_page.page(rows)
