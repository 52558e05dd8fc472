"""Published geography: regions as connected sets, places as rectangles or as a center and a radius in meters."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.partition.column_classes.areas import Area
from shoal.publish.group_values import Floats, Ints
from shoal.publish.notation import HIDDEN, write_set
from shoal.publish.result import GroupColumn, RecodedInto
from shoal.space.hierarchy import ROOT

EARTH = 6_371_008.8
"""The mean radius of the Earth in meters."""
Bools = npt.NDArray[np.bool_]
Box = tuple[float, float, float, float]


def area_columns(area: Area, labels: Ints, n_groups: int, *, shape: str) -> list[GroupColumn]:
    """Return the released columns of one area: one for regions, two for places (three with a radius)."""
    level, first, last = area.tree.lowest_common(area.ranks, labels, n_groups)
    if area.boxes is None:
        return [_region_sets(area, level, first, last)]
    nodes = area.tree.names(first, level)
    boxes = [None if node is None or node == ROOT else area.boxes[node] for node in nodes]
    hidden = np.array([node == ROOT for node in nodes], dtype=bool)
    found = _circles(area, boxes, hidden) if shape == "circle" else _rectangles(area, boxes, hidden)
    return [
        replace(column, loss=loss, into=into)
        for column, (loss, into) in zip(found, _lost(area, level, first, last), strict=True)
    ]


def _lost(area: Area, level: Ints, first: Ints, last: Ints) -> list[tuple[Floats, RecodedInto]]:
    """Return the loss of every group's rectangle on both sides, and what the areas lose by themselves.

    Places are recoded into areas before groups are made, so an area alone has no loss; a rectangle that joins several
    has that of its sides, as shares of those of the box of all places (`Area.side_shares`).
    """
    shares = area.side_shares()
    assert shares is not None
    n_open = last - first + 1
    found = []
    for side in (0, 1):
        loss = np.where((level > 0) & (n_open > 1), shares[first, level, side], 0.0)
        loss = np.where(level == area.tree.n_levels, np.where(level > 0, 1.0, loss), loss)
        own = shares[area.ranks, 0, side]
        lost, rows = (float(own.mean()) if len(own) else 0.0), int((area.classes >= 0).sum())
        found.append((loss, RecodedInto(n_values=area.tree.n_leaves, n_open=n_open, lost=lost, rows=rows)))
    return found


def _region_sets(area: Area, level: Ints, first: Ints, last: Ints) -> GroupColumn:
    """Return the set of all regions below the group's node, including those without people, so that it is connected.

    The whole map is published as `*`.
    """
    tree, n = area.tree, area.tree.n_leaves
    pairs, cell = np.unique(np.stack([first, last]), axis=1, return_inverse=True)
    texts: list[str | None] = []
    for a, b in pairs.T.tolist():
        names = sorted(name for name in tree.leaf_labels[a : b + 1] if name is not None)
        whole = b - a + 1 == n and n > 1
        texts.append(HIDDEN if whole else tree.leaf_labels[a] if a == b else write_set(names))
    cell = cell.reshape(-1).astype(np.int64)
    sizes = pairs[1] - pairs[0] + 1
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return GroupColumn(
        name=area.column,
        kind="region",
        loss=np.where(sizes[cell] > 1, sizes[cell] / n, 0.0),
        published=pl.DataFrame({area.column: pl.Series(texts, dtype=pl.String)[cell]}),
        domain=tree.leaf_labels,
        cell=cell,
        member_start=start,
        members=np.concatenate([np.arange(a, b + 1) for a, b in pairs.T.tolist()]).astype(np.int64),
    )


def _rectangles(area: Area, boxes: list[Box | None], hidden: Bools) -> list[GroupColumn]:
    """Return `[south, north]` in the column of latitudes and `[west, east]` in that of longitudes."""
    assert area.longitude is not None
    return [
        _side(name, boxes, hidden, low, texts=[_range(box, low) for box in boxes])
        for name, low in ((area.column, 0), (area.longitude, 2))
    ]


def _circles(area: Area, boxes: list[Box | None], hidden: Bools) -> list[GroupColumn]:
    """Return the center of the rectangle and a radius, rounded up to meters, within which all of it lies."""
    assert area.longitude is not None
    circles = [None if box is None else circle_around(box) for box in boxes]
    found = []
    for name, low in ((area.column, 0), (area.longitude, 2)):
        texts = [None if circle is None else f"{circle[low // 2]:.6f}" for circle in circles]
        found.append(_side(name, boxes, hidden, low, texts=texts))
    radius = f"{area.column}_radius_m"
    meters = [None if circle is None else str(circle[2]) for circle in circles]
    column = found[0]
    both = column.published.with_columns(pl.Series(radius, meters, dtype=pl.String))
    found[0] = GroupColumn(
        name=column.name,
        kind=column.kind,
        loss=column.loss,
        published=both.with_columns(pl.when(pl.Series(hidden)).then(pl.lit(HIDDEN)).otherwise(radius).alias(radius)),
        low=column.low,
        high=column.high,
        value=column.value,
    )
    return found


def _range(box: Box | None, low: int) -> str | None:
    if box is None:
        return None
    a, b = box[low], box[low + 1]
    return str(a) if a == b else f"[{a}, {b}]"


def _side(name: str, boxes: list[Box | None], hidden: Bools, low: int, *, texts: list[str | None]) -> GroupColumn:
    """Return one released coordinate of the rectangles: latitude for `low` = 0, longitude for `low` = 2."""
    sides = np.array([(np.nan, np.nan) if box is None else box[low : low + 2] for box in boxes]).reshape(-1, 2)
    least, most = sides[:, 0], sides[:, 1]
    crosses = least > most  # the rectangle crosses the date line
    wide = np.where(crosses, most + 360 - least, most - least)
    span = _span(least, most, crosses)
    share = wide / span if span > 0 else np.zeros(len(wide))
    least, most = np.where(crosses, -180.0, least), np.where(crosses, 180.0, most)
    text = [HIDDEN if hide else one for one, hide in zip(texts, hidden.tolist(), strict=True)]
    return GroupColumn(
        name=name,
        kind="place",
        loss=np.where(hidden, 1.0, np.minimum(np.nan_to_num(share), 1.0)),
        published=pl.DataFrame({name: pl.Series(text, dtype=pl.String)}),
        low=least,
        high=most,
        value=(least + most) / 2,
    )


def _span(least: Floats, most: Floats, crosses: Bools) -> float:
    """Return the width that all rectangles span together, which the loss is relative to."""
    if crosses.any():
        return 360.0
    there = ~np.isnan(least)
    return float(most[there].max() - least[there].min()) if there.any() else 0.0


def circle_around(box: Box) -> tuple[float, float, int]:
    """Return latitude and longitude of the center, and a radius in meters that reaches every point of the rectangle.

    Up to 90 degrees to either side the farthest point is a corner. Beyond that, the path along the center's meridian
    and then along a parallel is at least as long as the shortest path, so its length is used.
    """
    south, north, west, east = box
    if west > east:
        east += 360
    latitude, longitude = (south + north) / 2, (west + east) / 2
    aside = math.radians(east - west) / 2
    if aside <= math.pi / 2:
        reach = max(_angle(latitude, corner, aside) for corner in (south, north))
    else:
        widest = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
        reach = min(math.pi, math.radians(north - south) / 2 + math.cos(math.radians(widest)) * aside)
    # the center is written with six decimals, so it may be a decimeter off
    return latitude, longitude - 360 if longitude > 180 else longitude, math.ceil(reach * EARTH + 0.2)


def _angle(a: float, b: float, aside: float) -> float:
    """Return the angle between places at latitudes `a` and `b`, `aside` radians of longitude apart (haversine)."""
    phi, psi = math.radians(a), math.radians(b)
    half = math.sin((psi - phi) / 2) ** 2 + math.cos(phi) * math.cos(psi) * math.sin(aside / 2) ** 2
    return 2 * math.asin(math.sqrt(min(1.0, half)))
