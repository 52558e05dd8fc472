"""Microdata of statistics offices and answers to surveys: codes, weights, ids of households, scales."""

from __future__ import annotations

from tests.corpus import people
from tests.corpus.draw import Draw
from tests.corpus.registry import corpus_table
from tests.corpus.truth import (
    EITHER,
    Truth,
    code,
    count,
    identifier,
    label,
    member,
    month,
    note,
    number,
    quarter,
    rating,
    scale,
    year,
)

ISCO = [
    "2211",
    "2320",
    "2411",
    "3221",
    "3313",
    "4110",
    "5120",
    "5223",
    "7112",
    "7231",
    "8322",
    "9112",
    "9313",
    "1120",
    "0110",
]
NACE = [
    "A01",
    "C10",
    "C28",
    "F41",
    "F43",
    "G46",
    "G47",
    "H49",
    "I56",
    "J62",
    "K64",
    "M70",
    "N81",
    "O84",
    "P85",
    "Q86",
]
REGIONS = [111, 112, 113, 121, 125, 131, 140, 152, 210, 224, 231, 315, 322, 411]


def weight(cells: list[str]) -> Truth:
    """A survey weight: needed for totals; one of many values points at people, so it may be removed as well."""
    return Truth(cells, frozenset({"number"}), frozenset({"other", "quasi", "sensitive", "identifier"}))


def _households(draw: Draw) -> tuple[list[str], list[str]]:
    """Return the household of every row and the number of the person in it."""
    households, members, number_of = [], [], 70_001
    while len(households) < draw.n:
        size = draw.choice([1, 1, 2, 2, 3, 4])
        households += [str(number_of)] * size
        members += [str(member + 1) for member in range(size)]
        number_of += draw.randint(1, 9)
    return households[: draw.n], members[: draw.n]


@corpus_table(rows=400)
def labor_force_survey(draw: Draw) -> dict[str, Truth]:
    """A quarter of a labor force survey as an office hands it to researchers."""
    households, members = _households(draw)
    wage = draw.with_missing(draw.cells(lambda: round(draw.lognormvariate(7.6, 0.4))), 0.25, "99999")
    return {
        "QUARTER": quarter(draw.of(["2023-Q3", "2023-Q4", "2024-Q1", "2024-Q2"], [1, 1, 1, 1])),
        "HHID": identifier(households, repeats=True),
        "PERSONNO": member(members),
        "PERSID": identifier(
            [f"{household}{member:0>2}" for household, member in zip(households, members, strict=True)]
        ),
        "WEIGHT": weight(draw.around(412.5, 120, 90, 1100, 4)),
        "REGION": label(draw.of(REGIONS)),
        "SEX": label(draw.of([1, 2], [1, 1])),
        "AGE": number(draw.whole(15, 89)),
        "MARSTAT": label(draw.with_missing(draw.of([1, 2, 3, 4]), 0.03, "9"), EITHER, ("9",)),
        "HATLEV": scale(draw.of([100, 200, 303, 304, 400, 500, 600])),
        "ISCO4D": code(draw.with_missing(draw.even(ISCO), 0.3, "9999"), EITHER, ("9999",)),
        "NACE2D": code(draw.with_missing(draw.even(NACE), 0.3), EITHER),
        "HWUSUAL": number(draw.with_missing(draw.around(37, 9, 4, 70), 0.3, "99"), EITHER, ("99",)),
        "INCMON": number(wage, EITHER, ("99999",)),
    }


@corpus_table(rows=400)
def census_microdata(draw: Draw) -> dict[str, Truth]:
    """A sample of a census: whole numbers for everything."""
    households, members = _households(draw)
    return {
        "serial": identifier(households, repeats=True),
        "pernum": member(members),
        "statefip": label(draw.of([1, 4, 6, 9, 12, 17, 25, 36, 42, 48, 53])),
        "puma": label(draw.of([100, 200, 301, 302, 403, 1201, 1505, 2300, 3706])),
        "relate": label(draw.of([1, 2, 3, 11, 12])),
        "sex": label(draw.of([1, 2], [1, 1])),
        "age": number(draw.whole(0, 94)),
        "race": label(draw.of([1, 2, 4, 6, 7, 8]), EITHER),
        "educ": scale(draw.with_missing(draw.of([2, 4, 6, 7, 10, 11]), 0.03, "99"), missing=("99",)),
        "occ": code(draw.of([10, 430, 1020, 2310, 3255, 4020, 4760, 5240, 6230, 7200, 9130]), EITHER),
        "inctot": number(draw.cells(lambda: 10 * round(draw.lognormvariate(8, 0.7))), EITHER),
        "perwt": weight(draw.whole(24, 260)),
    }


