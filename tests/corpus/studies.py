"""Laboratories, pharmacies, clinical trials and schools."""

from __future__ import annotations

from tests.corpus import people
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
    month,
    note,
    number,
    quarter,
    rating,
    scale,
)

ATC = [
    "A10BA02",
    "C07AB07",
    "C09AA05",
    "N02BE01",
    "N06AB06",
    "J01CA04",
    "R03AC02",
    "B01AC06",
    "C10AA05",
    "H03AA01",
    "N05BA12",
]


@corpus_table(rows=260)
def laboratory_results(draw: Draw) -> dict[str, Truth]:
    """Results in long form: test, value and unit, with limits of detection."""
    who = draw.repeated([f"S-{number}" for number in range(20_411, 20_411 + draw.n // 5)])
    crp = draw.cells(lambda: f"{draw.lognormvariate(1.2, 0.9):.1f} mg/L")
    low = draw.sample(range(draw.n), 12)
    crp = ["<0.3 mg/L" if row in low else cell for row, cell in enumerate(crp)]
    return {
        "subject_id": identifier(who, repeats=True),
        "collected_at": date(
            [m.strftime("%Y-%m-%d %H:%M:%S") for m in draw.moments("2024-01-01", "2024-06-30")], "%Y-%m-%d %H:%M:%S"
        ),
        "glucose_mg_dl": number(draw.around(104, 22, 61, 260), EITHER),
        "hba1c": number([f"{cell}%" for cell in draw.around(5.9, 0.8, 4.4, 11.2, 1)], EITHER, format="5.9%"),
        "crp": Truth(crp, frozenset({"number", "label"}), frozenset(EITHER), format="4.1 mg/L"),
        "sodium": number(draw.with_missing(draw.around(140, 3, 128, 150), 0.05, "."), EITHER, (".",)),
        "hemolysis": scale(draw.of(["none", "slight", "moderate", "gross"]), EITHER),
        "loinc": label(draw.of(["2345-7", "4548-4", "1988-5", "2951-2", "718-7"]), EITHER),
    }


@corpus_table(rows=220, separator=";")
def pharmacy(draw: Draw) -> dict[str, Truth]:
    """Dispensed medicines with ATC codes."""
    return {
        "RezeptNr": identifier(draw.digits(10)),
        "Versicherten_ID": identifier(draw.cells(lambda: f"K{draw.randint(100_000_000, 999_999_999)}")),
        "ATC": code(draw.of(ATC), SENSITIVE),
        "PZN": code(draw.cells(lambda: f"{draw.choice([1234567, 3121456, 4565321, 6123489]):08d}"), EITHER),
        "Abgabe": date(written(draw.days("2023-07-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Menge": count(draw.of([1, 2, 3, 4]), EITHER),
        "Preis": number(
            [f"{cell.replace('.', ',')} €" for cell in draw.around(24, 12, 5, 90, 2)], EITHER, format="24,10 €"
        ),
        "Zuzahlung": label(draw.of(["ja", "befreit"]), EITHER),
        "Arzt-Nr": identifier(draw.repeated(draw.digits(9)[:25]), repeats=True),
        "Alter": number(draw.whole(0, 96)),
    }


@corpus_table(rows=240)
def clinical_trial(draw: Draw) -> dict[str, Truth]:
    """Visits of the participants of a trial: month and year of birth, arms, quarters, doses."""
    ids = [f"{site:02d}-{number:03d}" for site in range(1, 7) for number in range(1, draw.n // 24 + 1)]
    born = {one: f"{draw.randint(1945, 1999)}-{draw.randint(1, 12):02d}" for one in ids}
    who = draw.repeated(ids)
    return {
        "USUBJID": identifier(who, repeats=True),
        "VISITNUM": count([str(row % 4 + 1) for row in range(draw.n)]),
        "BRTHMON": month([born[one] for one in who], "%Y-%m"),
        "SITE": label([one[:2] for one in who]),
        "ARM": label(draw.of(["PLACEBO", "10 MG", "20 MG"]), EITHER),
        "VISITQ": quarter(draw.of(["Q1 2022", "Q2 2022", "Q3 2022", "Q4 2022"])),
        "SBP": number(draw.with_missing(draw.around(131, 14, 95, 185), 0.06, "ND"), EITHER, ("ND",)),
        "EDSS": rating(draw.of(["1.0", "1.5", "2.0", "2.5", "3.0", "4.0"]), EITHER),
        "AETERM": label(draw.of(["none", "headache", "nausea", "dizziness", "rash"]), SENSITIVE),
        "DOSE": rating([f"{cell} mg" for cell in draw.even([5, 10, 15, 20, 25, 30, 40])]),
    }


@corpus_table(rows=180, separator=";")
def school_grades(draw: Draw) -> dict[str, Truth]:
    """Marks of pupils, with the remarks of their teachers."""
    phrases = (
        "NAME stört häufig den Unterricht und sollte allein sitzen",
        "Arbeitet ruhig und sorgfältig, gute Mitarbeit",
        "Eltern bitten um Rückruf unter PHONE wegen der Versetzung",
        "Förderbedarf in Mathematik, Gespräch mit Frau NAME geführt",
    )
    texts, planted = people.notes(draw, phrases, "de", "0171 #######")
    return {
        "Schüler": identifier(draw.cells(lambda: people.full(draw, "de"))),
        "Klasse": label(draw.of(["7a", "7b", "8a", "8b", "9a"])),
        "Geburtstag": date(written(draw.days("2008-07-01", "2012-06-30"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Deutsch": scale(draw.of([2, 3, 1, 4, 5, 6]), EITHER),
        "Mathematik": scale(draw.of([3, 2, 4, 1, 5, 6]), EITHER),
        "Sport": scale(draw.of([2, 1, 3, 4]), EITHER),
        "Fehltage": number(draw.whole(0, 41), EITHER),
        "Muttersprache": label(draw.of(["Deutsch", "Türkisch", "Arabisch", "Polnisch", "Russisch"]), EITHER),
        "Bemerkungen": note(texts, planted),
    }


@corpus_table(rows=200)
def university_exams(draw: Draw) -> dict[str, Truth]:
    """Exams of students: matriculation numbers, points, grades in letters."""
    who = draw.repeated(draw.digits(7)[: draw.n // 3])
    return {
        "matriculation_number": identifier(who, repeats=True),
        "semester": Truth(
            draw.of(["WS2021", "SS2022", "WS2022", "SS2023"]),
            frozenset({"label", "ordered", "hierarchy"}),
            frozenset({"quasi"}),
        ),
        "course": code(draw.of(["MATH101", "PHYS110", "CHEM100", "BIOL205", "ECON150", "HIST120", "LAW1010"])),
        "points": number(draw.around(61, 17, 4, 100, 1), EITHER),
        "grade": scale(draw.of(["B", "C", "A", "D", "F"]), EITHER),
        "attempt": count(draw.of([1, 2, 3])),
        "program": label(draw.of(["Physics BSc", "Economics BSc", "Law", "Medicine"])),
        "disability_support": label(draw.of(["no", "yes"], [19, 1]), EITHER),
    }


@corpus_table(rows=200)
def genetic_study(draw: Draw) -> dict[str, Truth]:
    """Genotypes and measurements of a cohort, with the barcodes of samples."""
    return {
        "barcode": identifier([f"TB{number}" for number in draw.digits(10)]),
        "rs7903146": label(draw.of(["CC", "CT", "TT"]), EITHER),
        "apoe": label(draw.of(["e3/e3", "e3/e4", "e2/e3", "e4/e4"]), EITHER),
        "age_years": number(draw.around(57, 9, 35, 84, 1)),
        "bmi": number(draw.around(26.7, 4.1, 16.9, 44.0, 2), EITHER),
        "type2_diabetes": label(draw.of([0, 1], [4, 1]), EITHER),
        "ancestry": label(draw.of(["EUR", "AFR", "EAS", "SAS"]), EITHER),
        "steps_per_day": number(
            draw.with_missing([f"{int(cell):,}" for cell in draw.around(7400, 2600, 900, 21_000)], 0.05, "n/a"),
            EITHER,
            ("n/a",),
            format="7,400",
        ),
    }
