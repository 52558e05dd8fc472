"""Recognizing geographic coordinates by the names and ranges of columns.

A latitude and a longitude that belong together are proposed as one place. A coordinate without its counterpart, and
coordinates in meters, are proposed as numbers with a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from shoal.roles.column_profile import ColumnProfile
from shoal.roles.recognize import words

LATITUDE = re.compile(r"\b(?:lat|latitude|latitud|latitudine|breitengrad|geo ?lat|gps ?lat)\b")
LONGITUDE = re.compile(
    r"\b(?:lon|lng|long|longitude|longitud|longitudine|langengrad|laengengrad|geo ?lon|gps ?lon|gps ?long)\b"
)
EAST = re.compile(
    r"\b(?:x|e|east|easting|rechtswert|rw|coord ?x|x ?coord\w*|"
    r"koordinate ?x|x ?koordinate|ost|este|utm ?[ex]|e ?koord\w*)\b"
)
NORTH = re.compile(
    r"\b(?:y|n|north|northing|hochwert|hw|coord ?y|y ?coord\w*|"
    r"koordinate ?y|y ?koordinate|nord|norte|utm ?n|utm ?y|n ?koord\w*)\b"
)
GEOGRAPHIC = re.compile(r"\b(?:wgs ?\d*|epsg ?\d*|gps|geo|geom|coord\w*|koord\w*|map|deg(?:rees?)?)\b")
"""Words without which x and y are measures of something else."""
METERS = 10_000
"""Coordinates in meters (Swiss, UTM, Gauss-Krüger) are at least this large, and degrees never are."""

LONE = (
    "it looks like one of two coordinates, and the other was not found. Ranges of it are published. If a column has "
    'the other one, write kind = "place" for both, and longitude = "..." for the latitude.'
)
IN_METERS = (
    "it looks like a coordinate in meters, together with {other}. Ranges of each are published. For areas on a map, "
    'convert both to degrees and write kind = "place" for both, and longitude = "..." for the latitude.'
)
OUTSIDE = (
    "its name says coordinate, and its values are none in degrees. Ranges of it are published; write "
    'role = "identifier" if it is better removed.'
)


def with_places(columns: Sequence[ColumnProfile], frame: pl.DataFrame) -> list[ColumnProfile]:
    """Return the profiles with every pair of latitude and longitude as one place, and questions about the rest."""
    found = {column.name: column for column in columns}
    free = [c.name for c in columns if c.role == "quasi" and frame[c.name].dtype.is_numeric()]
    latitudes = [name for name in free if _is_degree(name, LATITUDE, NORTH, frame[name], 90)]
    longitudes = [name for name in free if _is_degree(name, LONGITUDE, EAST, frame[name], 180)]
    for latitude in latitudes:
        own = LATITUDE if LATITUDE.search(words(latitude)) else NORTH
        other = LONGITUDE if own is LATITUDE else EAST
        mate = next((one for one in longitudes if _rest(one, other) == _rest(latitude, own)), None)
        if mate is None or mate == latitude:
            continue
        longitudes.remove(mate)
        why = f"geographic coordinate (HIPAA Safe Harbor B): one place together with {mate!r}"
        found[latitude] = replace(found[latitude], kind="place", longitude=mate, reason=why, **_PLACE)
        why = f"geographic coordinate (HIPAA Safe Harbor B): one place together with {latitude!r}"
        found[mate] = replace(found[mate], kind="place", reason=why, **_PLACE)
    _ask_about_meters(found, free, frame)
    for name in free:
        column = found[name]
        if column.what == "geographic coordinate" and column.kind != "place" and not column.questions:
            in_degrees = _within(frame[name], 180)
            found[name] = replace(column, kind="number", questions=(LONE if in_degrees else OUTSIDE,))
    return [found[column.name] for column in columns]


_PLACE: dict[str, Any] = {"what": "geographic coordinate", "safe_harbor": "B", "questions": ()}


def _ask_about_meters(found: dict[str, ColumnProfile], free: Sequence[str], frame: pl.DataFrame) -> None:
    """Add a question to every pair of coordinates in meters, because places are computed from degrees only."""
    large = [name for name in free if found[name].kind != "place" and _in_meters(frame[name])]
    for name in large:
        for own, others in ((EAST, NORTH), (NORTH, EAST)):
            if own.search(words(name)):
                mate = next((n for n in large if n != name and others.search(words(n))
                             and _rest(n, others) == _rest(name, own)), None)  # fmt: skip
                if mate is not None:
                    found[name] = replace(
                        found[name],
                        kind="number",
                        what="coordinate in meters",
                        safe_harbor="B",
                        reason="coordinate in meters (HIPAA Safe Harbor B): its name and its range say so",
                        questions=(IN_METERS.format(other=mate),),
                    )


def _is_degree(name: str, named: re.Pattern[str], axis: re.Pattern[str], values: pl.Series, degrees: int) -> bool:
    """Return whether a column is a latitude or longitude in degrees, by its name; x_wgs needs four decimals too."""
    heading = words(name)
    on_map = axis.search(heading) and GEOGRAPHIC.search(heading) and _has_four_decimals(values)
    if not named.search(heading) and not on_map:
        return False
    return _within(values, degrees)


def _has_four_decimals(values: pl.Series) -> bool:
    """Return whether most numbers have four decimals or more, as degrees of a place do."""
    scaled = values.drop_nulls().cast(pl.Float64) * 1000
    return len(scaled) > 0 and bool(((scaled - scaled.round()).abs() > 1e-6).mean() > 0.5)  # type: ignore[operator]


def _rest(name: str, pattern: re.Pattern[str]) -> str:
    """Return the words of a name without latitude, east and the like; they are the same for both of a pair."""
    return " ".join(pattern.sub(" ", words(name)).split())


def _within(values: pl.Series, degrees: int) -> bool:
    """Return whether all numbers are degrees between -`degrees` and `degrees`, and some have decimals."""
    present = values.drop_nulls().cast(pl.Float64)
    return len(present) > 0 and bool(((present.abs() <= degrees).all()) and (present % 1 != 0).any())


def _in_meters(values: pl.Series) -> bool:
    present = values.drop_nulls().cast(pl.Float64)
    return len(present) > 0 and bool((present.abs() >= METERS).all() and (present.abs() <= 2e7).all())
