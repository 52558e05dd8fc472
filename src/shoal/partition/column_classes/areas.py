"""Hierarchies for columns of regions and places, whose lowest level are areas of at least k people.

Regions are grouped by `regions` and places cut by `rectangles`, each with its guarantee. Above them, neighboring
groups are joined in pairs, level by level, up to the whole map; rectangles are joined in the reverse order of their
cuts. So a node is a connected set of regions or a rectangle, and two nodes are nested or disjoint. These hierarchies
are then generalized together with all other columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.errors import SchemaError
from shoal.partition.column_classes.homes import homes
from shoal.partition.column_classes.place_grid import around, as_degrees, cells, outer_box, usual_grid
from shoal.partition.result import Floats, Labels
from shoal.partition.single_attribute.rectangles import LEFT, Cuts, check_degrees, claim, light_cuts, unwrapped
from shoal.partition.single_attribute.region_graph import as_neighbors
from shoal.partition.single_attribute.regions import regions
from shoal.policy import Policy
from shoal.space.build import GivenTree
from shoal.space.hierarchy import ROOT, Tree, tree_of_levels
from shoal.space.map_sources import RegionMap, read_map


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Area:
    """One column of regions, or one pair of latitudes and longitudes, with its hierarchy.

    `classes` is the class of every region, or of every row (-1 if its place is missing). `held` is the number of
    people of every class. `bound` and `ratio_proved` are about the largest class; no ratio is proved if somebody has
    rows in several regions or places.
    """

    column: str
    tree: Tree
    ranks: Labels
    classes: Labels
    held: Labels
    least: int
    """The least number of people in a class."""
    bound: int
    ratio_proved: Fraction | None
    theorem: str | None
    map: RegionMap | None = None
    longitude: str | None = None
    boxes: Mapping[str, tuple[float, float, float, float]] | None = None
    """For places: south, north, west and east of every node, by its name; west may be larger than east."""

    def __repr__(self) -> str:
        return brief(self, f"of {self.column!r}: {len(self.held)} classes, {self.tree.n_levels} levels")

    def side_shares(self) -> Floats | None:
        """Return the sides of the rectangle above every leaf at every level, (n_leaves, n_levels + 1, 2).

        They are shares of the sides of the box of all places, first of latitudes and then of longitudes: what a cell
        of places costs if it joins several areas. The node above everything, missing places too, has 1. None for
        regions.
        """
        if self.boxes is None:
            return None
        shapes = {name: (north - south, (east - west) % 360 or float(east != west) * 360)
                  for name, (south, north, west, east) in self.boxes.items()}  # fmt: skip
        most = [max((sides[side] for sides in shapes.values()), default=0.0) for side in (0, 1)]
        shares = {
            name: tuple(min(one / all_, 1.0) if all_ > 0 else 0.0 for one, all_ in zip(sides, most, strict=True))
            for name, sides in shapes.items()
        }
        found = np.empty((*self.tree.ancestors.shape, 2))
        for level in range(self.tree.n_levels + 1):
            of_node = [
                (1.0, 1.0) if name == ROOT else shares[name] if name is not None else (0.0, 0.0)
                for name in self.tree.node_names[level]
            ]
            found[:, level] = np.array(of_node)[self.tree.ancestors[:, level]]
        return found


def areas_of(frame: pl.DataFrame, policy: Policy, people: Labels | None = None) -> dict[str, Area]:
    """Return the hierarchy of every column of regions with a map, and of every pair of latitudes and longitudes.

    `people` has the person of each row, if a person may have several rows.
    """
    found = {}
    for name in policy.quasi:
        column = policy.columns[name]
        if column.kind == "region" and column.map is not None:
            found[name] = _region_area(frame, policy, name, people)
        elif column.kind == "place" and column.longitude is not None:
            found[name] = _place_area(frame, policy, name, column.longitude, people)
    return found


def axes_of(areas: Mapping[str, Area]) -> dict[str, GivenTree | None]:
    """Return the hierarchy, the leaves and the sides of every area, as `build_space` takes them.

    A column of longitudes maps to None, because the area of its latitudes contains it.
    """
    given: dict[str, GivenTree | None] = {
        name: GivenTree(area.tree, area.ranks, area.side_shares()) for name, area in areas.items()
    }
    return given | {area.longitude: None for area in areas.values() if area.longitude is not None}


# -- regions --------------------------------------------------------------------------------------------------


def _region_area(frame: pl.DataFrame, policy: Policy, name: str, people: Labels | None) -> Area:
    """Return the hierarchy of a column of regions."""
    source = policy.columns[name].map
    assert source is not None
    known = read_map(name, source)
    values, n = frame[name].cast(pl.String), len(known.names)
    number = pl.DataFrame(
        {"v": known.names, "number": np.arange(len(known.names))}, schema_overrides={"v": pl.String}
    )
    rows = pl.DataFrame({"v": values, "who": np.arange(len(values)) if people is None else people})
    placed = rows.filter(pl.col("v").is_not_null()).join(number, on="v", how="left")
    absent = placed.filter(pl.col("number").is_null())
    if absent.height:
        raise SchemaError(
            f"column {name}: its map misses {absent['v'].n_unique()} of the column's regions; {absent.height} rows "
            "have them.",
            "add them to the map, or correct those cells.",
        )
    counted = homes(placed["who"].to_numpy(), placed["number"].to_numpy().astype(np.int64), n)
    found = regions(known.edges, counted.weights, policy.k, islands=source.islands, positions=known.positions)
    known = replace(known, edges=(*known.edges, *found.details.joined))
    neighbors = as_neighbors(known.edges, n)
    levels = [list(known.names), *_joined(found.labels, counted.weights, neighbors)]
    tree = tree_of_levels(name, levels, missing=values.null_count() > 0)
    return Area(
        column=name,
        tree=tree,
        ranks=tree.ranks(values),
        classes=found.labels,
        held=counted.people_of(found.labels),
        least=policy.k,
        bound=int(found.lower_bound) if counted.settled else counted.bound(policy.k),
        ratio_proved=found.ratio_proved if counted.settled else None,
        theorem=found.theorem if counted.settled else None,
        map=known,
    )


def _joined(groups: Labels, people: Labels, neighbors: Sequence[Sequence[int]]) -> list[list[str]]:
    """Return the name of every region's node at each level.

    The first level are the groups; from one level to the next, neighboring nodes are joined in pairs, lightest first.
    """
    levels: list[list[str]] = []
    group = groups.tolist()
    while True:
        levels.append([f"{len(levels)}:{node}" for node in group])
        held: dict[int, int] = {}
        beside: dict[int, set[int]] = {}
        for region, node in enumerate(group):
            held[node] = held.get(node, 0) + int(people[region])
            beside.setdefault(node, set()).update(group[other] for other in neighbors[region])
        above: dict[int, int] = {}
        for node in sorted(held, key=lambda node: (held[node], node)):
            free = [other for other in beside[node] if other != node and other not in above]
            if node not in above and free:
                partner = min(free, key=lambda other: (held[other], other))
                above[node] = above[partner] = min(node, partner)
        if not above:
            return levels
        group = [above.get(node, node) for node in group]


# -- places ---------------------------------------------------------------------------------------------------


def with_grid(policy: Policy, frame: pl.DataFrame) -> Policy:
    """Return the policy with a grid for every pair of coordinates that has none."""
    columns = dict(policy.columns)
    for name in policy.quasi:
        column = columns[name]
        if column.kind == "place" and column.longitude is not None and column.grid is None:
            given, there = _given(frame, name, column.longitude)
            columns[name] = column.model_copy(update={"grid": usual_grid(unwrapped(given[there]))})
    return policy.model_copy(update={"columns": columns})


def _given(frame: pl.DataFrame, latitude: str, longitude: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return latitudes and longitudes, and which rows have both."""
    given = frame.select(
        pl.col(latitude).cast(pl.Float64).alias("latitude"), pl.col(longitude).cast(pl.Float64).alias("longitude")
    ).to_numpy()
    return given, np.isfinite(given).all(axis=1)


