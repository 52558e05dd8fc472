"""Registers of diseases, deaths and vaccinations: compact dates, two-digit years, quarters, UTF-16."""

from __future__ import annotations

from datetime import timedelta

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
    number,
    quarter,
    rating,
    scale,
    year,
)


@corpus_table(rows=400)
def hiv_surveillance(draw: Draw) -> dict[str, Truth]:
    """Reports of HIV: how it was caught follows from what others know, if nothing is done about it."""
    states = draw.of(["Hamburg", "Berlin", "Hessen", "Bayern", "Sachsen"])
    sexes = draw.of(["male", "female"], [3, 1])
    ways = []
    for state, sex in zip(states, sexes, strict=True):
        usual = "heterosexual" if sex == "female" else "men who have sex with men"
        rare = "mother to child" if state == "Sachsen" else "injecting drugs"
        ways.append(draw.choices([usual, rare, "heterosexual"], [8, 1, 1])[0])
    diagnosed = draw.days("2015-01-01", "2022-12-31")
    died = [
        f"{day + timedelta(days=draw.randint(200, 1400)):%Y-%m-%d}" if draw.random() < 0.08 else ""
        for day in diagnosed
    ]
    return {
        "report_id": identifier([f"HIV-{year}-{row:05d}" for row, year in enumerate(draw.even(range(2015, 2023)))]),
        "state": label(states),
        "sex": label(sexes),
        "age_at_diagnosis": number(draw.around(38, 11, 15, 79)),
        "date_of_diagnosis": date(written(diagnosed, "%Y-%m-%d")),
        "date_of_death": date(died),
        "transmission": label(draw.with_missing(ways, 0.1, "unknown"), SENSITIVE, ("unknown",)),
        "cd4_count": number(draw.with_missing(draw.around(380, 160, 9, 1100), 0.15, "NA"), EITHER, ("NA",)),
        "country_of_birth": label(draw.of(["Germany", "Poland", "Ukraine", "Nigeria", "Thailand", "Brazil"])),
    }


@corpus_table(rows=300, separator=";")
def notifiable_diseases(draw: Draw) -> dict[str, Truth]:
    """Notifications by district, with the quarter and the week."""
    return {
        "Aktenzeichen": identifier([f"AZ-{number}" for number in draw.digits(7)]),
        "Meldequartal": quarter(draw.cells(lambda: f"{draw.randint(2019, 2023)}-Q{draw.randint(1, 4)}")),
        "Meldewoche": Truth(
            draw.cells(lambda: f"{draw.randint(2019, 2023)}-W{draw.randint(1, 52):02d}"),
            frozenset({"label", "hierarchy", "ordered", "date", "week"}),
            frozenset({"quasi"}),
        ),
        "Landkreis": code(
            draw.even(["08111", "08115", "08116", "09162", "09184", "11000", "05315", "05314", "14612"])
        ),
        "Geschlecht": label(draw.of(["weiblich", "männlich"])),
        "Altersgruppe": scale(draw.of(["0-4", "5-14", "15-34", "35-59", "60-79", "80+"])),
        "Krankheit": label(draw.of(["Influenza", "Masern", "Salmonellose", "Tuberkulose", "Hepatitis B"]), SENSITIVE),
        "Hospitalisiert": label(
            draw.with_missing(draw.of(["nein", "ja"]), 0.1, "k.A.", "unbek."), EITHER, ("k.A.", "unbek.")
        ),
    }


@corpus_table(rows=260)
def cancer_registry(draw: Draw) -> dict[str, Truth]:
    """A cancer registry: dates of eight digits, months of a year, codes of site and tissue."""
    seen = draw.days("2010-01-01", "2022-12-31")
    follow = draw.with_missing(written(draw.days("2018-01-01", "2023-12-31"), "%Y%m%d"), 0.06, "99999999")
    return {
        "PATID": identifier(draw.digits(9)),
        "BIRTHDT": date(written(draw.days("1925-01-01", "1990-12-31"), "%Y%m%d"), "%Y%m%d"),
        "SEX": label(draw.of([1, 2], [1, 1])),
        "DXDATE": date(written(seen, "%Y%m%d"), "%Y%m%d"),
        "FUDATE": date(follow, "%Y%m%d", missing=("99999999",)),
        "DXMONTH": month(written(seen, "%Y-%m"), "%Y-%m"),
        "SITE": code(
            draw.of(["C50.9", "C61.9", "C34.1", "C18.7", "C43.5", "C25.0", "C20.9", "C16.2", "C67.9"]), EITHER
        ),
        "MORPH": code(draw.of(["8140/3", "8500/3", "8070/3", "8720/3", "8041/3", "8480/3"]), EITHER),
        "GRADE": scale(draw.with_missing(draw.of([1, 2, 3, 4]), 0.06, "9"), EITHER, ("9",)),
        "STAGE": scale(draw.of(["I", "II", "III", "IV"]), EITHER),
        "VITAL": label(draw.of([0, 1]), EITHER),
    }


