"""For papers without experiments: the approximation ratio seen on generated data beside the one that is proved.

The ratio seen is the cost of a run divided by a lower bound on the cost of any grouping. The true ratio, to the cost
of the best grouping, is at most that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from html import escape
from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.partition.cellular_cost.cellular import cellular
from shoal.partition.diversity.diverse import diverse
from shoal.partition.generalization.forest import forest
from shoal.partition.generalization.pairs import pairs
from shoal.partition.generalization.triples import triples
from shoal.partition.radius.gather import gather
from shoal.partition.result import Floats, Labels, Partition

PAPERS = {
    "gather": "Aggarwal et al. (2010): radius",
    "cellular": "Aggarwal et al. (2010): cellular cost",
    "diversity": "Li, Yi and Zhang (2010): distinct colors",
    "generalization": "Aggarwal et al. (2005): generalization",
}


class Row(NamedTuple):
    """One run, with the ratio that is proved and the ratio seen.

    `proved` is NaN where a condition of the theorem does not hold, and `seen` is NaN where there is no lower bound.
    """

    problem: str
    data: str
    n: int
    k: int
    theorem: str
    proved: float
    seen: float


def run(paper: str, *, seed: int = 0, scale: float = 1.0) -> list[Row]:
    """Do all runs of one paper and return a row for each; `scale` multiplies the usual number of records."""
    runs = list(_RUNS[paper](seed, scale))
    rows = []
    with progress.step(f"ratios of {paper}", len(runs)) as advance:
        for problem, data, n, k, work in runs:
            found = work()
            proved = float("nan") if found.ratio_proved is None else float(found.ratio_proved)
            seen = float("nan") if found.ratio_seen is None else float(found.ratio_seen)
            rows.append(Row(problem, data, n, k, found.theorem or "", proved, seen))
            advance(1)
    return rows


_Run = tuple[str, str, int, int, Callable[[], Partition]]


def mixture(n: int, d: int, seed: int) -> Floats:
    """Return `n` points in `d` dimensions from ten Gaussians of different widths around uniform centers."""
    rng = np.random.default_rng([seed, n, d])
    which = rng.integers(0, 10, n)
    centers, widths = rng.uniform(-5, 5, (10, d)), rng.uniform(0.2, 1.0, 10)
    return centers[which] + widths[which, None] * rng.normal(size=(n, d))


def colors(n: int, m: int, seed: int) -> Labels:
    """Return `n` random colors out of `m`, the first of which is twice as frequent as the last."""
    weight = np.linspace(2, 1, m)
    return np.random.default_rng([seed, n, m]).choice(m, n, p=weight / weight.sum())


def labels(n: int, d: int, m: int, seed: int) -> Labels:
    """Return `n` records with `d` correlated columns of `m` labels each."""
    rng = np.random.default_rng([seed, n, d, m])
    kind = rng.integers(0, m, n)
    return np.where(rng.random((n, d)) < 0.7, kind[:, None], rng.integers(0, m, (n, d)))


def _gather(seed: int, scale: float) -> Iterator[_Run]:
    """Yield the runs for minimizing the radius, also with suppression and with a limit on the number of groups."""
    for size, d in ((1_000, 2), (1_000, 10), (10_000, 2), (10_000, 5), (10_000, 10)):
        points, data = mixture(int(scale * size), d, seed), f"ten Gaussians in {d} dimensions"
        yield "r-gather", data, len(points), 10, partial(gather, points, 10)
    points, data = mixture(int(scale * 2_000), 3, seed), "ten Gaussians in 3 dimensions"
    n, some = len(points), max(2, len(points) // 40)
    yield "(r, eps)-gather", data, n, 10, partial(gather, points, 10, max_suppressed=0.02)
    yield "(k, r)-center", data, n, 10, partial(gather, points, 10, max_groups=some)
    yield "(k, r, eps)-center", data, n, 10, partial(gather, points, 10, max_groups=some, max_suppressed=0.02)


def _cellular(seed: int, scale: float) -> Iterator[_Run]:
    """Yield the runs for minimizing the cellular cost."""
    points, data = mixture(int(scale * 1_000), 3, seed), "ten Gaussians in 3 dimensions"
    n = len(points)
    yield "cellular, opening costs", data, n, 1, partial(cellular, points, opening_cost=2.0)
    yield "r-cellular", data, n, 10, partial(cellular, points, k=10)
    yield "(r, eps)-cellular", data, n, 10, partial(cellular, points, k=10, max_suppressed=0.02)
    if scale >= 1:
        yield "r-cellular, on a grid", data, 10_000, 10, partial(cellular, mixture(10_000, 3, seed), k=10)


def _diversity(seed: int, scale: float) -> Iterator[_Run]:
    """Yield the runs for groups of at least l different colors; the last suppresses as few records as possible."""
    for size, d, m, l in ((500, 2, 2, 2), (1_000, 2, 10, 3), (1_000, 5, 10, 5), (5_000, 3, 20, 5)):  # noqa: E741
        points = mixture(int(scale * size), d, seed)
        kind = np.arange(len(points)) % m if m == l else colors(len(points), m, seed)
        data = f"ten Gaussians in {d} dimensions, {m} colors"
        yield "l-diversity", data, len(points), l, partial(diverse, points, kind, l)
    points, kind = mixture(int(scale * 1_000), 3, seed), np.minimum(colors(int(scale * 1_000), 8, seed), 5)
    data = "ten Gaussians in 3 dimensions, 6 colors"
    yield "fewest outliers", data, len(points), 4, partial(diverse, points, kind, 4, max_suppressed=0.99)


def _generalization(seed: int, scale: float) -> Iterator[_Run]:
    """Yield the runs for generalization by forests, pairs and triples."""
    records = labels(int(scale * 3_000), 8, 5, seed)
    for k in (2, 3, 5, 10):
        yield "forest", "8 columns of 5 labels", len(records), k, partial(forest, records, k)
    bits, few = labels(int(scale * 400), 12, 2, seed), labels(int(scale * 400), 8, 5, seed)
    yield "pairs, [1,2]-factor", "12 binary columns", len(bits), 2, partial(pairs, bits)
    half = bits[: len(bits) // 2]  # an exact 2-factor of 400 records or more takes minutes
    yield "triples, 2-factor", "12 binary columns", len(half), 3, partial(triples, half)
    yield "pairs, [1,2]-factor", "8 columns of 5 labels", len(few), 2, partial(pairs, few)


_RUNS: dict[str, Callable[[int, float], Iterator[_Run]]] = {
    "gather": _gather,
    "cellular": _cellular,
    "diversity": _diversity,
    "generalization": _generalization,
}


def page(paper: str, rows: list[Row]) -> str:
    """Return a self-contained HTML page: per run a bar of the ratio seen and one of that proved, and a table."""
    head = (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>Ratios: {escape(paper)}</title>"
        "<style>body{font:15px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        "table{border-collapse:collapse}td,th{padding:.2rem .7rem;border-bottom:1px solid #ddd;text-align:left}"
        "svg text{font:12px system-ui}</style>"
        f"<h1>{escape(PAPERS[paper])}</h1><p>Cost as a multiple of a bound that no grouping can beat, on this run's "
        "data (dark) and at worst (light). Bars end at ten.</p>"
    )
    table = "".join(
        f"<tr><td>{escape(row.problem)}<td>{escape(row.data)}<td>{row.n:,}<td>{row.k}<td>{escape(row.theorem)}"
        f"<td>{_times(row.proved)}<td>{_times(row.seen)}</tr>"
        for row in rows
    )
    titles = "<tr><th>problem<th>data<th>n<th>k<th>theorem<th>proved<th>seen</tr>"
    return f"{head}{_chart(rows)}<table>{titles}{table}</table></html>\n"


def _times(ratio: float) -> str:
    """Return a ratio with three digits; empty for NaN."""
    return "" if ratio != ratio else f"{ratio:.3g}"


def _chart(rows: list[Row]) -> str:
    """Return an SVG drawing with the two bars of each run, both cut off at a ratio of ten."""
    parts, unit = [], 45.0
    for at, row in enumerate(rows):
        y = 10 + 26 * at
        parts.append(f"<text x='0' y='{y + 13}'>{escape(row.problem)}, n = {row.n:,}, k = {row.k}</text>")
        for ratio, color, top in ((row.proved, "#cfe3ee", 18), (row.seen, "#07a", 10)):
            if ratio == ratio:
                wide = unit * min(ratio, 10)
                box = f"x='270' y='{y + (18 - top) / 2}' width='{wide:.1f}' height='{top}'"
                parts.append(f"<rect {box} fill='{color}'/>")

        parts.append(f"<text x='730' y='{y + 13}'>{_times(row.seen)} of {_times(row.proved)}</text>")
    height = 20 + 26 * len(rows)
    return f"<svg viewBox='0 0 820 {height}' width='820' height='{height}' role='img'>{''.join(parts)}</svg>"