def _place_area(frame: pl.DataFrame, policy: Policy, latitude: str, longitude: str, people: Labels | None) -> Area:
    """Return the hierarchy of a pair of columns of latitudes and longitudes."""
    given, there = _given(frame, latitude, longitude)
    grid = policy.columns[latitude].grid or usual_grid(unwrapped(given[there]))
    classes = np.full(len(given), -1, dtype=np.int64)
    who = np.flatnonzero(there) if people is None else people[there]
    if len(np.unique(who)) < policy.k:  # too few for a class of their own: all are published as the whole Earth
        tree = tree_of_levels(latitude, [["0"]], missing=True)
        leaf = {label: rank for rank, label in enumerate(tree.leaf_labels)}
        return Area(
            column=latitude,
            tree=tree,
            ranks=np.where(there, leaf["0"], leaf[None]).astype(np.int64),
            classes=classes,
            held=np.zeros(0, dtype=np.int64),
            least=policy.k,
            bound=0,
            ratio_proved=Fraction(1),
            theorem="RECTANGLES-1",
            longitude=longitude,
            boxes={"0": (-90.0, 90.0, -180.0, 180.0)},
        )
    places, place = np.unique(_in_cells(given[there], grid), axis=0, return_inverse=True)
    place = place.reshape(-1)
    counted = homes(who, place, len(places))
    bound = counted.bound(policy.k)
    found, _ = light_cuts(
        (places * grid).astype(np.float64), counted.weights, policy.k, bound, geographic=True, grid=grid
    )
    names, boxes = _levels(found, grid)
    tree = tree_of_levels(latitude, names, missing=not there.all())
    leaf = {label: rank for rank, label in enumerate(tree.leaf_labels)}
    class_of = found.groups()
    groups = class_of[place]
    classes[there] = groups
    ranks = np.full(len(given), leaf.get(None, -1), dtype=np.int64)
    ranks[there] = np.array([leaf[name] for name in names[0]], dtype=np.int64)[groups]
    held = counted.people_of(class_of)
    ratio, theorem = claim(int(held.max()), bound, policy.k) if counted.settled else (None, None)
    return Area(
        column=latitude,
        tree=tree,
        ranks=ranks,
        classes=classes,
        held=held,
        least=policy.k,
        bound=bound,
        ratio_proved=ratio,
        theorem=theorem,
        longitude=longitude,
        boxes=boxes,
    )


