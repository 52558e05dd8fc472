"""Exports of hospitals and practices in the United States, England and Canada."""

from __future__ import annotations

from datetime import timedelta

from tests.corpus import numbers, people
from tests.corpus.draw import Draw, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import (
    EITHER,
    SENSITIVE,
    Truth,
    code,
    count,
    date,
    identifier,
    label,
    note,
    number,
    rating,
    year,
)

NOTES = (
    "pt called at PHONE re: refill, no answer",
    "Spouse NAME is the emergency contact, cell PHONE",
    "Follow-up in two weeks; denies chest pain",
    "Referred by Dr. NAME for further evaluation of the left hip",
    "Lives with daughter NAME, needs a walker at home",
)
ICD_US = ["E11.9", "I10", "J44.1", "M17.11", "K21.9", "F33.1", "C34.90", "S82.101A", "N18.3", "O80", "Z23", "J06.9"]


def _usd(cells: list[str]) -> list[str]:
    return [f"${float(cell):,.2f}" for cell in cells]


@corpus_table(rows=300)
def us_hospital(draw: Draw) -> dict[str, Truth]:
    """Encounters of a hospital in the United States."""
    admitted = draw.days("2022-01-01", "2023-12-15")
    left = [day + timedelta(days=draw.randint(1, 14)) for day in admitted]
    texts, planted = people.notes(draw, NOTES, "en", "(###) ###-####")
    charges = _usd(draw.cells(lambda: draw.lognormvariate(9, 0.8)))
    return {
        "MRN": identifier(draw.digits(7)),
        "SSN": identifier(draw.cells(lambda: numbers.ssn(draw))),
        "LastName": identifier(draw.cells(lambda: people.family(draw, "en"))),
        "FirstName": identifier(draw.cells(lambda: people.given(draw, "en"))),
        "DOB": date(written(draw.days("1928-01-01", "2020-12-31"), "%m/%d/%Y"), "%m/%d/%Y"),
        "Sex": label(draw.of(["F", "M"])),
        "Race": label(
            draw.with_missing(draw.of(["White", "Black", "Asian", "Other"]), 0.05, "Unknown"), EITHER, ("Unknown",)
        ),
        "ZIP": code(
            draw.cells(lambda: f"{draw.choice(['02115', '02139', '01803', '06510'])}-{draw.randint(1000, 9999)}")
        ),
        "AdmitDate": date(written(admitted, "%m/%d/%Y"), "%m/%d/%Y"),
        "DischargeDate": date(written(left, "%m/%d/%Y"), "%m/%d/%Y"),
        "PrimaryDx": code(draw.of(ICD_US), SENSITIVE),
        "InsuranceID": identifier(draw.cells(lambda: numbers.telephone(draw, "XHP########"))),
        "TotalCharges": number(charges, EITHER, format="$8,103.08"),
        "Comments": note(texts, planted),
    }


@corpus_table(rows=220)
def us_clinic(draw: Draw) -> dict[str, Truth]:
    """Vital signs of a clinic: 999 for what was not measured, several visits of a person."""
    who = draw.repeated([f"MR-{number}" for number in range(551_203, 551_203 + draw.n // 3)])
    visits = written(draw.days("2023-03-01", "2023-09-30"), "%m-%d-%Y")
    return {
        "medical_record_no": identifier(who, repeats=True),
        "visit_date": date(visits, "%m-%d-%Y"),
        "age": number(draw.whole(18, 88)),
        "gender": label(draw.of(["Female", "Male", "Nonbinary"], [50, 47, 3])),
        "systolic": number(draw.with_missing(draw.around(128, 15, 92, 190), 0.05, "999"), EITHER, ("999",)),
        "diastolic": number(draw.with_missing(draw.around(79, 9, 55, 110), 0.05, "999"), EITHER, ("999",)),
        "temp_f": number(draw.around(98.4, 0.7, 96.0, 103.2, 1), EITHER),
        "pain_score": rating(draw.whole(0, 10), EITHER),
        "smoker": label(draw.with_missing(draw.of(["N", "Y"]), 0.05, "N/A"), EITHER, ("N/A",)),
        "provider_name": identifier(draw.cells(lambda: f"Dr. {people.family(draw, 'en')}")),
    }


@corpus_table(rows=240, line_end="\r\n")
def nhs_trust(draw: Draw) -> dict[str, Truth]:
    """Outpatients of a trust in England."""
    booked = draw.days("2023-04-01", "2024-03-31")
    codes = ["LS1 4AP", "LS2 9JT", "LS6 3QS", "BD7 1DP", "BD1 5BD", "WF1 2TE", "HX1 1TS", "HD1 3DH", "YO1 7HH"]
    return {
        "NHS Number": identifier(draw.cells(lambda: numbers.nhs(draw))),
        "Forename": identifier(draw.cells(lambda: people.given(draw, "en"))),
        "Surname": identifier(draw.cells(lambda: people.family(draw, "en"))),
        "Date of Birth": date(written(draw.days("1931-01-01", "2018-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Postcode": code(draw.even(codes)),
        "Ethnic Category": label(draw.of(["A", "B", "C", "H", "J", "M", "Z"]), EITHER),
        "Appointment": date(written(booked, "%d %b %Y"), "%d %b %Y"),
        "Specialty Code": code(draw.of(["100", "110", "130", "300", "320", "340", "400", "501"]), EITHER),
        "Attended": label(draw.of(["5", "3", "7", "2"])),
        "Waiting Days": number(draw.whole(1, 190), EITHER),
        "Deprivation Decile": rating(draw.whole(1, 10), EITHER),
        "GP Practice": code(draw.cells(lambda: f"B8{draw.randint(2001, 2030)}")),
    }


@corpus_table(rows=150)
def canadian_clinic(draw: Draw) -> dict[str, Truth]:
    """A walk-in clinic in Canada: insurance numbers with a check digit, postal codes with letters."""
    postal = ["K1A 0B1", "K1N 6N5", "K2P 1L4", "H2X 1Y4", "H3A 0G4", "M5V 2T6", "M4Y 1H1"]
    return {
        "SIN": identifier(draw.cells(lambda: numbers.canadian_number(draw))),
        "patient": identifier(draw.cells(lambda: people.full(draw, "en"))),
        "postal": code(draw.even(postal)),
        "birth_year": year(draw.whole(1935, 2019)),
        "province": label(draw.of(["ON", "QC", "BC", "AB"])),
        "visits_last_year": count(draw.whole(0, 9)),
        "condition": label(draw.of(["asthma", "hypertension", "migraine", "depression", "eczema"]), SENSITIVE),
        "weight": number([f"{cell} kg" for cell in draw.around(78, 15, 44, 140)], EITHER, format="78 kg"),
    }
