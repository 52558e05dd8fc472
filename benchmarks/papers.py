"""The papers' experiments as `shoal papers` repeats them, cut down to fit a page; charts go to .bench/papers."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.data import SHARED
from benchmarks.environments import FOLDER

PAPERS = {
    "mst": "Laszlo and Mukherjee (2005), minimum spanning tree partitioning",
    "names": "Du, Eppstein, Goodrich and Lueker (2009), classes of names, figure 7",
    "gather": "Aggarwal et al. (2010), radius",
    "cellular": "Aggarwal et al. (2010), cellular cost",
    "diversity": "Li, Yi and Zhang (2010), distinct colors",
    "generalization": "Aggarwal et al. (2005), generalization",
}
QUICK_TABLES = (6, 8)


@dataclass(frozen=True)
class Figure:
    """One line: what the paper prints or proves, and what was measured."""

    paper: str
    what: str
    theirs: str
    ours: str


def figures(*, quick: bool) -> tuple[list[Figure], dict[str, float]]:
    """All papers, and the seconds that each took."""
    from shoal import api

    (FOLDER / "papers").mkdir(parents=True, exist_ok=True)
    found, seconds = [], {}
    for paper in PAPERS:
        print(f"paper {paper}", file=sys.stderr, flush=True)
        begun = time.perf_counter()
        folder = SHARED if SHARED.is_dir() and paper in ("mst", "names") else None
        tables = QUICK_TABLES if quick and paper == "mst" else None
        rows = api.papers(paper, folder, tables=tables, html=FOLDER / "papers" / f"{paper}.html")
        seconds[paper] = time.perf_counter() - begun
        found += [Figure(paper, *line) for line in SUMMARIES.get(paper, _ratios)(rows)]
    return found, seconds


def _mst(rows: Sequence[Any]) -> list[tuple[str, str, str]]:
    found = []
    for table in sorted({row.table for row in rows}):
        own = [row for row in rows if row.table == table and row.printed > 0]
        over = [row.measured / row.printed for row in own]
        if table >= 9:
            printed, measured = (max(getattr(row, name) for row in own) for name in ("printed", "measured"))
            found.append((f"table {table}, seconds at most", f"{printed:,.0f}", f"{measured:.3g}"))
        else:
            said = f"{statistics.median(over):.3f} of them in the median, {min(over):.3f} to {max(over):.3f}"
            found.append((f"table {table}, {len(own)} figures", "printed", said))
    return found


def _names(rows: Sequence[Any]) -> list[tuple[str, str, str]]:
    last = {row.data: row for row in rows}  # of each set the last row is over all k
    return [
        (
            f"{name}, largest class over k: Random Fold, Random Spread; ours",
            f"{row.random_fold:.3f}, {row.random_spread:.3f} (its methods, run here)",
            f"{row.best:.3f}, at most {row.best_above_bound:.2f} % above the bound",
        )
        for name, row in last.items()
    ]


def _ratios(rows: Sequence[Any]) -> list[tuple[str, str, str]]:
    found = []
    for problem in dict.fromkeys(row.problem for row in rows):
        own = [row for row in rows if row.problem == problem]
        seen = [row.seen for row in own if row.seen == row.seen]
        proved = [row.proved for row in own if row.proved == row.proved]
        theirs = f"at most {max(proved):.3g} times the best" if proved else "nothing"
        found.append(
            (f"{problem}, {len(own)} runs", theirs, f"at most {max(seen):.3g} times" if seen else "no bound")
        )
    return found


SUMMARIES = {"mst": _mst, "names": _names}
