"""The verifier reads dates by code of its own: every part of a format at its edges, and nothing besides."""

from __future__ import annotations

import itertools
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.certify.date_cells import check_dates, dates_of, reader_of
from shoal.certify.sensitive_values import UnreadableError
from shoal.policy import Policy
from shoal.policy.date_format import DateFormat

ISO = DateFormat("%d.%m.%Y")


@pytest.mark.parametrize(
    ("pattern", "text", "iso"),
    [
        ("%d.%m.%Y", "31.12.1999", "1999-12-31"),
        ("%d.%m.%Y", " 1.2.1999 ", "1999-02-01"),
        ("%d.%m.%Y", "001.2.1999", None),
        ("%d.%m.%Y", "29.2.1999", None),
        ("%d.%m.%Y", "29.2.2000", "2000-02-29"),
        ("%d.%m.%Y", "31-12-1999", None),
        ("%d.%m.%Y", "31x12x1999", None),
        ("%d.%m.%Y", "1.13.1999", None),
        ("%d.%m.%Y", "1.1.999", None),
        ("%d.%m.%Y", "1.1.0000", None),
        ("%d.%m.%Y", "1.1.19999", None),
        ("%d.%m.%Y", "1.1.1999 x", None),
        ("%d.%m.%Y", "١.1.1999", None),
        ("%Y%m%d", "19990203", "1999-02-03"),
        ("%Y%m%d", "1999203", None),
        ("%Y%m%d", "1999023", None),
        ("%Y", "1999", "1999-01-01"),
        ("%Y-%m", "1999-7", "1999-07-01"),
        ("%Y-%m", "1999-07", "1999-07-01"),
        ("%Y Q%q", "1999 Q1", "1999-01-01"),
        ("%Y Q%q", "1999 Q2", "1999-04-01"),
        ("%Y Q%q", "1999 Q4", "1999-10-01"),
        ("%Y Q%q", "1999 Q5", None),
        ("%Y Q%q", "1999 Q0", None),
        ("%Y-%m-%d %H:%M:%S", "1999-02-03 04:05:06", "1999-02-03T04:05:06"),
        ("%Y-%m-%d %H:%M:%S", "1999-02-03 4:05:06", "1999-02-03T04:05:06"),
        ("%Y-%m-%d %H:%M:%S", "1999-02-03 04:5:06", None),
        ("%Y-%m-%d %H:%M:%S", "1999-02-03 04:05:6", None),
        ("%Y-%m-%d %H:%M:%S", "1999-02-03 24:00:00", None),
        ("%Y-%m-%d %H:%M:%S", "1999-02-03 23:60:00", None),
        ("%Y-%m-%d %H:%M:%S", "1999-02-03 23:59:59", "1999-02-03T23:59:59"),
        ("%Y-%m-%d %H", "1999-02-03 4", "1999-02-03T04:00:00"),
        ("%Y-%m-%d %H:%M", "1999-02-03 04:05", "1999-02-03T04:05:00"),
        ("%Y%m%d%H%M", "199902030405", "1999-02-03T04:05:00"),
        ("%Y-%m-%d %H:%M:%S.%f", "1999-02-03 04:05:06.07", "1999-02-03T04:05:06.070000"),
        ("%Y-%m-%d %H:%M:%S.%f", "1999-02-03 04:05:06.000007", "1999-02-03T04:05:06.000007"),
        ("%Y-%m-%d %H:%M:%S.%f", "1999-02-03 04:05:06.000007000", "1999-02-03T04:05:06.000007"),
        ("%Y-%m-%d %H:%M:%S.%f", "1999-02-03 04:05:06.0000070001", None),
        ("%Y-%m-%d %H:%M:%S.%f", "1999-02-03 04:05:06.0", "1999-02-03T04:05:06"),
        ("%Y-%m-%d %H:%M:%S.%3f", "1999-02-03 04:05:06.07", "1999-02-03T04:05:06.070000"),
        ("%Y-%m-%d %H:%M:%S.%3f", "1999-02-03 04:05:06.0071", None),
        ("%Y-%m-%d %H:%M:%S.%3f", "1999-02-03 04:05:06.007000000", "1999-02-03T04:05:06.007000"),
        ("%Y%m%d%H%M%S%f", "19990203040506000007", "1999-02-03T04:05:06.000007"),
        ("%Y%m%d%H%M%S%f", "199902030405060007", None),
        ("%Y%m%d%H%M%S%3f", "19990203040506007", "1999-02-03T04:05:06.007000"),
        ("%Y%m%d%H%M%S%3f", "19990203040506000007", None),
        ("%Y%m%d%H%M%S%3f", "1999020304050607", None),
        ("%Y-%m-%d %I:%M %p", "1999-02-03 12:00 AM", "1999-02-03T00:00:00"),
        ("%Y-%m-%d %I:%M %p", "1999-02-03 12:00 pm", "1999-02-03T12:00:00"),
        ("%Y-%m-%d %I:%M %p", "1999-02-03 01:00 p.m.", "1999-02-03T13:00:00"),
        ("%Y-%m-%d %I:%M %p", "1999-02-03 1:30 Am", "1999-02-03T01:30:00"),
        ("%Y-%m-%d %I:%M %P", "1999-02-03 11:59 PM", "1999-02-03T23:59:00"),
        ("%Y-%m-%d %I:%M %p", "1999-02-03 00:00 AM", None),
        ("%Y-%m-%d %I:%M %p", "1999-02-03 13:00 PM", None),
        ("%Y-%m-%d %I:%M %p", "1999-02-03 11:00 XM", None),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05Z", "1999-02-03T04:05:00+00:00"),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05z", "1999-02-03T04:05:00+00:00"),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05+02:30", "1999-02-03T01:35:00+00:00"),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05-0230", "1999-02-03T06:35:00+00:00"),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05+23:59", "1999-02-02T04:06:00+00:00"),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05+24:00", None),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05+00:60", None),
        ("%Y-%m-%d %H:%M%z", "0001-01-01 00:00+00:01", None),
        ("%Y-%m-%d %H:%M%z", "1999-02-03 04:05", None),
        ("%d. %b %Y", "3. feb 1999", "1999-02-03"),
        ("%d. %b %Y", "3. Feb. 1999", "1999-02-03"),
        ("%d. %b. %Y", "3. Feb 1999", "1999-02-03"),
        ("%d. %b. %Y", "3. Feb. 1999", "1999-02-03"),
        ("%d. %B., %Y", "3. February, 1999", "1999-02-03"),
        ("%d. %B., %Y", "3. February. 1999", None),
        ("%d %B %Y", "3 FEBRUARY 1999", "1999-02-03"),
        ("%d %B %Y", "3 Febtember 1999", None),
        ("%d %B %Y", "3 Hornung 1999", None),
        ("%d %B %Y", "3x February 1999", None),
        ("%B%%%Y", "May%1999", "1999-05-01"),
        ("%d.%m.%Y", "3 2.1999", None),
        ("excel", "1", "1899-12-31"),
        ("excel", "36526", "2000-01-01"),
        ("excel", "2958465", "9999-12-31"),
        ("excel", "2958466", None),
        ("excel", "0", None),
        ("excel", "00000001", None),
        ("excel", "0000001", "1899-12-31"),
        ("excel", "1.0", None),
        ("excel", "-1", None),
        ("excel", "٣", None),
        ("excel", "", None),
    ],
)
def test_a_text_is_the_date_that_its_format_says_or_none(pattern: str, text: str, iso: str | None) -> None:
    form = DateFormat(pattern)
    form.check()
    assert reader_of(form)(text) == iso


