"""A last round of strangers' tables, written when the others were right, to see whether rules hold for the unseen."""

from __future__ import annotations

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
    note,
    number,
    rating,
    scale,
    year,
)


@corpus_table(rows=240, separator=";", encoding="cp1252")
def danish_home_care(draw: Draw) -> dict[str, Truth]:
    """Home care of a Danish municipality: helpers by initials, visits by minutes, a record of what was said."""
    given = ["Aksel", "Gudrun", "Valdemar", "Ragnhild", "Asger", "Thyra"]
    family = ["Bøgelund", "Kjærsgaard", "Østerby", "Toftegaard", "Lindegaard-Krogh"]
    said = [
        "Borger ønsker ikke bad, ring til datter Inger på 20 12 34 56",
        "Alt vel",
        "Medicin givet",
        "Nøgle hos nabo Kjærsgaard, Møllevej 14",
    ]
    return {
        "Borger": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "CPR-nr.": identifier(
            draw.cells(
                lambda: (
                    f"{draw.randint(1, 28):02d}{draw.randint(1, 12):02d}{draw.randint(30, 60)}-"
                    f"{draw.randint(1000, 9999)}"
                )
            )
        ),
        "Medarbejder": identifier(draw.even(["AKB", "LJN", "TMS", "HHP", "SOL", "EMK"]), repeats=True),
        "Dato": date(written(draw.days("2023-01-01", "2023-06-30"), "%d-%m-%Y"), "%d-%m-%Y"),
        "Ydelse": label(draw.of(["Personlig pleje", "Medicingivning", "Rengøring", "Indkøb"]), EITHER),
        "Minutter": number(draw.whole(5, 75), EITHER),
        "Funktionsniveau": scale(draw.of([1, 2, 3, 4]), EITHER),
        "Køn": label(draw.of(["Kvinde", "Mand"])),
        "Fødselsår": year(draw.whole(1928, 1960)),
        "Notat": note(draw.of(said), ("20 12 34 56", "nabo Kjærsgaard")),
    }


@corpus_table(rows=260)
def warehouse_shifts(draw: Draw) -> dict[str, Truth]:
    """Shifts in a warehouse: badges, scanners, lockers, and times of the day without a day."""
    people = [f"B{draw.randint(10_000, 99_999)}" for _ in range(60)]
    names = [f"{draw.choice(['Jelena', 'Goran', 'Siniša', 'Vesna'])} {x}ić" for x in "BCDFGHJKLMNPRSTVZ"]
    return {
        "badge": identifier([draw.choice(people) for _ in range(draw.n)], repeats=True),
        "picker": identifier(draw.even(names), repeats=True),
        "scanner_serial": identifier(
            draw.even([f"ZB-{draw.randint(10**6, 10**7)}" for _ in range(30)]), repeats=True
        ),
        "shift_date": date(written(draw.days("2024-01-01", "2024-03-31"), "%Y-%m-%d")),
        "clock_in": Truth(
            draw.cells(lambda: f"{draw.randint(5, 22):02d}:{draw.randint(0, 59):02d}"),
            frozenset({"label", "date", "number", "ordered", "time", "hierarchy"}),
            frozenset({"quasi"}),
        ),
        "lines_picked": number(draw.around(420, 110, 20, 900), EITHER),
        "errors": count(draw.cells(lambda: int(draw.expovariate(0.8))), EITHER),
        "zone": label(draw.of(["Z1", "Z2", "Z3", "COLD"])),
        "contract": label(draw.of(["perm", "temp", "agency"])),
        "hourly_rate": number(draw.around(14.2, 1.4, 11, 22, 2), EITHER),
        "sick_reason": label(draw.with_missing(draw.of(["back pain", "flu", "family"]), 0.9), EITHER),
    }


