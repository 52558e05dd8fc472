"""Reading maps of regions from an edge list, a contiguity file (GAL) or polygons (GeoJSON)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal._repr import brief
from shoal.errors import EngineError, SchemaError
from shoal.policy import Map
from shoal.tables.json_text import read_json

Rings = tuple[npt.NDArray[np.float64], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RegionMap:
    """Regions by name, sorted; `edges` are pairs of their indices. Polygons also have `positions` and `outlines`."""

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    positions: npt.NDArray[np.float64] | None = None
    outlines: tuple[Rings, ...] | None = None

    def __repr__(self) -> str:
        return brief(self, f"{len(self.names)} regions, {len(self.edges)} pairs of neighbors")


def read_map(column: str, source: Map) -> RegionMap:
    """Return the map that a policy names; errors name `column`."""
    if source.polygons is not None:
        return _polygons(column, source.polygons, source)
    if source.gal is not None:
        return _numbered(_gal(column, source.gal, _text(column, source.gal)))
    assert source.edges is not None
    return _numbered(_edges(column, source.edges, _text(column, source.edges)))


def _text(column: str, file: Path) -> str:
    """Return the text of a map file; raise a `SchemaError` that names the column if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as failed:
        raise SchemaError(
            f"column {column}: its map {file.name} cannot be read ({failed.strerror}).",
            "paths in a policy are relative to the policy's own folder.",
        ) from None
    except UnicodeDecodeError:
        raise SchemaError(f"column {column}: its map {file.name} is not UTF-8 text.") from None


def _numbered(pairs: Iterable[tuple[str, str | None]]) -> RegionMap:
    """Return the map with the given pairs of neighbors; a region without neighbors is paired with None."""
    found = list(pairs)
    names = tuple(sorted({name for pair in found for name in pair if name is not None}))
    number = {name: place for place, name in enumerate(names)}
    edges = {(min(a, b), max(a, b)) for a, b in ((number[x], number[y]) for x, y in found if y is not None) if a != b}
    return RegionMap(names, tuple(sorted(edges)))


def _edges(column: str, file: Path, text: str) -> list[tuple[str, str | None]]:
    """Return the pairs in a file with a header and two neighboring regions per line."""
    separator = max(";,\t|", key=text.lstrip().partition("\n")[0].count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows = [(lines.line_num, row) for row in lines if row][1:]
    wrong = [number for number, row in rows if len(row) != 2 or not row[0]]
    if wrong or not rows:
        what = f"line {wrong[0]} does not have two columns" if wrong else "it has no pairs"
        raise SchemaError(
            f"column {column}: its map {file.name} is not a list of neighbors: {what}.",
            "it needs a header, then two neighboring regions per line; a region without neighbors has an empty cell.",
        )
    return [(a, b or None) for _, (a, b) in rows]


def _gal(column: str, file: Path, text: str) -> list[tuple[str, str | None]]:
    """Return the pairs in a GAL file: the number of regions, then for each a line `region n` and a line of n
    neighbors.

    The first line has the number of regions alone, or as the second of four words.
    """
    head, _, rest = text.strip().partition("\n")
    words = rest.split()
    pairs: list[tuple[str, str | None]] = []
    at = n_regions = 0
    try:
        stated = int(head.split()[1 if len(head.split()) > 1 else 0])
        while at < len(words):
            region, n = words[at], int(words[at + 1])
            around = words[at + 2 : at + 2 + n]
            if n < 0 or len(around) < n:  # a negative number would read the same words without end
                raise ValueError
            pairs += [(region, other) for other in around] or [(region, None)]
            at += 2 + n
            n_regions += 1
        if n_regions != stated:
            raise ValueError
    except (ValueError, IndexError):
        raise SchemaError(
            f"column {column}: its map {file.name} is not a GAL file: region {n_regions + 1} cannot be read."
        ) from None
    return pairs


def _polygons(column: str, file: Path, source: Map) -> RegionMap:
    """Return the map in a GeoJSON file: regions are neighbors if their polygons touch."""
    try:
        import shapely
        from shapely.geometry import shape
    except ImportError:
        raise EngineError(
            "a map of polygons needs shapely, which is not installed.", "pip install 'shoal[geo]'."
        ) from None
    text = _text(column, file)
    try:
        features: list[Any] = read_json(text)["features"]
        named = [_name_of(feature, source.name) for feature in features]
        shapes = [shape(feature["geometry"]) for feature in features]
        names = sorted(set(named))
        merged = [shapely.union_all([s for s, n in zip(shapes, named, strict=True) if n == name]) for name in names]
        inner = [(point.x, point.y) for point in (s.representative_point() for s in merged)]
        if not inner or not np.isfinite(inner).all():
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, shapely.errors.ShapelyError):
        missing = "id" if source.name is None else f"property {source.name}"
        raise SchemaError(
            f"column {column}: its map {file.name} is not GeoJSON of polygons that each have the {missing}.",
            "say which property has the region's name: map = { polygons = ..., name = ... }.",
        ) from None
    pairs = shapely.STRtree(merged).query(merged, predicate="intersects").T
    edges = [(int(a), int(b)) for a, b in pairs if a < b]
    if source.contiguity == "rook":
        edges = [(a, b) for a, b in edges if shapely.length(shapely.intersection(merged[a], merged[b])) > 0]
    return RegionMap(
        tuple(names),
        tuple(sorted(edges)),
        np.array(inner),
        tuple(_rings(shapely, s) for s in merged),
    )


def _name_of(feature: Any, name: str | None) -> str:
    value = feature["id"] if name is None else feature["properties"][name]
    if value is None:
        raise ValueError
    return str(value)


def _rings(shapely: Any, shape: Any) -> Rings:
    """Return the outer boundaries of a shape, for drawing."""
    return tuple(
        np.array(part.exterior.coords)[:, :2] for part in shapely.get_parts(shape) if part.geom_type == "Polygon"
    )
