"""A plan applied to the very table that it was made of publishes the very same cells: every kind, form and layout."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError

N = 60
RNG = np.random.default_rng(3)
STEPS = sorted(RNG.integers(0, 40, N).tolist())
ODD = ["", "*", "null", "{x}", "[1, 2]", 'say "hi"', "two\nlines", " pad ", "ü", "b, c"]
MOMENT = dt.datetime(2024, 3, 1, 12)
START = 1_709_294_400_123_456_789


def ints(start, dtype, step=1):
    return pl.Series([start + step * one for one in STEPS], dtype=dtype)


def moments(unit, zone=None):
    found = pl.Series([START + 1001 * one for one in STEPS], dtype=pl.Int64).cast(pl.Datetime("ns"))
    found = found.dt.cast_time_unit(unit)
    return found.dt.replace_time_zone("UTC").dt.convert_time_zone(zone) if zone else found


KINDS: dict[str, tuple[pl.Series, dict]] = {
    "ints near 2^63": (ints(2**63 - 50 * 2**40, pl.Int64, 2**40 + 1), {}),
    "ints below 0": (ints(-(2**63), pl.Int64, 2**40 + 1), {}),
    "unsigned": (ints(2**64 - 50 * 2**40, pl.UInt64, 2**40 + 1), {}),
    "small ints": (ints(80, pl.Int8), {}),
    "floats": (pl.Series([0.1 * one - 2 for one in STEPS]), {}),
    "large floats": (pl.Series([1e300 + one * 1e285 for one in STEPS]), {}),
    "single floats": (pl.Series([0.1 * one for one in STEPS], dtype=pl.Float32), {}),
    "decimals": (pl.Series([Decimal(one) / 100 for one in STEPS], dtype=pl.Decimal(20, 2)), {}),
    "long decimals": (
        pl.Series([Decimal(10**20) + Decimal(one) / 100 for one in STEPS], dtype=pl.Decimal(30, 2)),
        {},
    ),
    "dates": (pl.Series([dt.date(1901, 1, 1) + dt.timedelta(one) for one in STEPS]), {}),
    "nanoseconds": (moments("ns"), {}),
    "nanoseconds in a zone": (moments("ns", "Europe/Zurich"), {}),
    "microseconds": (pl.Series([MOMENT + dt.timedelta(microseconds=one) for one in STEPS]), {}),
    "milliseconds": (
        pl.Series([MOMENT + dt.timedelta(milliseconds=one) for one in STEPS], dtype=pl.Datetime("ms")),
        {},
    ),
    "a zone": (
        pl.Series([MOMENT + dt.timedelta(minutes=one) for one in STEPS]).dt.replace_time_zone("America/New_York"),
        {},
    ),
    "with missing": (pl.Series([None if one % 7 == 0 else one for one in STEPS], dtype=pl.Int64), {}),
    "booleans": (pl.Series([one % 2 == 0 for one in STEPS]), {}),
    "odd labels": (pl.Series([ODD[one % 10] for one in STEPS]), {"kind": "label"}),
    "ordered": (pl.Series([f"o{one % 9}" for one in STEPS]), {"order": [f"o{one}" for one in range(9)]}),
    "codes": (pl.Series([f"{one // 9}{one % 9}7" for one in STEPS]), {"hierarchy": {"prefix": True}}),
    "widths": (pl.Series(STEPS), {"hierarchy": {"widths": [2, 10]}}),
    "periods": (
        pl.Series([dt.date(2020, 1, 1) + dt.timedelta(20 * one) for one in STEPS]),
        {"hierarchy": {"periods": ["month", "year"]}},
    ),
    "classes": (pl.Series([f"c{one % 11}" for one in STEPS]), {"classes": "k"}),
}


def policy(columns, **asked):
    return {"k": 5, "seed": 1, "columns": columns | {"ill": {"role": "sensitive"}}} | asked


def again(release, table, **how):
    """The plan by way of its JSON, on another table."""
    return shoal.apply(json.loads(release.plan.dumps()), table, seed=1, **how)


def cells(release):
    names = [name for name in release.table.columns if name != "ill"]
    return sorted(release.table.select(pl.col(names).cast(pl.String)).rows(), key=repr)


@pytest.mark.parametrize(
    ("publication", "ranges"), [("generalize", "brackets"), ("generalize", "columns"), ("suppress", "brackets")]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_table_gets_the_same_cells(kind, publication, ranges):
    values, more = KINDS[kind]
    table = pl.DataFrame({"q": values, "ill": [f"i{one % 5}" for one in range(N)]})
    asked = policy({"q": {"role": "quasi"} | more}, publication=publication, ranges=ranges)
    if "classes" not in more and publication == "generalize":
        asked["method"] = "mondrian"  # its classes do not overlap, so that there is one place for every row
    release = shoal.anonymize(table, asked)
    found = again(release, table)
    if publication == "generalize":
        assert cells(found) == cells(release)
    assert set(cells(found)) <= set(cells(release))
    assert found.table.schema == release.table.schema
    assert found.findings.holds


def places(seed, *, west=8.0, wide=1.0):
    rng = np.random.default_rng(seed)
    lon = west + wide * rng.random(N)
    return pl.DataFrame(
        {
            "lat": (47 + rng.random(N)).round(4),
            "lon": np.where(lon > 180, lon - 360, lon).round(4),
            "ill": [f"i{one % 5}" for one in range(N)],
        }
    )


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
@pytest.mark.parametrize("where", ["here", "at the date line", "east to 360", "with missing"])
def test_the_same_places_get_the_same_rectangles(ranges, where):
    table = places(0, west=179.5) if where in ("at the date line", "east to 360") else places(0)
    if where == "east to 360":
        table = table.with_columns(pl.when(pl.col("lon") < 0).then(pl.col("lon") + 360).otherwise("lon").alias("lon"))
    if where == "with missing":
        gone = pl.int_range(N) % 6 == 0
        table = table.with_columns(pl.when(gone).then(None).otherwise("lat").alias("lat"))
    asked = policy(
        {"lat": {"role": "quasi", "kind": "place", "longitude": "lon"}, "lon": {"role": "quasi", "kind": "place"}},
        ranges=ranges,
    )
    release = shoal.anonymize(table, asked)
    assert release.table["lat"].null_count() == (10 if where == "with missing" else 0)
    found = again(release, table)
    assert cells(found) == cells(release)
    assert found.findings.holds


def test_joined_classes_of_a_suppress_plan_stay_hidden_or_equal():
    table = pl.DataFrame({"town": [f"t{one % 6}" for one in range(N)], "ill": [f"i{one % 5}" for one in range(N)]})
    release = shoal.anonymize(table, policy({"town": {"role": "quasi", "kind": "label"}}, publication="suppress"))
    found = again(release, table.head(29), join=True)
    assert found.partition.n_suppressed == 0
    assert set(found.table["town"]) <= {"*", *table["town"]}
    assert "*" in set(found.table["town"])


def test_a_number_after_the_end_of_a_range_is_not_held_by_it():
    end = 2**53 + 2**20
    table = pl.DataFrame({"q": [2**53] * 5 + [end] * 5, "ill": [f"i{one % 5}" for one in range(10)]})
    release = shoal.anonymize(table, policy({"q": {"role": "quasi"}}, publication="generalize", k=10))
    after = table.with_columns(pl.when(pl.col("q") == end).then(end + 1).otherwise("q").alias("q"))
    with pytest.raises(InfeasibleError, match="5 fit no class of the plan"):
        again(release, after)


@pytest.mark.parametrize("ranges", ["brackets", "columns"])
def test_whole_numbers_stay_as_they_are_beside_numbers_with_a_point(ranges):
    low, high = 2**53 + 1, 2**53 + 2**20 + 1
    table = pl.DataFrame({"q": [low] * 5 + [high] * 5, "ill": [f"i{one % 5}" for one in range(10)]})
    release = shoal.anonymize(table, policy({"q": {"role": "quasi"}}, publication="generalize", ranges=ranges, k=10))
    between = pl.Series("q", [float(2**53 + 2**10)] * 10)
    found = again(release, table.with_columns(between))
    told = " ".join(found.table.select(pl.exclude("ill").cast(pl.String)).row(0))
    assert str(low) in told
    assert str(high) in told


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_times_are_not_held_against_dates_or_other_zones(zone):
    values, _ = KINDS["dates"]
    table = pl.DataFrame({"q": values, "ill": [f"i{one % 5}" for one in range(N)]})
    release = shoal.anonymize(table, policy({"q": {"role": "quasi"}}, publication="generalize"))
    timed = table.with_columns(pl.col("q").cast(pl.Datetime("us", zone)))
    with pytest.raises(ParameterError, match="do not fit its kind"):
        again(release, timed)
