"""Who runs against whom, on what, and how the outcome is judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import data, judge
from benchmarks.environments import FOLDER, HERE, python_of
from benchmarks.process import OURS, Run, run

SCRIPTS = Path(__file__).parent / "contestants"


@dataclass(frozen=True, eq=False)
class Contestant:
    """`script` of `contestants/`, run by the interpreter that has `peer`.

    `target` is a loss that this one must not pass. `because` is why a peer is ahead, where it is.
    """

    name: str
    peer: str
    script: str
    options: dict[str, Any] = field(default_factory=dict)
    target: float | None = None
    because: str = ""

    def compete(self, source: Path, target: Path, limit: float) -> Run:
        """One run from `source` to `target`."""
        environment = OURS if self.peer in HERE else {"PYTHONPATH": ""}
        command = (python_of(self.peer), SCRIPTS / f"{self.script}.py", source, target, json.dumps(self.options))
        return run(*command, limit=limit, environment=environment)


@dataclass(frozen=True)
class Contest:
    """The first contestant is the one that others are compared with. Without a judge a run tells its own loss."""

    name: str
    what: str
    loss: str
    make: Callable[[Path], Path]
    contestants: tuple[Contestant, ...]
    judged_by: Callable[[Path, Path], judge.Verdict] | None = None
    k: int = 0

    def output(self, folder: Path, one: Contestant) -> Path:
        """Where a contestant writes."""
        return folder / f"{self.contestants.index(one)}.npy"


def contests(*, quick: bool) -> list[Contest]:
    """All of them, those that take long last; `quick` has fewer, on smaller inputs."""
    return _quick() if quick else _full()


def _quick() -> list[Contest]:
    """Less than five minutes: peers that take long are met at 10,000 to 50,000 records."""
    adult = "10,000 rows of Adult"
    return [
        _one_column("100,000 values", partial(data.points, n=100_000, d=1)),
        _one_column("frequencies of last names", data.name_frequencies),
        _small("Tarragona", 3),
        _tree("places: ZIP centroids", data.places),
        _mdav("places: ZIP centroids", data.places),
        _mdav("SIM_1", partial(data.simulated, number=1), first="mst-d"),
        _mdav("20,000 x 10 points", partial(data.points, n=20_000, d=10)),
        _clusters(2_000),
        replace(_sets(5, long=False), name=f"{adult}, k = 5", make=partial(data.mixed, n=10_000)),
        replace(_hierarchies(long=False), name=f"{adult}, hierarchies, k = 5", make=partial(data.mixed, n=10_000)),
        _verify(50_000),
        _tree("20,000 x 10 points", partial(data.points, n=20_000, d=10)),
        _regions(20_000, rounds=1),
    ]


def _full() -> list[Contest]:
    found = [
        _one_column("1,000,000 values", partial(data.points, n=1_000_000, d=1)),
        _one_column("frequencies of last names", data.name_frequencies),
    ]
    found += [_small(name, k) for name in ("Tarragona", "Census") for k in (3, 5, 10)]
    found += [_tree("places: ZIP centroids", data.places), _mdav("places: ZIP centroids", data.places)]
    found += [_mdav(f"SIM_{number}", partial(data.simulated, number=number), first="mst-d") for number in (1, 8)]
    found += [_mdav("20,000 x 10 points", partial(data.points, n=20_000, d=10)), _clusters(2_000), _clusters(5_000)]
    found += [_sets(5), _sets(10), _hierarchies()]
    found += [_tree("SIM_13, 100,000 x 10", partial(data.simulated, number=13)), _regions(5_000), _regions(20_000)]
    found += [_mdav("100,000 x 10 points", partial(data.points, n=100_000, d=10))]
    found += [_million("moved ages", 0.0030), _million("all rows different", None)]
    return [*found, _verify(1_000_000)]


def _shoal(method: str, k: int, **options: Any) -> Contestant:
    more = f", effort {options['effort']}" if "effort" in options else ""
    asked = {"program": "shoal", "k": k, "method": method} | options
    return Contestant(f"Shoal ({method}{more})", "shoal", "groups", asked)


def _generalizing(
    asked: dict[str, Any], most: tuple[float | None, float | None], *, long: bool
) -> tuple[Contestant, ...]:
    """Shoal's default and with a time limit; on the whole of Adult there is a loss not to pass in 5 and in 30 s."""
    usual = Contestant("Shoal", "shoal", "shoal_generalize", asked, most[1] if long else None)
    limited = (
        Contestant(f"Shoal ({seconds} s)", "shoal", "shoal_generalize", asked | {"time_limit": seconds}, target)
        for seconds, target in zip((5, 30), most, strict=True)
    )
    return (usual, *limited) if long else (usual,)


def _sets(k: int, *, long: bool = True) -> Contest:
    peer = Contestant("anonypy (Mondrian)", "anonypy", "anonypy_generalize", {"k": k})
    most = {5: (0.0250, 0.0205), 10: (0.0450, 0.0380)}[k]
    return Contest(
        f"Adult, k = {k}",
        "8 quasi-identifiers, no hierarchies: ranges and sets of labels",
        "NCP",
        data.mixed,
        (*_generalizing({"k": k}, most, long=long), peer),
        judge.release,
        k,
    )


