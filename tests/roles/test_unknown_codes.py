"""Codes that no list knows: long or many ones are removed, and what only says where or what stays."""

from __future__ import annotations

import random

import polars as pl
import pytest

import shoal

DRAW = random.Random("codes")


def role(heading: str, cells: list[str] | list[int]) -> str:
    frame = pl.DataFrame({heading: cells, "age": [str(20 + row % 50) for row in range(len(cells))]})
    column = shoal.profile(frame).columns[0]
    assert not [one for one in cells if len(str(one)) > 4 and str(one) in str(column.questions)]
    return column.role


def drawn(form: str, different: int, rows: int = 300) -> list[str]:
    def one() -> str:
        return "".join(DRAW.choice("0123456789") if sign == "#" else sign for sign in form)

    known = [one() for _ in range(different)]
    return [DRAW.choice(known) for _ in range(rows)]


@pytest.mark.parametrize(
    ("form", "different"),
    [
        ("SP-#####", 3),  # licenses of three dentists
        ("N#########", 90),  # cards of a library
        ("AT6119043002345#####", 40),  # accounts whose check digits are wrong
        ("0####", 90),  # files of patients
        ("7##############", 90),  # health cards, which are read as numbers
        ("H####", 100),  # households
    ],
)
def test_long_or_many_codes_are_not_published(form: str, different: int) -> None:
    assert role("xyzzy", drawn(form, different)) in ("identifier", "person")


@pytest.mark.parametrize(
    ("form", "different"),
    [("3A#", 5), ("B##", 40), ("2023-W##", 90), ("1##/##", 90), ("#.#.#", 12), ("1#00000000", 9)],
)
def test_short_codes_weeks_and_measurements_stay(form: str, different: int) -> None:
    assert role("xyzzy", drawn(form, different)) == "quasi"


def test_amounts_that_are_rounded_or_differ_in_length_are_no_codes() -> None:
    amounts = [DRAW.randint(10_000, 99_999) * 10_000 for _ in range(60)]
    assert role("xyzzy", [DRAW.choice(amounts) for _ in range(300)]) == "quasi"
    amounts = [round(DRAW.lognormvariate(17, 3)) for _ in range(60)]
    assert role("xyzzy", [DRAW.choice(amounts) for _ in range(300)]) == "quasi"


def test_long_numbers_of_one_length_are_codes_though_they_repeat() -> None:
    cards = [DRAW.randint(10**14, 10**15 - 1) for _ in range(80)]
    assert role("xyzzy", [DRAW.choice(cards) for _ in range(300)]) == "identifier"
