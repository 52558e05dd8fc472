"""Search, bound, measure and report have one definition of what a cell costs, in every form and kind of column.

Random small tables go through `anonymize`. The cost of the groups is recomputed here from the definitions on the
documentation's pages, without Shoal's code. It must be the cost in the certificate and in the report, the measured
loss of the published cells, and what the lower bound is about: no grouping of the rows costs less than the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from tests.oracles.groupings import blocks_of, groupings

ORDER = ("none", "few", "some", "many", "all")
LEAVES = ("a1", "a2", "b1", "b2", "b3")
Cost = Callable[[Sequence[Any]], float]
"""What one record of a group costs in a column, from the values of the group; missing is None."""


# -- cells: ranges, sets, nodes, classes, areas -------------------------------------------------------------------


def open_share(n_open: int, n_all: int, loss: str) -> float:
    if n_open <= 1:
        return 0.0
    return math.log(n_open) / math.log(n_all) if loss == "information" else n_open / n_all


def span_cost(places: Sequence[float], domain: Sequence[float], loss: str, group: Sequence[int | None]) -> float:
    """A range, from the place of every value: its width, or the values between its ends; half more if some are
    missing."""
    there = [places[code] for code in group if code is not None]
    if not there or len(set(group)) == 1:
        return 0.0

    def between(low: float, high: float) -> float:
        if loss == "information":
            inside = len([value for value in domain if low <= value <= high])
            return math.log(inside) / math.log(len(domain)) if len(domain) > 1 else 0.0
        whole = max(domain) - min(domain)
        return (high - low) / whole if whole else 0.0

    low, high = min(there), max(there)
    if len(there) == len(group):
        return between(low, high)
    if len(set(domain)) == 1:
        return 0.5
    return (between(low, max(domain)) + between(min(domain), high)) / 2


def set_cost(n_all: int, loss: str, group: Sequence[Any]) -> float:
    return open_share(len(set(group)), n_all, loss)


def node_cost(paths: dict[Any, Sequence[Any]], loss: str, group: Sequence[Any]) -> float:
    """The lowest node above the group; a path leads from a value to the root."""
    levels = len(paths[group[0]])
    level = next(h for h in range(levels) if len({paths[one][h] for one in group}) == 1)
    if loss == "levels":
        return level / (levels - 1)
    if level == levels - 1:
        return 1.0
    below = [path for path in paths.values() if path[level] == paths[group[0]][level]]
    return 0.0 if level == 0 else open_share(len(below), len(paths), loss)


def hidden_cost(group: Sequence[Any]) -> float:
    return float(len(set(group)) > 1)


# -- aggregates: what one column of a group loses, over all its records -------------------------------------------


def mean_loss(scale: float, apart: float, group: Sequence[float | None]) -> float:
    there = [value / scale for value in group if value is not None]
    gone = len(group) - len(there)
    middle = math.fsum(there) / len(there) if there else 0.0
    return math.fsum((value - middle) ** 2 for value in there) + apart**2 * gone * len(there) / len(group)


def median_loss(scale: float, apart: float, voted: bool, group: Sequence[float | None]) -> float:
    there = sorted(value / scale for value in group if value is not None)
    gone = len(group) - len(there)
    if not there or (voted and gone > len(there)):
        return apart * len(there)
    middle = there[(len(there) - 1) // 2]
    return math.fsum(abs(value - middle) for value in there) + apart * min(gone, len(there))


def mode_loss(each: float, counted: bool, group: Sequence[Any]) -> float:
    there = [value for value in group if value is not None] if counted else list(group)
    gone = len(group) - len(there)
    most = max((there.count(value) for value in there), default=0)
    return each * (len(there) - most + min(gone, len(there)))


# -- tables -------------------------------------------------------------------------------------------------------


def a_column(rng: np.random.Generator, kind: str, n: int) -> tuple[pl.Series, dict[str, Any]]:
    """Values of a column and its settings."""
    codes = rng.integers(0, 5, n)
    gaps = rng.random(n) < rng.choice([0.0, 0.0, 0.3, 0.6])
    gaps[int(rng.integers(n))] = False
    names: Sequence[Any] = {
        "number": (0, 1, 2, 3, 7),
        "date": (0, 1, 5, 31, 400),
        "ordered": (1, 2, 4, 8, 9),
        "listed": ORDER,
        "hierarchy": LEAVES,
    }.get(kind, tuple("vwxyz"))
    values = [None if gap else names[code] for gap, code in zip(gaps, codes, strict=True)]
    dtype = pl.Float64 if kind == "number" else pl.Int64 if kind in ("date", "ordered") else pl.String
    series = pl.Series(values, dtype=dtype)
    settings: dict[str, Any] = {"role": "quasi", "kind": kind, "weight": float(rng.choice([0.5, 1.0, 2.0]))}
    if kind in ("label", "classes", "hierarchy"):
        settings["publish_rare"] = True
    if kind == "date":
        series = series.cast(pl.Date)
    if kind == "listed":
        settings |= {"kind": "ordered", "order": ORDER}
    if kind == "hierarchy":
        settings["hierarchy"] = {"prefix": True}
    if kind == "classes":
        settings |= {"kind": "label", "classes": "k"}
    return series, settings


def a_table(rng: np.random.Generator, n: int, kinds: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
    frame: dict[str, Any] = {}
    columns: dict[str, Any] = {}
    for place, kind in enumerate(rng.choice(kinds, int(rng.integers(1, 4))).tolist()):
        if kind == "place":
            if "lat" in frame:
                continue
            far = float(rng.choice([0.3, 20.0]))
            frame["lat"] = (48 + far * rng.integers(-2, 3, n) + rng.random(n).round(2)).round(3)
            frame["lon"] = (float(rng.choice([11.0, 179.0])) + far * rng.integers(-2, 3, n)).round(3)
            frame["lon"] = np.where(frame["lon"] > 180, frame["lon"] - 360, frame["lon"]).round(3)
            weights = rng.choice([0.5, 1.0, 2.0], 2).tolist()
            columns["lat"] = {"role": "quasi", "kind": "place", "longitude": "lon", "weight": weights[0]}
            columns["lon"] = {"role": "quasi", "kind": "place", "weight": weights[1]}
        else:
            frame[f"q{place}"], columns[f"q{place}"] = a_column(rng, kind, n)
    return pl.DataFrame(frame), columns


def numbers_of(values: pl.Series, settings: dict[str, Any]) -> list[float | None]:
    if settings.get("order"):
        return [None if value is None else ORDER.index(value) for value in values]
    if settings["kind"] == "ordered":
        return (values.rank("dense") - 1).cast(pl.Float64).to_list()
    return (values.to_physical() if values.dtype == pl.Date else values).cast(pl.Float64).to_list()


def cell_oracle(release: shoal.Release, frame: pl.DataFrame, settings: dict[str, Any], loss: str, form: str) -> Cost:
    """What a group of rows costs, whose cells are published."""
    parts: list[tuple[float, list[Any], Cost]] = []
    by_cells = "ncp" if loss == "levels" else loss
    for name, column in settings.items():
        if form == "suppress":
            cells: list[Any] = frame[name].to_list()
            if name in release.recodings:
                cells = release.recodings[name].classes(frame[name]).to_list()
            parts.append((column["weight"], cells, hidden_cost))
        elif "longitude" in column:
            parts += place_oracle(release, name, settings, by_cells)
        elif column["kind"] == "place":
            continue
        elif column.get("classes"):
            cells = release.recodings[name].classes(frame[name]).to_list()
            parts.append((column["weight"], cells, partial(set_cost, len(set(cells)), by_cells)))
        elif column["kind"] == "label":
            cells = frame[name].to_list()
            parts.append((column["weight"], cells, partial(set_cost, len(set(cells)), by_cells)))
        elif column["kind"] == "hierarchy":
            cells = frame[name].to_list()
            paths = {one: (one, None if one is None else one[0], "*") for one in set(cells)}
            if len({path[1] for path in paths.values()}) == 1 and None not in paths:  # the first letter is the root
                paths = {one: (one, "*") for one in paths}
            parts.append((column["weight"], cells, partial(node_cost, paths, loss)))
        else:
            numbers = numbers_of(frame[name], column)
            domain = sorted({one for one in numbers if one is not None})
            if column.get("order"):
                domain = [float(place) for place in range(len(ORDER))]
            codes = [None if one is None else place for place, one in enumerate(numbers)]
            places = [math.nan if one is None else one for one in numbers]

            def cost(group: Sequence[Any], places: list[float] = places, domain: list[float] = domain) -> float:
                same = {None if code is None else places[code] for code in group}
                return 0.0 if len(same) == 1 else span_cost(places, domain, by_cells, group)

            parts.append((column["weight"], codes, cost))

    def of_group(block: Sequence[int]) -> float:
        return len(block) * math.fsum(weight * cost([cells[row] for row in block]) for weight, cells, cost in parts)

    return of_group


def place_oracle(
    release: shoal.Release, name: str, settings: dict[str, Any], loss: str
) -> list[tuple[float, list[Any], Cost]]:
    """Rectangles: nothing for one area; else the sides of the smallest rectangle of the cuts, as shares of all."""
    area = release.areas[name]
    tree, boxes = area.tree, area.boxes
    assert boxes is not None
    paths = [[tree.node_names[h][tree.ancestors[leaf, h]] for h in range(tree.n_levels + 1)] for leaf in area.ranks]
    all_leaves = [[tree.node_names[h][node] for h, node in enumerate(row)] for row in tree.ancestors.tolist()]

    def wide(node: str, side: int) -> float:
        low, high = boxes[node][2 * side : 2 * side + 2]
        return high - low if high >= low else high + 360 - low

    def cost(side: int, group: Sequence[Sequence[str]]) -> float:
        if len({path[0] for path in group}) == 1:
            return 0.0
        level = next(h for h in range(tree.n_levels + 1) if len({path[h] for path in group}) == 1)
        node = group[0][level]
        if loss == "information":
            below = len([path for path in all_leaves if path[level] == node])
            return math.log(below) / math.log(len(all_leaves))
        return 1.0 if node == "*" else wide(node, side) / max(wide(one, side) for one in boxes)

    sides = ((name, 0), (settings[name]["longitude"], 1))
    return [(settings[one]["weight"], paths, partial(cost, side)) for one, side in sides]


def aggregate_oracle(frame: pl.DataFrame, settings: dict[str, Any]) -> Cost:
    """What a group of rows loses if it is published as means, medians and modes."""
    parts: list[tuple[list[Any], Cost]] = []
    for name, column in settings.items():
        weight, values = column["weight"], frame[name].to_list()
        how = column.get("aggregate")
        numbers = numbers_of(frame[name], column) if column["kind"] not in ("label", "hierarchy") else []
        there = [one for one in numbers if one is not None]
        if column["kind"] in ("label", "hierarchy") or how == "mode":
            counted = column["kind"] in ("number", "date")
            most = max(values.count(value) for value in values)
            lost = (len(values) - most) / len(values)
            each = weight**2 / lost if lost > 0 else 1.0
            parts.append((values, partial(mode_loss, each, counted)))
        elif column["kind"] == "ordered" or how == "median":
            span = max(there) - min(there)
            middle = sorted(there)[(len(there) - 1) // 2]
            mean = math.fsum(abs(one - middle) for one in there) / len(there) / span if span else 0.0
            unit = weight**2 / (mean * weight) if mean > 0 else 1.0
            scale = span / (weight * unit) if span else math.inf
            voted = column["kind"] == "ordered"
            parts.append((numbers, partial(median_loss, scale, weight * unit, voted)))
        else:
            deviation = float(np.std(there))
            scale = deviation / weight if deviation else math.inf
            apart = max((max(there) - min(there)) / scale, weight)
            parts.append((numbers, partial(mean_loss, scale, apart)))

    def of_group(block: Sequence[int]) -> float:
        return math.fsum(cost([cells[row] for row in block]) for cells, cost in parts)

    return of_group


# -- the four numbers ---------------------------------------------------------------------------------------------


def compared(release: shoal.Release, of_group: Cost, n: int, k: int) -> None:
    """The cost of the release, as recomputed; its certificate and report; and the optimum between bound and cost."""
    cost = math.fsum(of_group(block) for block in blocks_of(release.partition.labels))
    assert release.partition.cost == pytest.approx(cost, rel=1e-9, abs=1e-9)
    assert float(release.certificate.cost) == pytest.approx(cost, rel=1e-9, abs=1e-9)
    assert release.content().groups.cost == pytest.approx(cost, rel=1e-9, abs=1e-9)
    optimum = min(math.fsum(map(of_group, blocks)) for blocks in groupings(range(n), k))
    nearly = 1e-9 * (1 + optimum)
    assert release.partition.lower_bound <= optimum + nearly
    assert optimum <= cost + nearly
    if release.partition.ratio_proved is not None:
        assert cost <= float(release.partition.ratio_proved) * optimum + nearly


CELLS = ("number", "date", "ordered", "listed", "label", "hierarchy", "classes", "place")
METHODS = ("forest", "mondrian", "mondrian-relaxed")


def check_cells(seed: int, form: str, loss: str) -> bool:
    """Compare the numbers on one table of cells; return whether it has classes or places."""
    rng = np.random.default_rng([seed, len(form), len(loss)])
    k, n, method = int(rng.integers(2, 4)), int(rng.integers(4, 9)), str(rng.choice(METHODS))
    frame, settings = a_table(rng, n, CELLS)
    asked = {"k": k, "method": method, "loss": loss, "publication": form, "columns": settings, "seed": seed}
    release = shoal.anonymize(frame, asked)
    compared(release, cell_oracle(release, frame[release.order], settings, loss, form), n, k)
    measures = [
        (
            settings[part.name]["weight"],
            part.information if loss == "information" and form != "suppress" else part.ncp,
        )
        for part in release.loss.columns
    ]
    if loss != "levels" or "hierarchy" not in {one["kind"] for one in settings.values()}:
        measured = math.fsum(weight * share * n for weight, share in measures)
        assert release.partition.cost == pytest.approx(measured, rel=1e-9, abs=1e-9)
    return any("classes" in one or "longitude" in one for one in settings.values())


MEANS = ("number", "date", "ordered", "label")


def check_aggregates(seed: int) -> bool:
    """Compare the numbers on one table of means, medians and modes; return whether a number is missing."""
    rng = np.random.default_rng([seed, 5])
    k, n = int(rng.integers(2, 4)), int(rng.integers(4, 9))
    frame, settings = a_table(rng, n, MEANS)
    for column in settings.values():
        if column["kind"] in ("number", "date") and rng.random() < 0.4:
            column["aggregate"] = str(rng.choice(["median", "mode"]))
    release = shoal.anonymize(
        frame, {"k": k, "publication": "aggregate", "columns": settings, "seed": seed, "effort": 20}
    )
    compared(release, aggregate_oracle(frame[release.order], settings), n, k)
    means = [name for name, one in settings.items() if one["kind"] == "number" and "aggregate" not in one]
    if len(means) == len(settings) and not any(frame[name].null_count() for name in means):
        weights = {name: settings[name]["weight"] ** 2 for name in means}
        told = math.fsum(weights[part.name] * (part.sse_ratio or 0.0) * n for part in release.loss.columns)
        # a mean is published rounded, by at most a half, and any other value than the mean has a larger squared error
        spread = {name: float(np.square(frame[name].to_numpy() - frame[name].mean()).sum()) for name in means}
        rounding = math.fsum(weights[name] * n * n / 4 / spread[name] for name in means if spread[name])
        assert release.partition.cost * (1 - 1e-9) <= told <= release.partition.cost + rounding + 1e-9
    return any(frame[name].null_count() for name in frame.columns)


FORMS = [("generalize", "ncp"), ("generalize", "information"), ("generalize", "levels"), ("suppress", "ncp")]


@pytest.mark.parametrize(("form", "loss"), FORMS)
def test_a_cell_costs_the_same_in_search_bound_measure_and_report(form: str, loss: str) -> None:
    assert sum(check_cells(seed, form, loss) for seed in range(12)) > 2


@pytest.mark.deep
@pytest.mark.parametrize(("form", "loss"), FORMS)
def test_a_cell_costs_the_same_on_many_tables(form: str, loss: str) -> None:
    assert sum(check_cells(seed, form, loss) for seed in range(12, 1012)) > 200


def test_an_aggregate_costs_the_same_in_search_bound_measure_and_report() -> None:
    assert sum(check_aggregates(seed) for seed in range(25)) > 4


@pytest.mark.deep
def test_an_aggregate_costs_the_same_on_many_tables() -> None:
    assert sum(check_aggregates(seed) for seed in range(25, 1025)) > 200
