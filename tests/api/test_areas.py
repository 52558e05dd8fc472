"""Regions and places in a release, with other columns: what is published, and what the verifier says of it."""

from __future__ import annotations

import json
import re
from itertools import combinations

import networkx as nx
import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.publish.areas import EARTH, circle_around
from tests.fixed_secret import SECRET

GRID = nx.grid_2d_graph(4, 5)
NAMES = {cell: f"R{place:02d}" for place, cell in enumerate(sorted(GRID))}
N = 240


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "neighbors.csv"
    lines = [f"{NAMES[a]},{NAMES[b]}" for a, b in GRID.edges]
    path.write_text("\n".join(["one,other", *lines]) + "\n")
    return path


def people(seed=0, **columns):
    rng = np.random.default_rng(seed)
    cell = rng.integers(0, [4, 5], (N, 2))
    table = {
        "region": [NAMES[tuple(one)] for one in cell.tolist()],
        "lat": (47 + cell[:, 0] + rng.random(N)).round(4),
        "lon": (8 + cell[:, 1] + rng.random(N)).round(4),
        "age": rng.integers(20, 80, N),
        "illness": rng.choice(["flu", "cold", "gout"], N),
    }
    return pl.DataFrame(table | columns)


def policy(*, k=5, region=None, shape=None, **columns):
    asked = {"age": {"role": "quasi"}, "illness": {"role": "sensitive"}} | columns
    asked["region"] = {"role": "quasi", "map": region} if region else {"role": "identifier"}
    for name in ("lat", "lon"):
        asked[name] = {"role": "quasi", "kind": "place"} if shape else {"role": "identifier"}
    if shape:
        asked["lat"] |= {"longitude": "lon", "shape": shape}
    return {"k": k, "seed": 1, "columns": asked}


def members(cell):
    return None if cell == "*" else re.sub(r"[{}]", "", cell).split(", ")


def sides(cell):
    return [float(number) for number in re.findall(r"-?[\d.]+", cell)]


def test_regions_are_published_as_connected_sets_that_hold_the_record(edges):
    table = people()
    release = shoal.anonymize(table, policy(region={"edges": edges}))
    graph = nx.relabel_nodes(GRID, NAMES)
    assert release.findings.k >= 5
    published = release.table["region"].to_list()
    assert any(cell.startswith("{") for cell in published)
    for cell in set(published) - {"*"}:
        assert nx.is_connected(graph.subgraph(members(cell)))
    for row, origin in zip(published, release.published.rows, strict=True):
        inside = members(row)
        assert inside is None or table["region"][int(release.order[origin])] in inside


def test_rectangles_hold_the_record_and_are_nested_or_apart():
    table = people()
    release = shoal.anonymize(table, policy(shape="rectangle"))
    boxes = [(*sides(a), *sides(b)) for a, b in release.table.select("lat", "lon").rows()]
    places = table[release.order[release.published.rows]]
    for box, lat, lon in zip(boxes, places["lat"], places["lon"], strict=True):
        assert box[0] <= lat <= box[1]
        assert box[2] <= lon <= box[3]
    assert len(set(boxes)) > 5
    for a, b in combinations(set(boxes), 2):
        apart = a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
        nested = any(p[0] >= q[0] and p[1] <= q[1] and p[2] >= q[2] and p[3] <= q[3] for p, q in ((a, b), (b, a)))
        assert apart or nested


def test_circles_reach_the_record():
    table = people()
    release = shoal.anonymize(table, policy(shape="circle"))
    assert release.table.columns[1:4] == ["lat", "lat_radius_m", "lon"] or "lat_radius_m" in release.table.columns
    places = table[release.order[release.published.rows]]
    center = release.table.select(pl.col("lat", "lon", "lat_radius_m").cast(pl.Float64)).to_numpy()
    phi, psi = np.radians(center[:, 0]), np.radians(places["lat"].to_numpy())
    aside = np.radians(center[:, 1] - places["lon"].to_numpy())
    angle = np.arccos(np.clip(np.sin(phi) * np.sin(psi) + np.cos(phi) * np.cos(psi) * np.cos(aside), -1, 1))
    assert (angle * EARTH <= center[:, 2]).all()
    with pytest.raises(ParameterError, match="circles has no plan"):
        _ = release.plan