def test_years_of_two_digits_lie_in_the_hundred_years_of_the_format() -> None:
    for first, digits in itertools.product((1930, 1900, 1999, 2000), ("29", "30", "99", "00", "98")):
        year = next(y for y in range(first, first + 100) if y % 100 == int(digits))
        assert reader_of(DateFormat("%d.%m.%y", first_year=first))(f"1.2.{digits}") == f"{year}-02-01"


def test_names_of_months_are_those_of_the_language() -> None:
    read = reader_of(DateFormat("%d. %B %Y", language="de"))
    assert read("3. März 1999") == "1999-03-03"
    assert read("3. March 1999") is None
    assert [reader_of(DateFormat("%b %Y"))(f"{name} 1999") for name in ("jan", "Dec")] == ["1999-01-01", "1999-12-01"]


def test_a_number_of_a_spreadsheet_is_a_day() -> None:
    read = reader_of(DateFormat("excel"))
    for number in (2, 59, 60, 61, 43_831):
        assert read(str(number)) == (date(1899, 12, 30) + timedelta(days=number)).isoformat()


def cell(text: str, pattern: str = "%d.%m.%Y", **more: Any) -> str | None:
    """A cell of a quasi-identifier as the other checks see it; None where it is unreadable."""
    policy = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi", "format": pattern} | more}})
    frame, failures = check_dates(pl.DataFrame({"q": [text, None]}), policy)
    assert frame["q"].dtype == pl.String
    assert [one.records for one in failures] == ([1] if frame["q"][0] is None else [])
    return frame["q"][0]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("1.2.1999", "1999-02-01"),
        ("1.2.1999 or missing", "1999-02-01 or missing"),
        (" or missing", None),
        (" or missing1.2.1999", None),
        ("*", "*"),
        ("* or missing", "* or missing"),
        (" or missing*", None),
        ("**", None),
        ("[1.2.1999, 3.2.1999]", "[1999-02-01, 1999-02-03]"),
        ("[1.2.1999, 1.2.1999]", "[1999-02-01, 1999-02-01]"),
        ("[3.2.1999, 1.2.1999]", None),
        ("[3.2.1999, 1.2.1999] or missing", None),
        ("[x, 1.2.1999]", None),
        ("[1.2.1999, x]", None),
        ("[1.2.1999, x] or missing", None),
        ("[x, y]", None),
        ("[1.2.1999, 3.2.1999] or missing", "[1999-02-01, 1999-02-03] or missing"),
        ("[1.2.1999, 3.2.1999] or", None),
        ("[3.2.1999, 1.2.1999] or", None),
        ('["1.2.1999", "3.2.1999"]', "[1999-02-01, 1999-02-03]"),
        ('["1.2.1999", 3.2.1999]', "[1999-02-01, 1999-02-03]"),
        ("[1.2.1999 3.2.1999]", None),
        ("1999-02", "1999-02"),
        ("1999-13", None),
        ("1999-W07", "1999-W07"),
        ("1999-Q4", "1999-Q4"),
        ("1999-Q5", None),
        ("1999", "1999"),
        ("1990s", "1990s"),
        ("1995s", None),
        ("1999 or missing", "1999 or missing"),
        ("1999-02-01", None),
        ("{1.2.1999, 3.2.1999}", None),
        ("", None),
    ],
)
def test_a_cell_is_a_date_a_range_a_period_or_hidden(text: str, seen: str | None) -> None:
    assert cell(text) == seen


