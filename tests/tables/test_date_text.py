"""Dates are written in a format and read again as the same dates; what is no date is never read as one."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.certify.date_cells import reader_of
from shoal.policy.date_format import DateFormat
from shoal.tables.date_text import read_dates, write_dates
from tests.date_formats import FORMATS, as_dates, moments

CHARACTERS = "0123456789./- :,TZQWMA+äzDecMrzJun"


def iso(dates: pl.Series) -> list[str | None]:
    return [None if date is None else date.isoformat() for date in dates.to_list()]


def seen_by_verifier(texts: pl.Series, form: DateFormat) -> list[str | None]:
    read = reader_of(form)
    return [None if text is None else read(str(text)) for text in texts.to_list()]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.pattern)
def test_every_month_is_written_and_read(form: DateFormat) -> None:
    form.check()
    year = form.first_year or 1999
    found = [
        dt.datetime(year + month % 7, month, 28 - month, 2 * month - 1, month, 59, 999_999) for month in range(1, 13)
    ]
    dates = as_dates([*found, None], form)
    written = write_dates(dates, form)
    assert read_dates(written, form).equals(dates, check_dtypes=True, null_equal=True)
    assert seen_by_verifier(written, form) == iso(dates)


@given(form=st.sampled_from(FORMATS), data=st.data())
def test_what_is_written_is_read_as_the_same_date_and_so_does_the_verifier(
    form: DateFormat, data: st.DataObject
) -> None:
    dates = as_dates(data.draw(st.lists(st.none() | moments(form), min_size=1, max_size=30)), form)
    written = write_dates(dates, form)
    assert read_dates(written, form).equals(dates, check_dtypes=True, null_equal=True)
    assert seen_by_verifier(written, form) == iso(dates)


@given(form=st.sampled_from(FORMATS), data=st.data())
def test_any_text_is_read_alike_by_both_codes(form: DateFormat, data: st.DataObject) -> None:
    written = write_dates(as_dates([data.draw(moments(form))], form), form).cast(pl.String)[0]
    place = st.integers(0, len(written) - 1)
    edits = data.draw(st.lists(st.tuples(place, st.sampled_from(CHARACTERS), st.integers(0, 1)), max_size=30))
    changed = [written[:at] + new + written[at + skipped :] for at, new, skipped in edits]
    texts = pl.Series([written, *changed, data.draw(st.text(CHARACTERS, max_size=24))], dtype=pl.String)
    read = iso(read_dates(texts, form))
    if form.is_serial:  # other programs write +36526 and 36526.0; Shoal never does, and the verifier refuses both
        read = [None if "+" in text or "." in text else day for text, day in zip(texts, read, strict=True)]
    assert read == seen_by_verifier(texts, form)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (DateFormat("%d.%m.%Y"), "29.02.1900"),
        (DateFormat("%d.%m.%Y"), "00.00.0000"),
        (DateFormat("%d.%m.%Y"), "01.01.0000"),
        (DateFormat("%d.%m.%Y"), "31.12.99"),
        (DateFormat("%d.%m.%Y"), "31/12/1999"),
        (DateFormat("%d.%m.%Y"), "1999-12-31"),
        (DateFormat("%d.%m.%Y"), "31.12.1999 10:00"),
        (DateFormat("%d.%m.%Y"), "31.12.19999"),
        (DateFormat("%d.%m.%Y"), "31.12.-044"),
        (DateFormat("%d.%m.%Y"), "٣١.١٢.١٩٩٩"),
        (DateFormat("%m/%d/%Y"), "31/12/1999"),
        (DateFormat("%Y-%m"), "1949-13"),
        (DateFormat("%Y-Q%q"), "1949-Q0"),
        (DateFormat("%Y%m%d"), "19990229"),
        (DateFormat("%d %b %Y", "de"), "31 Dec 1999"),
        (DateFormat("%d %b %Y"), "31 Foo 1999"),
        (DateFormat("%d.%m.%Y %H:%M"), "31.12.1999 24:00"),
        (DateFormat("%m/%d/%Y %I:%M %p"), "12/31/1999 13:00 PM"),
        (DateFormat("%m/%d/%Y %I:%M %p"), "12/31/1999 00:30 AM"),
        (DateFormat("%Y-%m-%dT%H:%M:%S%z"), "1999-12-31T10:00:00+25:00"),
        (DateFormat("excel"), "0"),
        (DateFormat("excel"), "-5"),
        (DateFormat("excel"), "36525.5"),
        (DateFormat("excel"), "9999999"),
    ],
)
def test_what_is_no_date_is_missing(form: DateFormat, text: str) -> None:
    assert read_dates(pl.Series([text]), form).null_count() == 1
    assert reader_of(form)(text) is None


@pytest.mark.parametrize(
    ("form", "text", "read"),
    [
        (DateFormat("%d.%m.%Y"), " 1.2.1999 ", dt.date(1999, 2, 1)),
        (DateFormat("%d. %b %Y", "de"), "31. dez. 1999", dt.date(1999, 12, 31)),
        (DateFormat("%d. %b %Y", "de"), "1. Mrz 1999", dt.date(1999, 3, 1)),
        (DateFormat("%d. %b %Y", "de"), "1. MÄRZ 1999", dt.date(1999, 3, 1)),
        (DateFormat("%d %b %Y", "fr"), "2 août 1999", dt.date(1999, 8, 2)),
        (DateFormat("%d %b %Y", "fr"), "2 aout 1999", dt.date(1999, 8, 2)),
        (DateFormat("%d %B %Y", "fr"), "2 déc. 1999", dt.date(1999, 12, 2)),
        (DateFormat("%d.%m.%y", first_year=1930), "01.01.29", dt.date(2029, 1, 1)),
        (DateFormat("%d.%m.%y", first_year=1930), "01.01.30", dt.date(1930, 1, 1)),
        (DateFormat("excel"), "36526", dt.date(2000, 1, 1)),
        (DateFormat("%m/%d/%Y %I:%M %p"), "12/31/1999 12:30 a.m.", dt.datetime(1999, 12, 31, 0, 30)),
        (DateFormat("%Y-%m-%dT%H:%M:%S%z"), "1999-12-31T23:30:00-0100",
         dt.datetime(2000, 1, 1, 0, 30, tzinfo=dt.UTC)),
    ],
)  # fmt: skip
def test_spellings_of_one_date(form: DateFormat, text: str, read: dt.date) -> None:
    assert read_dates(pl.Series([text]), form).to_list() == [read]
    assert reader_of(form)(text) == read.isoformat()


def test_whole_numbers_are_read_as_dates() -> None:
    form = DateFormat("%d%m%Y")
    assert read_dates(pl.Series([1021999, 31121999, None]), form).to_list() == [
        dt.date(1999, 2, 1), dt.date(1999, 12, 31), None,
    ]  # fmt: skip
    assert read_dates(pl.Series([20240131.0, 20240131.5]), DateFormat("%Y%m%d")).to_list() == [
        dt.date(2024, 1, 31), None,
    ]  # fmt: skip


def test_dates_that_the_format_cannot_write_are_missing() -> None:
    dates = pl.Series([dt.date(1999, 12, 31), dt.date(1999, 12, 1)])
    assert read_dates(dates, DateFormat("%m/%Y")).to_list() == [None, dt.date(1999, 12, 1)]
    assert read_dates(dates, DateFormat("%d.%m.%y", first_year=2000)).null_count() == 2
    midnight = pl.Series([dt.datetime(1999, 12, 31), dt.datetime(1999, 12, 31, 5)])
    assert read_dates(midnight, DateFormat("%d.%m.%Y")).to_list() == [dt.date(1999, 12, 31), None]


def test_a_column_without_any_date() -> None:
    for cells in (pl.Series([None, None], dtype=pl.String), pl.Series([], dtype=pl.String), pl.Series([""])):
        for form in FORMATS:
            read = read_dates(cells, form)
            assert read.null_count() == len(cells)
            assert read.dtype.is_temporal()
