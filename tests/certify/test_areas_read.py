"""The verifier's own reading of areas: which cells are places or regions, and which rectangles cross."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.certify import areas
from shoal.certify.areas import check_areas, map_file
from shoal.errors import ParameterError
from shoal.policy import Policy

SENSITIVE = {"s": {"role": "sensitive"}}
NO_AREA = "X" * 4  # the text that a mutation puts in the place of an empty one


def told(failures) -> list[tuple[object, ...]]:
    return [(one.check, one.column, one.message, one.groups, one.records) for one in failures]


def places(cells: list[tuple[str | None, ...]], **settings: object) -> list[tuple[object, ...]]:
    """What is wrong with latitudes and longitudes, and radii where the shape is a circle."""
    names = ["lat", "lon", "lat_radius_m"][: len(cells[0])]
    frame = pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String), orient="row")
    columns = {"lat": {"role": "quasi", "longitude": "lon"} | settings, "lon": {"role": "quasi"}} | SENSITIVE
    return told(check_areas(frame, Policy.parse({"k": 2, "columns": columns})))


# -- places ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell",
    [
        ("[-90, 90]", "[-180, 180]"),
        ("[1.5, 1.5]", "[2, 3]"),
        ("-90", "180"),
        ("90", "-180"),
        ("[1, 2]", "[170, -170]"),
        ("[1e-05, 2]", "[1, 2]"),
        ("*", "*"),
        (None, None),
    ],
)
def test_a_rectangle_of_the_earth_is_a_place(cell):
    assert places([cell]) == []


@pytest.mark.parametrize(
    "cell",
    [
        ("[-90.1, 90]", "[1, 2]"),
        ("[1, 90.1]", "[1, 2]"),
        ("[2, 1]", "[1, 2]"),
        ("[1, 2]", "[-180.1, 2]"),
        ("[1, 2]", "[2, 180.1]"),
        ("[1, 2]", "[180.1, 2]"),
        ("[1, 2]", "[2, -180.1]"),
        ("*", "[1, 2]"),
        ("[1, 2]", None),
        (None, "*"),
        ("", ""),
        ("[1, 2", "3"),
        ("[1,2]", "3"),
        (NO_AREA, "1"),
        ("1", NO_AREA),
    ],
)
def test_what_is_no_rectangle_is_counted(cell):
    told_of = ("areas", "lat", "column lat: 2 cells are not rectangles of latitude and longitude", 0, 2)
    assert places([cell, ("1", "1"), cell]) == [told_of]


@pytest.mark.parametrize(
    "cell",
    [("90", "180", "0"), ("-90", "-180", "1.5"), ("1", "2", "30"), ("*", "*", "*"), (None, None, None)],
)
def test_a_center_and_a_radius_are_a_circle(cell):
    assert places([cell], shape="circle") == []


@pytest.mark.parametrize(
    "cell",
    [
        ("90.1", "1", "1"),
        ("-90.1", "1", "1"),
        ("1", "180.1", "1"),
        ("1", "-180.1", "1"),
        ("1", "1", "-0.1"),
        ("*", "1", "1"),
        ("1", "1", None),
        ("*", "*", None),
        ("[1, 2]", "1", "1"),
        (NO_AREA, "1", "1"),
    ],
)
def test_what_is_no_circle_is_counted(cell):
    told_of = ("areas", "lat", "column lat: 2 cells are not circles of latitude and longitude", 0, 2)
    assert places([cell, ("1", "1", "1"), cell], shape="circle") == [told_of]


def test_a_circle_whose_radius_is_absent_is_told_as_a_column_that_is_absent():
    assert places([("x", "y")], shape="circle") == []


@pytest.mark.parametrize(
    ("side", "on"),
    [("0.5", True), ("0", True), ("-1.5", True), ("0.5000004", True), ("0.5000006", False), ("0.75", False)],
)
def test_sides_lie_on_the_grid_that_is_stated(side, on):
    told_of = ("areas", "lat", "column lat: 2 cells have sides beside the grid that is stated", 0, 2)
    cells = [(f"[{side}, 3]", "[1, 2]"), ("[1, 2]", "[3, 4.5]"), (f"[{side}, 3]", "[1, 2]")]
    assert places(cells, grid=0.5) == ([] if on else [told_of])
    assert places(cells) == []


def test_what_is_missing_is_beside_no_grid():
    assert places([(None, None), ("*", "*")], grid=0.5) == []


def box(south: float, north: float, west: float, east: float) -> tuple[str, str]:
    return f"[{south}, {north}]", f"[{west}, {east}]"


@pytest.mark.parametrize(
    ("one", "other", "crossing"),
    [
        (box(0, 2, 0, 2), box(1, 3, 1, 3), True),
        (box(0, 2, 0, 2), box(2, 3, 0, 2), False),  # a common side
        (box(0, 2, 0, 2), box(0, 2, 2, 3), False),
        (box(0, 2, 0, 2), box(0, 1, 0, 1), False),  # one inside the other, with a common corner
        (box(0, 2, 0, 2), box(0, 3, 0, 2), False),
        (box(0, 2, 0, 2), box(1, 2, 1, 2), False),
        (box(0, 2, 0, 2), box(0, 3, 0, 1), True),
        (box(0, 2, 0, 2), box(-1, 2, 1, 2), True),
        (box(0, 2, 0, 2), box(1, 2, 0, 3), True),
        (box(0, 2, 0, 2), box(0, 1, -1, 2), True),
        (box(0, 2, 170, -170), box(1, 3, -175, -165), True),  # beyond the date line
        (box(0, 2, 170, -170), box(1, 2, -175, -172), False),
        (box(0, 2, 170, -170), box(1, 3, 165, 175), True),
        (box(0, 2, 170, -170), box(1, 2, 171, 175), False),
        (box(0, 2, 170, -170), box(0, 2, -170, -160), False),
        (box(0, 2, 170, -170), box(1, 3, 160, -175), True),
        (box(0, 2, 170, -170), box(1, 3, 0, 1), False),
        (box(0, 2, -180, 180), box(1, 3, 170, -170), True),
        (box(0, 2, -180, 180), box(1, 2, 170, 180), False),
        (box(0, 2, 1, 1), box(0, 3, 0, 2), False),  # a line
    ],
)
def test_rectangles_are_nested_or_apart(one, other, crossing):
    message = "column lat: 3 cells overlap without one inside the other (1 pairs of rectangles)"
    expected = [("areas", "lat", message, 0, 3)] if crossing else []
    assert places([one, other, one]) == expected
    assert places([other, one, one]) == expected


def test_every_pair_that_crosses_is_counted_once():
    boxes = np.array([[0, 2, 0, 2], [1, 3, 1, 3], [1.5, 4, 1.5, 4], [10, 11, 10, 11]], dtype=np.float64)
    assert areas._overlaps(boxes) == 3
    assert areas._overlaps(np.empty((0, 4))) == 0


def test_up_to_so_many_rectangles_all_are_compared(monkeypatch):
    crossing = [box(0, 2, 0, 2), box(1, 3, 1, 3)]
    monkeypatch.setattr(areas, "COMPARED", 2)
    assert len(places(crossing)) == 1
    assert places([*crossing, box(10, 11, 10, 11)]) == []


def test_circles_may_overlap_and_bad_rectangles_are_not_compared():
    assert places([("1", "1", "100000"), ("1.1", "1", "100000")], shape="circle") == []
    assert len(places([("x", "y"), box(0, 1, 0, 1)])) == 1


def test_a_column_that_is_absent_is_told_elsewhere():
    columns = {"lat": {"role": "quasi", "longitude": "lon"}, "lon": {"role": "quasi"}} | SENSITIVE
    policy = Policy.parse({"k": 2, "columns": columns})
    assert check_areas(pl.DataFrame({"s": ["a"]}), policy) == []
    assert check_areas(pl.DataFrame({"lat": ["x"]}), policy) == []
    assert check_areas(pl.DataFrame({"lon": ["x"]}), policy) == []


# -- regions -----------------------------------------------------------------------------------------------------

MAP = "region,neighbor\nnorth,south\nsouth,east\nisle,\nrock,reef\n"


def regions(cells: list[str | None], map_: dict[str, object]) -> list[tuple[object, ...]]:
    """What is wrong with a column of regions, behind a column that is none."""
    columns = {"age": {"role": "quasi"}, "region": {"role": "quasi", "map": map_}} | SENSITIVE
    frame = pl.DataFrame({"region": cells}, schema={"region": pl.String})
    return told(check_areas(frame.with_columns(pl.lit("9").alias("age")), Policy.parse({"k": 2, "columns": columns})))


@pytest.fixture
def edges(tmp_path) -> dict[str, object]:
    (tmp_path / "m.csv").write_text(MAP, encoding="utf-8")
    return {"edges": str(tmp_path / "m.csv")}


BAD = ("areas", "region", "column region: 2 cells are neither a region of its map nor a connected set of them", 0, 2)


@pytest.mark.parametrize(
    "cell", ["north", "isle", "*", None, "{north}", "{north, south}", '{"north", south, east}', "{reef, rock}"]
)
def test_regions_and_connected_sets_of_them_are_areas(edges, cell):
    assert regions([cell, "south"], edges) == []


@pytest.mark.parametrize(
    "cell",
    ["west", "", "{}", "{north, east}", "{north, isle}", "{north south}", "{north; south}", "{north,south}",
     "{north, north}", "north}", "{north", "{west}", "{north, west}", "{north, }", '{"north}', '{"\\q"}',
     "north, south", "{north, *}", "xnorthx", "{north,  south}", "{isle, rock, reef}", "{north, south, isle}"],
)  # fmt: skip
def test_what_is_no_area_of_the_map_is_counted(edges, cell):
    assert regions([cell, "south", cell], edges) == [BAD]


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_list_of_neighbors_may_be_separated_as_tables_are(tmp_path, separator):
    text = "\ufeff" + MAP.replace(",", separator) + "\n"
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    edges = {"edges": str(tmp_path / "m.csv")}
    assert regions(["{north, south, east}", "isle"], edges) == []
    assert regions(["{north, east}", "region", "isle"], edges) == [BAD]


def test_names_of_regions_are_read_as_they_are_quoted(tmp_path):
    names = ["a, b", 'c"d', "e f", "é", "[g]"]
    rows = ["region,neighbor", *('"' + name.replace('"', '""') + '",hub' for name in names)]
    (tmp_path / "m.csv").write_text("\n".join(rows), encoding="utf-8")
    edges = {"edges": str(tmp_path / "m.csv")}
    assert regions(['{"a, b", hub}', '{"c\\"d", hub, e f}', "{é, hub}", '{"[g]", hub}'], edges) == []
    assert regions(["{a, b, hub}", "{[g], hub}"], edges) == [BAD]


def test_a_contiguity_file_is_read(tmp_path):
    (tmp_path / "m.gal").write_text("0 4 map id\nnorth 1\nsouth\nsouth 2\nnorth east\neast 1\nsouth\nisle 0\n\n")
    gal = {"gal": str(tmp_path / "m.gal")}
    assert regions(["{north, south, east}", "isle"], gal) == []
    assert regions(["{north, east}", "{north, isle}", "south"], gal) == [BAD]


def square(x: float, y: float, name: str) -> dict[str, object]:
    ring = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1], [x, y]]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    return {"type": "Feature", "id": f"id-{name}", "properties": {"name": name}, "geometry": geometry}


@pytest.mark.parametrize(
    ("contiguity", "named", "good", "bad"),
    [
        ("queen", True, ["{a, b}", "{a, c}", "{b, c}", "d", "{d}"], ["{a, d}", "id-a"]),
        ("rook", True, ["{a, b}", "{b, c}", "d"], ["{a, c}", "{a, d}"]),
        ("rook", False, ["{id-a, id-b}", "id-d"], ["{id-a, id-c}", "a"]),
    ],
)
def test_polygons_are_neighbors_by_a_border_or_a_corner(tmp_path, contiguity, named, good, bad):
    """b is beside a and below c; c touches a at a corner; d is apart; a has two parts."""
    features = [square(0, 0, "a"), square(1, 0, "b"), square(1, 1, "c"), square(5, 5, "d"), square(-1, -1, "a")]
    (tmp_path / "m.json").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    map_ = {"polygons": str(tmp_path / "m.json"), "contiguity": contiguity} | ({"name": "name"} if named else {})
    assert regions(good, map_) == []
    assert regions(bad, map_) == [BAD]


@pytest.mark.parametrize(
    ("cell", "good"),
    [
        ("{north, isle}", True),  # a part of one piece, and a whole island
        ("{north, south, reef, rock}", True),
        ("{isle, rock, reef}", True),
        ("{north, south, east, isle, rock, reef}", True),
        ("{north, rock}", False),  # a part of one, and a part of another
        ("{north, east, isle}", False),
        ("{north, east}", False),
    ],
)
def test_whole_islands_may_be_joined_where_the_policy_says_so(tmp_path, cell, good):
    at = {"north": (0, 0), "south": (1, 0), "east": (2, 0), "isle": (10, 10), "rock": (20, 20), "reef": (21, 20)}
    features = [square(*corner, name) for name, corner in at.items()]
    (tmp_path / "m.json").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    joined = {"polygons": str(tmp_path / "m.json"), "name": "name", "islands": "join"}
    assert regions([cell, "south", cell], joined) == ([] if good else [BAD])


@pytest.mark.parametrize(
    ("kind", "text"),
    [("edges", None), ("edges", ""), ("edges", "a\nb\n"), ("gal", "0 1\nnorth 2\nsouth\n"), ("gal", "0 1\nnorth x\n"),
     ("gal", ""), ("polygons", "{}"), ("polygons", "nothing"), ("polygons", '{"features": [{"id": "a"}]}')],
)  # fmt: skip
def test_a_map_that_cannot_be_read_is_told_in_a_sentence(tmp_path, kind, text):
    path = tmp_path / "folder" / "the.map"
    path.parent.mkdir()
    if text is not None:
        path.write_text(text)
    with pytest.raises(ParameterError) as raised:
        regions(["north"], {kind: str(path)})
    assert raised.value.message == "the map the.map of region cannot be read, so its regions cannot be checked."
    assert raised.value.hint == "put the file beside the certificate, or give the policy that names it."


def test_the_map_of_a_column_is_called_after_it():
    assert map_file("home region/2-é_x") == "home_region_2-__x.map.csv"
    assert Path(map_file("../../etc")).name == map_file("../../etc")
