"""Sides of areas lie on a stated grid, the outermost on a wider one; areas are nested or apart and hold everybody."""

from __future__ import annotations

import json
import re
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.partition.column_classes.place_grid import cells, lines, usual_grid

WHERE = {
    "a city": (47.3, 47.5, 8.4, 8.7),
    "a country": (45.8, 47.9, 5.9, 10.5),
    "the world": (-90.0, 90.0, -180.0, 180.0),
    "the date line": (-20.0, -10.0, 175.0, 187.0),
    "the north": (80.0, 90.0, -180.0, 180.0),
    "one spot": (10.0, 10.00001, 20.0, 20.00001),
}


def table(where, n=150, seed=0, *, turned=False):
    rng = np.random.default_rng(seed)
    south, north, west, east = WHERE[where]
    lon = west + (east - west) * rng.random(n)
    lat = np.append(south + (north - south) * rng.random(n - 3), [south, north, north])
    lon = np.where(lon < 0, lon + 360, lon) if turned else np.where(lon > 180, lon - 360, lon)
    return pl.DataFrame({"lat": lat, "lon": lon, "ill": [f"i{one % 7}" for one in range(n)]})


def policy(**more):
    return {
        "k": 4,
        "seed": 1,
        "columns": {
            "lat": {"role": "quasi", "kind": "place", "longitude": "lon"} | more,
            "lon": {"role": "quasi", "kind": "place"},
            "ill": {"role": "sensitive"},
        },
    }


def sides(cell):
    return [Decimal(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", cell)]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("where", WHERE)
def test_sides_lie_on_the_grid_and_rectangles_hold_everybody(where, turned, tmp_path):
    people = table(where, turned=turned)
    release = shoal.anonymize(people, policy())
    release.write(tmp_path / "out")
    stated = json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]["columns"]["lat"]["grid"]
    grid = Decimal(repr(stated))
    assert shoal.verify(tmp_path / "out").holds
    lat, lon = (release.table[name].to_list() for name in ("lat", "lon"))
    for name, most in (("lat", 90), ("lon", 180)):
        ends = [end for cell in release.table[name] for end in sides(cell)]
        assert all(end % grid == 0 or abs(end) == most for end in ends)
    low, high = min(sides(cell)[0] for cell in lat), max(sides(cell)[1] for cell in lat)
    assert all(end % (10 * grid) == 0 or abs(end) == 90 for end in (low, high))
    origin = people[release.order[release.published.rows]]
    for a, b, x, y in zip(lat, lon, origin["lat"], origin["lon"], strict=True):
        (south, north), (west, east) = sides(a), sides(b)
        y = y - 360 if y > 180 else y
        assert float(south) <= x <= float(north)
        if abs(x) < 90:
            assert west <= y <= east if west <= east else (y >= west or y <= east)


def test_the_outermost_place_is_not_published_to_a_hundredth_of_a_degree():
    people = table("a country")
    seen = []
    south = pl.col("lat") == people["lat"].min()
    for moved in (0.0, 0.011, 0.05):
        edge = people.with_columns(pl.when(south).then(pl.col("lat") + moved).otherwise("lat").alias("lat"))
        cells_of = shoal.anonymize(edge, policy()).table["lat"]
        seen.append(min(sides(cell)[0] for cell in cells_of))
    assert len(set(seen)) == 1
    assert seen[0] == Decimal("45.8")


def test_a_grid_that_is_asked_for_is_kept_and_checked():
    people, asked = table("a country"), policy(grid=0.25)
    release = shoal.anonymize(people, asked)
    assert all(end % Decimal("0.25") == 0 for cell in release.table["lat"] for end in sides(cell))
    finer = release.table.with_columns(pl.col("lat").str.replace(r"\.5\]", ".51]").str.replace(r"\.0\]", ".01]"))
    messages = [failure.message for failure in shoal.verify(finer, release.policy).failures]
    assert any("grid" in message for message in messages)


@pytest.mark.parametrize("grid", [0.7, 46, -1])
def test_a_grid_that_does_not_fit_the_earth_is_refused(grid):
    with pytest.raises(ParameterError):
        shoal.anonymize(table("a city"), policy(grid=grid))


def test_a_coordinate_is_in_its_cell_exactly():
    rng = np.random.default_rng(0)
    for grid in (0.01, 0.05, 0.1, 0.3, 1.0):
        on = lines(rng.integers(-9000, 9000, 500), grid)
        near = np.concatenate([on, np.nextafter(on, 999), np.nextafter(on, -999), rng.uniform(-90, 90, 500)])
        index = cells(near, grid)
        assert (lines(index, grid) <= near).all()
        assert (near < lines(index + 1, grid)).all()


def test_the_usual_grid_follows_the_extent():
    assert [usual_grid(np.array([[0.0, 0.0], [wide, 0.0]])) for wide in (0, 1, 10, 40, 180)] == [
        0.01,
        0.01,
        0.05,
        0.1,
        0.5,
    ]
