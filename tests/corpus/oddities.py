"""Tables that are hard by their form: spreadsheets, names that say nothing, stray cells, long headers, emptiness."""

from __future__ import annotations

from datetime import date as day_of

from tests.corpus import numbers, people
from tests.corpus.draw import Draw, in_german, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import (
    EITHER,
    SENSITIVE,
    Truth,
    code,
    coordinate,
    count,
    date,
    empty,
    identifier,
    label,
    month,
    note,
    number,
    rating,
    scale,
    year,
)


def _serial(day: day_of) -> str:
    """Return a day as Excel numbers it."""
    return str((day - day_of(1899, 12, 30)).days)


@corpus_table(rows=200, separator=";", encoding="cp1252", line_end="\r\n")
def excel_export(draw: Draw) -> dict[str, Truth]:
    """A sheet in which dates lost their form and became numbers of days."""
    born, hired = draw.days("1955-01-01", "2002-12-31"), draw.days("2005-01-01", "2023-12-31")
    pay = [f"{draw.randint(18_000, 96_000):,}".replace(",", ".") for _ in range(draw.n)]
    return {
        "Pers.-Nr.": identifier(draw.digits(5)),
        "Geburtsdatum": Truth(
            [_serial(day) for day in born], frozenset({"date"}), frozenset({"quasi"}), format="excel"
        ),
        "Eintrittsdatum": Truth(
            [_serial(day) for day in hired], frozenset({"date"}), frozenset({"quasi"}), format="excel"
        ),
        "Jahresgehalt": number(pay, EITHER, format="54.300"),
        "Anteil": rating([f"{cell}%" for cell in draw.of([100, 50, 75, 80])]),
        "Abteilung": label(
            draw.with_missing(draw.of(["Einkauf", "Vertrieb", "Labor"]), 0.05, "#NV"), missing=("#NV",)
        ),
        "Kostenstelle": code(draw.of(["4100", "4200", "4310", "4320", "5100", "5200", "6100", "6110"])),
        "Bewertung": scale(draw.of(["gut", "sehr gut", "befriedigend", "ausreichend"]), EITHER),
    }


@corpus_table(rows=160)
def hidden_identifiers(draw: Draw) -> dict[str, Truth]:
    """Columns named col1 to col12: only what is in them tells what they are."""
    phrases = (
        "spoke with NAME about the results of last week",
        "no change since the visit in spring, see letter",
        "please ring PHONE before noon, mother answers",
        "moved to another town, new address unknown yet",
    )
    texts, planted = people.notes(draw, phrases, "en", "+1 617 555 ####")
    return {
        "col1": identifier(draw.cells(lambda: people.email(draw, "en", "mail.example"))),
        "col2": identifier(draw.cells(lambda: numbers.ssn(draw))),
        "col3": identifier(draw.cells(lambda: people.full(draw, "en"))),
        "col4": label(draw.of(["a", "b", "c"])),
        "col5": number(draw.whole(18, 90)),
        "col6": identifier(draw.cells(lambda: numbers.iban(draw, "GB", 18))),
        "col7": note(texts, planted),
        "col8": identifier(draw.cells(lambda: numbers.telephone(draw, "+1 617 555 ####"))),
        "col9": date(written(draw.days("1940-01-01", "2010-12-31"), "%Y-%m-%d")),
        "col10": identifier(draw.cells(lambda: people.street(draw, "en"))),
        "col11": identifier(draw.digits(9, "X")),
        "col12": label(draw.of(["0", "1"])),
    }


@corpus_table(rows=180, separator=";")
def hidden_names(draw: Draw) -> dict[str, Truth]:
    """Names of people under headings that do not say so, each shared by several rows."""
    return {
        "A": identifier(draw.cells(lambda: people.given(draw, "de"))),
        "B": identifier(draw.cells(lambda: people.family(draw, "de"))),
        "C": identifier(draw.cells(lambda: f"{people.family(draw, 'en')}, {people.given(draw, 'en')[0]}.")),
        "D": identifier(draw.cells(lambda: numbers.telephone(draw, "0611 ######"))),
        "E": year(draw.whole(1940, 2005)),
        "F": label(draw.of(["ledig", "verheiratet", "geschieden"]), EITHER),
    }


