"""Numbers in the format of a column are read and written so that nothing is lost; the verifier reads them alike."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.certify.number_cells import read_number
from shoal.policy.number_format import NumberFormat
from shoal.tables.number_text import read_numbers, write_numbers

FORMATS = st.builds(
    NumberFormat,
    decimal=st.sampled_from([".", ","]),
    thousands=st.sampled_from(["", " ", "'"]),
    prefix=st.sampled_from(["", "€ ", "$", "CHF "]),
    suffix=st.sampled_from(["", " kg", "%", " mg/dl", " J."]),
    decimals=st.integers(0, 4),
) | st.sampled_from(
    [
        NumberFormat(decimal=",", thousands="."),
        NumberFormat(decimal=".", thousands=",", prefix="$"),
        NumberFormat(thousands=",", lakhs=True, prefix="₹"),
    ]
)
NUMBERS = st.lists(st.integers(-(10**12), 10**12)) | st.lists(
    st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: x + 0.0)
)


@given(FORMATS, NUMBERS)
def test_what_is_written_is_read_as_the_same_numbers_twice(form: NumberFormat, numbers: list[float]) -> None:
    series = pl.Series(numbers, dtype=pl.Float64 if any(isinstance(one, float) for one in numbers) else pl.Int64)
    written = write_numbers(series, form)
    assert read_numbers(written, form).cast(pl.Float64).to_list() == [float(number) for number in numbers]
    for number, text in zip(numbers, written.to_list(), strict=True):
        told = read_number(text, form)
        assert told is not None
        assert float(told) == float(number)
        assert Decimal(told) == Decimal(repr(number))


@pytest.mark.parametrize(
    ("form", "texts", "numbers"),
    [
        (
            {"decimal": ",", "thousands": "."},
            ["1.234.567,89", "12", "-1,5", "+3", "(300)"],
            [1234567.89, 12, -1.5, 3, -300],
        ),
        ({"thousands": ","}, ["1,234,567.89", "999", ".5"], [1234567.89, 999, 0.5]),
        (
            {"decimal": ",", "thousands": " "},
            ["1 234 567,89", "1\u00a0234", "1\u202f234,5"],
            [1234567.89, 1234, 1234.5],
        ),
        ({"thousands": "'"}, ["1'234", "1’234"], [1234, 1234]),
        ({"thousands": ",", "lakhs": True}, ["1,20,000", "12,34,56,789.5", "900"], [120_000, 123_456_789.5, 900]),
        ({"suffix": " kg"}, ["72 kg", "72kg", "72", "1.80 kg"], [72, 72, 72, 1.8]),
        ({"decimal": ",", "suffix": " %"}, ["12,5 %", "12,5%", "-3 %"], [12.5, 12.5, -3]),
        (
            {"decimal": ",", "thousands": ".", "prefix": "€ "},
            ["€ 1.200,00", "-€ 5", "€ -5", "(€ 7,50)"],
            [1200, -5, -5, -7.5],
        ),
        ({"thousands": ",", "prefix": "$"}, ["$1,200", "-$3"], [1200, -3]),
    ],
)
def test_numbers_as_people_write_them_are_read(form: dict[str, str], texts: list[str], numbers: list[float]) -> None:
    stated = NumberFormat.model_validate(form)
    assert read_numbers(pl.Series(texts), stated).cast(pl.Float64).to_list() == numbers
    assert [float(read_number(text, stated) or "nan") for text in texts] == numbers


@pytest.mark.parametrize(
    "text", ["1.23.4", "12.3456", "1,2,3", "", "kg", "72 lb", "--5", "(-5)", "-(5)", "(5", "5)", "1 2", "٣"]
)
def test_what_is_no_number_of_the_format_is_read_as_none(text: str) -> None:
    form = NumberFormat(decimal=",", thousands=".", suffix=" kg")
    assert read_numbers(pl.Series([text]), form).to_list() == [None]
    assert read_number(text, form) is None


@pytest.mark.parametrize(
    "wrong",
    [{"decimal": ",", "thousands": ","}, {"lakhs": True}, {"suffix": " 2"}, {"prefix": "["}, {"suffix": ", "}],
)
def test_a_format_that_cannot_be_read_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must differ|units or currencies|needs thousands"):
        NumberFormat.model_validate(wrong)


@pytest.mark.parametrize("text", ["1,200,000", "1,2,000", "120,000", "1,20,00", ",20,000", "1,,20,000"])
def test_groups_of_another_length_are_no_lakhs(text: str) -> None:
    form = NumberFormat(thousands=",", lakhs=True)
    assert read_number(text, form) is None
    assert read_numbers(pl.Series([text]), form)[0] is None


def test_lakhs_are_no_thousands() -> None:
    form = NumberFormat(thousands=",")
    assert read_number("1,20,000", form) is None
    assert read_numbers(pl.Series(["1,20,000"]), form)[0] is None
