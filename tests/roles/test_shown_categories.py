"""Under a heading that is not known, a label has to be shown: names and initials of other people look like one."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.roles.known_headings import is_known
from shoal.roles.recognize import words
from shoal.roles.shown_categories import shown_to_be_categories

CATEGORIES = [
    ["agency", "perm", "temp"],
    ["Yes", "No", "Unknown"],
    ["DSL", "Fiber optic", "No"],
    ["Electronic check", "Mailed check", "Bank transfer (automatic)"],
    ["Self-emp-not-inc", "Private", "Never-worked"],
    ["A", "B", "C"],
    ["AB12", "AB13", "C7"],
    ["SE", "NO", "DK"],
    ["EUR", "CHF"],
    ["CC", "CT", "TT"],
    ["Hamburg", "Berlin", "Kleinkleckersdorf"],
    ["bolest", "teplota", "žádná"],
    ["OFW", "tricycle driver", "vendor", "wala"],
    ["низкий", "средний"],
    ["Low", "Medium", "High"],
    [],
]
PEOPLE = [
    ["Marit", "Gro"],
    ["Lindqvist", "Aaltonen", "Brandt"],
    ["tb", "km", "sv"],
    ["AvD", "JH"],
    ["HB", "JL"],
    ["MONTALBAN", "SANCHIS"],
    ["mum", "Auntie Pat"],
    ["the tall one", "Jorge from the desk"],
    ["self", "social worker - Denise"],
    ["none", "Ines", "Mattis"],
    ["张三", "李四"],
    ["رائد", "هنادي"],
    ["Lena to send it", "call again"],
    ["2nd line", "Krystian", "Marzena"],
]


@pytest.mark.parametrize("values", CATEGORIES, ids=str)
def test_ordinary_words_codes_and_phrases_are_shown_to_be_categories(values: list[str]) -> None:
    assert shown_to_be_categories(pl.Series(values, dtype=pl.String))


@pytest.mark.parametrize("values", PEOPLE, ids=str)
def test_names_nicknames_and_initials_are_not(values: list[str]) -> None:
    assert not shown_to_be_categories(pl.Series(values, dtype=pl.String))


@pytest.mark.parametrize("values", PEOPLE, ids=str)
def test_few_people_under_an_unknown_heading_are_not_published_by_default(values: list[str]) -> None:
    table = pl.DataFrame({"qwertz": (values * 40)[:80], "age": [20 + at % 50 for at in range(80)]})
    column = shoal.profile(table).columns[0]
    assert column.role == "identifier"
    if column.what == "text of unknown meaning":
        assert any('role = "quasi"' in question for question in column.questions)
        assert not any(value in question for value in values for question in column.questions)


def test_who_knows_better_writes_the_role_and_publishes_the_column() -> None:
    table = pl.DataFrame({"qwertz": ["Trin", "Vals"] * 40, "age": [20 + at % 4 for at in range(80)]})
    proposed = shoal.profile(table).policy.model_dump(exclude_defaults=True)
    assert proposed["columns"]["qwertz"]["role"] == "identifier"
    release = shoal.anonymize(table, {"k": 3, "columns": {"qwertz": {"role": "quasi"}, "age": {"role": "quasi"}}})
    assert "qwertz" in release.table.columns


@pytest.mark.parametrize("heading", ["Cinsiyet", "المدينة", "Płeć", "科室", "Sparte", "sukupuoli", "Payment Method"])
def test_common_attributes_are_known_in_many_languages(heading: str) -> None:
    assert is_known(words(heading))


@pytest.mark.parametrize("heading", ["Lider klasy", "Oddział lider", "Koulu avustaja", "Maatje", "SDR"])
def test_an_attribute_beside_another_word_may_mean_a_person_and_is_not_known(heading: str) -> None:
    assert not is_known(words(heading))


@pytest.mark.parametrize(
    "heading", ["revenu", "Revenu mensuel", "Venit", "Inntekt", "Penghasilan", "الدخل", "Εισόδημα"]
)
def test_income_is_sensitive_in_many_languages(heading: str) -> None:
    table = pl.DataFrame({heading: [1000 + 10 * (at % 40) for at in range(200)]})
    found = shoal.profile(table).columns[0]
    assert (found.role, found.what) == ("sensitive", "money")


def test_the_badge_of_an_officer_and_the_tag_of_a_driver_are_codes_of_people() -> None:
    tags = [f"{0xA3F01C77 + 7919 * at:08X}" for at in range(30)]
    table = pl.DataFrame({"officer": ["Z-4471", "Z-2087", "Z-9913"] * 40, "tagged": tags * 4})
    assert [column.role for column in shoal.profile(table).columns] == ["identifier", "identifier"]
