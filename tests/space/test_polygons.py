"""Maps of polygons that are none: one sentence from the reader and from the verifier, whatever the file holds."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from shoal.certify.areas import _neighbors
from shoal.errors import ParameterError, SchemaError
from shoal.policy.column_sources import Map
from shoal.space.map_sources import read_map

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 0]]


def feature(geometry: object, name: object = "a") -> dict[str, object]:
    return {"type": "Feature", "properties": {"county": name}, "geometry": geometry}


BROKEN = {
    "no region": {"features": []},
    "features of another type": {"features": 3},
    "no geometry": {"features": [feature(None)]},
    "an empty polygon": {"features": [feature({"type": "Polygon", "coordinates": []})]},
    "too few corners": {"features": [feature({"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]})]},
    "words for numbers": {"features": [feature({"type": "Polygon", "coordinates": [[["x", "y"]] * 4]})]},
    "a list": [1, 2],
    "half a character": {"features": [feature({"type": "Polygon", "coordinates": [SQUARE]}, "\ud800")]},
    "a multipolygon of none": {"features": [feature({"type": "MultiPolygon", "coordinates": []})]},
    "no such property": {"features": [{"properties": {}, "geometry": {"type": "Polygon", "coordinates": [SQUARE]}}]},
    "not a number": {"features": [feature({"type": "Polygon", "coordinates": [[[float("nan"), 0]] * 4]})]},
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_map_without_polygons_is_refused_in_a_sentence(what: str, tmp_path: Path) -> None:
    file = tmp_path / "map.geojson"
    file.write_text(json.dumps(BROKEN[what]))
    source = Map(polygons=file, name="county")
    with pytest.raises(SchemaError, match=r"is not GeoJSON of polygons"):
        read_map("county", source)
    with suppress(ParameterError):  # any other error comes through
        assert all(not around for around in _neighbors("county", source).values())


def test_a_map_of_one_square_is_read(tmp_path: Path) -> None:
    file = tmp_path / "map.geojson"
    file.write_text(json.dumps({"features": [feature({"type": "Polygon", "coordinates": [SQUARE]})]}))
    assert read_map("county", Map(polygons=file, name="county")).names == ("a",)
    assert _neighbors("county", Map(polygons=file, name="county")) == {"a": set()}