@corpus_table(rows=220)
def death_registry(draw: Draw) -> dict[str, Truth]:
    """Deaths with years of two digits: a birth in 31 may be of 1931 or of 2031."""
    born, died = draw.days("1921-01-01", "1999-12-31"), draw.days("2019-01-01", "2023-12-31")
    return {
        "certificate_no": identifier(draw.digits(8, "D")),
        "decedent": identifier(draw.cells(lambda: people.full(draw, "en"))),
        "birth_dt": Truth(
            written(born, "%m/%d/%y"), frozenset({"date"}), frozenset({"quasi"}), format="%m/%d/%y", asks=True
        ),
        "death_dt": Truth(
            written(died, "%m/%d/%y"), frozenset({"date"}), frozenset({"quasi"}), format="%m/%d/%y", asks=True
        ),
        "sex": label(draw.of(["F", "M"])),
        "county_fips": code(draw.even(["01001", "01003", "06037", "06059", "36047", "36061", "48201"])),
        "cause": code(
            draw.of(["I21.9", "C34.9", "J44.9", "G30.9", "I64", "E14.9", "X42", "K70.3", "I25.1"]), SENSITIVE
        ),
        "manner": label(draw.of(["natural", "accident", "suicide", "undetermined"]), EITHER),
    }


@corpus_table(rows=240, separator="\t", encoding="utf-16", line_end="\r\n")
def vaccination_registry(draw: Draw) -> dict[str, Truth]:
    """A register of vaccinations saved as Unicode text: UTF-16 and tabs."""
    who = draw.repeated([f"V{number}" for number in range(880_100, 880_100 + draw.n // 2)])
    return {
        "Impfling-Nr": identifier(who, repeats=True),
        "Name": identifier(draw.cells(lambda: people.full(draw, "de"))),
        "Jahrgang": year(draw.whole(1930, 2018)),
        "Impfdatum": date(written(draw.days("2021-01-01", "2022-12-31"), "%Y-%m-%d")),
        "Impfstoff": label(draw.of(["Alpha", "Beta", "Gamma"]), EITHER),
        "Dosis": count(draw.whole(1, 4)),
        "Charge": code(draw.cells(lambda: f"{draw.choice(['FK', 'EX', 'AB'])}{draw.randint(1000, 1019)}"), EITHER),
        "Landkreis": label(draw.of(["Görlitz", "Bautzen", "Meißen", "Zwickau"])),
    }


@corpus_table(rows=200)
def birth_register(draw: Draw) -> dict[str, Truth]:
    """Births: months in words, weeks of pregnancy, weights in grams."""
    days = draw.days("2015-01-01", "2020-12-31")
    months = ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"]
    spelled = [f"{day.day}. {months[day.month - 1]} {day.year}" for day in days]
    return {
        "mother_name": identifier(draw.cells(lambda: people.full(draw, "de"))),
        "born_on": date(spelled, "%-d. %b %Y"),
        "birth_weight": number([f"{cell} g" for cell in draw.around(3350, 480, 900, 4900)], EITHER, format="3350 g"),
        "weeks": number(draw.around(39, 1.8, 27, 42), EITHER),
        "sex": label(draw.of(["girl", "boy"])),
        "apgar5": rating(draw.of([10, 9, 8, 7, 6, 4]), EITHER),
        "mother_age": number(draw.around(30, 5, 16, 46)),
        "delivery": label(draw.of(["vaginal", "cesarean", "forceps"]), EITHER),
    }
