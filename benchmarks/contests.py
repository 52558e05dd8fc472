"""Who runs against whom, on what, and how the outcome is judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import data, judge
from benchmarks.environments import python_of
from benchmarks.process import Run, run

SCRIPTS = Path(__file__).parent / "contestants"
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, eq=False)
class Contestant:
    """`script` of `contestants/`, run by the interpreter that has `peer`; `once` where it is too slow to repeat."""

    name: str
    peer: str
    script: str
    options: dict[str, Any] = field(default_factory=dict)
    once: bool = False

    def compete(self, source: Path, target: Path, limit: float) -> Run:
        """One run from `source` to `target`."""
        environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"} if self.peer == "shoal" else {"PYTHONPATH": ""}
        command = (python_of(self.peer), SCRIPTS / f"{self.script}.py", source, target, json.dumps(self.options))
        return run(*command, limit=limit, environment=environment)


Judge = Callable[[Path, Path], judge.Verdict]


@dataclass(frozen=True)
class Contest:
    """The first contestant is the one that others are compared with. Without a judge a run tells its own loss."""

    name: str
    what: str
    make: Callable[[Path], Path]
    contestants: tuple[Contestant, ...]
    judged_by: Judge | None = None
    k: int = 0
    needs: Path | None = None

    def output(self, folder: Path, one: Contestant) -> Path:
        """Where a contestant writes: a released table, or an array."""
        return folder / f"{one.script}-{one.name}.{'csv' if self.judged_by is judge.release else 'npy'}"


def contests(*, quick: bool) -> list[Contest]:
    """All of them; `quick` takes smaller inputs."""
    found = [_mixed(k) for k in (5, 10)] + [_full_domain(), _verify(100_000 if quick else 1_000_000)]
    found += [_clusters(2_000), _mdav(20_000 if quick else 100_000), _tree(50_000 if quick else 100_000)]
    found += [_one_column(100_000 if quick else 1_000_000), *_reference(), _regions()]
    return [contest for contest in found if contest.needs is None or contest.needs.exists()]


def _mixed(k: int) -> Contest:
    asked = {"k": k}
    return Contest(
        f"mixed table, k = {k}",
        "Adult, 8 quasi-identifiers, no hierarchies; loss is NCP of sets and ranges",
        data.mixed,
        (
            Contestant("Shoal", "shoal", "shoal_generalize", asked),
            Contestant("anonypy (Mondrian)", "anonypy", "anonypy_generalize", asked, once=True),
        ),
        judge.release,
        k,
    )


def _full_domain() -> Contest:
    folder = data.SHARED / "adult"
    asked = {"k": 5, "hierarchies": str(folder)}
    return Contest(
        "hierarchies, k = 5",
        "Adult with its eight hierarchies; loss is NCP of the leaves below a node",
        data.mixed,
        (
            Contestant("Shoal", "shoal", "shoal_generalize", {"k": 5}),
            Contestant("anjana (full domain)", "anjana", "anjana_generalize", asked, once=True),
        ),
        judge.release,
        5,
        folder,
    )


def _verify(n: int) -> Contest:
    asked = {"columns": [*data.ADULT_QUASI, "salary-class"]}
    return Contest(
        f"verify {n:,} rows",
        "k, l and t of a table in a file",
        lambda folder: data.mixed(folder, n),
        (
            Contestant("Shoal", "shoal", "shoal_verify", asked),
            Contestant("pycanon", "pycanon", "pycanon_verify", asked, once=True),
        ),
    )


def _clusters(n: int) -> Contest:
    return Contest(
        f"{n:,} x 5 points, k = 5",
        "clusters of at least k points; loss is 100 SSE / SST",
        lambda folder: data.points(folder, n, 5),
        (
            Contestant("Shoal (best)", "shoal", "shoal_groups", {"k": 5, "method": "best"}),
            Contestant("k-means-constrained", "k-means-constrained", "kmeans_groups", {"k": 5}, once=True),
        ),
        judge.groups,
        5,
    )


def _mdav(n: int) -> Contest:
    return Contest(
        f"{n:,} x 10 points, k = 5",
        "MDAV: the same groups by a tree and by plain passes; `best` beside them",
        lambda folder: data.points(folder, n, 10),
        (
            Contestant("Shoal (mdav)", "shoal", "shoal_groups", {"k": 5, "method": "mdav"}),
            Contestant("plain MDAV, compiled", "shoal", "plain_mdav", {"k": 5}, once=True),
            Contestant("Shoal (best)", "shoal", "shoal_groups", {"k": 5, "method": "best"}, once=True),
        ),
        judge.groups,
        5,
    )


def _tree(n: int) -> Contest:
    return Contest(
        f"spanning tree, {n:,} x 10",
        "Euclidean minimum spanning tree; loss is its weight",
        lambda folder: data.points(folder, n, 10),
        (
            Contestant("Shoal", "shoal", "shoal_tree"),
            Contestant("fast_hdbscan", "fast_hdbscan", "fast_hdbscan_tree"),
        ),
    )


def _one_column(n: int) -> Contest:
    return Contest(
        f"one column, {n:,} values, k = 5",
        "the optimum of one column; loss is 100 SSE / SST",
        lambda folder: data.points(folder, n, 1),
        (
            Contestant("Shoal (optimal)", "shoal", "shoal_groups", {"k": 5, "method": "optimal"}),
            Contestant("microagg1d", "microagg1d", "microagg1d_groups", {"k": 5}),
        ),
        judge.groups,
        5,
    )


def _reference() -> list[Contest]:
    return [
        Contest(
            f"{name}, k = {k}",
            "13 numeric columns of reference microdata; loss is 100 SSE / SST",
            lambda folder, name=name: data.reference(folder, name),  # type: ignore[misc]
            (
                Contestant("Shoal (best)", "shoal", "shoal_groups", {"k": k, "method": "best"}),
                Contestant("plain MDAV, compiled", "shoal", "plain_mdav", {"k": k}),
            ),
            judge.groups,
            k,
            data.SHARED / f"{name}.csv",
        )
        for name in ("Tarragona", "Census")
        for k in (3, 5)
    ]


def _regions() -> Contest:
    return Contest(
        "regions of a map, k = 20,000",
        "connected groups of at least k people; loss is the heaviest group",
        data.regions,
        (
            Contestant("Shoal", "shoal", "shoal_regions", {"k": 20_000}),
            Contestant("spopt (max-p)", "spopt", "spopt_regions", {"k": 20_000}, once=True),
        ),
        judge.connected,
        20_000,
    )