def test_a_circle_reaches_every_corner_and_side():
    for box in [(0, 10, 0, 20), (60, 89, -170, -10), (-90, -40, -180, 180), (10, 20, 170, -160), (5, 5, 5, 5)]:
        latitude, longitude, radius = circle_around(box)
        south, north, west, east = box
        east += 360 if west > east else 0
        lat, lon = np.meshgrid(np.linspace(south, north, 41), np.linspace(west, east, 41))
        phi, psi, aside = np.radians(latitude), np.radians(lat), np.radians(lon - longitude)
        cosine = np.sin(phi) * np.sin(psi) + np.cos(phi) * np.cos(psi) * np.cos(aside)
        assert (np.arccos(np.clip(cosine, -1, 1)) * EARTH).max() <= radius + 0.2


def test_regions_places_and_other_columns_together_are_verified_from_the_folder(edges, tmp_path):
    release = shoal.anonymize(people(), policy(region={"edges": edges}, shape="rectangle"))
    release.write(tmp_path / "out")
    found = shoal.verify(tmp_path / "out")
    assert found.holds
    assert found.k >= 5
    assert (tmp_path / "out" / "region.map.csv").is_file()
    assert (tmp_path / "out.private" / "plan.json").is_file()


@pytest.mark.parametrize(
    ("column", "cell", "says"),
    [
        ("region", "{R00, R19}", "nor a connected set"),
        ("region", "R99", "neither a region of its map"),
        ("region", "{R00, R01", "neither a region of its map"),
        ("lat", "[50.0, 40.0]", "not rectangles"),
        ("lat", "[40.0, 99.0]", "not rectangles"),
        ("lon", "*", "not rectangles"),
        ("lat", "[40.0, 49.00001]", "overlap"),
    ],
)
def test_the_verifier_refuses_areas_that_are_none(edges, column, cell, says):
    asked = policy(region={"edges": edges}, shape="rectangle")
    table = shoal.anonymize(people(), asked).table
    assert shoal.verify(table, asked).holds
    group = table.select("region", "lat", "lon", "age").row(0)
    same = pl.all_horizontal(
        pl.col(name) == value for name, value in zip(("region", "lat", "lon", "age"), group, strict=True)
    )
    broken = table.with_columns(pl.when(same).then(pl.lit(cell)).otherwise(column).alias(column))
    failures = [failure.message for failure in shoal.verify(broken, asked).failures]
    assert any(says in message for message in failures)
    assert not any(str(cell) in message for message in failures)


def test_a_missing_place_or_region_is_a_value(edges):
    table = people().with_columns(
        pl.when(pl.int_range(N) % 10 == 0).then(None).otherwise("region").alias("region"),
        pl.when(pl.int_range(N) % 7 == 0).then(None).otherwise("lon").alias("lon"),
    )
    asked = policy(region={"edges": edges}, shape="rectangle")
    release = shoal.anonymize(table, asked)
    assert release.findings.holds
    hidden = release.table.filter(pl.col("lat").is_null() != pl.col("lon").is_null())
    assert hidden.height == 0


def test_a_contiguity_file_and_an_edge_list_of_one_map_give_one_release(edges, tmp_path):
    graph = nx.relabel_nodes(GRID, NAMES)
    lines = [f"0 {len(graph)} grid name"]
    for region in sorted(graph):
        lines += [f"{region} {graph.degree[region]}", " ".join(sorted(graph[region]))]
    (tmp_path / "grid.gal").write_text("\n".join(lines) + "\n")
    releases = [
        shoal.anonymize(people(), policy(region=source), secret=SECRET).table
        for source in ({"edges": edges}, {"gal": tmp_path / "grid.gal"})
    ]
    assert releases[0].equals(releases[1])


@pytest.mark.parametrize(("contiguity", "corner"), [("queen", True), ("rook", False)])
def test_polygons_that_touch_are_neighbors(tmp_path, contiguity, corner):
    pytest.importorskip("shapely")
    from shoal.policy import Map
    from shoal.space.map_sources import read_map

    squares = [
        {
            "type": "Feature",
            "properties": {"name": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1], [x, y]]],
            },
        }
        for name, (x, y) in NAMES_AT.items()
    ]
    path = tmp_path / "map.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": squares}))
    found = read_map("region", Map(polygons=path, name="name", contiguity=contiguity))
    pairs = {(found.names[a], found.names[b]) for a, b in found.edges}
    assert ("R00", "R01") in pairs
    assert (("R00", "R06") in pairs) is corner
    asked = policy(region={"polygons": path, "name": "name", "contiguity": contiguity})
    assert shoal.anonymize(people(), asked).findings.holds


NAMES_AT = {name: cell for cell, name in NAMES.items()}


