"""The tables that contestants run on: from ../shared/data where it is there, else generated in the same shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.process import ROOT

SHARED = ROOT.parent / "shared" / "data"
ADULT_QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
LABELS = {"sex": 2, "race": 5, "marital-status": 7, "education": 16, "native-country": 41, "workclass": 7} | {
    "occupation": 14
}
"""How many of each Adult has."""
AGES = (17, 90)


def mixed(folder: Path, n: int | None = None, *, distinct: bool = False) -> Path:
    """Adult as a CSV with commas, or a generated table of the same shape; or `n` rows drawn with replacement.

    Of those the ages are moved by up to two years, or by a different fraction of a year each (`distinct`).
    """
    source = SHARED / "adult" / "adult.csv"
    frame = pl.read_csv(source, separator=";") if source.exists() else people(30_162)
    if n is not None:
        rng = np.random.default_rng(0)
        frame = frame[rng.integers(0, len(frame), n)]
        moved = rng.permutation(n) / n if distinct else rng.integers(-2, 3, n)
        frame = frame.with_columns(age=pl.col("age") + pl.Series(moved))
    path = folder / f"mixed-{n or 'all'}.csv"
    frame.write_csv(path)
    return path


def people(n: int, seed: int = 0) -> pl.DataFrame:
    """Ages and skewed labels, as many of each as Adult has."""
    rng = np.random.default_rng(seed)
    columns = {"age": pl.Series(np.clip(rng.gamma(9, 4.3, n), *AGES).astype(np.int64))}
    for name, m in (LABELS | {"salary-class": 2}).items():
        weight = 1.0 / np.arange(1, m + 1) ** 1.3
        columns[name] = pl.Series(rng.choice([f"{name} {i}" for i in range(m)], n, p=weight / weight.sum()))
    return pl.DataFrame(columns).select(*ADULT_QUASI, "salary-class")


def hierarchies(made: Path) -> Path:
    """The folder with a hierarchy for each quasi-identifier: Adult's own, or generated ones in `made`."""
    if (SHARED / "adult").is_dir():
        return SHARED / "adult"
    made.mkdir(parents=True, exist_ok=True)
    ages = [f"{a};{a // 5 * 5}-{a // 5 * 5 + 4};{a // 20 * 20}-{a // 20 * 20 + 19};*" for a in range(AGES[1] + 10)]
    tables = {"age": ages} | {
        name: [f"{name} {i};{name} of {i // 3};*" for i in range(m)] for name, m in LABELS.items()
    }
    for name, lines in tables.items():
        (made / f"adult_hierarchy_{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def points(folder: Path, n: int, d: int) -> Path:
    """A mixture of twenty Gaussians."""
    rng = np.random.default_rng([n, d])
    centers = rng.uniform(-4, 4, (20, d))
    return _kept(folder / f"points-{n}-{d}.npy", centers[rng.integers(0, 20, n)] + rng.normal(size=(n, d)))


def simulated(folder: Path, number: int) -> Path:
    """SIM_1 to SIM_29 of the paper on spanning trees, standardized."""
    from shoal.papers.mst import simulated as drawn

    return _kept(folder / f"SIM_{number}.npy", standardized(drawn(number)[0]))


def reference(folder: Path, name: str) -> Path:
    """Tarragona or Census, standardized; skewed numbers of the same shape where the file is not there."""
    source = SHARED / f"{name}.csv"
    if source.exists():
        table = np.loadtxt(source, delimiter=",", skiprows=1)
    else:
        n = {"Tarragona": 834, "Census": 1080}[name]
        rng = np.random.default_rng(n)
        table = np.exp(rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, 13)))
    return _kept(folder / f"{name}.npy", standardized(table))


def places(folder: Path) -> Path:
    """Centroids of the ZIP areas, or as many points around random towns."""
    source = SHARED / "geo" / "Gaz_zcta_national.txt"
    if source.exists():
        table = pl.read_csv(source, separator="\t", infer_schema=False, truncate_ragged_lines=True)
        ends = table.select(pl.col(name.strip() for name in ("INTPTLONG", "INTPTLAT")))
        found = ends.select(pl.all().str.strip_chars().cast(pl.Float64, strict=False)).drop_nulls().to_numpy()
    else:
        rng = np.random.default_rng(0)
        towns = np.c_[rng.uniform(-125, -67, 500), rng.uniform(25, 49, 500)]
        found = towns[rng.integers(0, 500, 33_120)] + rng.normal(size=(33_120, 2))
    return _kept(folder / "places.npy", np.ascontiguousarray(found))


def name_frequencies(folder: Path) -> Path:
    """Frequencies of the last names of the 1990 census, one column with many ties; or generated ones."""
    from shoal.papers.names import generated, read

    source = SHARED / "census1990names"
    weights = read(SHARED, "dist.all.last") if source.is_dir() else generated()["LAST-made"]
    return _kept(folder / "names.npy", np.asarray(weights, dtype=np.float64)[:, None])


def regions(folder: Path) -> Path:
    """The largest connected part of the US counties, or a grid: `edges`, and random `weights` up to 1,000."""
    source = SHARED / "geo" / "county_edges_2010.csv"
    if source.exists():
        edges = _largest_component(np.loadtxt(source, delimiter=",", skiprows=1, dtype=np.int64))
    else:
        cell = np.arange(50 * 50).reshape(50, 50)
        across, down = np.c_[cell[:, :-1].ravel(), cell[:, 1:].ravel()], np.c_[cell[:-1].ravel(), cell[1:].ravel()]
        edges = np.concatenate((across, down))
    path = folder / "regions.npz"
    np.savez(path, edges=edges, weights=np.random.default_rng(0).integers(1, 1001, int(edges.max()) + 1))
    return path


def standardized(table: np.ndarray) -> np.ndarray:
    return (table - table.mean(axis=0)) / table.std(axis=0)


def _kept(path: Path, array: np.ndarray) -> Path:
    np.save(path, array)
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
