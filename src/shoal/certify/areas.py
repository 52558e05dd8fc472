"""Check the areas that a release publishes in place of coordinates or regions.

A rectangle or circle must have valid coordinates on the stated grid, two rectangles must be nested or disjoint, and a
set of regions must be connected on its map. All is read from the released cells and from the map beside the
certificate; no code is shared with the modules that form the areas.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.files import MOST_BESIDE, UnsafeError, read_regular
from shoal.certify.findings import Failure
from shoal.errors import ParameterError
from shoal.policy import Column, Map, Policy

Floats = npt.NDArray[np.float64]
_NUMBER = r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:e-?[0-9]{1,2})?"
_RANGE = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]")
_LABEL = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s{}\[\],;:"*](?:[^{}\[\],;:"]*[^\s{}\[\],;:"])?')
ANYWHERE = "*"
COMPARED = 3000
"""Overlaps are looked for only if a column has at most this many different rectangles: all pairs are compared."""


def map_file(column: str) -> str:
    """Return the file name of a column's map in the folder of a release."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", column) + ".map.csv"


def check_areas(frame: pl.DataFrame, policy: Policy) -> list[Failure]:
    """Return a failure for every fault in the areas of a release in the form `generalize`.

    Columns that are absent are skipped: `shoal.certify.released_columns` reports them.
    """
    failures = []
    for name in policy.quasi:
        column = policy.columns[name]
        if name not in frame.columns:
            continue
        if column.longitude is not None and column.longitude in frame.columns:
            failures += _places(frame, name, column)
        elif column.map is not None:
            failures += _regions(frame, name, column.map)
    return failures


# -- places ---------------------------------------------------------------------------------------------------


def _places(frame: pl.DataFrame, name: str, column: Column) -> list[Failure]:
    """Return the faults of the rectangles or circles in a column pair of latitude and longitude."""
    assert column.longitude is not None
    radius = f"{name}_radius_m"
    wanted = [name, column.longitude] + ([radius] if column.shape == "circle" else [])
    if not set(wanted) <= set(frame.columns):
        return []  # the absent column is a failure already
    cells = frame.select(wanted).rows()
    different = set(cells)
    read = {cell: _circle(cell) if column.shape == "circle" else _rectangle(cell) for cell in different}
    bad = {cell for cell, found in read.items() if found is None}
    failures = []
    if bad:
        what = f"are not {column.shape}s of latitude and longitude"
        failures.append(_failure(name, what, sum(cell in bad for cell in cells)))
    beside = {cell for cell, found in read.items() if found and not _on_grid(found, column)}
    if beside:
        failures.append(_failure(name, "have sides beside the grid that is stated", sum(c in beside for c in cells)))
    boxes = sorted({tuple(found) for found in read.values() if found})
    if column.shape == "rectangle" and len(boxes) <= COMPARED and (n := _overlaps(np.array(boxes).reshape(-1, 4))):
        failures.append(_failure(name, f"overlap without one inside the other ({n} pairs of rectangles)", len(cells)))
    return failures


def _rectangle(cell: tuple[str | None, ...]) -> list[float] | None:
    """Return the south, north, west and east sides of a published rectangle.

    Empty where the place is missing or is the whole world (`*`); None where the cells are not a valid rectangle.
    """
    if cell in ((None, None), (ANYWHERE, ANYWHERE)):
        return []
    sides: list[float] = []
    for text in cell:
        found = _RANGE.fullmatch(text or "")
        if found is None and not re.fullmatch(_NUMBER, text or ""):
            return None
        sides += [float(found[1]), float(found[2])] if found else [float(text or "")] * 2
    south, north, west, east = sides
    return sides if -90 <= south <= north <= 90 and -180 <= min(west, east) <= max(west, east) <= 180 else None


def _on_grid(box: list[float], column: Column) -> bool:
    """Return whether all sides are multiples of the grid that the policy states; True where it states none.

    A side off the grid could reveal the coordinate of a record.
    """
    if column.grid is None:
        return True
    return all(abs(side / column.grid - round(side / column.grid)) < 1e-6 for side in box)


def _circle(cell: tuple[str | None, ...]) -> list[float] | None:
    """Return an empty list where the cells are a valid circle, missing, or the whole world (`*`); None otherwise."""
    if set(cell) in ({None}, {ANYWHERE}):
        return []
    if not all(re.fullmatch(_NUMBER, text or "") for text in cell):
        return None
    latitude, longitude, radius = (float(text or "") for text in cell)
    return [] if abs(latitude) <= 90 and abs(longitude) <= 180 and radius >= 0 else None


def _overlaps(boxes: Floats) -> int:
    """Return the number of pairs of rectangles that overlap while neither contains the other.

    Rectangles across the date line are compared too: each is also shifted by 360 degrees either way.
    """
    south, north, west, east = boxes.T
    east = np.where(west > east, east + 360, east)
    crossing = np.zeros((len(boxes), len(boxes)), dtype=bool)
    inside = np.zeros_like(crossing)
    for turn in (-360, 0, 360):
        w, e = west + turn, east + turn
        meet = (south[:, None] < north) & (south < north[:, None]) & (west[:, None] < e) & (w < east[:, None])
        within = (south[:, None] >= south) & (north[:, None] <= north) & (west[:, None] >= w) & (east[:, None] <= e)
        crossing |= meet
        inside |= within
    return int(np.count_nonzero(np.triu(crossing & ~inside & ~inside.T, 1)))


