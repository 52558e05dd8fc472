"""Exports of hospitals and health services of France, Spain, Italy, Poland, the Netherlands and the north."""

from __future__ import annotations

from tests.corpus import numbers, people
from tests.corpus.draw import Draw, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, SENSITIVE, Truth, code, date, identifier, label, note, number, scale


@corpus_table(rows=200, separator=";", encoding="cp1252", line_end="\r\n")
def french_clinic(draw: Draw) -> dict[str, Truth]:
    """Stays in a clinic in France."""
    phrases = (
        "Le patient rappelle au PHONE pour le résultat",
        "Vu avec Mme NAME, prochain contrôle dans un mois",
        "RAS, sortie prévue demain matin",
        "Adressé par le Dr NAME pour douleurs thoraciques",
    )
    texts, planted = people.notes(draw, phrases, "fr", "06 ## ## ## ##")
    return {
        "N° sécurité sociale": identifier(draw.cells(lambda: numbers.french_security(draw))),
        "Nom": identifier(draw.cells(lambda: people.family(draw, "fr"))),
        "Prénom": identifier(draw.cells(lambda: people.given(draw, "fr"))),
        "Date de naissance": date(written(draw.days("1932-01-01", "2016-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Sexe": label(draw.of(["F", "M"])),
        "Code postal": code(draw.even(["01000", "06000", "13001", "31000", "35000", "59000", "69003", "75011"])),
        "Durée": number(draw.whole(1, 24), EITHER),
        "Coût": number(with_comma(draw.around(1840, 610, 210, 4900, 2)), EITHER, format="1840,50"),
        "Diagnostic": label(
            draw.with_missing(draw.of(["asthme", "diabète", "fracture", "grippe", "migraine"]), 0.05, "NR"),
            SENSITIVE,
            ("NR",),
        ),
        "Observations": note(texts, planted),
    }


@corpus_table(rows=180, separator=";", encoding="utf-8-sig")
def spanish_health_center(draw: Draw) -> dict[str, Truth]:
    """Patients of a health center in Spain, saved for a spreadsheet with a byte order mark."""
    return {
        "DNI": identifier(draw.cells(lambda: numbers.spanish_dni(draw))),
        "Apellidos": identifier(draw.cells(lambda: f"{people.family(draw, 'es')} {people.family(draw, 'es')}")),
        "Nombre": identifier(draw.cells(lambda: people.given(draw, "es"))),
        "Fecha nacimiento": date(written(draw.days("1938-01-01", "2014-12-31"), "%d-%m-%Y"), "%d-%m-%Y"),
        "Sexo": label(draw.of(["Mujer", "Hombre"])),
        "Código postal": code(draw.even(["03001", "08001", "08025", "28013", "28045", "41004", "46001"])),
        "Móvil": identifier(draw.cells(lambda: numbers.telephone(draw, "6########"))),
        "IMC": number(with_comma(draw.around(26.4, 4.2, 16.2, 43.9, 1)), EITHER, format="26,4"),
        "Enfermedad": label(draw.of(["asma", "diabetes", "hipertensión", "artrosis", "ninguna"]), SENSITIVE),
        "Última visita": date(
            draw.with_missing(written(draw.days("2022-01-01", "2023-12-31"), "%d-%m-%Y"), 0.06, "sin datos"),
            "%d-%m-%Y",
            missing=("sin datos",),
        ),
    }


@corpus_table(rows=160, separator=";", encoding="cp1252")
def italian_health_unit(draw: Draw) -> dict[str, Truth]:
    """Prescriptions of a local health unit in Italy."""
    return {
        "CodiceFiscale": identifier(draw.cells(lambda: numbers.italian_code(draw))),
        "Cognome": identifier(draw.cells(lambda: people.family(draw, "it"))),
        "Nome": identifier(draw.cells(lambda: people.given(draw, "it"))),
        "DataNascita": date(written(draw.days("1930-01-01", "2012-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "CAP": code(draw.even(["00100", "00184", "10121", "20121", "40121", "50122", "80121"])),
        "Comune": label(draw.of(["Roma", "Torino", "Milano", "Bologna", "Firenze", "Napoli"])),
        "Esenzione": code(draw.with_missing(draw.of(["E01", "E02", "C01", "048", "013"]), 0.3, "-"), EITHER, ("-",)),
        "Importo": number(with_comma(draw.around(38, 17, 4, 120, 2)), EITHER, format="38,10"),
        "Farmaco": label(draw.of(["ramipril", "metformina", "atorvastatina", "sertralina"]), SENSITIVE),
    }


@corpus_table(rows=160, separator=";", encoding="cp1250", line_end="\r\n")
def polish_registry(draw: Draw) -> dict[str, Truth]:
    """A register of a Polish region in the encoding of Windows for central Europe."""
    return {
        "PESEL": identifier(draw.cells(lambda: numbers.polish_pesel(draw))),
        "Nazwisko": identifier(draw.cells(lambda: people.family(draw, "pl"))),
        "Imię": identifier(draw.cells(lambda: people.given(draw, "pl"))),
        "Data urodzenia": date(written(draw.days("1934-01-01", "2010-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Płeć": label(draw.of(["kobieta", "mężczyzna"])),
        "Miasto": label(draw.of(["Kraków", "Łódź", "Gdańsk", "Poznań", "Wrocław"])),
        "Kod pocztowy": code(draw.even(["30-001", "31-154", "90-430", "80-831", "61-701", "50-101"])),
        "Rozpoznanie": code(draw.of(["I10", "E11", "J45", "M54", "F41", "K29", "N20", "C18", "H40"]), SENSITIVE),
        "Wzrost": number(draw.around(171, 9, 148, 199), EITHER),
        "Dochód": number(with_comma(draw.around(5200, 1700, 1900, 14900, 2)), EITHER, format="5200,10"),
    }


@corpus_table(rows=200, separator=";")
def dutch_practice(draw: Draw) -> dict[str, Truth]:
    """Contacts of a general practice in the Netherlands."""
    phrases = (
        "Patiënt belt terug op PHONE over de uitslag",
        "Besproken met NAME, controle over drie maanden",
        "Geen bijzonderheden bij onderzoek vandaag",
        "Mantelzorger NAME is bereikbaar na zes uur",
    )
    texts, planted = people.notes(draw, phrases, "nl", "06-########")
    return {
        "BSN": identifier(draw.cells(lambda: numbers.dutch_bsn(draw))),
        "Achternaam": identifier(draw.cells(lambda: people.family(draw, "nl"))),
        "Geboortedatum": date(written(draw.days("1936-01-01", "2015-12-31"), "%d-%m-%Y"), "%d-%m-%Y"),
        "Geslacht": label(draw.of(["V", "M"])),
        "Postcode": code(
            draw.cells(lambda: f"{draw.choice([1011, 1012, 3511, 5611])} {draw.choice(['AB', 'CD', 'KX'])}")
        ),
        "Contactdatum": date(written(draw.days("2023-01-01", "2023-12-31"), "%d-%m-%Y"), "%d-%m-%Y"),
        "ICPC": code(draw.of(["A04", "K86", "L03", "R05", "T90", "P76", "D12", "S87", "U71"]), SENSITIVE),
        "Toelichting": note(texts, planted),
    }


@corpus_table(rows=180, separator="\t", encoding="latin-1")
def swedish_care(draw: Draw) -> dict[str, Truth]:
    """Visits to a care center in Sweden, separated by tabs."""
    return {
        "Personnummer": identifier(draw.cells(lambda: numbers.swedish_number(draw))),
        "Efternamn": identifier(draw.cells(lambda: people.family(draw, "sv"))),
        "Förnamn": identifier(draw.cells(lambda: people.given(draw, "sv"))),
        "Kön": label(draw.of(["kvinna", "man"])),
        "Postnummer": code(draw.even(["111 20", "114 35", "211 19", "411 05", "753 10", "903 26"])),
        "Besöksdatum": date(written(draw.days("2022-06-01", "2023-05-31"), "%Y-%m-%d")),
        "Diagnos": label(draw.of(["astma", "ryggsmärta", "depression", "infektion", "högt blodtryck"]), SENSITIVE),
        "Längd": number(draw.with_missing(draw.around(174, 9, 150, 201), 0.05, "saknas"), EITHER, ("saknas",)),
        "Avgift": number([f"{cell} kr" for cell in draw.even([0, 100, 200, 250, 300, 400])], EITHER, format="250 kr"),
    }


@corpus_table(rows=120, separator=";")
def border_commuters(draw: Draw) -> dict[str, Truth]:
    """People of several countries: a national number per column, most of them with names that say nothing."""
    return {
        "nr_ch": identifier(draw.cells(lambda: numbers.swiss_number(draw))),
        "nr_be": identifier(draw.cells(lambda: numbers.belgian_number(draw))),
        "nr_fi": identifier(draw.cells(lambda: numbers.finnish_hetu(draw))),
        "nr_no": identifier(draw.cells(lambda: numbers.norwegian_number(draw))),
        "Steuer-ID": identifier(draw.cells(lambda: numbers.german_tax(draw))),
        "konto": identifier(draw.cells(lambda: numbers.iban(draw, "NL", 10))),
        "Land": label(draw.of(["CH", "BE", "FI", "NO", "DE"])),
        "Alter": number(draw.whole(18, 66)),
        "Branche": code(draw.of(["C10", "F43", "G47", "H49", "I56", "J62", "Q86", "P85", "N81"])),
        "Stufe": scale(draw.of(["niedrig", "mittel", "hoch"])),
    }