@corpus_table(rows=260, separator=";")
def household_panel(draw: Draw) -> dict[str, Truth]:
    """Waves of a panel: each person in several rows, months of interviews, income in classes."""
    who = draw.repeated([str(number) for number in range(401_100, 401_100 + 7 * (draw.n // 3), 7)])
    months = [f"{draw.choice([2021, 2022, 2023])}-{draw.randint(1, 12):02d}" for _ in range(draw.n)]
    classes = ["unter 1.000", "1.000 bis 1.999", "2.000 bis 2.999", "3.000 und mehr"]
    return {
        "person_id": identifier(who, repeats=True),
        "welle": count(draw.whole(1, 3)),
        "interview": month(months, "%Y-%m"),
        "gebjahr": year(draw.whole(1932, 2005)),
        "geschlecht": label(draw.of(["1", "2"], [1, 1])),
        "familienstand": label(draw.with_missing(draw.of([1, 2, 3, 4, 5]), 0.04, "-1", "-2"), EITHER, ("-1", "-2")),
        "einkommensklasse": scale(
            draw.with_missing(draw.of(classes), 0.1, "keine Angabe"), EITHER, ("keine Angabe",)
        ),
        "zufriedenheit": rating(draw.with_missing(draw.whole(0, 10), 0.04, "-1"), EITHER, ("-1",)),
        "gewicht": weight(draw.around(1.02, 0.31, 0.2, 3.1, 4)),
        "bundesland": label(draw.of([f"{state:02d}" for state in range(1, 17)])),
    }


@corpus_table(rows=200)
def likert_numbers(draw: Draw) -> dict[str, Truth]:
    """A questionnaire with agreement from 1 to 5 and 9 for no answer."""
    answers = {
        f"q{item}_{topic}": scale(draw.with_missing(draw.whole(1, 5), 0.04, "9"), EITHER, ("9",))
        for item, topic in enumerate(("workload", "support", "fairness", "trust", "pay_fair"), start=1)
    }
    phrases = (
        "My manager NAME never listens to the team",
        "Nothing to add, thanks for asking us",
        "Please call me back at PHONE about the rota",
        "The canteen could open earlier on Fridays",
    )
    texts, planted = people.notes(draw, phrases, "en", "07### ######")
    return {
        "response_id": identifier(draw.digits(6)),
        "department": label(draw.of(["Sales", "Research", "Production", "Logistics"])),
        "tenure_years": number(draw.whole(0, 34)),
        **answers,
        "anything_else": note(draw.with_missing(texts, 0.3), planted),
    }


@corpus_table(rows=200, line_end="\r\n")
def likert_texts(draw: Draw) -> dict[str, Truth]:
    """A questionnaire with agreement in words."""
    agreement = ["Strongly agree", "Agree", "Neutral", "Disagree", "Strongly disagree"]
    often = ["Never", "Rarely", "Sometimes", "Often", "Always"]
    return {
        "ResponseId": identifier(
            [f"R_{''.join(draw.choices('abcdefghkmnpqrstuvwxyzABCDEFGH123456789', k=15))}" for _ in range(draw.n)]
        ),
        "IPAddress": identifier(draw.cells(lambda: ".".join(str(draw.randint(1, 254)) for _ in range(4)))),
        "Age group": scale(draw.of(["18-24", "25-34", "35-44", "45-54", "55+"])),
        "I feel heard": scale(draw.of(agreement), EITHER),
        "I would stay": scale(
            draw.with_missing(draw.of(agreement), 0.06, "Prefer not to say"), EITHER, ("Prefer not to say",)
        ),
        "How often do you drink": scale(draw.of(often), EITHER),
        "Education": scale(draw.of(["Primary", "Secondary", "Bachelor", "Master", "Doctorate"])),
        "RecipientEmail": identifier(draw.cells(lambda: people.email(draw, "en", "survey.example"))),
    }


@corpus_table(rows=240)
def spss_export(draw: Draw) -> dict[str, Truth]:
    """A file of a statistics package saved as numbers: codes for everything, -9 and -8 for missing."""
    return {
        "V1_CASEID": identifier([str(row) for row in range(1001, 1001 + draw.n)]),
        "V2_SEX": label(draw.of([1, 2], [1, 1])),
        "V3_AGE": number(draw.with_missing(draw.whole(18, 84), 0.04, "-9"), missing=("-9",)),
        "V4_MARITAL": label(draw.with_missing(draw.of([1, 2, 3, 4]), 0.05, "-9", "-8"), EITHER, ("-9", "-8")),
        "V5_RELIGION": label(draw.with_missing(draw.of([1, 2, 3, 4, 5, 6]), 0.08, "-9", "-8"), EITHER, ("-9", "-8")),
        "V6_PARTY": label(draw.with_missing(draw.of([1, 2, 3, 4, 5, 6, 7]), 0.08, "-9", "-8"), EITHER, ("-9", "-8")),
        "V7_CHILDREN": count(draw.whole(0, 6)),
        "V8_HEALTH": scale(draw.with_missing(draw.whole(1, 5), 0.05, "-9"), EITHER, ("-9",)),
        "V9_ISCO08": code(draw.even(ISCO), EITHER),
        "V10_WEIGHT": weight(draw.around(1, 0.3, 0.3, 2.9, 3)),
        "V11_URBAN": label(draw.of([1, 2, 3])),
    }


@corpus_table(rows=300)
def health_interview(draw: Draw) -> dict[str, Truth]:
    """A health interview survey: 999 and 9999 stand apart from what was measured."""
    region = [f"{draw.choice(['DE1', 'DE2', 'DE7', 'AT1', 'AT3', 'NL3'])}{draw.randint(1, 4)}" for _ in range(draw.n)]
    return {
        "intnr": identifier(draw.digits(5)),
        "nuts2": code(region),
        "sex": label(draw.of(["1", "2"], [1, 1])),
        "height": number(draw.with_missing(draw.around(171, 9, 146, 200), 0.05, "999"), EITHER, ("999",)),
        "weight_kg": number(draw.with_missing(draw.around(75, 13, 42, 138), 0.05, "999"), EITHER, ("999",)),
        "cigarettes_day": number(draw.with_missing(draw.whole(0, 40), 0.05, "999"), EITHER, ("999",)),
        "income_year": number(
            draw.with_missing(draw.cells(lambda: 100 * draw.randint(90, 900)), 0.2, "9999999"), EITHER, ("9999999",)
        ),
        "selfrated": scale(draw.of(["very good", "good", "fair", "bad", "very bad"]), EITHER),
        "chronic": label(
            draw.with_missing(draw.of(["no", "yes"]), 0.05, "don't know", "refused"),
            EITHER,
            ("don't know", "refused"),
        ),
        "svy_weight": weight(draw.around(2304.25, 700, 300, 6900, 3)),
    }
