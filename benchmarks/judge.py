"""What a contestant's output is worth: its loss, and whether it really meets k, counted by SQL and by `verify`."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.certify import verify
from shoal.policy import Policy


@dataclass(frozen=True)
class Verdict:
    """Lower `loss` is better; the smallest group as SQL and as `verify` count it; how many records are not there."""

    loss: float
    by_sql: int
    by_verify: int
    lost_records: int = 0

    def meets(self, k: int) -> bool:
        """Only if both say so."""
        return min(self.by_sql, self.by_verify) >= k

    def note(self, k: int) -> str:
        """What a reader must know."""
        found = []
        if self.by_sql != self.by_verify:
            found.append(f"SQL counts {self.by_sql}, verify {self.by_verify}")
        elif not self.meets(k):
            found.append(f"smallest group {self.by_sql}")
        if self.lost_records:
            found.append(f"{self.lost_records:,} records left out")
        return ", ".join(found)


def release(path: Path, original: Path) -> Verdict:
    """A released table of cells `a..b` and `x|y`: NCP, where a set of s > 1 of m labels costs s / m."""
    given, made = pl.read_csv(original), pl.read_csv(path, infer_schema=False)

    def cost(name: str) -> float:
        cell = made[name]
        if given[name].dtype.is_numeric():
            ends = cell.str.split_exact("..", 1).struct.unnest().cast(pl.Float64)
            width = (ends["field_1"] - ends["field_0"]).fill_null(0.0)
            return float(width.sum()) / (given[name].max() - given[name].min())  # type: ignore[operator]
        size = cell.str.count_matches("|", literal=True) + 1
        return float(size.filter(size > 1).sum()) / given[name].n_unique()

    return _released(given, made, sum(map(cost, given.columns[:-1])))


def nodes(path: Path, original: Path, *, hierarchies: Path) -> Verdict:
    """A released table of nodes of hierarchies: NCP, where a node above s > 1 of the file's m leaves costs s / m."""
    given, made = pl.read_csv(original, infer_schema=False), pl.read_csv(path, infer_schema=False)

    def cost(name: str) -> float:
        file = hierarchies / f"adult_hierarchy_{name}.csv"
        tree = pl.read_csv(file, separator=";", has_header=False, infer_schema=False)
        leaf, *levels = tree.columns
        share = {
            node: len(leaves) / len(tree)
            for level in levels
            for node, leaves in tree.group_by(level).agg(leaf).iter_rows()
            if len(leaves) > 1
        }
        return float(made[name].replace_strict(share, default=0.0, return_dtype=pl.Float64).sum())

    return _released(given, made, sum(map(cost, given.columns[:-1])))


def _released(given: pl.DataFrame, made: pl.DataFrame, lost: float) -> Verdict:
    quasi, missing = given.columns[:-1], len(given) - len(made)
    share = (lost + len(quasi) * missing) / (len(quasi) * len(given))
    return Verdict(share, count_by_sql(made, quasi), count_by_verify(made, quasi), missing)


def count_by_sql(made: pl.DataFrame, quasi: Sequence[str]) -> int:
    """The smallest group of records that agree in `quasi`."""
    names = ", ".join(f'"{name}"' for name in quasi)
    with sqlite3.connect(":memory:") as base:
        base.execute(f"create table made ({names})")
        base.executemany(f"insert into made values ({', '.join('?' * len(quasi))})", made.select(quasi).iter_rows())
        query = f"select min(size) from (select count(*) as size from made group by {names})"
        return int(base.execute(query).fetchone()[0] or 0)


def count_by_verify(made: pl.DataFrame, quasi: Sequence[str]) -> int:
    """The same by Shoal's verifier."""
    columns: dict[str, dict[str, str]] = {name: {"role": "quasi", "kind": "label"} for name in quasi}
    return int(verify(made.select(quasi), Policy.parse({"k": 2, "columns": columns})).k)


def groups(path: Path, points: Path) -> Verdict:
    """Groups of points: 100 SSE / SST."""
    x, labels = np.load(points), np.load(path)
    names, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.stack([np.bincount(labels, x[:, j]) for j in range(x.shape[1])], axis=1)
    inside = ((x - (sums / sizes[:, None])[labels]) ** 2).sum()
    made = pl.DataFrame({"group": pl.Series(names[labels]).cast(pl.String)})
    loss = 100.0 * inside / ((x - x.mean(axis=0)) ** 2).sum()
    return Verdict(float(loss), count_by_sql(made, ["group"]), count_by_verify(made, ["group"]))


def connected(path: Path, given: Path) -> Verdict:
    """Groups of regions: the heaviest. A group in several pieces counts as that many groups; one row per person."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    table, labels = np.load(given), np.load(path)
    edges, weights, n = table["edges"], table["weights"], len(table["weights"])
    inside = edges[labels[edges[:, 0]] == labels[edges[:, 1]]]
    graph = coo_array((np.ones(len(inside)), (inside[:, 0], inside[:, 1])), shape=(n, n))
    _, piece = connected_components(graph, directed=False)
    heaviest = float(np.bincount(labels - labels.min(), weights).max())
    made = pl.DataFrame({"group": pl.Series(np.repeat(piece, weights)).cast(pl.String)})
    return Verdict(heaviest, count_by_sql(made, ["group"]), count_by_verify(made, ["group"]))
