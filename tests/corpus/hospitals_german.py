"""Exports of German hospitals and practices: semicolons, decimal commas, 31.12.1999, k.A."""

from __future__ import annotations

from datetime import timedelta

from tests.corpus import numbers, people
from tests.corpus.draw import Draw, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, SENSITIVE, Truth, code, date, identifier, label, note, number, quarter, scale

NOTES = (
    "Pat. klagt über Schmerzen im Knie, Rückruf erbeten unter PHONE",
    "Angehörige informiert: NAME, Tel. PHONE",
    "Keine Besonderheiten, Kontrolle in 4 Wochen",
    "Überweisung durch Dr. NAME wegen unklarer Befunde, bitte Arztbrief anfordern",
    "Wohnt bei Tochter NAME; Pflegedienst kommt ab DAY täglich",
    "Entlassung am DAY geplant, Ehefrau holt ab (PHONE)",
)
ICD = [
    "E11.90",
    "I10.00",
    "J18.9",
    "M54.5",
    "K35.8",
    "F32.1",
    "C50.9",
    "S72.0",
    "N39.0",
    "I48.0",
    "G40.2",
    "A09.9",
    "B24",
    "Z38.0",
]
PLZ = ["01067", "01099", "04103", "04109", "06108", "07743", "09111", "10115", "10435", "20095", "50667", "80331"]


@corpus_table(rows=300, separator=";", encoding="cp1252", line_end="\r\n")
def german_hospital(draw: Draw) -> dict[str, Truth]:
    """Discharges of a hospital as its information system writes them."""
    admitted = draw.days("2023-01-01", "2023-12-20")
    stay = [draw.randint(1, 21) for _ in range(draw.n)]
    left = [day + timedelta(days=days) for day, days in zip(admitted, stay, strict=True)]
    texts, planted = people.notes(draw, NOTES, "de", "0#### ######")
    born = written(draw.days("1930-01-01", "2015-12-31"), "%d.%m.%Y")
    return {
        "Fallnummer": identifier(draw.digits(8)),
        "Versichertennummer": identifier(draw.cells(lambda: numbers.german_insurance(draw))),
        "Name": identifier(draw.cells(lambda: f"{people.family(draw, 'de')}, {people.given(draw, 'de')}")),
        "Geburtsdatum": date(draw.with_missing(born, 0.02, "k.A."), "%d.%m.%Y", missing=("k.A.",)),
        "Geschlecht": label(draw.of(["w", "m", "d"], [50, 48, 2])),
        "PLZ": code(draw.even(PLZ)),
        "Aufnahmedatum": date(written(admitted, "%d.%m.%Y"), "%d.%m.%Y"),
        "Entlassdatum": date(written(left, "%d.%m.%Y"), "%d.%m.%Y"),
        "Verweildauer": number([str(days) for days in stay], EITHER),
        "Hauptdiagnose": code(draw.of(ICD), SENSITIVE),
        "Station": label(draw.of(["Innere", "Chirurgie", "Gynäkologie", "Pädiatrie", "Urologie"])),
        "Gewicht_kg": number(with_comma(draw.around(76, 14, 41, 139, 1)), EITHER, format="76,4"),
        "Bemerkung": note(texts, planted),
    }


@corpus_table(rows=160, separator=";", encoding="cp1252", line_end="\r\n")
def german_practice(draw: Draw) -> dict[str, Truth]:
    """A practice's billing list, with a name per column and the insurance of each patient."""
    pulse = draw.with_missing(draw.around(72, 11, 45, 130), 0.06, "-1")
    return {
        "lfd_Nr": identifier([str(row + 1) for row in range(draw.n)]),
        "Nachname": identifier(draw.cells(lambda: people.family(draw, "de"))),
        "Vorname": identifier(draw.cells(lambda: people.given(draw, "de"))),
        "Geb.": date(written(draw.days("1940-01-01", "2010-12-31"), "%d.%m.%y"), "%d.%m.%y"),
        "Straße": identifier(draw.cells(lambda: people.street(draw, "de"))),
        "Ort": label(draw.of(["Dresden", "Leipzig", "Halle", "Jena", "Gera"])),
        "Telefon": identifier(draw.cells(lambda: numbers.telephone(draw, "0351/#######"))),
        "Kasse": label(draw.of(["AOK", "TK", "Barmer", "DAK", "privat"])),
        "Puls": number(pulse, EITHER, ("-1",)),
        "Quartal": quarter(draw.of(["1/2023", "2/2023", "3/2023", "4/2023"])),
        "Betrag": number(with_comma(draw.around(88, 40, 11, 310, 2)), EITHER, format="88,40"),
        "Raucher": label(draw.with_missing(draw.of(["ja", "nein"]), 0.1, "unbekannt"), EITHER, ("unbekannt",)),
    }


@corpus_table(rows=200, separator=";", encoding="latin-1")
def german_laboratory(draw: Draw) -> dict[str, Truth]:
    """Results of a laboratory: several per person, units inside the cells, limits as text."""
    people_of = draw.repeated([f"P{number}" for number in range(30_417, 30_417 + draw.n // 4)])
    moments = draw.moments("2024-01-08", "2024-03-29")
    sugar = [f"{value.replace('.', ',')} mmol/l" for value in draw.around(5.6, 1.3, 3.1, 14.9, 1)]
    return {
        "Patienten-ID": identifier(people_of, repeats=True),
        "Abnahme": date([moment.strftime("%d.%m.%Y %H:%M") for moment in moments], "%d.%m.%Y %H:%M"),
        "Glukose": number(sugar, EITHER, format="5,6 mmol/l"),
        "Hämoglobin": number(with_comma(draw.around(14.1, 1.5, 8.2, 18.4, 1)), EITHER, format="14,1"),
        "Leukozyten": number(with_comma(draw.around(7.2, 2.1, 2.4, 19.0, 2)), EITHER, format="7,20"),
        "Bewertung": scale(draw.of(["normal", "erhöht", "stark erhöht", "erniedrigt"]), EITHER),
        "Einsender": label(draw.of(["Ambulanz", "Station 3", "Station 4", "Notaufnahme"])),
    }
