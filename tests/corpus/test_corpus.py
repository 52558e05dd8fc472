"""The corpus itself: enough tables, every one of them as its truth says, and all kinds of columns among them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

import pytest

from shoal.roles import check_digits
from tests.corpus import numbers
from tests.corpus.draw import Draw
from tests.corpus.registry import RECIPES
from tests.corpus.tables import NAMES, build

ALL = {name: build(name) for name in NAMES}
TRUTHS = [truth for table in ALL.values() for truth in table.columns.values()]


def test_there_are_enough_tables_and_each_is_generated_anew_with_the_same_bytes() -> None:
    assert len(NAMES) >= 40
    assert [build(name).data() == ALL[name].data() for name in NAMES] == [True] * len(NAMES)


def test_every_table_says_what_it_mimics() -> None:
    assert not [name for name in NAMES if not (RECIPES[name].make.__doc__ or "").strip()]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_truth_says_of_a_column_is_in_its_cells(name: str) -> None:
    for column, truth in ALL[name].columns.items():
        present = [cell for cell in truth.cells if cell and cell not in truth.missing]
        assert set(truth.missing) <= set(truth.cells), column
        assert all(any(one in cell for cell in truth.cells) for one in truth.planted), column
        if "%" in truth.format and truth.kinds <= {"date", "month"} and "Dez" not in " ".join(present):
            form = truth.format.replace("%-", "%")  # reading takes a day without its zero as well
            assert all(datetime.strptime(cell, form) for cell in present), column


def test_all_forms_of_dates_numbers_and_missing_values_are_there() -> None:
    formats = {truth.format for truth in TRUTHS}
    assert {
        "%d.%m.%Y",
        "%m/%d/%Y",
        "%Y/%m/%d",
        "%d-%m-%Y",
        "%-d. %b %Y",
        "%Y-%m",
        "%Y%m%d",
        "%m/%d/%y",
        "excel",
    } <= formats
    surroundings = " ".join(formats)
    assert all(sign in surroundings for sign in ("%", "€", "$", "mmol/l", "kg", "1840,50", "2.980,96", "2,980.96"))
    spellings = {spelling for truth in TRUTHS for spelling in truth.missing}
    assert {"NA", "N/A", "-", ".", "k.A.", "unbekannt", "999", "-1", "9999-12-31"} <= spellings
    encodings = {table.encoding for table in ALL.values()}
    assert {"cp1252", "latin-1", "cp1250", "utf-16", "gb18030", "shift_jis", "utf-8-sig"} <= encodings
    assert any(truth.asks for truth in TRUTHS)
    assert {"place", "hierarchy", "ordered", "month", "quarter"} <= {kind for truth in TRUTHS for kind in truth.kinds}


CHECKED: tuple[tuple[Callable[[Draw], str], Callable[[str], bool]], ...] = (
    (numbers.nhs, check_digits.nhs_number),
    (numbers.iban, check_digits.iban),
    (numbers.german_tax, check_digits.german_tax),
    (numbers.french_security, check_digits.french_nir),
    (numbers.spanish_dni, check_digits.spanish_dni),
    (numbers.polish_pesel, check_digits.polish_pesel),
    (numbers.dutch_bsn, check_digits.dutch_bsn),
    (numbers.swedish_number, check_digits.swedish_number),
    (numbers.finnish_hetu, check_digits.finnish_hetu),
    (numbers.norwegian_number, check_digits.norwegian_number),
    (numbers.brazilian_cpf, check_digits.brazilian_cpf),
    (numbers.chinese_number, check_digits.chinese_number),
    (numbers.swiss_number, check_digits.swiss_ahv),
    (numbers.belgian_number, check_digits.belgian_national),
    (numbers.canadian_number, check_digits.luhn),
    (numbers.payment_card, check_digits.luhn),
    (numbers.imei, check_digits.luhn),
)


@pytest.mark.parametrize(("make", "check"), CHECKED, ids=lambda one: one.__name__)
def test_numbers_of_people_made_by_one_rule_pass_the_other(
    make: Callable[[Draw], str], check: Callable[[str], bool]
) -> None:
    draw = Draw("numbers", 1)
    made = [re.sub(r"[\s.\-]", "", make(draw)) for _ in range(300)]
    assert len(set(made)) > 290
    assert all(map(check, made))