# -- regions --------------------------------------------------------------------------------------------------


def _regions(frame: pl.DataFrame, name: str, source: Map) -> list[Failure]:
    """Return a failure if some cells of a column are neither a region of its map nor a connected set of regions."""
    around = _neighbors(name, source)
    cells = frame[name].to_list()
    islands = _parts(set(around), around) if source.islands == "join" else []
    bad = {cell for cell in set(cells) if not _is_area(cell, around, islands)}
    if not bad:
        return []
    return [
        _failure(
            name, "are neither a region of its map nor a connected set of them", sum(cell in bad for cell in cells)
        )
    ]


def _is_area(cell: str | None, around: dict[str, set[str]], islands: list[set[str]]) -> bool:
    """Return whether a cell is missing, `*`, one region of the map, or a set of regions that counts as connected.

    A set is connected if it has one component. Where the policy joins islands, whole `islands` may be added to it.
    """
    if cell is None or cell == ANYWHERE or cell in around:
        return True
    if not (cell.startswith("{") and cell.endswith("}")):
        return False
    names = _names(cell[1:-1])
    if not names or not names <= around.keys():
        return False
    pieces = _parts(names, around)
    return len(pieces) == 1 or sum(piece not in islands for piece in pieces) <= 1


def _parts(names: set[str], around: dict[str, set[str]]) -> list[set[str]]:
    """Return the connected components of the map restricted to some regions."""
    parts: list[set[str]] = []
    left = set(names)
    while left:
        queue = [min(left)]
        left -= set(queue)
        for region in queue:
            fresh = around[region] & left
            left -= fresh
            queue += sorted(fresh)
        parts.append(set(queue))
    return parts


def _names(text: str) -> set[str]:
    """Return the labels in a comma-separated list; empty where the text is malformed or repeats a label."""
    labels: list[str] = []
    at = 0
    while at < len(text):
        found = _LABEL.match(text, at)
        if found is None:
            return set()
        try:
            labels.append(str(json.loads(found[0])) if found[0].startswith('"') else found[0])
        except ValueError:  # an invalid escape sequence in a quoted label
            return set()
        at = found.end()
        if at < len(text):
            if text[at : at + 2] != ", " or at + 2 == len(text):
                return set()
            at += 2
    return set(labels) if len(set(labels)) == len(labels) else set()


def _neighbors(name: str, source: Map) -> dict[str, set[str]]:
    """Return the neighbors of every region on a column's map; a ParameterError if the map cannot be read."""
    path = source.edges or source.gal or source.polygons
    assert path is not None
    try:
        text = read_regular(path, MOST_BESIDE, follow=True).decode("utf-8-sig")
        pairs = _pairs_of_polygons(text, source) if source.polygons else _pairs(text, gal=source.gal is not None)
        around: dict[str, set[str]] = {}
        for a, b in pairs:
            around.setdefault(a, set())
            if b:
                around[a].add(b)
                around.setdefault(b, set()).add(a)
    except (UnsafeError, ValueError, KeyError, IndexError, StopIteration, RecursionError, ImportError):
        raise ParameterError(
            f"the map {Path(path).name} of {name} cannot be read, so its regions cannot be checked.",
            "put the file beside the certificate, or give the policy that names it.",
        ) from None
    return around


def _pairs(text: str, *, gal: bool) -> Iterable[tuple[str, str]]:
    """Return pairs of adjacent regions from a CSV file of edges or a GAL file; a region alone is paired with ""."""
    if not gal:
        lines = text.splitlines()
        separator = max(";,\t|", key=lines[0].count)
        return [(row[0], row[1]) for row in csv.reader(lines[1:], delimiter=separator) if row]
    words = iter(text.split("\n", 1)[1].split())
    pairs = []
    for region in words:
        around = [next(words) for _ in range(int(next(words)))]
        pairs += [(region, other) for other in around] or [(region, "")]
    return pairs


def _pairs_of_polygons(text: str, source: Map) -> Iterable[tuple[str, str]]:
    """Return pairs of adjacent regions from GeoJSON polygons; every region is also paired with "".

    By queen contiguity polygons that touch in a point are adjacent; by rook contiguity they must share a border.
    """
    import shapely
    from shapely.geometry import shape

    try:
        features = json.loads(text)["features"]
        names = [str(one["id"] if source.name is None else one["properties"][source.name]) for one in features]
        shapes = [shape(one["geometry"]) for one in features]
        pairs = [(name, "") for name in names]
        for a, b in shapely.STRtree(shapes).query(shapes, predicate="intersects").T.tolist():
            border = source.contiguity == "queen" or names[a] == names[b]
            if a < b and (border or shapely.intersection(shapes[a], shapes[b]).length > 0):
                pairs.append((names[a], names[b]))
    except (TypeError, AttributeError, shapely.errors.ShapelyError):
        raise ValueError("not GeoJSON of polygons") from None
    return pairs


def _failure(name: str, what: str, records: int) -> Failure:
    return Failure(check="areas", column=name, message=f"column {name}: {records} cells {what}", records=records)
