"""Maps of a release: where regions are, which classes are neighbors, and which places are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse
from scipy.sparse.linalg import ArpackError, eigsh

from shoal.report.charts.maps import AreaMap, different_colors

if TYPE_CHECKING:
    from shoal.partition.column_classes.areas import Area
    from shoal.space.map_sources import RegionMap

MOST_CLASSES = 4_000
MOST_PLACES = 3_000
Floats = npt.NDArray[np.float64]


def area_maps(areas: Mapping[str, Area], frame: pl.DataFrame) -> tuple[AreaMap, ...]:
    """Return one map per column of regions or pair of coordinates; none if there would be too much to draw."""
    found = []
    for area in areas.values():
        if 0 < len(area.held) <= MOST_CLASSES:
            found.append(_regions(area, area.map) if area.map is not None else _places(area, frame))
    return tuple(found)


def _regions(area: Area, drawn: RegionMap) -> AreaMap:
    """Return the map of a column of regions, colored by class."""
    classes = area.classes.tolist()
    beside: list[set[int]] = [set() for _ in area.held]
    for a, b in drawn.edges:
        if classes[a] != classes[b]:
            beside[classes[a]].add(classes[b])
            beside[classes[b]].add(classes[a])
    inside: list[list[str]] = [[] for _ in area.held]
    for name, group in zip(drawn.names, classes, strict=True):
        inside[group].append(name)
    sizes = tuple(len(own) for own in inside)
    return AreaMap(
        column=area.column,
        names=tuple(own[0] if len(own) == 1 else f"{own[0]} +{len(own) - 1}" for own in inside),
        people=tuple(area.held.tolist()),
        sizes=sizes,
        unit="region",
        colors=different_colors(beside),
        class_of=tuple(classes),
        outlines=drawn.outlines or (),
        dots=None if drawn.outlines else _layout(drawn),
        lines=() if drawn.outlines else drawn.edges,
        laid_out=drawn.outlines is None,
    )


def _layout(drawn: RegionMap) -> Floats:
    """Return positions of regions near the mean of their neighbors': the two smoothest eigenvectors of the graph."""
    n = len(drawn.names)
    ends = np.array(drawn.edges, dtype=np.int64).reshape(-1, 2)
    one = np.concatenate([ends, ends[:, ::-1]])
    adjacency = sparse.csr_array((np.ones(len(one)), (one[:, 0], one[:, 1])), shape=(n, n))
    degree: Floats = np.asarray(adjacency.sum(axis=1)).reshape(-1)
    root = 1 / np.sqrt(np.maximum(degree, 1))
    walk = sparse.diags_array(root) @ adjacency @ sparse.diags_array(root)
    if n > 3:
        try:
            # shifted by 1 all eigenvalues are positive, so the largest ones belong to the smoothest vectors
            start = np.cos(np.arange(n) + 1.0)
            _, vectors = eigsh(sparse.csr_array(walk + sparse.eye_array(n)), k=3, which="LA", v0=start)
            return np.asarray(vectors[:, [1, 0]] * root[:, None])
        except ArpackError:
            pass
    turn = 2 * np.pi * np.arange(n) / max(n, 1)
    return np.column_stack([np.cos(turn), np.sin(turn)])


def _places(area: Area, frame: pl.DataFrame) -> AreaMap:
    """Return the map of a pair of coordinates, with the published rectangles."""
    assert area.boxes is not None
    assert area.longitude is not None
    there = np.flatnonzero(area.classes >= 0)
    leaves = area.ranks[there[np.unique(area.classes[there], return_index=True)[1]]]
    boxes = np.array([area.boxes[str(area.tree.leaf_labels[leaf])] for leaf in leaves.tolist()])
    south, north, west, east = boxes.T
    crosses = bool((west > east).any())
    latitude, longitude = (frame[name].cast(pl.Float64).to_numpy()[there] for name in (area.column, area.longitude))
    if crosses or (longitude > 180).any():  # the map continues east of the date line
        west, east, longitude = (np.where(side < 0, side + 360, side) for side in (west, east, longitude))
    narrow = float(np.cos(np.radians(np.mean(latitude)))) or 1.0
    beside: list[set[int]] = [set() for _ in boxes]
    for a in range(len(boxes)):
        touch = (south <= north[a]) & (north >= south[a]) & (west <= east[a]) & (east >= west[a])
        beside[a] = set(np.flatnonzero(touch).tolist()) - {a}
    order = np.lexsort((latitude, longitude))
    some = order[:: -(-len(order) // MOST_PLACES)]
    groups = area.classes[there]
    places = pl.DataFrame({"g": groups, "x": latitude, "y": longitude}).unique()["g"].to_numpy()
    return AreaMap(
        column=f"{area.column}, {area.longitude}",
        names=tuple(f"{a:g} to {b:g}, {c:g} to {d:g}" for a, b, c, d in boxes.tolist()),
        people=tuple(area.held.tolist()),
        sizes=tuple(np.bincount(places, minlength=len(boxes)).tolist()),
        unit="place",
        colors=different_colors(beside),
        dots=np.column_stack([longitude[some] * narrow, latitude[some]]),
        boxes=np.column_stack([west * narrow, east * narrow, south, north]),
    )
