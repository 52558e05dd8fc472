"""Exports as strangers write them, in Europe: their truth was written down before the first look at a proposal."""

from __future__ import annotations

from tests.corpus import numbers
from tests.corpus.draw import Draw, with_comma, written
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
    member,
    month,
    note,
    number,
    rating,
    scale,
    year,
)


def _blank_thousands(draw: Draw, mean: float, spread: float, low: float, high: float, end: str = "") -> list[str]:
    cells = draw.around(mean, spread, low, high, 2)
    return [f"{float(cell):,.2f}".replace(",", " ").replace(".", ",") + end for cell in cells]


@corpus_table(rows=260, separator=";", encoding="cp1252", line_end="\r\n")
def french_housing_survey(draw: Draw) -> dict[str, Truth]:
    """A French survey of dwellings: communes with 2A and 2B, incomes in euros, satisfaction in words."""
    wishes = [
        "La voisine du 3e, Mme Quéméneur, fait du bruit",
        "Rappeler au 06 12 34 56 78 après 18 h",
        "RAS",
        "Logement humide depuis l'hiver dernier",
    ]
    return {
        "IDENT_MEN": identifier(draw.digits(11)),
        "commune": code(draw.even(["2A004", "13055", "69123", "31555", "44109", "75113", "2B033", "35238"])),
        "csp": code(draw.of(["3", "4", "5", "6", "7", "2", "1", "8"]), missing=()),
        "statut_matrimonial": label(draw.of(["célibataire", "marié(e)", "pacsé(e)", "divorcé(e)", "veuf/veuve"])),
        "annee_naissance": year(draw.whole(1935, 2003)),
        "revenu_mensuel": number(_blank_thousands(draw, 2300, 700, 600, 7000, " €"), EITHER, format="1 840,50 €"),
        "surface_m2": number(draw.around(71, 24, 12, 210), EITHER),
        "satisfaction_logement": scale(
            draw.with_missing(
                draw.of(["plutôt satisfait", "très satisfait", "plutôt pas satisfait", "pas du tout satisfait"]),
                0.05,
                "NSP",
            ),
            EITHER,
            ("NSP",),
        ),
        "nb_pers": count(draw.of([2, 1, 3, 4, 5, 6])),
        "ponderation": identifier(draw.around(1.1, 0.4, 0.2, 4, 5)),
        "date_enq": date(written(draw.days("2022-10-01", "2022-12-20"), "%d/%m/%Y"), "%d/%m/%Y"),
        "remarques": note(draw.with_missing(draw.of(wishes), 0.4), ("Mme Quéméneur", "06 12 34 56 78")),
    }