@corpus_table(rows=200)
def mostly_empty_notes(draw: Draw) -> dict[str, Truth]:
    """Notes in few rows only, so that most cells say nothing."""
    phrases = ("call NAME on PHONE", "see NAME", "allergic, told by NAME", "interpreter needed for visits")
    texts, planted = people.notes(draw, phrases, "en", "555 ### ####")
    kept = [text if row % 12 == 0 else "" for row, text in enumerate(texts)]
    rare = [text if row % 60 == 5 else "" for row, text in enumerate(texts)]
    return {
        "pid": identifier(draw.digits(6)),
        "age": number(draw.whole(18, 88)),
        "sex": label(draw.of(["female", "male"])),
        "diagnosis": label(draw.of(["asthma", "diabetes", "none", "copd"]), SENSITIVE),
        "remark": note(kept, planted),
        "second_remark": note(rare, planted),
        "fax": identifier(
            [numbers.telephone(draw, "555 ### ####") if row % 40 == 0 else "" for row in range(draw.n)]
        ),
        "unused": empty([""] * draw.n),
    }


@corpus_table(rows=120)
def only_missing(draw: Draw) -> dict[str, Truth]:
    """Columns in which nothing was ever filled in, by several spellings."""
    return {
        "age": number(draw.whole(20, 80)),
        "sex": label(draw.of(["f", "m"])),
        "field_a": empty([""] * draw.n),
        "field_b": empty(["NA"] * draw.n, ("NA",)),
        "field_c": empty(draw.of(["", "NULL"]), ("NULL",)),
        "field_d": empty(["-"] * draw.n, ("-",)),
    }


@corpus_table(rows=160)
def long_names(draw: Draw) -> dict[str, Truth]:
    """Headings of sixty characters and more, as a form on the web writes them."""
    return {
        "Please enter the full name of the person who takes part here": identifier(
            draw.cells(lambda: people.full(draw, "en"))
        ),
        "How old were you on the first of January of the current year?": number(draw.whole(18, 79)),
        "In which of the following regions did you mostly live in 2023?": label(
            draw.of(["North", "South", "East", "West"])
        ),
        "How satisfied are you with the service, from 1 (bad) to 5 (good)": scale(draw.whole(1, 5), EITHER),
        "On which day did you last see a doctor or visit a hospital (date)": date(
            written(draw.days("2023-01-01", "2023-12-31"), "%d/%m/%Y"), "%d/%m/%Y"
        ),
        "What is the monthly net income of your household, all in, in EUR?": number(
            draw.with_missing(draw.cells(lambda: 50 * draw.randint(16, 150)), 0.1, "-99"), EITHER, ("-99",)
        ),
        "Is there anything else that you would like to tell us about this?": note(
            *people.notes(
                draw,
                (
                    "No, thank you, all was fine with me",
                    "My neighbor NAME had the same trouble last year",
                    "You can reach me on PHONE after six",
                ),
                "en",
                "07### ######",
            )
        ),
    }


@corpus_table(rows=220)
def stray_cells(draw: Draw) -> dict[str, Truth]:
    """Numbers and dates in which one cell is something else."""
    age, weight, seen = draw.whole(18, 90), draw.around(74, 12, 45, 130, 1), draw.days("2022-01-01", "2023-12-31")
    days = written(seen, "%Y-%m-%d")
    age[17], weight[101], days[55] = "unknown", "?", "not yet"
    return {
        "case_number": identifier(draw.digits(6)),
        "age": number(age, missing=("unknown",)),
        "weight": number(weight, EITHER, ("?",)),
        "seen": date(days, missing=("not yet",)),
        "height": number(
            draw.with_missing(draw.around(172, 9, 150, 199), 0.04, "N/A", "NA", "n.a."), EITHER, ("N/A", "NA", "n.a.")
        ),
        "left": date(
            draw.with_missing(written(draw.days("2022-01-01", "2023-12-31"), "%Y-%m-%d"), 0.3, "9999-12-31"),
            missing=("9999-12-31",),
        ),
        "ward": label(draw.of(["A", "B", "C"])),
    }


