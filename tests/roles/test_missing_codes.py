"""Codes for missing are found by spelling and by standing apart; what may be a value is asked and not proposed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.roles import ColumnProfile, profile
from shoal.tables import read
from shoal.tables.table import Origin, Table

RNG = np.random.default_rng(17)
AGES = [str(age) for age in RNG.integers(18, 90, 200)]
HEIGHTS = [f"{height:.1f}" for height in RNG.normal(170, 9, 200)]
BORN = [f"{year}-0{month}-1{day}" for year, month, day in RNG.integers([1930, 1, 0], [2005, 10, 10], (200, 3))]
GERMAN_BORN = [f"1{text[9]}.{text[5:7]}.{text[:4]}" for text in BORN]
ANSWERS = RNG.choice(["never", "daily", "seldom"], 200).tolist()


def of_csv(path: Path, cells: list[str], heading: str = "x") -> ColumnProfile:
    path.write_text(f"{heading},y\n" + "".join(f'"{cell}",1\n' for cell in cells), encoding="utf-8")
    return profile(read(path)).columns[0]


@pytest.mark.parametrize(
    "code",
    ["NA", "N/A", "n/a", "NULL", "None", "nan", "-", "--", ".", "?", "k.A.", "k. A.", "unbekannt", "unknown",
     "not stated",      "fehlt", "keine Angabe", "missing", "#N/A", "#NULL!", "leer",
     "s/d", "n.d.", "inconnu", "desconocido", " k.A. "],
)  # fmt: skip
@pytest.mark.parametrize("cells", [AGES, HEIGHTS, BORN], ids=["whole", "decimal", "date"])
def test_a_word_among_numbers_or_dates_means_missing_and_the_kind_is_that_of_the_others(
    tmp_path: Path, cells: list[str], code: str
) -> None:
    found = of_csv(tmp_path / "x.csv", [code, *cells[1:-1], code])
    assert found.missing == 2
    assert found.kind == ("date" if cells is BORN else "number")
    if code != "nan":  # numbers that are no numbers are missing already
        assert found.null_values == (code.strip(),)
        assert f"taken as missing: 2 cells '{code.strip()}'" in found.reason
    assert not found.questions


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (AGES, "999"),
        (AGES, "-1"),
        (AGES, "-9"),
        (AGES, "-99"),
        (AGES, "9999"),
        (HEIGHTS, "999"),
        (HEIGHTS, "999.9"),
        (HEIGHTS, "-9"),
        (BORN, "9999-12-31"),
        (BORN, "1900-01-01"),
        (BORN, "0000-00-00"),
        (GERMAN_BORN, "31.12.9999"),
        (GERMAN_BORN, "01.01.1900"),
        (GERMAN_BORN, "00.00.0000"),
    ],
)
def test_a_code_that_stands_apart_is_proposed_with_its_count(tmp_path: Path, cells: list[str], code: str) -> None:
    found = of_csv(tmp_path / "x.csv", [code, code, code, *cells[3:]])
    assert found.null_values == (code,)
    assert found.missing == 3
    assert f"3 cells '{code}'" in found.reason


def test_several_codes_and_words_are_found_in_one_column(tmp_path: Path) -> None:
    found = of_csv(tmp_path / "x.csv", ["k.A.", "998", "999", "unbekannt", "-", *AGES[5:]])
    assert set(found.null_values) == {"k.A.", "998", "999", "unbekannt", "-"}
    assert (found.missing, found.kind) == (5, "number")


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (RNG.choice(["DE", "FR", "ZA", "US"], 200).tolist(), "NA"),  # Namibia
        (RNG.choice(["Mg", "K", "Ca"], 200).tolist(), "Na"),  # sodium
        (RNG.choice(["ny", "tx", "oh"], 200).tolist(), "nd"),
        (ANSWERS, "None"),
        (ANSWERS, "not applicable"),
        (RNG.choice(["+", "++"], 200).tolist(), "-"),
        (RNG.choice(["1", "2"], 200).tolist(), "9"),
        (RNG.choice(["0", "1"], 200).tolist(), "-1"),
        ([str(pay) for pay in RNG.integers(10_000, 90_000, 200)], "99999"),
    ],
)
def test_a_code_that_may_be_a_value_is_asked_and_not_proposed(tmp_path: Path, cells: list[str], code: str) -> None:
    found = of_csv(tmp_path / "x.csv", [code] * 6 + cells[6:], "diet")  # a heading below which labels are kept
    assert code not in found.null_values
    asked = [question for question in found.questions if "null_values" in question]
    assert [question.split(":")[0] for question in asked] == [f"6 of 200 cells are {code!r}"]


@pytest.mark.parametrize(
    "cells",
    [
        [str(number) for number in range(1, 200)],  # 99 and 77 are numbers like others
        [f"{degrees:.1f}" for degrees in np.linspace(-9, 30, 200)],
        [str(year) for year in range(1900, 2100)],
        [f"19{year}-01-01" for year in range(10, 99)],
        ["yes", "no", "maybe"] * 60,
        ["no", "na klar", "nil desperandum"] * 60,
        [str(number) for number in range(9_900, 10_100)],
    ],
)
def test_values_like_others_are_neither_proposed_nor_asked(tmp_path: Path, cells: list[str]) -> None:
    found = of_csv(tmp_path / "x.csv", cells)
    assert not found.null_values
    assert not found.questions


def test_one_stray_cell_among_numbers_is_asked_about_at_the_top_without_showing_it(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("weight,y\n" + "".join(f"{cell},1\n" for cell in ["zq7canary", *HEIGHTS[1:]]), encoding="utf-8")
    found = shoal.profile(path)
    assert [name for name, _ in found.questions] == ["weight"]
    assert found.questions[0][1].startswith("1 of 200 cells are not numbers")
    assert "canary" not in json.dumps(found.to_dict())
    assert str(found).index("1 of 200 cells are not numbers") < str(found).index("quasi")


def test_codes_with_letters_in_some_are_not_called_numbers_with_strays(tmp_path: Path) -> None:
    assert not of_csv(tmp_path / "x.csv", ["0123", "0456", "12A"] * 60).questions


def test_a_frame_of_texts_has_the_kind_of_its_cells_without_the_codes() -> None:
    frame = pl.DataFrame({"x": ["k.A.", *AGES[1:]]})
    found = profile(Table(frame, Origin("polars"))).columns[0]
    assert (found.kind, found.null_values) == ("number", ("k.A.",))


def test_codes_are_not_proposed_for_a_column_that_is_not_published(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [f"{'unknown' if row < 5 else f'person{row}@mail.example'},{row % 7}" for row in range(60)]
    path.write_text("email,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    proposed = shoal.profile(path).policy
    assert proposed.columns["email"].role == "identifier"
    assert proposed.columns["email"].null_values == ()


@pytest.mark.parametrize("name", ["PLZ", "code"])
def test_leading_zeros_are_no_stray_cells(name):
    """Postal codes of which some begin with 0 are codes, and nothing is asked about numbers."""
    codes = [f"{code:05d}" for code in range(1067, 99999, 1237)] * 12
    (column,) = shoal.profile(pl.DataFrame({name: codes})).columns
    assert not any("no numbers" in question for question in column.questions)


def test_zeros_among_numbers_without_leading_zeros_are_missing() -> None:
    grams = ["0000" if row % 3 else str(700 + 100 * (row % 39)) for row in range(300)]
    column = shoal.profile(pl.DataFrame({"grams": grams, "x": ["a", "b"] * 150})).columns[0]
    assert (column.null_values, column.missing) == (("0000",), 200)


def test_zeros_among_codes_of_their_length_are_asked_about() -> None:
    codes = ["0000" if row % 3 == 0 else str(1000 + 17 * (row % 40)) for row in range(300)]
    column = shoal.profile(pl.DataFrame({"branch code": codes, "x": ["a", "b"] * 150})).columns[0]
    assert not column.null_values
    assert column.role == "identifier" or any("0000" in question for question in column.questions)