@corpus_table(rows=240, separator=";", encoding="utf-8-sig")
def spanish_school(draw: Draw) -> dict[str, Truth]:
    """Pupils of a Spanish secondary school, as its office exports them."""
    families = ["Etxeberria", "Zubizarreta", "Goikoetxea", "Bermejo", "Lozoya", "Quintanilla", "Arrizabalaga"]
    given = ["Ainhoa", "Iker", "Unai", "Leire", "Gorka", "Nerea", "Aritz", "Maialen", "Eneko"]
    person = [f"{draw.choice(families)} {draw.choice(families)}, {draw.choice(given)}" for _ in range(draw.n)]
    tutors = [f"{one} {other}" for one, other in zip(given, families, strict=False)]
    return {
        "NIA": identifier(draw.digits(8)),
        "Alumno/a": identifier(person),
        "F. Nac.": date(written(draw.days("2006-01-01", "2011-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Curso": scale(draw.of(["1º ESO", "2º ESO", "3º ESO", "4º ESO", "1º Bach.", "2º Bach."])),
        "Grupo": label(draw.of(["A", "B", "C", "D"])),
        "Tutor/a": identifier(draw.even(tutors), repeats=True),
        "Nota media": number(with_comma(draw.around(6.6, 1.5, 1, 10, 2)), EITHER, format="7,25"),
        "Repite": label(draw.of(["N", "S"], [6, 1]), EITHER),
        "Beca comedor": label(draw.of(["No", "Sí"], [3, 1]), EITHER),
        "Municipio": label(draw.of(["Barakaldo", "Getxo", "Santurtzi", "Sestao", "Portugalete"])),
        "Tlf. familia": identifier(draw.cells(lambda: f"6{draw.randint(10_000_000, 99_999_999)}")),
        "Faltas": count(draw.cells(lambda: int(draw.expovariate(0.2))), EITHER),
        "NEAE": label(draw.with_missing(draw.of(["TDAH", "Dislexia", "Altas capacidades"]), 0.8), EITHER),
    }


@corpus_table(rows=220, separator=";", encoding="cp1250", line_end="\r\n")
def polish_staff(draw: Draw) -> dict[str, Truth]:
    """Staff of a Polish company with parts of full time as fractions and pay with blanks between thousands."""
    women = ["Wójcik-Nowacka", "Grzegorczyk", "Szczepańska", "Ziółkowska", "Mroczek"]
    men = ["Brzęczyszczykiewicz", "Grzegorczyk", "Ziółkowski", "Pietrzyk", "Szczepański"]
    sexes = draw.of(["K", "M"], [1, 1])
    family = [draw.choice(women if sex == "K" else men) for sex in sexes]
    given = [
        draw.choice(["Żaneta", "Bożena", "Jadwiga"] if sex == "K" else ["Zdzisław", "Mścisław"]) for sex in sexes
    ]
    return {
        "Nr ewid.": identifier(draw.digits(6)),
        "Nazwisko": identifier(family, repeats=True),
        "Imię": identifier(given, repeats=True),
        "PESEL": identifier(draw.cells(lambda: numbers.polish_pesel(draw))),
        "Płeć": label(sexes),
        "Data zatrudnienia": date(written(draw.days("1998-01-01", "2023-06-30"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Wymiar etatu": label(draw.of(["1/1", "1/2", "3/4", "4/5"], [8, 2, 1, 1]), EITHER),
        "Stanowisko": label(draw.of(["magazynier", "księgowa", "operator", "kierowca", "specjalista ds. kadr"])),
        "Dział": label(draw.of(["Produkcja", "Logistyka", "Kadry", "Finanse"])),
        "Wynagrodzenie brutto": number(_blank_thousands(draw, 6800, 1500, 3600, 16000), EITHER, format="6 540,00"),
        "Staż (lata)": number(draw.whole(0, 38)),
        "Stopień niepełnosprawności": label(
            draw.with_missing(draw.of(["lekki", "umiarkowany", "znaczny"]), 0.85, "brak"), EITHER, ()
        ),
    }


@corpus_table(rows=300, separator="\t")
def swedish_household_register(draw: Draw) -> dict[str, Truth]:
    """A Swedish research extract: running numbers, household numbers, codes of municipality and schooling."""
    households = draw.repeated([str(value) for value in draw.sample(range(100_000, 999_999), 120)])
    return {
        "LopNr": identifier([str(row + 1) for row in range(draw.n)]),
        "HushallsID": identifier(households, repeats=True),
        "FodelseAr": year(draw.whole(1932, 2015)),
        "Kon": label(draw.of([1, 2], [1, 1])),
        "Kommun": code(draw.even(["0180", "1480", "1280", "0380", "2480", "0580", "1880", "0114"])),
        "Civilstand": label(draw.of(["G", "OG", "S", "Ä"])),
        "SUN2020Niva": code(draw.of([327, 336, 537, 206, 546, 640, 557]), EITHER),
        "DispInk04": number(draw.around(2900, 1100, 0, 9000), EITHER),
        "SSYK4": code(draw.even(["2221", "5321", "9111", "2512", "5223", "8332", "2341"]), missing=()),
        "UtlSvBakg": label(draw.of([22, 11, 12, 21])),
        "AntalBarn": count(draw.of([0, 1, 2, 3, 4])),
        "SjukPDagar": count(draw.cells(lambda: int(draw.expovariate(0.05))), EITHER),
    }


@corpus_table(rows=200)
def british_motor_claims(draw: Draw) -> dict[str, Truth]:
    """Claims of a British motor insurer: postcodes, plates, pounds, and what the driver told."""
    letters = "ABCDEFGHJKLMNOPRSTUVWXY"

    def plate() -> str:
        return "".join(draw.choices(letters, k=2)) + f"{draw.randint(51, 73)} " + "".join(draw.choices(letters, k=3))

    def postcode() -> str:
        area = draw.choice(["LS", "BD", "HX", "WF", "HD"])
        return f"{area}{draw.randint(1, 18)} {draw.randint(1, 9)}{''.join(draw.choices(letters, k=2))}"

    drivers = [f"{draw.choice('ABCDEFGHJ')}. {draw.choice(['Ogunleye', 'Braithwaite', 'Khatri', 'Sugden'])}"]
    drivers += draw.cells(
        lambda: (
            f"{draw.choice(['Mr', 'Mrs', 'Ms'])} {draw.choice('ABCDEFGHJ')} "
            f"{draw.choice(['Ogunleye', 'Braithwaite', 'Khatri', 'Sugden', 'Murgatroyd'])}"
        )
    )
    told = [
        "TP vehicle pulled out of side road, witness Mrs Murgatroyd 07700 900123",
        "Reversed into bollard in supermarket car park",
        "Hit pothole on A58, tyre and rim damaged",
        "Windscreen chip",
    ]
    return {
        "policy_no": identifier([f"MTR/{value[:2]}/{value[2:]}" for value in draw.digits(8)]),
        "insured": identifier(drivers[: draw.n]),
        "dob": date(written(draw.days("1940-01-01", "2004-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "pcode": code(draw.cells(postcode)),
        "vrm": identifier(draw.cells(plate)),
        "make": label(draw.of(["FORD", "VAUXHALL", "VOLKSWAGEN", "TOYOTA", "BMW", "KIA"])),
        "cover": label(draw.of(["Comp", "TPFT", "TPO"])),
        "ncd_yrs": count(draw.whole(0, 9)),
        "loss_date": date(written(draw.days("2021-01-01", "2023-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "paid": number(
            [f"£{float(cell):,.2f}" for cell in draw.around(1900, 900, 50, 9000, 2)], EITHER, format="£1,234.50"
        ),
        "fault": label(draw.of(["Y", "N"], [1, 1]), EITHER),
        "circumstances": note(draw.of(told), ("Mrs Murgatroyd", "07700 900123")),
    }


@corpus_table(rows=180, separator=";")
def club_members_misread(draw: Draw) -> dict[str, Truth]:
    """Members of a German club, saved once in the wrong encoding: umlauts and their columns are broken."""
    families = ["MÃ¼ller-LÃ¼denscheidt", "GroÃŸkreutz", "SchÃ¤uble", "KÃ¶hler", "Wachsmuth", "Bierbichler"]
    given = ["JÃ¼rgen", "BÃ¤rbel", "SÃ¶ren", "Wiltrud", "Hartmut", "RenÃ©"]
    streets = ["HauptstraÃŸe", "Am MÃ¼hlbach", "Lindenweg", "SchÃ¼tzenstraÃŸe"]
    return {
        "Mitgl.-Nr.": identifier([str(1000 + row) for row in range(draw.n)]),
        "Nachname": identifier(draw.even(families), repeats=True),
        "Vorname": identifier(draw.even(given), repeats=True),
        "StraÃŸe": identifier(draw.cells(lambda: f"{draw.choice(streets)} {draw.randint(1, 99)}")),
        "PLZ": code(draw.even(["01067", "01069", "01097", "01099", "01127", "01129"])),
        "Eintritt": date(written(draw.days("1971-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Sparte": label(draw.of(["Turnen", "FuÃŸball", "Schach", "Kegeln"])),
        "Beitrag": rating(draw.of(["120,00", "60,00", "30,00", "0,00"]), ("quasi", "sensitive", "other")),
        "Mail": identifier(draw.cells(lambda: f"{draw.choice('abcdefgh')}{draw.randint(1, 9999)}@web.example")),
    }


@corpus_table(rows=220, separator=";", encoding="cp1254", line_end="\r\n")
def turkish_clinic(draw: Draw) -> dict[str, Truth]:
    """Visits of a Turkish clinic, written in Windows' Turkish encoding."""

    def kimlik() -> str:
        digits = [draw.randint(1, 9), *(draw.randint(0, 9) for _ in range(8))]
        tenth = (7 * sum(digits[0::2]) - sum(digits[1:8:2])) % 10
        return "".join(map(str, [*digits, tenth, (sum(digits) + tenth) % 10]))

    given = ["Gülşen", "Çağlar", "Özgür", "Şule", "Tuğba", "İlhan"]
    family = ["Öztürk", "Şahinoğlu", "Çelebi", "Kılıçdar", "Gündoğdu"]
    return {
        "TC Kimlik No": identifier(draw.cells(kimlik)),
        "Adı Soyadı": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}")),
        "Doğum Tarihi": date(written(draw.days("1940-01-01", "2015-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Cinsiyet": label(draw.of(["Kadın", "Erkek"])),
        "İlçe": label(draw.of(["Kadıköy", "Üsküdar", "Beşiktaş", "Şişli"])),
        "Telefon": identifier(
            draw.cells(lambda: f"0532 {draw.randint(100, 999)} {draw.randint(10, 99)} {draw.randint(10, 99)}")
        ),
        "Tanı Kodu": code(draw.of(["I10", "E11.9", "J06.9", "M54.5", "K21.0"]), SENSITIVE),
        "Başvuru": Truth(
            [f"{moment:%d.%m.%Y %H:%M}" for moment in draw.moments("2023-01-01", "2023-12-31")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%d.%m.%Y %H:%M",
        ),
        "Ücret (TL)": number(with_comma(draw.around(850, 240, 100, 2500, 2)), EITHER, format="850,00"),
        "Sigorta": label(draw.of(["SGK", "Özel", "Yok"])),
    }


@corpus_table(rows=260, separator=";")
def finnish_time_use(draw: Draw) -> dict[str, Truth]:
    """A Finnish diary study: weeks, weekdays, minutes, and members of a household by number."""
    return {
        "kotitalous_id": identifier(
            draw.repeated([str(v) for v in draw.sample(range(10_000, 99_999), 90)]), repeats=True
        ),
        "jasen_nro": member(draw.of([1, 2, 3, 4])),
        "sukupuoli": label(draw.of(["nainen", "mies"])),
        "ikaryhma": scale(draw.of(["25-44", "45-64", "15-24", "65+", "10-14"])),
        "paiva": date(written(draw.days("2020-08-01", "2021-07-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "viikonpaiva": scale(draw.even(["ma", "ti", "ke", "to", "pe", "la", "su"])),
        "nukkuminen_min": number(draw.around(510, 70, 180, 800), EITHER),
        "ansiotyo_min": number(draw.cells(lambda: draw.choice([0, 0, draw.randint(30, 640)])), EITHER),
        "kuntaryhma": label(draw.of([1, 2, 3])),
        "paino": identifier(draw.around(180, 60, 20, 600, 4)),
        "kuukausi": month(written(draw.days("2020-08-01", "2021-07-31"), "%m/%Y"), "%m/%Y"),
    }