def test_islands_of_polygons_are_joined_on_request(tmp_path):
    pytest.importorskip("shapely")
    squares = [
        {
            "type": "Feature",
            "id": name,
            "properties": {},
            "geometry": {"type": "Polygon", "coordinates": [[[x, 0], [x + 1, 0], [x + 1, 1], [x, 1], [x, 0]]]},
        }
        for name, x in (("a", 0), ("b", 1), ("c", 5))
    ]
    path = tmp_path / "map.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": squares}))
    table = pl.DataFrame({"region": ["a"] * 9 + ["b"] * 9 + ["c"] * 2, "age": [30] * 20})
    asked = {"k": 5, "seed": 1, "columns": {"age": {"role": "quasi"}}}
    with pytest.raises(InfeasibleError, match=r"1 of 2 connected parts"):
        shoal.anonymize(
            table,
            asked | {"columns": {"age": {"role": "quasi"}, "region": {"role": "quasi", "map": {"polygons": path}}}},
        )
    joined = {"polygons": path, "islands": "join"}
    release = shoal.anonymize(
        table, asked | {"columns": {"age": {"role": "quasi"}, "region": {"role": "quasi", "map": joined}}}
    )
    assert release.findings.k >= 5
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds


def test_people_with_many_rows_near_their_homes_are_counted_once():
    """40 people with 50 rows each: cut by rows, almost every one of them was a "class of at least k people" alone."""
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(40), 50)
    at = (rng.random((40, 2)) * 10 + [45, 5])[who] + rng.normal(0, 0.001, (2000, 2))
    table = pl.DataFrame({"who": who, "lat": at[:, 0], "lon": at[:, 1]})
    columns = policy(shape="rectangle")["columns"] | {"who": {"role": "person"}}
    del columns["age"], columns["illness"], columns["region"]
    release = shoal.anonymize(table, {"k": 5, "columns": columns})
    area, who = release.areas["lat"], who[release.order]
    people_of = [len(np.unique(who[area.classes == one])) for one in range(len(area.held))]
    assert area.held.tolist() == people_of
    assert min(people_of) >= 5
    assert area.ratio_proved is None


def test_people_with_rows_in_neighboring_regions_are_counted_once(edges):
    """Everybody has a row in each of two regions: their weights say twice as many people as there are."""
    table = people().with_columns(who=pl.int_range(N) // 2)
    asked = policy(k=10, region={"edges": str(edges)}, who={"role": "person"})
    area = shoal.anonymize(table, asked).areas["region"]
    assert area.map is not None
    of_region = dict(zip(area.map.names, area.classes.tolist(), strict=True))
    classes = table.select("who", of=pl.col("region").replace_strict(of_region)).unique()
    assert area.held.tolist() == classes.group_by("of").len().sort("of")["len"].to_list()
    assert area.held.min() >= 10


def test_regions_that_the_map_does_not_have_are_counted_not_shown(edges):
    table = people().with_columns(
        pl.when(pl.int_range(N) < 3).then(pl.lit("Atlantis")).otherwise("region").alias("region")
    )
    with pytest.raises(SchemaError, match=r"misses 1 of the column's regions; 3 rows") as caught:
        shoal.anonymize(table, policy(region={"edges": edges}))
    assert "Atlantis" not in str(caught.value)


def test_a_longitude_that_is_no_column_is_refused():
    with pytest.raises(ParameterError, match="not a column of longitudes"):
        shoal.anonymize(people(), {"columns": {"lat": {"role": "quasi", "longitude": "nowhere"}}})


def test_a_plan_of_rectangles_and_regions_recodes_another_table(edges):
    release = shoal.anonymize(people(), policy(region={"edges": edges}, shape="rectangle"))
    again = shoal.apply(release.plan, people(), max_suppressed=0.5)
    assert again.findings.holds


@pytest.mark.parametrize("shape", ["rectangle", None])
def test_areas_that_fall_short_in_another_table_are_joined_to_areas(edges, shape):
    release = shoal.anonymize(people(), policy(region=None if shape else {"edges": edges}, shape=shape))
    for seed in range(1, 6):
        again = shoal.apply(release.plan, people(seed).head(60), max_suppressed=0.9, join=True)
        assert again.findings.holds
        assert again.partition.sizes.min() >= 5
        assert "merged with others" in " ".join(again.partition.notes)


def test_attackers_find_nobody_in_areas(edges):
    asked = policy(region={"edges": edges}, shape="circle")
    table = people()
    release = shoal.anonymize(table, asked)
    found = shoal.attack(table, release.table, asked)
    assert found is not None


def test_compare_cuts_anew_for_every_k():
    frontier = shoal.compare(people(), policy(shape="rectangle"), k=[3, 12])
    assert frontier.trials[0].n_groups > frontier.trials[1].n_groups
