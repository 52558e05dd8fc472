"""The tables that contestants run on: from ../shared/data where it is there, else generated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
ADULT_QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


def mixed(folder: Path, n: int | None = None) -> Path:
    """Adult as a CSV with commas, or a generated table of the same shape; `n` rows drawn with replacement."""
    source = SHARED / "adult" / "adult.csv"
    frame = pl.read_csv(source, separator=";") if source.exists() else people(30_000)
    if n is not None:
        rng = np.random.default_rng(0)
        frame = frame[rng.integers(0, len(frame), n)]
        jitter = pl.Series(rng.integers(-2, 3, n))
        frame = frame.with_columns((pl.col("age") + jitter).clip(17, 90))
    path = folder / f"mixed-{n or 'all'}.csv"
    frame.write_csv(path)
    return path


def people(n: int, seed: int = 0) -> pl.DataFrame:
    """Ages and skewed labels, as many of each as Adult has."""
    rng = np.random.default_rng(seed)
    kinds = {"sex": 2, "race": 5, "marital-status": 7, "education": 16, "native-country": 41, "workclass": 7}
    columns = {"age": pl.Series(np.clip(rng.gamma(9, 4.3, n), 17, 90).astype(np.int64))}
    for name, m in (kinds | {"occupation": 14, "salary-class": 2}).items():
        weight = 1.0 / np.arange(1, m + 1) ** 1.3
        columns[name] = pl.Series(rng.choice([f"{name} {i}" for i in range(m)], n, p=weight / weight.sum()))
    return pl.DataFrame(columns).select(*ADULT_QUASI, "salary-class")


def points(folder: Path, n: int, d: int) -> Path:
    """A mixture of twenty Gaussians."""
    rng = np.random.default_rng([n, d])
    centers = rng.uniform(-4, 4, (20, d))
    path = folder / f"points-{n}-{d}.npy"
    np.save(path, centers[rng.integers(0, 20, n)] + rng.normal(size=(n, d)))
    return path


def reference(folder: Path, name: str) -> Path | None:
    """Tarragona or Census, standardized; None where the file is not there."""
    source = SHARED / f"{name}.csv"
    if not source.exists():
        return None
    table = np.loadtxt(source, delimiter=_separator(source), skiprows=1)
    path = folder / f"{name}.npy"
    np.save(path, (table - table.mean(axis=0)) / table.std(axis=0))
    return path


def _separator(path: Path) -> str:
    with path.open() as file:
        head = file.readline()
    return max(",;\t", key=head.count)


def regions(folder: Path) -> Path:
    """The largest component of the US counties, or a grid: `nodes` weights and `edges`."""
    rng = np.random.default_rng(0)
    source = SHARED / "geo" / "county_edges_2010.csv"
    if source.exists():
        edges = np.loadtxt(source, delimiter=",", skiprows=1, dtype=np.int64)
        edges = _largest_component(edges)
    else:
        side = 50
        cell = np.arange(side * side).reshape(side, side)
        across, down = np.c_[cell[:, :-1].ravel(), cell[:, 1:].ravel()], np.c_[cell[:-1].ravel(), cell[1:].ravel()]
        edges = np.concatenate((across, down))
    path = folder / "regions.npz"
    np.savez(path, edges=edges, weights=rng.integers(1, 1000, int(edges.max()) + 1))
    return path


def _largest_component(edges: np.ndarray) -> np.ndarray:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names, flat = np.unique(edges, return_inverse=True)
    edges = flat.reshape(edges.shape)
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(names), len(names)))
    _, component = connected_components(graph, directed=False)
    kept = component == np.bincount(component).argmax()
    number = np.cumsum(kept) - 1
    return number[edges[kept[edges[:, 0]]]]
