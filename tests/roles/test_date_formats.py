"""The profile finds out how dates are written, from all cells, and asks what they leave open."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.policy.date_format import DateFormat
from shoal.roles.column_profile import ColumnProfile
from shoal.tables import read_back
from shoal.tables.date_text import write_dates
from tests.date_formats import FORMATS, as_dates

NOT_NAMED = {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%S.%3f", "%Y-%m-%d %H:%M:%S.%f"}
"""Forms that are read without a format."""
UNKNOWN = {"%Y", "Q%q/%y"}
"""A year is a number; two digits after a quarter may be anything."""


def days(form: DateFormat, n: int = 300, seed: int = 0) -> pl.Series:
    rng = random.Random(f"{form.pattern} {seed}")
    begin = dt.datetime((form.first_year or 1930) + 10, 1, 1)
    moments = [begin + dt.timedelta(seconds=rng.randrange(50 * 365 * 86_400)) for _ in range(n)]
    return write_dates(as_dates(moments, form), form)


def profiled(cells: object, name: str = "Geburtsdatum") -> ColumnProfile:
    return shoal.profile(pl.DataFrame({name: cells})).columns[0]


@pytest.mark.parametrize("form", [form for form in FORMATS if form.pattern not in NOT_NAMED | UNKNOWN])
def test_every_format_is_found(form: DateFormat) -> None:
    found = profiled(days(form))
    assert (found.role, found.kind) == ("quasi", "date")
    assert found.dates is not None
    assert found.dates.form is not None
    assert found.dates.form.pattern.replace("-", "") == form.pattern.replace("-", "").replace("%b.", "%b")
    assert found.dates.form.language == form.language
    assert found.dates.strays == 0
    asked = "y" in form.directives or form.is_serial
    assert len(found.questions) == asked


@pytest.mark.parametrize("name", ["born", "x", "seen_on"])
@pytest.mark.parametrize("pattern", ["%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%Y%m%d", "%d.%m.%Y %H:%M", "%d.%m.%y"])
def test_dates_are_found_whatever_the_column_is_called(name: str, pattern: str) -> None:
    found = profiled(days(DateFormat(pattern, first_year=1930 if "%y" in pattern else None)), name)
    assert found.dates is not None
    assert found.dates.form is not None
    assert found.dates.form.pattern == pattern


@pytest.mark.parametrize(("separator", "asked"), [("/", "%m/%d/%Y"), (".", "%m.%d.%Y"), ("-", "%m-%d-%Y")])
def test_an_open_order_of_day_and_month_is_asked(separator: str, asked: str) -> None:
    cells = [f"{day:02}{separator}{month:02}{separator}1999" for day in range(1, 13) for month in range(1, 13)]
    found = profiled(cells)
    assert found.kind == "date"
    assert any(f'format = "{asked}"' in question and "144 cells" in question for question in found.questions)


def test_one_cell_among_all_rows_decides_the_order_and_is_asked_about_if_it_is_alone() -> None:
    cells = [f"{day:02}/{month:02}/1999" for day in range(1, 13) for month in range(1, 13)] * 20
    for extra, asked in ((["01/31/1999"], True), (["01/31/1999", "02/28/1999", "03/30/1999"], False)):
        found = profiled(cells + extra)
        assert found.dates is not None
        assert found.dates.form == DateFormat("%m/%d/%Y")
        assert bool(found.questions) == asked


def test_stray_cells_are_counted_in_a_question_and_their_text_is_not_shown(tmp_path: Path) -> None:
    cells = days(DateFormat("%d.%m.%Y")).to_list()
    cells[5], cells[77], cells[100] = "Frau Meier fragen", "29.02.1900", "00.00.0000"
    frame = pl.DataFrame({"Geburtsdatum": cells, "ill": ["a", "b", "c"] * 100})
    frame.write_csv(tmp_path / "in.csv")
    profile = shoal.profile(tmp_path / "in.csv")
    found = profile.columns[0]
    assert "Meier" not in str(profile)
    assert any("of 300 cells" in question or "of 299 cells" in question for question in found.questions)
    profile.write(tmp_path / "policy.toml")
    shoal.anonymize(tmp_path / "in.csv", tmp_path / "policy.toml").write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    public = " ".join(file.read_text(errors="replace") for file in (tmp_path / "out").iterdir())
    assert "Meier" not in public


def test_dates_in_several_formats_are_no_labels() -> None:
    cells = [*days(DateFormat("%d.%m.%Y"), 100), *days(DateFormat("%Y/%m/%d"), 100)]
    found = profiled(cells, "when")
    assert found.role == "identifier"
    assert found.questions


ACCEPTED = [
    DateFormat("%d.%m.%Y"),
    DateFormat("%m/%d/%Y"),
    DateFormat("%d. %b %Y", "de"),
    DateFormat("%Y-%m"),
    DateFormat("%Y%m%d"),
    DateFormat("%d.%m.%y", first_year=1930),
]


@pytest.mark.parametrize("form", ACCEPTED, ids=lambda form: form.pattern)
def test_an_accepted_proposal_publishes_no_set_of_birth_dates(form: DateFormat, tmp_path: Path) -> None:
    """The attacker looks for exact dates in sets: there are ranges of the same format instead."""
    born = days(form)
    pl.DataFrame({"born": born, "sex": ["m", "f"] * 150, "ill": ["a", "b", "c"] * 100}).write_csv(tmp_path / "in.csv")
    shoal.profile(tmp_path / "in.csv").write(tmp_path / "policy.toml")
    policy = shoal.Policy.load(tmp_path / "policy.toml")
    assert policy.columns["born"].format == form.pattern
    shoal.anonymize(tmp_path / "in.csv", policy).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    cells = read_back(tmp_path / "out" / "release.csv")["born"]
    assert not cells.str.contains("{", literal=True).any()
    assert cells.str.starts_with("[").any()


@pytest.mark.parametrize(
    "cells",
    [
        [f"1.{i % 9}.{i % 7}" for i in range(60)],
        [f"{i % 24:02}:{i % 60:02}:{i % 59:02}" for i in range(60)],
        [f"192.168.{i}.1" for i in range(60)],
        [f"{i:02}-{i + 20:02}" for i in range(60)],
        ["low", "high", "May", "June"] * 15,
        [f"A{i:03}" for i in range(60)],
        [f"{120 + i}/{70 + i}" for i in range(30)],
        [f"{i}.5" for i in range(60)],
        [f"{i + 10_000_000}" for i in range(60)],
        [None] * 60,
        ["", " "] * 30,
    ],
)
def test_other_texts_are_no_dates(cells: list[str | None]) -> None:
    found = profiled(pl.Series(cells, dtype=pl.String), "value")
    assert found.dates is None


def test_whole_numbers_are_dates_only_if_all_are() -> None:
    whole = days(DateFormat("%Y%m%d")).cast(pl.Int64)
    found = profiled(whole, "seen")
    assert found.dates is not None
    assert found.dates.form == DateFormat("%Y%m%d")
    assert profiled(pl.concat([whole, pl.Series("seen", [20241399])]), "seen").dates is None
    assert profiled(whole, "case_number").dates is None


def test_day_numbers_of_a_spreadsheet_need_a_name_that_says_date() -> None:
    whole = days(DateFormat("excel"))
    assert profiled(whole, "salary").dates is None
    assert profiled(whole, "candidate").dates is None
    assert profiled(whole, "admission_date").dates is not None


def test_a_year_stays_a_number() -> None:
    found = profiled([1950 + i % 50 for i in range(200)], "birth_year")
    assert found.dates is None


@given(cells=st.lists(st.text("0123456789./-: JanMrzQTZ", max_size=12), max_size=30))
def test_any_texts_are_profiled(cells: list[str]) -> None:
    """Whatever stands in a column: nothing fails, and what is proposed is a policy."""
    frame = pl.DataFrame({"date": pl.Series(cells, dtype=pl.String)})
    if frame.height:
        assert shoal.profile(frame).policy is not None
