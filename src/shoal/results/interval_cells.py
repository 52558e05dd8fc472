"""Converting released cells of numbers, dates and places to the two ends between which the true value lies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date

import polars as pl

from shoal.certify.codebook.kinds import DATE, HIDDEN, OR_MISSING, RANGE, Stated
from shoal.policy import Column
from shoal.results.typed_values import dates, first_and_last_day, last_moment, numbers

METERS = 111_194.0
"""A little less than the length of a degree of latitude, so that the bounds computed with it contain the circle."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Both ends as texts, whether the upper end is excluded, and whether a value may be missing (None: unknown)."""

    low: str | None = None
    high: str | None = None
    open: bool | None = None
    missing: bool | None = None


def interval_columns(name: str, cells: pl.Series, stated: Stated, *, midpoints: bool) -> list[pl.Series]:
    """Return the columns of a quasi-identifier of ranges: `x_min`, `x_max`, `x_missing`, and others if they apply.

    `cells` are its released texts with plain numbers and ISO dates. A hierarchy of widths also has `x_open`.
    """
    distinct = cells.unique().to_list()
    timed = stated.kind == "date" and any("T" in text or " " in _bare(text) for text in distinct if text is not None)
    read = {text: _ends(text, of_dates=stated.kind == "date", timed=timed) for text in distinct}
    found = [read[text] for text in cells.to_list()]
    low, high = (_typed([getattr(one, end) for one in found], stated.kind, timed=timed) for end in ("low", "high"))
    if low.dtype != high.dtype:
        low, high = low.cast(pl.Float64), high.cast(pl.Float64)
    columns = [low.alias(f"{name}_min"), high.alias(f"{name}_max")]
    if stated.kind == "number" and stated.levels is not None:
        columns.append(pl.Series(f"{name}_open", [one.open for one in found], dtype=pl.Boolean))
    columns.append(pl.Series(f"{name}_missing", [one.missing for one in found], dtype=pl.Boolean))
    if midpoints:
        columns.append(middle(low, high, around=stated.kind == "place").alias(f"{name}_mid"))
    return columns


def beyond_limits(low: pl.Series, high: pl.Series, column: Column) -> tuple[pl.Series, pl.Series]:
    """Return the ends of ranges with infinity instead of a top or bottom, because it stands for all values beyond it.

    There is no infinite date, so the end of a range of dates is null.
    """
    return _unlimited(low, column.bottom, -math.inf), _unlimited(high, column.top, math.inf)


def _unlimited(ends: pl.Series, limit: float | date | None, beyond: float) -> pl.Series:
    if limit is None:
        return ends
    if isinstance(limit, date):
        at = (ends.cast(pl.Date) == limit).fill_null(False)
        return pl.select(pl.when(~at).then(ends).alias(ends.name)).to_series()
    numeric = ends.cast(pl.Float64)
    return pl.select(pl.when(numeric == limit).then(beyond).otherwise(numeric).alias(ends.name)).to_series()


def middle(low: pl.Series, high: pl.Series, *, around: bool = False) -> pl.Series:
    """Return the middle of each range; with `around`, a range of longitudes may cross the date line."""
    if low.dtype.is_temporal():
        first = low.cast(pl.Datetime("us")) if low.dtype == pl.Date else low
        last = high.cast(low.dtype).cast(first.dtype)
        between: pl.Series = first + (last - first) / 2
        return between.dt.date() if low.dtype == pl.Date else between
    a, b = low.cast(pl.Float64), high.cast(pl.Float64)
    if not around:
        return (a + b) / 2
    half = (pl.col("a") + pl.col("b")) / 2
    turned = pl.when(pl.col("a") <= pl.col("b")).then(half).when(half > 0).then(half - 180).otherwise(half + 180)
    return pl.DataFrame({"a": a, "b": b}).select(turned).to_series()


def circle_columns(
    latitude: pl.Series, longitude: pl.Series, radius: pl.Series, *, midpoints: bool
) -> dict[str, list[pl.Series]]:
    """Return, for both coordinates, the bounds of each circle and, with `midpoints`, its center."""
    lat, lon, meters = (_typed_or_hidden(one).to_list() for one in (latitude, longitude, radius))
    bounds = [_bounds(*one) for one in zip(lat, lon, meters, strict=True)]
    missing = [None if text == HIDDEN else text is None for text in latitude.to_list()]
    found = {}
    for place, (name, center) in enumerate(((latitude.name, lat), (longitude.name, lon))):
        low, high = ([one[2 * place + end] for one in bounds] for end in (0, 1))
        found[name] = [
            pl.Series(f"{name}_min", low, dtype=pl.Float64),
            pl.Series(f"{name}_max", high, dtype=pl.Float64),
            pl.Series(f"{name}_missing", missing, dtype=pl.Boolean),
        ]
        if midpoints:
            found[name].append(pl.Series(f"{name}_mid", center, dtype=pl.Float64))
    return found


def _typed_or_hidden(cells: pl.Series) -> pl.Series:
    return numbers([None if text == HIDDEN else text for text in cells.to_list()]).cast(pl.Float64)


def _bounds(
    latitude: float | None, longitude: float | None, meters: float | None
) -> tuple[float | None, float | None, float | None, float | None]:
    """Return south, north, west and east of a circle; all longitudes if it reaches a pole or the date line."""
    if latitude is None or longitude is None or meters is None:
        return None, None, None, None
    reach = meters / METERS
    south, north = latitude - reach, latitude + reach
    if south <= -90 or north >= 90:
        return max(south, -90.0), min(north, 90.0), -180.0, 180.0
    aside = math.degrees(math.asin(min(1.0, math.sin(math.radians(reach)) / math.cos(math.radians(latitude)))))
    west, east = longitude - aside, longitude + aside
    return (south, north, -180.0, 180.0) if west < -180 or east > 180 else (south, north, west, east)


def _bare(text: str) -> str:
    return text.removesuffix(OR_MISSING).replace(", ", ",")


def _ends(text: str | None, *, of_dates: bool, timed: bool) -> Ends:
    """Return the ends of one cell."""
    if text is None:
        return Ends(missing=True)
    if text == HIDDEN:
        return Ends()
    bare, missing = text.removesuffix(OR_MISSING), text.endswith(OR_MISSING)
    found = RANGE.fullmatch(bare)
    if found is not None:
        return Ends(found[1], found[2], found[3] == ")", missing)
    if not of_dates or DATE.fullmatch(bare) is not None:
        whole_day = of_dates and timed and len(bare) == 10
        last = last_moment(date.fromisoformat(bare)) if whole_day else bare
        return Ends(bare, last, False, missing)
    first, last_day = first_and_last_day(bare)
    return Ends(first.isoformat(), last_moment(last_day) if timed else last_day.isoformat(), False, missing)


def _typed(texts: list[str | None], kind: str, *, timed: bool) -> pl.Series:
    return dates(texts, timed=timed) if kind == "date" else numbers(texts)
