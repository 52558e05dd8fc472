"""A mean is published in the type of its column: whole numbers stay whole, dates stay dates, no digits are added."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.policy import Column
from shoal.publish.aggregate import number_aggregates

NOON = datetime(2024, 3, 1, 12)


def means(values: Any, *, kind: str = "number", size: int = 3) -> pl.Series:
    """The published means of groups of `size` consecutive rows."""
    cells = values if isinstance(values, pl.Series) else pl.Series("x", values)
    column = Column.model_validate({"role": "quasi", "kind": kind})
    labels = np.arange(len(cells)) // size
    return number_aggregates("x", column, cells, labels).published["x"]


def test_the_mean_of_whole_numbers_is_a_whole_number() -> None:
    found = means([1, 2, 4, 324, 324, 325])
    assert found.dtype == pl.Int64
    assert found.to_list() == [2, 324]


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt8, pl.Int32, pl.UInt64, pl.Int64], ids=str)
def test_the_type_of_whole_numbers_stays_with_missing_ones_too(dtype: type[pl.DataType]) -> None:
    found = means(pl.Series("x", [1, 2, None, None, None, 7], dtype=dtype))
    assert found.dtype == dtype
    assert found.to_list() == [2, 7]
    assert means(pl.Series("x", [1, 2, None, None, None, None], dtype=dtype)).to_list() == [2, None]


@pytest.mark.parametrize("ends", [(2**63 - 1, pl.Int64), (-(2**63), pl.Int64), (2**64 - 1, pl.UInt64)], ids=str)
def test_the_largest_whole_numbers_are_averaged_without_a_fault(ends: tuple[int, type[pl.DataType]]) -> None:
    end, dtype = ends
    assert means(pl.Series("x", [end] * 3, dtype=dtype)).to_list() == [end]
    (mean,) = means(pl.Series("x", [end, 0, 0], dtype=dtype)).to_list()
    assert abs(mean - end / 3) < 2**12  # as exact as floating point


def test_the_mean_of_decimals_has_no_more_decimals_than_the_cells() -> None:
    assert means([324.25, 324.3, 324.29, 0.1, 0.2, 0.4]).to_list() == [324.28, 0.23]
    assert means([1.0, 2.0, 4.0]).to_list() == [2.0]  # pandas has whole numbers with missing ones as 1.0
    assert means([1e300, 2e300, 4e300]).to_list() == [pytest.approx(7e300 / 3)]
    assert means([1 / 3, 1 / 7, 1 / 9]).to_list() == [pytest.approx((1 / 3 + 1 / 7 + 1 / 9) / 3)]


def test_the_mean_of_a_decimal_type_keeps_the_type() -> None:
    found = means(pl.Series("x", [Decimal("1.10"), Decimal("1.20"), Decimal("1.25")], dtype=pl.Decimal(10, 2)))
    assert found.dtype == pl.Decimal(10, 2)
    assert found.to_list() == [Decimal("1.18")]


def test_the_mean_of_dates_is_a_date() -> None:
    found = means([date(2024, 3, day) for day in (1, 2, 4)], kind="date")
    assert found.to_list() == [date(2024, 3, 2)]


@pytest.mark.parametrize(
    ("step", "unit"),
    [
        (timedelta(days=1), timedelta(days=1)),
        (timedelta(hours=1), timedelta(hours=1)),
        (timedelta(minutes=30), timedelta(minutes=1)),
        (timedelta(seconds=7), timedelta(seconds=1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_the_mean_of_times_is_as_coarse_as_they_are(step: timedelta, unit: timedelta, zone: str | None) -> None:
    start = datetime(2024, 6, 1)
    moments = pl.Series("x", [start, start + step, start + 3 * step], dtype=pl.Datetime("us"))
    if zone is not None:
        moments = moments.dt.replace_time_zone(zone)
    (found,) = means(moments, kind="date").to_list()
    passed = found.replace(tzinfo=None) - start
    assert passed % unit == timedelta(0)
    assert abs(passed - step * 4 / 3) < unit


def test_the_loss_is_measured_on_what_is_published() -> None:
    column = Column(role="quasi", kind="number")
    found = number_aggregates("x", column, pl.Series("x", [0, 1, 1, 10, 10, 10]), np.arange(6) // 3)
    assert found.published["x"].to_list() == [1, 10]
    assert found.value is not None
    assert found.value.tolist() == [1.0, 10.0]
    assert found.loss.tolist() == pytest.approx([1 / 30, 0])
    assert found.exact_loss is not None
    assert found.exact_loss.tolist() == pytest.approx([(2 / 3 + 1 / 3 + 1 / 3) / 30, 0])


def test_a_release_of_means_says_what_rounding_costs_and_still_holds() -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame({"age": rng.integers(18, 95, 200), "height": rng.normal(170, 9, 200).round(1)})
    release = shoal.anonymize(table, quasi=["age", "height"], k=4, seed=1)
    assert release.published.form == "aggregate"
    assert release.table.schema == table.schema
    assert (release.table["height"].round(1) == release.table["height"]).all()
    assert release.findings.holds
    told = [note for note in release.partition.notes if "rounded means lose" in note]
    assert [note.partition(":")[0] for note in told] == ["age", "height"]
    shown = {column.name: column for column in release.loss.columns}
    rows = release.order[release.published.rows]
    assert shown["age"].mean_after == pytest.approx(release.table["age"].mean())
    apart = (table["age"].gather(rows) - release.table["age"]).abs().mean()
    span = table["age"].max() - table["age"].min()  # type: ignore[operator]
    assert shown["age"].ncp == pytest.approx(apart / span)