@corpus_table(rows=220, separator=";", encoding="iso8859-2")
def czech_vaccination(draw: Draw) -> dict[str, Truth]:
    """A Czech clinic's vaccinations: birth numbers with a slash, names with endings by sex, batches."""
    sexes = draw.of(["Ž", "M"], [1, 1])
    women, men = ["Šťastná", "Hrdličková", "Řezníčková", "Ždímalová"], ["Šťastný", "Hrdlička", "Řezníček", "Ždímal"]
    family = [draw.choice(women if sex == "Ž" else men) for sex in sexes]

    def birth() -> str:
        head = f"{draw.randint(54, 99)}{draw.randint(1, 12):02d}{draw.randint(1, 28):02d}{draw.randint(0, 999):03d}"
        rest = int(head) % 11
        return f"{head[:6]}/{head[6:]}{rest % 10}"

    return {
        "Rodné číslo": identifier(draw.cells(birth)),
        "Příjmení": identifier(family, repeats=True),
        "Pohlaví": label(sexes),
        "Obec": label(draw.of(["Kroměříž", "Holešov", "Bystřice pod Hostýnem", "Hulín"])),
        "PSČ": code(draw.of(["767 01", "769 01", "768 61", "768 24"])),
        "Datum očkování": date(written(draw.days("2021-01-01", "2021-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Vakcína": label(draw.of(["Comirnaty", "Spikevax", "Vaxzevria"]), EITHER),
        "Šarže": label(draw.of(["EX8679", "FA4632", "ABV5811", "3004236"]), ("quasi", "identifier")),
        "Pojišťovna": label(draw.of([111, 205, 211, 207])),
        "Reakce": label(draw.with_missing(draw.of(["bolest", "teplota", "žádná"]), 0.2), EITHER),
        "Telefon": identifier(
            draw.cells(lambda: f"{draw.randint(601, 779)} {draw.randint(100, 999)} {draw.randint(100, 999)}")
        ),
    }


@corpus_table(rows=260)
def university_admissions(draw: Draw) -> dict[str, Truth]:
    """Applications to a university: essays, scores, referees, decisions."""
    referees = ["Prof. Adaeze Nwosu-Whitlock", "Dr Lachlan Featherstonehaugh", "Ms Beatriz Quesada", "Dr T. Oyelaran"]
    essays = [
        "Growing up in Ballarat with my grandmother Euphemia I learned to repair radios.",
        "I have always loved numbers.",
        "After the flood we moved to my uncle's farm, and I taught the younger ones.",
    ]
    return {
        "application_ref": identifier([f"UA24-{value}" for value in draw.digits(6)]),
        "applicant_email": identifier(
            draw.cells(lambda: f"{draw.choice('jkmrst')}{draw.randint(1, 99999)}@mail.example")
        ),
        "gender_identity": label(
            draw.with_missing(draw.of(["woman", "man", "non-binary"]), 0.04, "prefer not to say"),
            EITHER,
            ("prefer not to say",),
        ),
        "citizenship": label(draw.of(["AUS", "NZL", "CHN", "IND", "MYS"])),
        "school_postcode": code(draw.even(["3350", "3000", "2000", "4000", "0800"])),
        "atar": number(draw.around(84, 9, 50, 99.95, 2), EITHER),
        "ielts": rating(draw.with_missing(draw.even(["6.0", "6.5", "7.0", "7.5", "8.0"]), 0.5), EITHER),
        "referee": identifier(draw.of(referees), repeats=True),
        "personal_statement": note(draw.of(essays), ("grandmother Euphemia",)),
        "first_in_family": label(draw.of(["TRUE", "FALSE"]), EITHER),
        "fee_help_debt": number(
            [f"{int(v):,}" for v in draw.around(21000, 8000, 1000, 60000)], EITHER, format="21,000"
        ),
        "decision": label(draw.of(["offer", "reject", "waitlist"]), EITHER),
        "submitted": Truth(
            [f"{one:%Y-%m-%dT%H:%M:%S}Z" for one in draw.moments("2023-06-01", "2023-12-01")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%Y-%m-%dT%H:%M:%SZ",
        ),
    }


@corpus_table(rows=240, separator="\t", encoding="utf-16")
def greek_pharmacy(draw: Draw) -> dict[str, Truth]:
    """Prescriptions of a Greek pharmacy in Greek letters."""
    given = ["Σταμάτης", "Ευφροσύνη", "Θεοδόσης", "Χρυσάνθη", "Λεωνίδας"]
    family = ["Παπακωνσταντίνου", "Χατζηγεωργίου", "Κουτσογιάννης", "Τσιριγώτη", "Αναγνωστάκης"]
    return {
        "ΑΜΚΑ": identifier(
            draw.cells(
                lambda: (
                    f"{draw.randint(1, 28):02d}{draw.randint(1, 12):02d}{draw.randint(30, 99)}"
                    f"{draw.randint(10_000, 99_999)}"
                )
            )
        ),
        "Ονοματεπώνυμο": identifier(draw.cells(lambda: f"{draw.choice(family)} {draw.choice(given)}"), repeats=True),
        "Φύλο": label(draw.of(["Γ", "Α"])),
        "Ημερομηνία": date(written(draw.days("2022-01-01", "2022-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Φάρμακο": label(draw.of(["Depon", "Zylapour", "Lasix", "Glucophage"]), EITHER),
        "Ποσότητα": count(draw.whole(1, 6), EITHER),
        "Τιμή": number(with_comma(draw.around(9, 5, 1, 60, 2)), EITHER, format="9,50"),
        "Ιατρός": identifier(
            draw.even([f"{one} {other}" for one, other in zip(given, family, strict=True)]), repeats=True
        ),
        "Πόλη": label(draw.of(["Λάρισα", "Βόλος", "Τρίκαλα", "Καρδίτσα"])),
    }


@corpus_table(rows=300)
def housing_benefit(draw: Draw) -> dict[str, Truth]:
    """Claims for a benefit: addresses without the word street, partners, officers, ages of children in one cell."""
    roads = ["Tannery Row", "The Shambles", "Pinfold", "Crag View", "Mill Fold", "Ings Croft"]
    kids = draw.cells(lambda: " ".join(str(draw.randint(0, 17)) for _ in range(draw.randint(1, 4))))
    officers = ["Sowerby", "Threlkeld", "Ackroyd", "Hebblethwaite", "Dewhirst", "Ramsbottom"]
    return {
        "ClaimRef": identifier([f"HB{value}" for value in draw.digits(7)]),
        "Claimant_Surname": identifier(draw.even(officers), repeats=True),
        "Add1": identifier(draw.cells(lambda: f"{draw.randint(1, 140)} {draw.choice(roads)}")),
        "Add2": label(draw.of(["Otley", "Ilkley", "Keighley", "Bingley"]), ("quasi", "identifier")),
        "NINO": identifier(
            draw.cells(
                lambda: f"{draw.choice(['AB', 'CE', 'JK'])}{draw.randint(100_000, 999_999)}{draw.choice('ABCD')}"
            )
        ),
        "Partner_Y_N": label(draw.of(["Y", "N"])),
        "ChildAges": Truth(kids, frozenset({"label", "number"}), frozenset({"quasi", "identifier"})),
        "WeeklyRent": number([f"{v}" for v in draw.around(112, 25, 50, 260, 2)], EITHER),
        "Start": date(written(draw.days("2015-01-01", "2023-12-31"), "%d %b %Y"), "%d %b %Y"),
        "DisabilityPremium": label(draw.of(["N", "Y"], [5, 1]), EITHER),
        "Assessing Officer": identifier(draw.even(officers), repeats=True),
    }


@corpus_table(rows=240)
def genome_cohort(draw: Draw) -> dict[str, Truth]:
    """A cohort with families: numbers of parents, samples, variants, ages of onset."""
    people = [f"FAM{row // 4 + 1:03d}-{row % 4 + 1}" for row in range(draw.n)]
    return {
        "IID": identifier(people),
        "FID": identifier([one.split("-")[0] for one in people], repeats=True),
        "PAT": identifier([f"{one.split('-')[0]}-1" if one[-1] in "34" else "0" for one in people], repeats=True),
        "MAT": identifier([f"{one.split('-')[0]}-2" if one[-1] in "34" else "0" for one in people], repeats=True),
        "SEX": label(draw.of([1, 2], [1, 1])),
        "PHENO": label(draw.of([1, 2]), EITHER),
        "APOE": label(draw.of(["e3/e3", "e3/e4", "e2/e3", "e4/e4"]), EITHER),
        "age_onset": number(draw.with_missing(draw.whole(18, 85), 0.4, "-9"), EITHER, ("-9",)),
        "sample_barcode": identifier([f"SM{value}" for value in draw.digits(9)]),
        "PC1": number(draw.around(0, 0.02, -0.1, 0.1, 6), ("quasi", "other", "identifier", "sensitive")),
        "site": label(draw.of(["LUND", "UPPS", "UMEA"])),
    }


@corpus_table(rows=260, separator=";")
def swiss_social_help(draw: Draw) -> dict[str, Truth]:
    """Social help of a Swiss canton, in two languages: dossiers, heritage, sums with apostrophes."""
    return {
        "Dossier-Nr.": identifier([f"{value[:3]}.{value[3:]}" for value in draw.digits(6)]),
        "Gemeinde/Commune": label(draw.of(["Biel/Bienne", "Nidau", "Lyss", "Moutier", "La Neuveville"])),
        "Heimatort": label(draw.of(["Trub", "Langnau", "Saignelégier", "Guggisberg"])),
        "Zivilstand": label(draw.of(["ledig", "verheiratet", "geschieden", "verwitwet"])),
        "Aufenthaltsstatus": label(draw.of(["CH", "C", "B", "F"])),
        "Bezugsbeginn": date(written(draw.days("2016-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Nettobedarf CHF": number(
            [f"{float(v):,.2f}".replace(",", "'") for v in draw.around(2400, 800, 1000, 6000, 2)],
            EITHER,
            format="2'400.00",
        ),
        "Ablösegrund": label(draw.with_missing(draw.of(["Erwerb", "Wegzug", "IV-Rente", "Tod"]), 0.5), EITHER),
        "Sozialarbeiter/in": identifier(
            draw.even(["Aebischer", "Zurbriggen", "Niederhauser", "Bärtschi", "Jeanneret"]), repeats=True
        ),
        "AHVN13": identifier(
            draw.cells(lambda: f"756.{draw.randint(1000, 9999)}.{draw.randint(1000, 9999)}.{draw.randint(10, 99)}")
        ),
        "Diagnose": code(draw.with_missing(draw.of(["F32.1", "M54.4", "F10.2"]), 0.6), SENSITIVE),
    }
