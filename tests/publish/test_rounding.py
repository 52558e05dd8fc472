"""Ends of ranges are moved outwards to a stated step, hold everybody, and their price is told."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import ParameterError, SchemaError
from shoal.publish.rounding import outwards

N = 60
RNG = np.random.default_rng(5)
AGES = RNG.integers(18, 91, N)
BORN = [dt.date(1950, 1, 1) + dt.timedelta(int(day)) for day in RNG.integers(0, 20_000, N)]
TABLE = pl.DataFrame({"age": AGES, "born": BORN, "ill": [f"i{one % 7}" for one in range(N)]})


def policy(age=None, born=None, **asked):
    columns = {"age": {"role": "quasi"}, "born": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    columns["age"] |= {"round_ranges": age} if age else {}
    columns["born"] |= {"round_ranges": born} if born else {}
    return {"k": 4, "seed": 1, "publication": "generalize", "columns": columns} | asked


def ends(cell):
    found = cell.strip("[]").split(", ")
    return found if len(found) == 2 else found * 2


def test_ends_lie_on_the_step_and_hold_everybody(tmp_path):
    release = shoal.anonymize(TABLE, policy(age=10, born="year"))
    origin = TABLE[release.order[release.published.rows]]
    for cell, age in zip(release.table["age"], origin["age"], strict=True):
        low, high = map(int, ends(cell))
        assert low % 10 == high % 10 == 0
        assert low <= age <= high
    for cell, born in zip(release.table["born"], origin["born"], strict=True):
        low, high = map(dt.date.fromisoformat, ends(cell))
        assert (low.month, low.day, high.month, high.day) == (1, 1, 1, 1)
        assert low <= born <= high
    release.write(tmp_path / "out")
    stated = json.loads((tmp_path / "out" / "certificate.json").read_text())["policy"]["columns"]
    assert (stated["age"]["round_ranges"], stated["born"]["round_ranges"]) == (10, "year")
    assert shoal.verify(tmp_path / "out").holds
    assert any("age: rounded ends of ranges lose" in note for note in release.partition.notes)


def test_two_columns_are_rounded_too_and_a_hidden_range_shows_no_end():
    table = TABLE.with_columns(pl.when(pl.int_range(N) % 9 == 0).then(None).otherwise("age").alias("age"))
    release = shoal.anonymize(table, policy(age=10, ranges="columns"))
    assert release.findings.holds
    for name in ("age_min", "age_max"):
        assert (release.table[name].drop_nulls() % 10 == 0).all()


def test_a_plan_keeps_rounded_ends():
    release = shoal.anonymize(TABLE, policy(age=10, born="decade"))
    again = shoal.apply(release.plan, TABLE, seed=1)
    names = ["age", "born"]
    assert set(again.table.select(names).rows()) <= set(release.table.select(names).rows())


STEPS = st.sampled_from([0.01, 0.1, 0.3, 1, 2.5, 7, 10, 1e6])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1e12, 1e12), min_size=1), STEPS)
def test_floats_go_outwards_by_less_than_a_step(values, step):
    low, high = outwards(pl.Series(values), pl.Series(values), step)
    for value, a, b in zip(values, low, high, strict=True):
        assert a <= value <= b
        assert b - a <= step + 4 * np.spacing(abs(value) + step)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), st.sampled_from([1, 3, 10, 1000]))
def test_whole_numbers_stay_exact(values, step):
    low, high = outwards(pl.Series(values, dtype=pl.Int64), pl.Series(values, dtype=pl.Int64), step)
    for value, a, b in zip(values, low, high, strict=True):
        assert (a % step, b % step) == (0, 0)
        assert value - step < a <= value <= b < value + step


@settings(max_examples=20, deadline=None)
@given(st.lists(st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)), min_size=1))
@pytest.mark.parametrize("period", ["day", "week", "month", "quarter", "year", "decade"])
@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("us"), pl.Datetime("ns"), pl.Datetime("us", "Europe/Zurich")])
def test_dates_go_to_the_begin_of_a_period(period, dtype, values):
    moments = pl.Series(values).dt.replace_time_zone("UTC").cast(dtype) if "Zurich" in str(dtype) else None
    moments = pl.Series(values).cast(dtype) if moments is None else moments
    low, high = outwards(moments, moments, period)
    assert low.dtype == high.dtype == moments.dtype
    assert (low <= moments).all()
    assert (moments <= high).all()
    once = outwards(low, low, period)
    assert (once[0] == low).all()
    assert (once[1] == low).all()


@pytest.mark.parametrize("wrong", [{"age": "month"}, {"born": 10}, {"age": 2.5}])
def test_a_step_that_does_not_fit_the_column_is_refused(wrong):
    with pytest.raises(SchemaError, match="round_ranges"):
        shoal.anonymize(TABLE, policy(**wrong))


@pytest.mark.parametrize("how", [{"publication": "aggregate"}, {"method": "full-domain"}])
def test_rounding_where_nothing_is_a_range_is_refused(how):
    with pytest.raises(ParameterError, match="publishes no ranges"):
        shoal.anonymize(TABLE, policy(age=10, **how))


@pytest.mark.parametrize(
    ("column", "cell"), [("age", "[20, 41]"), ("born", "[1960-01-01, 1990-02-01]"), ("age", "old")]
)
def test_the_verifier_refuses_an_end_beside_the_step(column, cell):
    release = shoal.anonymize(TABLE, policy(age=10, born="year"))
    first = pl.col(column) == release.table[column][0]
    broken = release.table.with_columns(pl.when(first).then(pl.lit(cell)).otherwise(column).alias(column))
    failures = shoal.verify(broken, release.policy).failures
    assert any("not rounded as stated" in failure.message and cell not in failure.message for failure in failures)
