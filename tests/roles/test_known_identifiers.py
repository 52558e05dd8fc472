"""What is recognized by name and form, and what must not be."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.roles import check_digits as checksums
from shoal.roles.column_profile import ColumnProfile, profile_column
from shoal.roles.known_attributes import AGE, DATE, PLACES, SENSITIVE
from shoal.roles.known_identifiers import IDENTIFIERS
from shoal.roles.recognize import recognize, says, words

RNG = np.random.default_rng(7)


def found(name: str, values: list[Any] | pl.Series) -> ColumnProfile:
    return profile_column(pl.Series(name, values, strict=False))[0]


def what(name: str, values: list[Any] | pl.Series) -> str | None:
    return found(name, values).what


def digits(check: checksums.Check, length: int, *, first: str = "") -> list[str]:
    """Thirty numbers that pass the check."""
    rng, passing = np.random.default_rng(length), list[str]()
    while len(passing) < 30:
        number = first + "".join(str(d) for d in rng.integers(0, 10, length - len(first)))
        if check(number):
            passing.append(number)
    return passing


PEOPLE = ["Ada Lovelace", "Niels Abel", "Émilie du Châtelet", "O'Hara", "Nguyễn", "王小明"]


@pytest.mark.parametrize(
    "name",
    [
        "name",
        "Name",
        "last_name",
        "LastName",
        "SURNAME",
        "patient name",
        "PatientName",
        "Nachname",
        "Vorname",
        "nom",
        "Prénom",
        "apellidos",
        "nombre",
        "Cognome",
        "nome",
        "achternaam",
        "Imię",
        "nazwisko",
        "Förnamn",
        "sukunimi",
        "Příjmení",
        "Фамилия",
        "имя",
        "姓名",
        "氏名",
        "이름",
        "maiden-name",
        "doctor_name",
        "kundenname",
    ],
)
def test_names_of_people_are_recognized_by_the_column_s_name_in_many_languages(name: str) -> None:
    column = found(name, PEOPLE)
    assert (column.what, column.role, column.safe_harbor) == ("name of a person", "identifier", "A")


def test_names_with_digits_are_names_too() -> None:
    assert what("Patient Name", ["Müller12", "Abbott509", "Schuster7"]) == "name of a person"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("nombre", [1, 2, 3, 2]),
        ("nombre_enfants", ["un", "deux"]),
        ("product_name", ["bolt", "nut"]),
        ("hospital name", ["north", "south"]),
        ("rename", ["x", "y"]),
        ("name", [True, False]),
        ("nomination", ["a", "b"]),
        ("name", ["A12", "B77", "C31"]),
    ],
)
def test_not_every_name_is_that_of_a_person(name: str, values: list[Any]) -> None:
    assert what(name, values) != "name of a person"


@pytest.mark.parametrize(
    ("name", "values", "is_a", "letter"),
    [
        ("Telefon", ["030 1234567", "+49 30 1234567"], "telephone number", "D"),
        ("mobile", [4155551234, 4155559876], "telephone number", "D"),
        ("fax_no", ["(415) 555-1234"], "fax number", "E"),
        ("E-Mail", ["a@example.org", "n/a"], "e-mail address", "F"),
        ("SSN", [123456789, 987654321], "US social security number", "G"),
        ("Sozialversicherungsnummer", ["12 345678 A 901"], "national number", "R"),
        ("MRN", ["MR-000123"], "medical record number", "H"),
        ("insurance_no", ["K123456789"], "health plan number", "I"),
        ("Kontonummer", [1234567890], "account number", "J"),
        ("driver's licence", ["D1234567"], "certificate or license number", "K"),
        ("licence plate", ["B-XY 1234"], "vehicle identifier or plate", "L"),
        ("device_id", ["A1:B2:C3"], "device identifier or serial number", "M"),
        ("homepage", ["http://example.org/~a"], "web address", "N"),
        ("ip", ["10.0.0.1", "fe80::1"], "IP address", "O"),
        ("fingerprint", ["9f86d081884c7d659a2f"], "biometric reference", "P"),
        ("photo", ["img/000123.jpg"], "photograph or recording", "Q"),
        ("Straße", ["Hauptstr. 5"], "street address", "B"),
        ("home address", ["5 Main St"], "street address", "B"),
        ("email address", ["a@example.org"], "e-mail address", "F"),
        ("ip_address", ["10.0.0.1"], "IP address", "O"),
        ("patient_id", ["p1", "p2"], "code of a person", "R"),
        ("id", [17, 4], "code of a person", "R"),
        ("email", [None, None], "e-mail address", "F"),
    ],
)
def test_identifiers_are_recognized_by_name_and_form(name: str, values: list[Any], is_a: str, letter: str) -> None:
    column = found(name, values)
    assert (column.what, column.safe_harbor, column.role) == (is_a, letter, "identifier")
    assert f"HIPAA Safe Harbor {letter}" in column.reason


@pytest.mark.parametrize(
    ("values", "is_a"),
    [
        (["a@example.org", "b.c@example.co.uk", "none"], "e-mail address"),
        (["https://example.org/a", "www.example.org/b"], "web address"),
        (["10.0.0.1", "10.0.0.2"], "IP address"),
        (["2001:db8::1", "::1"], "IP address"),
        (["123-45-6789", "234-56-7891"], "US social security number"),
        (["+49 30 1234567", "+1 (415) 555-1234"], "telephone number"),
        (["415-555-1234", "(415) 555-9876"], "telephone number"),
        (["00:1A:2b:3C:4d:5E"], "device address (MAC)"),
        (["scan_1.dcm", "scan_2.DCM"], "photograph or recording"),
        (["123e4567-e89b-12d3-a456-426614174000"], "identifying code (UUID)"),
        (["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"], "bank account (IBAN)"),
        (["1M8GDM9AXKP042788", "5GZCZ43D13S812715", "11111111111111111"], "vehicle identifier"),
        (digits(checksums.nhs_number, 10), "NHS number"),
        ([f"{n[:3]} {n[3:6]} {n[6:]}" for n in digits(checksums.nhs_number, 10)], "NHS number"),
        (digits(checksums.dutch_bsn, 9), "Dutch citizen number"),
        ([int(n) for n in digits(checksums.dutch_bsn, 9, first="1")], "Dutch citizen number"),
        ([f"{n[:3]}-{n[3:6]}-{n[6:]}" for n in digits(checksums.luhn, 9)], "Canadian insurance number"),
        ([f"{n[:6]}-{n[6:]}" for n in digits(checksums.luhn, 10, first="850712")], "Swedish personal number"),
        ([f"19{n[:6]}-{n[6:]}" for n in digits(checksums.luhn, 10, first="850712")], "Swedish personal number"),
        (digits(checksums.norwegian_number, 11, first="010285"), "Norwegian birth number"),
        (digits(checksums.polish_pesel, 11, first="850712"), "Polish PESEL"),
        (digits(checksums.german_tax, 11, first="97"), "German tax number"),
        (digits(checksums.belgian_national, 11, first="9910"), "Belgian national number"),
        (digits(checksums.brazilian_cpf, 11, first="999"), "Brazilian CPF"),
        ([f"{n[:6]}A{n[6:]}" for n in digits(checksums.finnish_hetu, 10, first="1310")], "Finnish identity code"),
        ([f"{n}{'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]}" for n in range(12345670, 12345690)], "Spanish identity number"),
        (digits(checksums.french_nir, 15, first="18507"), "French security number"),
        ([f"RSSMRA{n:02}A01H501U" for n in range(50, 70)], "Italian tax code"),
        (digits(checksums.swiss_ahv, 13, first="756"), "Swiss insurance number"),
        (digits(checksums.verhoeff, 12, first="4"), "Indian Aadhaar number"),
        (digits(checksums.chinese_number, 18, first="11010519850101"), "Chinese identity number"),
        (digits(checksums.luhn, 16, first="4"), "payment card number"),
        (digits(checksums.luhn, 15, first="01"), "device identifier (IMEI)"),
    ],
)  # fmt: skip
def test_telling_forms_are_recognized_without_a_name(values: list[Any], is_a: str) -> None:
    hit = recognize(IDENTIFIERS, "x7", [str(value) for value in values])
    assert hit is not None
    assert hit[0].what == is_a
    assert found("x7", values).role == "identifier"


def test_every_entry_is_told_by_its_name_or_its_form() -> None:
    for entry in (*IDENTIFIERS, *PLACES, *SENSITIVE, AGE, DATE):
        assert entry.names or entry.alone is not None
        assert re.compile(entry.names)
        assert re.compile(entry.values)
        assert entry.safe_harbor or entry.role == "sensitive"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("market_value", [int(v) for v in RNG.integers(10**8, 10**9, 200)]),  # nine digits, no check digit
        ("market_value", [int(v) for v in RNG.integers(10**9, 10**10, 200)]),
        ("market_value", [int(v) for v in RNG.integers(10**10, 10**11, 200)]),
        ("x7", ["000-12-3456", "900-12-3456"] * 30),
        ("phone", ["yes", "no"] * 30),
        ("phone_calls", list(range(12)) * 5),
        ("fax", [True, False] * 30),
        ("ip", ["left", "right"] * 30),
        ("version", ["1.2", "1.3"] * 30),
        ("time", ["12:30:00", "13:30:00"] * 30),
        ("medicare", ["yes", "no"] * 30),
        ("image", ["normal", "abnormal"] * 30),
        ("sin", [0.25, 0.5] * 30),
        ("account_balance_group", ["low", "high"] * 30),
        ("city", ["Bonn", "Ulm"] * 30),
        ("hospital_id", [1, 2, 3] * 30),
        ("number_of_children", [0, 1, 2] * 30),
    ],
)
def test_what_only_looks_like_an_identifier_is_none(name: str, values: list[Any]) -> None:
    assert found(name, values).role != "identifier"


@pytest.mark.parametrize("least", [1, 9])
def test_a_few_numbers_that_pass_a_check_by_chance_prove_nothing(least: int) -> None:
    assert recognize(IDENTIFIERS, "x7", digits(checksums.dutch_bsn, 9)[:least]) is None


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(170, 10, 500),
        RNG.integers(0, 10**7, 500),
        np.arange(0, 5000, 10),
        RNG.normal(0, 1, 500).astype(np.float32),
    ],
)
def test_a_measurement_with_all_values_different_is_no_identifier(values: np.ndarray[Any, Any]) -> None:
    column = found("measurement", pl.Series(np.unique(values)))
    assert column.unique_share == 1.0
    assert (column.role, column.kind) == ("quasi", "number")


def test_row_numbers_unique_codes_and_free_text_are_identifiers() -> None:
    assert what("x7", list(range(1000, 1050))) == "row number"
    assert what("x7", [f"ab{n}" for n in range(50)]) == "unique code"
    assert what("sample_code", [n * 17 for n in range(50)]) == "code"
    assert what("notes", [f"the person came in at {n} with a bad cough" for n in range(5)]) == "free text"
    for values in (list(range(50)), [f"ab{n}" for n in range(50)]):
        assert found("x7", values).role == "identifier"


def test_that_a_few_rows_all_differ_says_nothing() -> None:
    assert found("x7", [1, 2, 3]).role == found("x7", ["a", "b", "c"]).role == "quasi"


def test_the_form_is_judged_on_values_from_everywhere() -> None:
    values = [f"a{n}@example.org" for n in range(1_200)] + [f"word{n}" for n in range(2_000)]
    assert found("x7", values) == found("x7", values[::-1])
    assert "inside 1200 of 3200 cells" in found("x7", values).reason


def test_whole_numbers_kept_as_floats_because_of_gaps_are_read_as_whole() -> None:
    values = [float(n) for n in digits(checksums.dutch_bsn, 9, first="1")]
    assert what("x7", [*values, None]) == "Dutch citizen number"
    assert what("phone", [4155551234.0, None]) == "telephone number"


@pytest.mark.parametrize(
    "name", ["zip", "ZIPCode", "zip_code", "PLZ", "Postleitzahl", "code postal", "post code", "CAP"]
)
def test_postal_codes_are_quasi_identifiers_to_be_masked_from_the_right(name: str) -> None:
    column = found(name, ["02139", "94110"] * 30)
    assert (column.role, column.kind, column.prefix, column.safe_harbor) == ("quasi", "hierarchy", True, "B")
    assert found(name, [94110, 94117]).prefix
    lost = found(name, [2139, 94110])  # the leading zero is lost: first digits mean different things
    assert (lost.kind, lost.prefix, lost.digits) == ("hierarchy", True, 5)


def test_postal_codes_of_a_telling_form_need_no_name() -> None:
    assert what("x7", ["SW1A 1AA", "M1 1AE", "EC1A 1BB"] * 30) == "postal code"
    assert what("x7", ["02139-4307", "94110-1234", "94117-0001"] * 30) == "postal code"


@pytest.mark.parametrize(
    ("name", "values", "is_a"),
    [
        ("Wohnort", ["Bonn"] * 3, "place smaller than a state"),
        ("census tract", [1, 2] * 3, "place smaller than a state"),
        ("latitude", [48.123, 51.9], "geographic coordinate"),
        ("Alter", [33, 95], "age"),
        ("âge", [33, 95], "age"),
    ],
)
def test_places_and_ages_are_quasi_identifiers(name: str, values: list[Any], is_a: str) -> None:
    column = found(name, values)
    assert (column.role, column.what) == ("quasi", is_a)


def test_ages_above_89_are_counted() -> None:
    assert "2 rows are above 89" in found("age", [90, 104, 89, 12, None]).reason


@pytest.mark.parametrize(
    "name", ["DOB", "birth_date", "Geburtsdatum", "date de naissance", "AdmissionDate", "discharged", "date of death"]
)
def test_dates_of_a_person_s_life_are_told_by_the_name(name: str) -> None:
    column = found(name, ["2020-01-31", "1950-02-28", None])
    assert (column.what, column.role, column.kind, column.safe_harbor) == (
        "date of a person's life",
        "quasi",
        "date",
        "C",
    )
    assert found(name, pl.Series(["2020-01-31"]).str.to_date()).what == "date of a person's life"


def test_other_dates_are_dates_and_dates_with_two_readings_are_asked_about() -> None:
    assert (what("x7", ["2020-01-31"]), found("x7", ["2020-01-31T10:00:00"]).kind) == ("date", "date")
    assert found("x7", ["03/04/2020", "04/05/2020"]).kind == "date"
    assert found("x7", ["03/04/2020", "04/05/2020"]).questions
    assert found("x7", ["2020-01-31", "2021-02-29"]).role == "identifier"


@pytest.mark.parametrize(
    "name",
    [
        "Diagnosis",
        "icd10",
        "ICD-10",
        "salary-class",
        "income",
        "Einkommen",
        "Religion",
        "political party",
        "HIV status",
    ],
)
def test_sensitive_subjects_are_told_by_the_name(name: str) -> None:
    assert found(name, ["a", "b"] * 30).role == "sensitive"


@pytest.mark.parametrize("name", ["occupation", "sex", "race", "education", "payload", "direction", "x7"])
def test_when_in_doubt_a_column_is_a_quasi_identifier(name: str) -> None:
    column = found(name, ["a", "b"] * 30)
    assert (column.role, column.kind, column.what) == ("quasi", "label", None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GeburtsDatum_2", "geburts datum 2"),
        ("ZIPCode", "zip code"),
        ("  Prénom/nom ", "prenom nom"),
        ("Größe", "große"),
        ("이름", "이름"),
        ("", ""),
        ("__", ""),
    ],
)
def test_a_column_s_name_is_read_as_words(name: str, expected: str) -> None:
    assert words(name) == expected.casefold()


def test_words_must_be_whole() -> None:
    assert says(AGE, "age")
    assert not says(AGE, "wage")
    assert not says(AGE, "")
