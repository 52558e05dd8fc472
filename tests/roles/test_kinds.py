"""Text read as numbers or dates, and the kind of every type."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest

from shoal.roles.kinds import as_kind, kind_of, misfits, type_of


@pytest.mark.parametrize(
    ("dtype", "word", "kind"),
    [
        (pl.Int8(), "whole number", "number"),
        (pl.UInt64(), "whole number", "number"),
        (pl.Float32(), "number", "number"),
        (pl.Decimal(10, 2), "number", "number"),
        (pl.Date(), "date", "date"),
        (pl.Datetime("us", "UTC"), "date and time", "date"),
        (pl.Boolean(), "true or false", "label"),
        (pl.String(), "text", "label"),
        (pl.Categorical(), "text", "label"),
        (pl.Enum(["a"]), "text", "label"),
        (pl.Null(), "empty", "label"),
        (pl.List(pl.Int8()), "list", None),
        (pl.Duration(), "duration", None),
    ],
)
def test_every_type_has_a_word_and_a_kind_or_none(dtype: pl.DataType, word: str, kind: str | None) -> None:
    assert (type_of(dtype), kind_of(dtype)) == (word, kind)


def test_text_is_read_as_numbers_and_what_is_none_becomes_missing() -> None:
    text = pl.Series("x", ["1", " 2.5 ", "-3e2", None, "<5", "1,5", "inf", "nan", ""])
    assert as_kind(text, "number").to_list() == [1.0, 2.5, -300.0, None, None, None, None, None, None]
    assert as_kind(text, "number").name == "x"
    assert misfits(text, "number") == 5


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["2020-02-29", None], [date(2020, 2, 29), None]),
        (
            ["2020-02-29T10:30:00", "1999-01-01T00:00:00.5"],
            [datetime(2020, 2, 29, 10, 30), datetime(1999, 1, 1, 0, 0, 0, 500000)],
        ),
        (["2020-02-29 10:30"], [datetime(2020, 2, 29, 10, 30)]),
    ],
)
def test_iso_dates_and_times_of_one_form_are_read(cells: list[str | None], read: list[object]) -> None:
    assert as_kind(pl.Series(cells), "date").to_list() == read
    assert misfits(pl.Series(cells), "date") == 0


def test_dates_with_two_readings_or_that_never_were_are_misfits() -> None:
    assert misfits(pl.Series(["03/04/2020", "2021-02-29", "2020-01-01", None]), "date") == 2


def test_categories_are_read_like_text_and_other_types_stay() -> None:
    assert as_kind(pl.Series(["7", "8"], dtype=pl.Categorical), "number").to_list() == [7.0, 8.0]
    numbers = pl.Series([1, 2])
    assert as_kind(numbers, "date") is numbers
    assert as_kind(pl.Series(["a"]), "label").to_list() == ["a"]