def _in_cells(places: Floats, grid: float) -> Labels:
    """Return the grid cell of every place, as integers; the Earth is cut open at longitudes without a place."""
    check_degrees(places)
    n = around(grid)
    # The poles belong to the cells next to them.
    latitude = np.clip(cells(places[:, 0], grid), -n // 4, n // 4 - 1)
    longitude = (cells(places[:, 1], grid) + n // 2) % n - n // 2
    opened = unwrapped(np.column_stack([places[:, 0], longitude * grid]))
    return np.column_stack([latitude, np.rint(opened[:, 1] / grid).astype(np.int64)])


def _levels(cuts: Cuts, grid: float) -> tuple[list[list[str]], dict[str, tuple[float, float, float, float]]]:
    """Return the names of the nodes above every leaf, one level per cut, and the sides of every node."""
    n = len(cuts.nodes)
    width = len(str(n))
    parent = np.zeros(n, dtype=np.int64)
    inner = np.flatnonzero(cuts.nodes[:, LEFT] >= 0)
    parent[cuts.nodes[inner, LEFT]] = parent[cuts.nodes[inner, LEFT] + 1] = inner
    paths = [np.asarray(cuts.leaves)]
    while paths[-1].any():  # node 0 is the root, the box of all places
        paths.append(parent[paths[-1]])
    depth = np.array([np.flatnonzero(np.stack(paths)[:, leaf] == 0)[0] for leaf in range(len(paths[0]))])
    deepest = len(paths) - 1
    # Levels are counted from the root, so that all leaves have the same number; a shallow leaf is on several levels.
    names = []
    for level in range(deepest + 1):
        up = np.maximum(level - (deepest - depth), 0)
        names.append([f"{paths[h][leaf]:0{width}d}" for leaf, h in enumerate(up.tolist())])
    south, north, west, east = np.rint(cuts.box).astype(np.int64).tolist()
    box = outer_box(np.array([south, west]), np.array([north, east]), grid)
    sides = as_degrees(np.rint(replace(cuts, box=box.astype(np.float64)).boxes()).astype(np.int64), grid)
    boxes = {f"{node:0{width}d}": (a, b, c, d) for node, (a, b, c, d) in enumerate(sides.tolist())}
    return names, boxes
