"""A latitude and a longitude become one place; lone coordinates, and coordinates in meters, are asked about."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.roles import ColumnProfile

RNG = np.random.default_rng(3)
N = 200
NORTH, EAST = RNG.normal(48.1, 0.2, N).round(5), RNG.normal(11.6, 0.2, N).round(5)


def columns(**cells: np.ndarray) -> dict[str, ColumnProfile]:
    frame = pl.DataFrame(cells | {"age": RNG.integers(20, 90, N)})
    return {column.name: column for column in shoal.profile(frame).columns}


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        ("lat", "lon"),
        ("latitude", "longitude"),
        ("Lat", "Lng"),
        ("home_lat", "home_lon"),
        ("Breitengrad", "Längengrad"),
        ("gps_lat", "gps_long"),
        ("LATITUD", "LONGITUD"),
    ],
)
def test_a_pair_is_one_place_and_is_published_as_an_area(lat: str, lon: str) -> None:
    found = columns(**{lat: NORTH, lon: EAST})
    assert (found[lat].kind, found[lat].longitude, found[lon].kind) == ("place", lon, "place")
    assert not found[lat].questions
    assert not found[lon].questions
    frame = pl.DataFrame({lat: NORTH, lon: EAST})
    policy = shoal.profile(frame).policy
    assert shoal.Policy.loads(policy.dumps()) == policy
    assert policy.columns[lat].longitude == lon


def test_an_accepted_pair_makes_a_release_that_holds() -> None:
    frame = pl.DataFrame({"lat": NORTH, "lon": EAST})
    release = shoal.anonymize(frame, shoal.profile(frame).policy, publication="generalize", effort=5, seed=1)
    assert release.findings.holds
    assert not set(release.table["lat"]) & {str(degree) for degree in NORTH.tolist()}


def test_two_pairs_are_two_places() -> None:
    found = columns(home_lat=NORTH, home_lon=EAST, work_lat=NORTH + 1, work_lon=EAST + 1)
    assert (found["home_lat"].longitude, found["work_lat"].longitude) == ("home_lon", "work_lon")


def test_a_lone_coordinate_is_asked_about() -> None:
    found = columns(lat=NORTH)
    assert (found["lat"].role, found["lat"].kind) == ("quasi", "number")
    assert 'kind = "place"' in found["lat"].questions[0]


def test_coordinates_that_are_no_degrees_are_asked_about() -> None:
    found = columns(lat=NORTH * 1000, lon=EAST * 1000)
    assert found["lat"].kind == "number"
    assert found["lat"].questions


@pytest.mark.parametrize(
    ("x", "y", "east", "north"),
    [
        ("x", "y", 2_600_000, 1_200_000),
        ("E", "N", 2_600_000, 1_200_000),
        ("easting", "northing", 500_000, 5_300_000),
        ("Rechtswert", "Hochwert", 4_468_000, 5_333_000),
        ("x_coord", "y_coord", 600_000, 200_000),
    ],
)
def test_coordinates_in_meters_are_asked_about(x: str, y: str, east: int, north: int) -> None:
    shift = RNG.integers(-9_000, 9_000, (2, N))
    found = columns(**{x: east + shift[0], y: north + shift[1]})
    for name in (x, y):
        assert (found[name].role, found[name].kind) == ("quasi", "number")
        assert "meters" in found[name].questions[0]


def test_two_measures_called_x_and_y_are_no_place() -> None:
    found = columns(x=RNG.normal(0, 1, N), y=RNG.normal(0, 1, N))
    assert {found["x"].kind, found["y"].kind} == {"number"}
    assert not found["x"].questions
