"""Repeat figure 7 of Du, Eppstein, Goodrich and Lueker (2009): classes of names of the 1990 census.

The figure shows the weight of the heaviest class divided by k, for the methods Fold and (simplified) Spread of
section 5, with names in random and in sorted order. k runs from the weight of the most frequent name to the largest
value that still allows two classes. Shoal's method `best` and the lower bound are added. All k are measured at once:
the ends of the classes are found by binary search in the cumulative sums of the weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shoal import progress
from shoal.errors import TableError
from shoal.kernels.cover_leftovers import spread_leftovers
from shoal.partition.result import Floats, Labels
from shoal.partition.single_attribute.cover import cover
from shoal.partition.single_attribute.weights import class_bound

FILES = {"FEMALE-1990": "dist.female.first", "MALE-1990": "dist.male.first", "LAST-1990": "dist.all.last"}
CURVES = {
    "random_fold": ("Random Fold", "#c44"),
    "random_spread": ("Random Spread", "#07a"),
    "sorted_fold": ("Sorted Fold", "#e90"),
    "sorted_spread": ("Sorted Spread", "#0a6"),
    "best": ("best", "#333"),
}
SUBRANGES = 24


class Row(NamedTuple):
    """One subrange of k, with the largest ratio of each curve in it, as the figure shows it."""

    data: str
    k_from: int
    k_to: int
    random_fold: float
    random_spread: float
    sorted_fold: float
    sorted_spread: float
    best: float
    best_above_bound: float
    """By how many percent the heaviest class of `best` exceeds the lower bound, at the worst k of the subrange."""
    fold_wins: float
    """For how many percent of all k, in both orders, the heaviest class of Fold is lighter than that of Spread."""


def run(
    folder: Path | None = None, *, seed: int = 0, subranges: int = SUBRANGES, files: Mapping[str, str] = FILES
) -> list[Row]:
    """Measure figure 7 on the files of names in `folder`, or on generated weights where it is None.

    For each data set the rows of its subranges of k are returned, and then one row for all k.
    """
    rows: list[Row] = []
    sets = generated(seed) if folder is None else {name: read(folder, file) for name, file in files.items()}
    with progress.step("figure 7", len(sets)) as advance:
        for name, weights in sets.items():
            k, curves = measure(weights, seed)
            parts = [part for part in np.array_split(np.arange(len(k)), subranges) if len(part)]
            rows += [_row(name, k, curves, part) for part in [*parts, np.arange(len(k))]]
            advance(1)
    return rows


def read(folder: Path, file: str) -> Labels:
    """Return the frequencies in a file of names, in thousandths of a percent.

    The file is looked for in `folder` and in its subfolder `census1990names`; a TableError if it is in neither.
    """
    path = next((at for at in (folder / file, folder / "census1990names" / file) if at.is_file()), None)
    if path is None:
        raise TableError(
            f"{file} is not in the folder.", "give the folder with dist.all.last and the two first names."
        )
    lines = path.read_text(encoding="ascii").splitlines()
    return np.array([round(1000 * float(line.split()[1])) for line in lines if line.strip()], dtype=np.int64)


def generated(seed: int = 0) -> dict[str, Labels]:
    """Return generated weights in place of the three files of names, with as many names in each.

    Weights fall as a power of the rank, with up to ten percent of noise.
    """
    rng = np.random.default_rng(seed)
    sets = {}
    for name, n, heaviest, power in (
        ("FEMALE", 4275, 2629, 0.9),
        ("MALE", 1219, 3318, 0.9),
        ("LAST", 18_839, 1006, 0.75),
    ):
        rank = np.arange(1, n + 1)
        drawn = heaviest * rank**-power * rng.uniform(0.9, 1.1, n)
        sets[f"{name}-made"] = np.sort(np.maximum(drawn, 1).astype(np.int64))[::-1]
    return sets


def measure(weights: Labels, seed: int = 0) -> tuple[Labels, dict[str, Floats]]:
    """Return every k of the figure and, for each curve, the weight of the heaviest class divided by k.

    The curve `bound` is the lower bound divided by k.
    """
    held = np.sort(weights[weights > 0])[::-1]
    total = int(held.sum())
    k = np.arange(int(held[0]), total // 2 + 1)
    curves: dict[str, Floats] = {}
    mixed = held[np.random.default_rng(seed).permutation(len(held))]
    for order, sizes in (("random", mixed), ("sorted", held)):
        fold, spread = heaviest_classes(np.ascontiguousarray(sizes), k)
        curves[f"{order}_fold"], curves[f"{order}_spread"] = fold / k, spread / k
    curves["best"], curves["bound"] = (heaviest / k for heaviest in best_classes(weights, k))
    return k, curves


def heaviest_classes(sizes: Labels, k: Labels) -> tuple[Labels, Labels]:
    """Return the weight of the heaviest class of Fold and that of Spread, for every k in `k`.

    Items are taken in the order of `sizes`. Every k must be at least the largest size.
    """
    # Items with the size k are classes of their own and go first. Only the smallest k can equal the largest size.
    if k[0] == sizes.max() and sizes[0] != k[0]:
        first = heaviest_classes(np.concatenate((sizes[sizes == k[0]], sizes[sizes != k[0]])), k[:1])
        rest = heaviest_classes(sizes, k[1:])
        return np.concatenate((first[0], rest[0])), np.concatenate((first[1], rest[1]))
    after = np.cumsum(sizes)
    total = int(after[-1])
    loads = np.zeros((len(k), total // int(k.min())), dtype=np.int64)
    full, begins, n_classes = np.zeros(len(k), dtype=np.int64), np.zeros(len(k), dtype=np.int64), np.zeros_like(k)
    open_rows = np.arange(len(k))
    while len(open_rows):
        open_rows = open_rows[full[open_rows] + k[open_rows] <= total]
        end = np.searchsorted(after, full[open_rows] + k[open_rows])
        loads[open_rows, n_classes[open_rows]] = after[end] - full[open_rows]
        full[open_rows], begins[open_rows] = after[end], end + 1
        n_classes[open_rows] += 1
    counted = np.arange(loads.shape[1]) < n_classes[:, None]
    lightest = np.where(counted, loads, total).min(axis=1)
    folded = np.maximum(loads.max(axis=1), lightest + total - full)
    spread = np.empty_like(k)
    spread_leftovers(sizes, begins, loads, n_classes, spread)
    return folded, spread


def best_classes(weights: Labels, k: Labels) -> tuple[Labels, Labels]:
    """Return the weight of the heaviest class of `best` and the lower bound, for every k in `k`.

    Every k must be at least the heaviest weight. All k that allow the same number of classes have the same lower
    bound, and the classes found for the largest of them are valid for the smaller ones. So `best` runs once for each
    number of classes; a run for a smaller k would find nothing heavier.
    """
    n_classes = int(weights.sum()) // k
    heaviest, bound = np.empty_like(k), np.empty_like(k)
    for n in np.unique(n_classes):
        these = n_classes == n
        largest = int(k[these].max())
        heaviest[these], bound[these] = int(cover(weights, largest).cost), class_bound(weights, largest)
    return heaviest, bound


def _row(name: str, k: Labels, curves: dict[str, Floats], part: Labels) -> Row:
    """Return the row of one subrange, given by the positions `part` in `k`."""
    largest = {curve: float(curves[curve][part].max()) for curve in CURVES}
    wins = [curves[f"{order}_fold"][part] < curves[f"{order}_spread"][part] for order in ("random", "sorted")]
    return Row(
        name,
        int(k[part[0]]),
        int(k[part[-1]]),
        **largest,
        best_above_bound=100 * float((curves["best"] / curves["bound"])[part].max() - 1),
        fold_wins=100 * float(np.mean(wins)),
    )


def page(rows: list[Row]) -> str:
    """Return a self-contained HTML page with the figure and its numbers for each data set."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Classes of names: figure 7</title>"
        "<style>body{font:15px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.15rem .6rem;border-bottom:1px solid #ddd;"
        "text-align:right}svg text{font:12px system-ui}</style>"
        "<h1>Du, Eppstein, Goodrich and Lueker (2009), figure 7</h1>"
        "<p>The largest class over k; in each subrange of k the largest of these ratios.</p>"
    ]
    for name in dict.fromkeys(row.data for row in rows):
        own = [row for row in rows if row.data == name]
        parts.append(f"<h2>{escape(name)}</h2>{_chart(own[:-1])}<table><tr>")
        parts += [f"<th>{escape(head.replace('_', ' '))}" for head in Row._fields[1:]]
        for row in own:
            cells = (f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row[1:])
            parts.append("</tr><tr><td>" + "<td>".join(cells))
        parts.append("</tr></table>")
    return "\n".join(parts) + "</html>\n"


