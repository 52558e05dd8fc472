"""Names of columns in several languages, read as the words that recognizers know."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.roles.recognize import words


def test_accents_go_and_the_marks_of_kana_stay() -> None:
    assert words("Prénom_Müller") == "prenom muller"
    assert words("マイナンバー") == "マイナンバー"


NUMBERS = [str(612_345_678 + 7_919 * row) for row in range(60)]


@pytest.mark.parametrize(
    "name",
    [
        "Móvil",
        "Celular",
        "PATID",
        "USUBJID",
        "社員番号",
        "住院号",
        "Matrikelnummer",
        "マイナンバー",
        "user",
        "HHID",
        "Arzt-Nr",
        "manager_id",
        "respondent",
    ],
)
def test_numbers_of_people_are_identifiers_whatever_language_their_column_speaks(name: str) -> None:
    found = shoal.profile(pl.DataFrame({name: NUMBERS, "age": range(20, 80)}))
    assert found.columns[0].role == "identifier"


@pytest.mark.parametrize(
    "name", ["Hauptdiagnose", "PrimaryDx", "诊断", "transmission", "cause_of_death", "Rozpoznanie"]
)
def test_health_is_sensitive_whatever_language_its_column_speaks(name: str) -> None:
    found = shoal.profile(pl.DataFrame({name: ["a", "b", "c"] * 20, "age": range(20, 80)}))
    assert found.columns[0].role == "sensitive"


def test_the_state_of_an_address_is_no_address() -> None:
    found = shoal.profile(
        pl.DataFrame({"addr_state": ["CA", "NY", "TX"] * 20, "address": [f"{n} Elm St" for n in range(60)]})
    )
    assert [column.role for column in found.columns] == ["quasi", "identifier"]


@pytest.mark.parametrize("name", ["Entgelt", "Verdienst", "Gehalt"])
def test_pay_in_german_is_sensitive(name: str) -> None:
    pay = pl.DataFrame({name: [1200 + 37 * (i % 50) for i in range(100)]})
    assert shoal.profile(pay).columns[0].role == "sensitive"