def test_a_day_is_a_period_of_a_column_of_times_alone() -> None:
    timed = "%d.%m.%Y %H:%M"
    assert cell("1999-02-01", timed) == "1999-02-01"
    assert cell("1999-02-01 or missing", timed) == "1999-02-01 or missing"
    assert cell("1999-02-1", timed) is None
    assert cell("1.2.1999 5:06", timed) == "1999-02-01T05:06:00"
    assert cell("1999-02", timed) == "1999-02"


def test_the_ends_of_ranges_in_two_columns_are_read_and_counted_together() -> None:
    columns = {name: {"role": "quasi", "format": "%d.%m.%Y"} for name in ("a", "b", "c")} | {"q": {"role": "quasi"}}
    policy = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi"}} | columns})
    frame = pl.DataFrame(
        {
            "q": ["x", "y", "z"],
            "a_min": ["1.2.1999", "x", None],
            "a_max": ["y", "z", "3.2.1999"],
            "b": ["1.2.1999", None, "1.2.1999"],
            "c": [None, None, "?"],
        }
    )
    seen, failures = check_dates(frame, policy)
    assert seen.to_dict(as_series=False) == {
        "q": ["x", "y", "z"],
        "a_min": ["1999-02-01", None, None],
        "a_max": [None, None, "1999-02-03"],
        "b": ["1999-02-01", None, "1999-02-01"],
        "c": [None, None, None],
    }
    assert [(one.check, one.column, one.message, one.records) for one in failures] == [
        ("columns", name, f"column {name}: {n} cells are neither dates nor ranges in the format of the policy", n)
        for name, n in (("a", 3), ("c", 1))
    ]


def test_a_column_of_missing_dates_is_read() -> None:
    policy = Policy.parse({"k": 2, "columns": {"q": {"role": "quasi", "format": "%d.%m.%Y"}}})
    frame, failures = check_dates(pl.DataFrame({"q": [None, None]}, schema={"q": pl.String}), policy)
    assert (frame["q"].to_list(), frame["q"].dtype, failures) == ([None, None], pl.String, [])


def test_sensitive_dates_are_read_and_blanks_are_missing() -> None:
    texts = pl.Series("s", ["1.2.1999", "01.02.1999", None, " ", "", "3.2.1999"])
    found = dates_of(texts, ISO)
    assert found.to_list() == ["1999-02-01", "1999-02-01", None, None, None, "1999-02-03"]
    assert (found.name, found.dtype) == ("s", pl.String)
    nothing = dates_of(pl.Series("s", [None, " "], dtype=pl.String), ISO)
    assert (nothing.to_list(), nothing.dtype) == ([None, None], pl.String)


def test_sensitive_texts_that_are_no_dates_are_listed() -> None:
    with pytest.raises(UnreadableError) as raised:
        dates_of(pl.Series(["1.2.1999", "x", None, "y", ""]), ISO)
    assert sorted(raised.value.texts) == ["x", "y"]
    assert raised.value.expected == "a date in the format of the column"


def test_verify_counts_sensitive_dates_by_the_day_they_mean() -> None:
    columns = {"q": {"role": "quasi"}, "s": {"role": "sensitive", "format": "%d.%m.%Y"}}
    policy = {"k": 2, "diversity": {"l": 2}, "columns": columns}
    frame = pl.DataFrame({"q": ["1"] * 2, "s": ["1.2.1999", "01.02.1999"]})
    found = shoal.verify(frame, policy, form="generalize")
    assert (found.holds, found.l) == (False, {"s": 1.0})
    bad = shoal.verify(frame.with_columns(s=pl.Series(["x", "1.2.1999"])), policy, form="generalize")
    assert [one.message for one in bad.failures] == [
        "column s has 1 values that are not a date in the format of the column"
    ]
    assert (bad.failures[0].check, bad.failures[0].column, bad.failures[0].groups, bad.failures[0].records) == (
        "columns",
        "s",
        1,
        2,
    )