def _chart(rows: list[Row]) -> str:
    """Return the figure of one data set as an SVG drawing: k on the horizontal axis, the ratio on the vertical."""
    low, high = rows[0].k_from, rows[-1].k_to
    top = max(getattr(row, curve) for row in rows for curve in CURVES)
    lines = []
    for at, (curve, (title, color)) in enumerate(CURVES.items()):
        points = " ".join(
            f"{60 + 560 * ((row.k_from + row.k_to) / 2 - low) / (high - low or 1):.1f},"
            f"{250 - 220 * (getattr(row, curve) - 1) / (top - 1 or 1):.1f}"
            for row in rows
        )
        lines.append(f"<polyline points='{points}' fill='none' stroke='{color}' stroke-width='2'/>")
        lines.append(f"<text x='{64 + 112 * at}' y='292' fill='{color}'>{title}</text>")
    return (
        "<figure><svg viewBox='0 0 640 300' role='img' aria-label='largest class over k, by k'>"
        "<path d='M60 30V250H620' fill='none' stroke='#333'/>"
        f"{''.join(lines)}<text x='60' y='268'>k = {low:,}</text>"
        f"<text x='620' y='268' text-anchor='end'>{high:,}</text>"
        f"<text x='52' y='254' text-anchor='end'>1</text><text x='52' y='36' text-anchor='end'>{top:.2f}</text>"
        "</svg></figure>"
    )