@corpus_table(rows=140)
def ambiguous_days(draw: Draw) -> dict[str, Truth]:
    """Days of which none is above 12: the table does not tell day from month."""
    days = [day_of(draw.randint(1950, 2005), draw.randint(1, 12), draw.randint(1, 12)) for _ in range(draw.n)]
    return {
        "member_id": identifier(draw.digits(6)),
        "birthday": Truth(written(days, "%d/%m/%Y"), frozenset({"date"}), frozenset({"quasi"}), asks=True),
        "joined": date(written(draw.days("2015-01-01", "2023-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "club": label(draw.of(["chess", "rowing", "choir"])),
        "fee": number(draw.of(["12.50", "20.00", "35.00"]), EITHER),
    }


@corpus_table(rows=200)
def many_date_forms(draw: Draw) -> dict[str, Truth]:
    """One day in each of the forms in which people write it."""
    days = draw.days("1970-01-01", "2022-12-31")
    forms = {
        "iso": "%Y-%m-%d",
        "slashes": "%Y/%m/%d",
        "dots": "%d.%m.%Y",
        "dashes": "%d-%m-%Y",
        "american": "%m/%d/%Y",
        "compact": "%Y%m%d",
        "words": "%d %B %Y",
        "stamp": "%Y-%m-%dT%H:%M:%S",
        "short_month": "%d-%b-%Y",
    }
    columns = {
        f"seen_{name}": date(written(draw.days("1970-01-01", "2022-12-31"), form), form)
        for name, form in forms.items()
    }
    return (
        {"ref_no": identifier(draw.digits(7))}
        | columns
        | {
            "month_only": month(written(days, "%m/%Y"), "%m/%Y"),
            "year_only": year(written(days, "%Y")),
        }
    )


@corpus_table(rows=180, separator=";")
def many_number_forms(draw: Draw) -> dict[str, Truth]:
    """Numbers with thousands, units, percent and currency, in one table with decimal commas."""
    return {
        "kunde_nr": identifier(draw.digits(7)),
        "umsatz": number([in_german(draw.lognormvariate(8, 0.8)) for _ in range(draw.n)], EITHER, format="2.980,96"),
        "rabatt": number(
            [f"{cell} %".replace(".", ",") for cell in draw.around(6, 2, 0, 15, 1)], EITHER, format="6,1 %"
        ),
        "gehalt": number(
            [f"{in_german(draw.gauss(3100, 500))} EUR" for _ in range(draw.n)], EITHER, format="3.100,10 EUR"
        ),
        "abstand": number(
            [f"{cell} km".replace(".", ",") for cell in draw.around(14, 6, 0.3, 48, 1)], format="14,1 km"
        ),
        "temperatur": number(with_comma(draw.around(36.8, 0.5, 35.1, 40.2, 1)), EITHER, format="36,8"),
        "einwohner": number(
            [f"{draw.randint(1_000, 900_000):,}".replace(",", " ") for _ in range(draw.n)], format="54 300"
        ),
        "wert": number(
            draw.with_missing(with_comma(draw.around(5, 1, 1, 9, 2)), 0.05, "k. A."),
            EITHER,
            ("k. A.",),
            format="5,01",
        ),
    }


@corpus_table(rows=2000)
def long_register(draw: Draw) -> dict[str, Truth]:
    """Two thousand rows, so that rare values and sampling have room to go wrong."""
    rare = draw.of(["asthma", "hypertension", "none", "migraine"])
    for row in draw.sample(range(draw.n), 3):
        rare[row] = f"see letter of {people.full(draw, 'en')}"
    planted = tuple(cell.removeprefix("see letter of ") for cell in rare if cell.startswith("see letter"))
    return {
        "record": identifier([str(row) for row in range(1, draw.n + 1)]),
        "birth_year": year(draw.whole(1930, 2015)),
        "sex": label(draw.of(["F", "M"])),
        "municipality": label(draw.of([f"{code}" for code in range(1001, 1041)])),
        "finding": Truth(
            rare, frozenset({"label"}), frozenset({"sensitive", "identifier", "quasi"}), planted=planted
        ),
        "lat": coordinate(draw.around(46.9, 0.3, 46.0, 47.8, 4)),
        "lon": coordinate(draw.around(8.2, 0.6, 6.1, 10.3, 4)),
    }


@corpus_table(rows=300)
def wages_mostly_missing(draw: Draw) -> dict[str, Truth]:
    """Wages of whom most are missing: a group may have one wage among many empty cells."""
    return {
        "respondent": identifier(draw.digits(6)),
        "region": label(draw.of(["N", "S", "E", "W"])),
        "age": number(draw.whole(18, 75)),
        "sex": label(draw.of(["f", "m"])),
        "wage": number(draw.with_missing(draw.cells(lambda: 10 * draw.randint(60, 700)), 0.7), EITHER),
        "children": count(draw.whole(0, 5)),
        "disease": label(draw.with_missing(draw.of(["none", "asthma", "diabetes", "hiv"]), 0.5), SENSITIVE),
    }
