"""What a contestant's output is worth: its loss, and whether it really meets k, counted by SQL and by `verify`."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.certify import verify
from shoal.policy import Policy


@dataclass(frozen=True)
class Verdict:
    """Lower `loss` is better; `smallest` is the smallest group found, `records` how many were given back."""

    loss: float
    smallest: float
    records: int


def release(path: Path, original: Path) -> Verdict:
    """A released table of cells `a..b` and `x|y`: NCP, where a set of s > 1 of m labels costs s / m."""
    given, made = pl.read_csv(original), pl.read_csv(path, infer_schema_length=0)
    quasi = given.columns[:-1]
    lost = 0.0
    for name in quasi:
        cell = made[name]
        if given[name].dtype.is_numeric():
            ends = cell.str.split_exact("..", 1).struct.unnest().cast(pl.Float64)
            width = (ends["field_1"] - ends["field_0"]).fill_null(0.0)
            lost += float(width.sum()) / (given[name].max() - given[name].min())  # type: ignore[operator]
        else:
            size = cell.str.count_matches("|", literal=True) + 1
            lost += float(size.filter(size > 1).sum()) / given[name].n_unique()
    by_sql, by_us = _smallest_by_sql(made, quasi), _smallest_by_us(path, made, quasi)
    if by_sql != by_us:
        raise AssertionError(f"SQL counts {by_sql} records in the smallest group, verify {by_us}")
    return Verdict((lost + len(quasi) * (len(given) - len(made))) / (len(quasi) * len(given)), by_sql, len(made))


def _smallest_by_sql(made: pl.DataFrame, quasi: list[str]) -> int:
    with sqlite3.connect(":memory:") as base:
        names = ", ".join(f'"{name}"' for name in quasi)
        base.execute(f"create table made ({names})")
        base.executemany(f"insert into made values ({', '.join('?' * len(quasi))})", made.select(quasi).rows())
        query = f"select min(size) from (select count(*) as size from made group by {names})"
        return int(base.execute(query).fetchone()[0])


def _smallest_by_us(path: Path, made: pl.DataFrame, quasi: list[str]) -> int:
    rest = [name for name in made.columns if name not in quasi]
    columns = {name: {"role": "quasi", "kind": "label"} for name in quasi} | {
        name: {"role": "other"} for name in rest
    }
    return int(verify(path, Policy.parse({"k": 2, "columns": columns})).k)


def groups(path: Path, points: Path) -> Verdict:
    """Groups of points: 100 SSE / SST."""
    x, labels = np.load(points), np.load(path)
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), x.shape[1]))
    np.add.at(sums, labels, x)
    inside = ((x - (sums / sizes[:, None])[labels]) ** 2).sum()
    return Verdict(100.0 * inside / ((x - x.mean(axis=0)) ** 2).sum(), int(sizes.min()), len(x))


def connected(path: Path, given: Path) -> Verdict:
    """Groups of regions: the heaviest; a group that is not connected counts by its lightest piece."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    table, labels = np.load(given), np.load(path)
    edges, weights, n = table["edges"], table["weights"], len(table["weights"])
    inside = edges[labels[edges[:, 0]] == labels[edges[:, 1]]]
    graph = coo_array((np.ones(len(inside)), (inside[:, 0], inside[:, 1])), shape=(n, n))
    _, piece = connected_components(graph, directed=False)
    return Verdict(
        float(np.bincount(labels, weights).max()), float(np.bincount(piece, weights).min()), int((labels >= 0).sum())
    )