def _hierarchies(*, long: bool = True) -> Contest:
    folder = data.hierarchies(FOLDER / "data" / "hierarchies")
    asked = {"k": 5, "hierarchies": str(folder)}
    reason = (
        "It takes one level for a whole column, which is found in few steps and loses several times as much; Shoal's "
        "default finds groups record by record."
    )
    peer = Contestant("anjana (full domain)", "anjana", "anjana_generalize", asked, because=reason)
    alike = (
        Contestant(f"Shoal ({method})", "shoal", "shoal_generalize", asked | {"method": method})
        for method in ("full-domain", "datafly")
    )
    return Contest(
        "Adult with hierarchies, k = 5",
        "8 quasi-identifiers, each with its hierarchy",
        "NCP of nodes",
        data.mixed,
        (*_generalizing(asked, (0.0560, None), long=long), *alike, peer),
        partial(judge.nodes, hierarchies=folder),
        5,
    )


def _million(kind: str, target: float | None) -> Contest:
    return Contest(
        f"a million rows of Adult, {kind}, k = 5",
        "rows drawn with replacement; no peer of this list ends in reasonable time",
        "NCP",
        partial(data.mixed, n=1_000_000, distinct=kind != "moved ages"),
        (Contestant("Shoal", "shoal", "shoal_generalize", {"k": 5}, target),),
        judge.release,
        5,
    )


def _verify(n: int) -> Contest:
    asked = {"columns": [*data.ADULT_QUASI, "salary-class"]}
    return Contest(
        f"verify {n:,} rows of Adult",
        "k, l and t of a table in a file, reading included; the answers stand beside the times",
        "",
        partial(data.mixed, n=n),
        (
            Contestant("Shoal", "shoal", "shoal_verify", asked),
            Contestant("pycanon", "pycanon", "pycanon_verify", asked),
        ),
    )


def _clusters(n: int) -> Contest:
    k = 5
    constrained = {"program": "kmeans_constrained", "k": k}
    return Contest(
        f"{n:,} x 5 points, k = 5",
        "clusters of at least k points",
        "100 SSE / SST",
        partial(data.points, n=n, d=5),
        (
            _shoal("best", k),
            Contestant("k-means-constrained", "k-means-constrained", "groups", constrained),
            Contestant("scikit-learn (k-means)", "scikit-learn", "groups", {"program": "sklearn", "k": k}),
        ),
        judge.groups,
        k,
    )


def _plain_mdav(k: int) -> Contestant:
    reason = (
        "Below some thousand points a pass over all of them takes less than a tree of them, which is what makes "
        "Shoal's MDAV fast on large inputs; and Shoal first sorts the rows, so that their order does not matter, "
        "checks them, and afterward computes the groups' means and error."
    )
    asked = {"program": "plain_mdav", "k": k}
    return Contestant("plain MDAV, compiled", "reference", "groups", asked, because=reason)


def _mdav(name: str, make: Callable[[Path], Path], first: str = "mdav", k: int = 5) -> Contest:
    ours = dict.fromkeys((first, "mdav", "best"))
    return Contest(
        f"{name}, k = {k}",
        "MDAV by plain passes, the quadratic reference, beside Shoal's methods",
        "100 SSE / SST",
        make,
        (
            *(_shoal(method, k) for method in ours),
            _plain_mdav(k),
        ),
        judge.groups,
        k,
    )


def _small(name: str, k: int) -> Contest:
    return Contest(
        f"{name}, k = {k}",
        "13 numeric columns of reference microdata",
        "100 SSE / SST",
        partial(data.reference, name=name),
        (_shoal("best", k), _shoal("mdav", k), _plain_mdav(k)),
        judge.groups,
        k,
    )


def _tree(name: str, make: Callable[[Path], Path]) -> Contest:
    return Contest(
        f"spanning tree, {name}",
        "the Euclidean minimum spanning tree",
        "weight",
        make,
        (
            Contestant("Shoal", "shoal", "shoal_tree"),
            Contestant("fast_hdbscan", "fast_hdbscan", "fast_hdbscan_tree"),
            Contestant("mlpack", "mlpack", "mlpack_tree"),
        ),
    )


def _one_column(name: str, make: Callable[[Path], Path], k: int = 5) -> Contest:
    reason = (
        "The search for the optimum is the smaller part of Shoal's time; it also keeps equal values in the order of "
        "their rows, adds up the error without rounding for the bound that it certifies, and gives the groups' means."
    )
    return Contest(
        f"one column, {name}, k = {k}",
        "the optimum of one column",
        "100 SSE / SST",
        make,
        (
            _shoal("optimal", k),
            Contestant("microagg1d", "microagg1d", "groups", {"program": "microagg1d", "k": k}, because=reason),
        ),
        judge.groups,
        k,
    )


def _regions(k: int, rounds: int = 2) -> Contest:
    return Contest(
        f"counties, k = {k:,}",
        "connected groups of at least k people",
        "heaviest group",
        data.regions,
        (
            Contestant("Shoal", "shoal", "shoal_regions", {"k": k}),
            Contestant("spopt (max-p)", "spopt", "spopt_regions", {"k": k, "rounds": rounds}),
        ),
        judge.connected,
        k,
    )
