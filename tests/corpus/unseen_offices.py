"""A third round of strangers' tables, of offices and registers: truth first, then the proposal."""

from __future__ import annotations

from tests.corpus.draw import Draw, in_german, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import (
    EITHER,
    Truth,
    code,
    coordinate,
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

SOMEHOW = frozenset({"label", "number", "ordered", "hierarchy", "date"})
"""The kinds of a column of which no average is wrong, and which is no label for certain."""


def lakhs(value: float) -> str:
    """Return a whole amount with Indian commas, such as 12,34,567."""
    text = str(int(value))
    head, tail = text[:-3], text[-3:]
    groups: list[str] = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*groups, tail])


@corpus_table(rows=240, separator=";", encoding="cp1252")
def dutch_school(draw: Draw) -> dict[str, Truth]:
    """Pupils of a Dutch school: infixes of names by themselves, advice for the next school, a mentor by code."""
    given = ["Fenna", "Jorrit", "Lieke", "Thijmen", "Roos", "Gijs", "Sanne", "Wouter", "Noortje"]
    family = ["Bruinsma", "Haverkort", "Wiersma", "Schilperoort", "Groot Obbink", "Dijkgraaf", "Veldhuizen"]
    said = [
        "Ouders gescheiden, brieven ook naar oma Tineke Haverkort",
        "Gesprek met moeder gehad, volgt logopedie",
        "Geen bijzonderheden",
        "Vader belt terug op 06-48213377",
    ]
    return {
        "Leerlingnr": identifier(draw.digits(5)),
        "Roepnaam": identifier(draw.even(given), repeats=True),
        "Tussenv.": Truth(
            draw.with_missing(draw.of(["van", "de", "van der", "ter"]), 0.6),
            frozenset({"label"}),
            frozenset({"identifier", "quasi", "person"}),
        ),
        "Achternaam": identifier(draw.even(family), repeats=True),
        "Geb.dat.": date(written(draw.days("2010-01-01", "2016-12-31"), "%d-%m-%Y"), "%d-%m-%Y"),
        "Geslacht": label(draw.of(["m", "v"], [1, 1])),
        "Groep": label(draw.of(["6a", "6b", "7a", "7b", "8a", "8b"])),
        "Mentor": identifier(draw.even(["BRM", "HVK", "WSM", "SCH"]), repeats=True),
        "PC": code(draw.even(["7411 KT", "7412 AB", "7413 ZX", "7415 LM", "7417 DE"])),
        "Thuistaal": label(draw.of(["Nederlands", "Turks", "Arabisch", "Pools"]), EITHER),
        "Dyslexie": label(draw.of(["nee", "ja"], [6, 1]), EITHER),
        "Cito": number(draw.around(535, 9, 501, 550), EITHER),
        "Advies": scale(draw.of(["vmbo-b", "vmbo-k", "vmbo-t", "havo", "vwo"]), EITHER),
        "Bijz.": note(draw.of(said), ("oma Tineke Haverkort", "06-48213377")),
    }


@corpus_table(rows=220, separator=";", encoding="latin-1")
def brazilian_dentist(draw: Draw) -> dict[str, Truth]:
    """Treatments of a Brazilian dentist: teeth by number, the patient's card, sums in reais."""
    given = ["Jussara", "Edivaldo", "Rosineide", "Wanderley", "Ivanilda", "Claudionor"]
    family = ["dos Anjos", "Pimentel", "Quaresma", "Boaventura", "Teodoro", "Sacramento"]
    people = [f"{draw.choice(given)} {draw.choice(family)} {draw.choice(family)}" for _ in range(80)]
    rows = [draw.randrange(80) for _ in range(draw.n)]
    cards = [f"7{draw.randint(10**13, 10**14 - 1)}" for _ in range(80)]
    said = [
        "alérgica a dipirona, contato do esposo Edivaldo 99812-4410",
        "nega comorbidades",
        "hipertenso, toma losartana",
        "gestante 2º trimestre",
    ]
    return {
        "Prontuário": identifier([f"{row + 301:05d}" for row in rows], repeats=True),
        "Paciente": identifier([people[row] for row in rows], repeats=True),
        "Cartão SUS": identifier([cards[row] for row in rows], repeats=True),
        "Dt. Nasc.": date(written(draw.days("1945-01-01", "2012-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Dente": label(draw.even([11, 16, 21, 26, 36, 37, 46, 47, 48]), EITHER),
        "Face": label(draw.with_missing(draw.of(["O", "M", "D", "V", "MOD"]), 0.3), EITHER),
        "Procedimento": label(draw.of(["Restauração", "Extração", "Canal", "Profilaxia"]), EITHER),
        "Convênio": label(draw.of(["Particular", "Uniodonto", "SUS"])),
        "Valor": number(
            [f"R$ {in_german(float(v))}" for v in draw.around(380, 260, 60, 1900, 2)], EITHER, format="R$ 1.234,56"
        ),
        "CRO": identifier(draw.even(["SP-41233", "SP-88120", "SP-10977"]), repeats=True),
        "Anamnese": note(draw.of(said), ("esposo Edivaldo", "99812-4410")),
    }


@corpus_table(rows=300)
def indian_household_census(draw: Draw) -> dict[str, Truth]:
    """An extract of an Indian household census: heads by name, PAN, incomes and land values in lakhs."""
    given = ["Manjunath", "Sarojamma", "Gurpreet", "Thangaraj", "Meenakshi", "Bhanumati", "Rajendran"]
    family = ["Naik", "Sandhu", "Pillai", "Gowda", "Chettiar", "Oraon"]
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    return {
        "HH_No": identifier([f"{row // 2 + 1:04d}" for row in range(draw.n)], repeats=True),
        "Name of Head": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "S/o D/o W/o": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "PAN": identifier(
            draw.cells(
                lambda: (
                    "".join(draw.choice(letters) for _ in range(3))
                    + f"P{draw.choice(letters)}{draw.randint(1000, 9999)}{draw.choice(letters)}"
                )
            )
        ),
        "Age": number(draw.whole(18, 91)),
        "Sex": label(draw.of(["M", "F", "T"], [10, 9, 0.5])),
        "Religion": label(draw.of(["Hindu", "Muslim", "Sikh", "Christian"]), EITHER),
        "Social Group": label(draw.of(["OBC", "SC", "ST", "Others"]), EITHER),
        "Literacy": label(draw.of(["Literate", "Illiterate"]), EITHER),
        "Annual Income (Rs)": number(
            [lakhs(float(v)) for v in draw.around(230_000, 120_000, 24_000, 1_400_000)], EITHER, format="2,30,000"
        ),
        "Land Value": number(
            [f"₹{lakhs(float(v))}" for v in draw.around(900_000, 500_000, 90_000, 5_000_000)],
            EITHER,
            format="₹9,00,000",
        ),
        "Dependents": count(draw.whole(0, 8)),
        "Pin": code(draw.even(["560001", "560034", "143001", "600017", "834001"])),
        "Latrine": label(draw.of(["Own", "Shared", "Open"]), EITHER),
    }


@corpus_table(rows=280)
def police_incidents(draw: Draw) -> dict[str, Truth]:
    """Incidents as a police station logs them: suspects described, complainants by initials, plates, badges."""
    described = [
        "m/w late 20s grey hoodie, known to callers as Skeets",
        "f/a approx 40, red puffer jacket, limps",
        "unk",
        "m/b 16-18 on bmx, poss. Tyrell from Haddon Ct",
        "group of 4-5 youths",
    ]
    initials = ["J.M.", "K.T.", "A.R.O.", "D.D.", "P.W.", "S.L."]
    return {
        "inc_no": identifier([f"24-{value}" for value in draw.digits(6)]),
        "rpt_dttm": Truth(
            [f"{one:%m/%d/%Y %H:%M}" for one in draw.moments("2024-01-01", "2024-06-30")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%m/%d/%Y %H:%M",
        ),
        "beat": label(draw.even(["3A12", "3A14", "3B07", "4C01", "4C09"])),
        "ucr": label(draw.even([220, 310, 430, 520, 610, 1020]), EITHER),
        "premise": label(draw.of(["street", "residence", "store", "vehicle"])),
        "comp_init": identifier(draw.even(initials), repeats=True),
        "comp_age": number(draw.with_missing(draw.whole(12, 88), 0.1, "UNK"), missing=("UNK",)),
        "susp_desc": note(draw.of(described), ("Skeets", "Tyrell from Haddon Ct"), ("unk",)),
        "veh_tag": identifier(
            draw.with_missing(
                draw.cells(
                    lambda: (
                        f"{draw.choice('BCDGHK')}{draw.choice('LMRTX')}{draw.choice('PSVZ')}{draw.randint(100, 999)}"
                    )
                ),
                0.5,
            )
        ),
        "x_wgs": coordinate(draw.around(-81.69, 0.05, -81.9, -81.4, 5)),
        "y_wgs": coordinate(draw.around(41.49, 0.04, 41.3, 41.7, 5)),
        "ofc_badge": identifier(draw.even([f"{v}" for v in draw.sample(range(1000, 3000), 40)]), repeats=True),
        "dispo": label(draw.of(["CLR-ARR", "OPEN", "UNF", "REFER"]), EITHER),
    }


@corpus_table(rows=300, separator=";", encoding="cp1252")
def norwegian_loans(draw: Draw) -> dict[str, Truth]:
    """Loans of a Norwegian library: the borrower's card, books by title and author, fees."""
    cards = [f"N{draw.randint(10**8, 10**9 - 1)}" for _ in range(120)]
    rows = [draw.randrange(120) for _ in range(draw.n)]
    born = [str(draw.randint(1935, 2014)) for _ in range(120)]
    books = [
        ("Sult", "Knut Hamsun"),
        ("Markens grøde", "Knut Hamsun"),
        ("Sofies verden", "Jostein Gaarder"),
        ("Naiv. Super.", "Erlend Loe"),
        ("Snømannen", "Jo Nesbø"),
        ("Å leve med MS", "Randi Holtvik"),
    ]
    taken = [draw.choice(books) for _ in range(draw.n)]
    out = draw.days("2023-01-01", "2023-12-31")
    return {
        "Lånekort": identifier([cards[row] for row in rows], repeats=True),
        "Strekkode": identifier([f"0301{value}" for value in draw.digits(10)], repeats=True),
        "Tittel": Truth(
            [one for one, _ in taken], frozenset({"label"}), frozenset({"quasi", "sensitive", "identifier"})
        ),
        "Forfatter": Truth(
            [one for _, one in taken], frozenset({"label"}), frozenset({"quasi", "sensitive", "identifier", "person"})
        ),
        "Utlånt": date(written(out, "%d.%m.%Y"), "%d.%m.%Y"),
        "Filial": label(draw.of(["Hovedbiblioteket", "Furuset", "Tøyen", "Nydalen"])),
        "Fødselsår": year([born[row] for row in rows]),
        "Kjønn": label(draw.of(["K", "M"], [1, 1])),
        "Gebyr": number(
            with_comma(draw.with_missing(draw.around(40, 20, 5, 120, 2), 0.3, "0,00")), EITHER, format="40,00"
        ),
        "Reservert av": identifier(
            draw.with_missing(draw.even(["Solbakken, Ragnhild", "Fjeldstad, Odd-Geir", "Haugerud, Turid"]), 0.6),
            repeats=True,
        ),
    }


@corpus_table(rows=220, separator=";", encoding="cp1250")
def hungarian_payroll(draw: Draw) -> dict[str, Truth]:
    """Pay of a Hungarian company: mothers' names, tax and health numbers, dates that end with a point."""
    family = ["Szentgyörgyi", "Kőszegi", "Bognár", "Csordás", "Zsigmondi", "Füleki"]
    given = ["Ildikó", "Zsombor", "Piroska", "Csongor", "Boglárka", "Levente", "Emőke"]

    def one() -> str:
        return f"{draw.choice(family)} {draw.choice(given)}"

    return {
        "Törzsszám": identifier(draw.digits(6)),
        "Név": identifier(draw.cells(one), repeats=True),
        "Anyja neve": identifier(draw.cells(one), repeats=True),
        "Szül. hely": label(draw.of(["Szeged", "Makó", "Hódmezővásárhely", "Csongrád"])),
        "Szül. idő": date(written(draw.days("1958-01-01", "2003-12-31"), "%Y.%m.%d."), "%Y.%m.%d."),
        "Adóazonosító jel": identifier([f"8{value}" for value in draw.digits(9)]),
        "TAJ": identifier(
            draw.cells(lambda: f"{draw.randint(100, 999)} {draw.randint(100, 999)} {draw.randint(100, 999)}")
        ),
        "Munkakör": label(draw.of(["gépkezelő", "raktáros", "könyvelő", "művezető"])),
        "Br. bér": number(
            [
                f"{int(float(v)) // 100 * 100:,} Ft".replace(",", " ")
                for v in draw.around(480_000, 120_000, 270_000, 1_400_000)
            ],
            EITHER,
            format="480 000 Ft",
        ),
        "Eltartottak": count(draw.whole(0, 5)),
        "Táppénz nap": count(draw.cells(lambda: int(draw.expovariate(0.2))), EITHER),
        "Megj.": note(
            draw.with_missing(draw.of(["GYES-en van", "letiltás: végrehajtó dr. Kőszegi Levente", "rokkant"]), 0.6),
            ("dr. Kőszegi Levente",),
        ),
    }


@corpus_table(rows=320, separator=";", encoding="cp1252")
def austrian_statements(draw: Draw) -> dict[str, Truth]:
    """Bookings of an Austrian bank: who paid whom and what for, balances, ends of card numbers."""
    people = ["Hofstätter Leopoldine", "Zwettler Korbinian", "Ing. Prammer", "Mag. Ötztaler E.", "Fam. Grubhofer"]
    shops = ["BILLA DANKT 0412", "OMV TS 3388", "TRAFIK KERN", "SPAR FIL. 77"]
    iban = draw.cells(lambda: f"AT{draw.randint(10, 99)}{draw.randint(10**15, 10**16 - 1)}")
    why = [
        "Miete Top 14 Jänner",
        "danke fürs Essen, Leopoldine",
        "Alimente Korbinian jun.",
        "Rechnung 2023/118",
        "Einkauf",
    ]
    return {
        "Kto": identifier(draw.even([f"AT61190430023457{v:04d}" for v in range(40)]), repeats=True),
        "Buchungsdatum": date(written(draw.days("2023-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Valuta": date(written(draw.days("2023-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Auftraggeber/Empfänger": identifier(draw.even([*people, *shops]), repeats=True),
        "Gegenkonto": identifier(iban),
        "Betrag": number(
            [("-" if draw.random() < 0.7 else "") + in_german(float(v)) for v in draw.around(300, 400, 1, 4000, 2)],
            EITHER,
            format="-1.234,56",
        ),
        "Whg.": label(["EUR"] * draw.n, ("quasi", "other", "identifier", "sensitive")),
        "Verwendungszweck": note(draw.of(why), ("Leopoldine", "Korbinian jun.")),
        "MCC": label(draw.with_missing(draw.even([5411, 5541, 5993, 8011, 7995]), 0.4), EITHER),
        "Kartennr. Ende": identifier(draw.even([f"{v:04d}" for v in draw.sample(range(10_000), 50)]), repeats=True),
        "Saldo danach": number([in_german(float(v)) for v in draw.around(2500, 1800, -900, 12_000, 2)], EITHER),
    }


@corpus_table(rows=180)
def parish_register(draw: Draw) -> dict[str, Truth]:
    """A parish's baptisms, typed from the book: parents, godparents, the priest, the page."""
    women = ["Bridget", "Honora", "Sabina", "Attracta", "Dymphna"]
    men = ["Fintan", "Malachy", "Colman", "Ultan", "Jarlath"]
    family = ["Mulkerrin", "Geoghegan", "Hynes", "Tarpey", "Loughnane", "Cusack"]
    born = draw.days("1861-01-01", "1899-12-31")
    sex = draw.of(["f", "m"], [1, 1])
    return {
        "Entry": identifier([f"{row + 1}" for row in range(draw.n)]),
        "Child": identifier([draw.choice(women if s == "f" else men) for s in sex], repeats=True),
        "Father": identifier(draw.cells(lambda: f"{draw.choice(men)} {draw.choice(family)}"), repeats=True),
        "Mother (née)": identifier(draw.cells(lambda: f"{draw.choice(women)} {draw.choice(family)}"), repeats=True),
        "Sponsors": identifier(
            draw.cells(
                lambda: f"{draw.choice(men)} {draw.choice(family)} & {draw.choice(women)} {draw.choice(family)}"
            )
        ),
        "Born": date(written(born, "%d %B %Y"), "%d %B %Y"),
        "Townland": label(draw.of(["Cloonfad", "Kilroe", "Annaghdown", "Corrandulla"])),
        "Legit.": label(draw.of(["y", "n"], [14, 1]), EITHER),
        "Occupation of father": label(draw.of(["farmer", "herd", "smith", "labourer"])),
        "Celebrant": identifier(draw.even(["Rev. P. Tarpey", "Rev. J. Hynes CC"]), repeats=True),
        "Folio": Truth(
            [f"{row // 12 + 1}{'rv'[row // 6 % 2]}" for row in range(draw.n)],
            SOMEHOW,
            frozenset({"quasi", "identifier", "person"}),
        ),
    }


@corpus_table(rows=220, separator="\t", encoding="cp1251")
def russian_court(draw: Draw) -> dict[str, Truth]:
    """Files of a Russian court: parties by surname and initials, judges, sums in rubles, tax numbers."""
    family = ["Вознесенский", "Черемисова", "Кузнецов", "Бардин", "Ахметзянова", "Щукин", "Подгорная"]

    def person() -> str:
        return f"{draw.choice(family)} {draw.choice('АВГДИМНС')}.{draw.choice('АВГИПС')}."

    return {
        "Номер дела": identifier([f"2-{value}/2023" for value in draw.digits(4)]),
        "Истец": identifier(draw.cells(person), repeats=True),
        "Ответчик": identifier(draw.even(["ООО «Ромашка»", "Бардин А.И.", "Щукин В.С.", "ТСЖ «Заря»"]), repeats=True),
        "Судья": identifier(draw.even(["Подгорная Н.В.", "Черемисова М.А.", "Кузнецов Д.П."]), repeats=True),
        "Дата поступления": date(written(draw.days("2023-01-09", "2023-12-29"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Категория": label(draw.of(["расторжение брака", "алименты", "взыскание долга", "наследство"]), EITHER),
        "Цена иска": number(
            [
                f"{float(v):,.2f}".replace(",", " ").replace(".", ",") + " руб."
                for v in draw.around(250_000, 200_000, 5000, 2_000_000, 2)
            ],
            EITHER,
            format="250 000,00 руб.",
        ),
        "ИНН истца": identifier(draw.digits(12)),
        "СНИЛС": identifier(
            draw.cells(
                lambda: (
                    f"{draw.randint(100, 999)}-{draw.randint(100, 999)}-"
                    f"{draw.randint(100, 999)} {draw.randint(10, 99)}"
                )
            )
        ),
        "Пол истца": label(draw.of(["ж", "м"], [1, 1])),
        "Решение": label(draw.of(["удовлетворено", "отказано", "прекращено"]), EITHER),
    }


@corpus_table(rows=240)
def veterinary_clinic(draw: Draw) -> dict[str, Truth]:
    """A veterinary clinic's visits: the animals' owners, chips, weights with a unit."""
    owners = ["Mrs Oduya", "T. Blackwood-Innes", "Mr & Mrs Fenwick", "Siobhán Tully", "Farm: Low Garth", "J Pettifer"]
    pets = ["Biscuit", "Rex", "Mog", "Luna", "Pickle", "Sir Barks", "Tiggy", "Hamish"]
    return {
        "Client": identifier(draw.even(owners), repeats=True),
        "Client mob": identifier(draw.cells(lambda: f"07{draw.randint(400, 999)} {draw.randint(100_000, 999_999)}")),
        "Patient": Truth(draw.even(pets), frozenset({"label"}), frozenset({"identifier", "person", "quasi"})),
        "Species": label(draw.of(["canine", "feline", "lagomorph", "equine"])),
        "Breed": label(draw.of(["Labrador", "DSH", "Border Terrier", "X-breed", "Cob"])),
        "Chip": identifier([f"9{value}" for value in draw.digits(14)]),
        "Sex": label(draw.of(["FN", "MN", "F", "M"])),
        "Wt": number([f"{v} kg" for v in draw.around(14, 8, 2, 60, 1)], format="14.2 kg"),
        "Seen": date(written(draw.days("2023-01-01", "2023-12-31"), "%d/%m/%y"), "%d/%m/%y"),
        "Presenting": Truth(
            draw.of(["booster", "lame", "dental", "V+/D+", "itchy"]), frozenset({"label"}), frozenset(EITHER)
        ),
        "Fee": number([f"£{v}" for v in draw.around(85, 50, 20, 600, 2)], EITHER, format="£85.00"),
        "Vet": identifier(draw.even(["MC", "RJH", "LO"]), repeats=True),
        "Postcode": code(draw.even(["HX7 8AB", "HX7 6LP", "OL14 5QG", "BD22 9SU", "HX2 7TX"])),
    }


@corpus_table(rows=260)
def kenyan_antenatal(draw: Draw) -> dict[str, Truth]:
    """A Kenyan antenatal register: parity as 2+1, estates, results in short, next of kin."""
    given = ["Wanjiru", "Achieng", "Nafula", "Chepkoech", "Mwende", "Halima"]
    family = ["Kamau", "Odhiambo", "Wekesa", "Kiprotich", "Mutiso", "Abdi"]
    return {
        "ANC No": identifier([f"{row + 1:04d}/23" for row in range(draw.n)]),
        "Full Names": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "Village/Estate": label(draw.of(["Kawangware", "Kangemi", "Waithaka", "Riruta"])),
        "Age": number(draw.whole(15, 45)),
        "Parity": Truth(
            draw.of(["0+0", "1+0", "2+0", "2+1", "3+0", "4+2"]),
            frozenset({"label", "ordered"}),
            frozenset(EITHER),
        ),
        "LMP": date(written(draw.days("2023-01-01", "2023-06-30"), "%d/%m/%Y"), "%d/%m/%Y"),
        "Hb": number(draw.around(11.2, 1.4, 6, 15, 1), EITHER),
        "PITC": label(draw.of(["N", "P", "KP", "U"]), EITHER),
        "VDRL": label(draw.with_missing(draw.of(["NR", "R"], [20, 1]), 0.1, "ND"), EITHER, ("ND",)),
        "MUAC (cm)": number(draw.around(26, 3, 18, 38, 1), EITHER),
        "Tel": identifier(draw.cells(lambda: f"+2547{draw.randint(10_000_000, 99_999_999)}")),
        "Next of kin": identifier(
            draw.cells(lambda: f"{draw.choice(given)} (sister) 07{draw.randint(10_000_000, 99_999_999)}")
        ),
        "IPT dose": scale(draw.of([1, 2, 3]), EITHER),
    }


@corpus_table(rows=240)
def prison_intake(draw: Draw) -> dict[str, Truth]:
    """Intake of a prison: numbers, aliases, marks on the body, heights in feet and inches, sentences."""
    return {
        "DOC#": identifier(draw.digits(7)),
        "AKA": identifier(
            draw.with_missing(draw.even(["Lil Ray", "Ghost", "T-Bone", "Big Mike", "Smiley", "Ruca"]), 0.5),
            repeats=True,
        ),
        "DOB": date(written(draw.days("1955-01-01", "2004-12-31"), "%m/%d/%Y"), "%m/%d/%Y"),
        "Race": label(draw.of(["W", "B", "H", "A", "I"]), EITHER),
        "Ht": Truth(
            draw.cells(lambda: f"{draw.randint(5, 6)}'{draw.randint(0, 11)}\""),
            frozenset({"label", "number", "ordered", "hierarchy"}),
            frozenset({"quasi"}),
        ),
        "Wt": number([f"{v} lbs" for v in draw.around(184, 30, 110, 340)], format="184 lbs"),
        "SMT": note(
            draw.with_missing(
                draw.even(
                    ["tat L arm 'Rosalinda 2009'", "scar fhd", "tat neck VARRIO 13", "tat chest RIP Grandma Odessa"]
                ),
                0.3,
            ),
            ("Rosalinda 2009", "Grandma Odessa"),
        ),
        "Offense": label(draw.of(["BURG 2", "DWI", "ASLT 1", "POSS CS", "ROB 1"]), EITHER),
        "Max_Sent": Truth(
            draw.of(["18M", "36M", "60M", "120M", "LIFE"]),
            frozenset({"label", "ordered", "number"}),
            frozenset(EITHER),
        ),
        "ERD": date(
            draw.with_missing(written(draw.days("2024-01-01", "2049-12-31"), "%m/%d/%Y"), 0.04), "%m/%d/%Y", EITHER
        ),
        "County": label(draw.of(["Harlan", "Breathitt", "Knott", "Letcher"])),
        "Custody": scale(draw.of(["Minimum", "Medium", "Close", "Maximum"]), EITHER),
        "MH_Lvl": rating(draw.of([0, 1, 2, 3, 4]), EITHER),
    }


@corpus_table(rows=260, separator=";")
def french_ambulance(draw: Draw) -> dict[str, Truth]:
    """Calls to a French ambulance service: the caller, where, what, by whom, in how many minutes."""
    where = [
        "en face de la boulangerie Guérineau, 2e étage",
        "12 bis impasse du Colombier",
        "Lycée Ste-Cécile, infirmerie",
        "chez M. Taillefer, interphone Roche",
        "RN 7 PK 14",
    ]
    return {
        "N° fiche": identifier([f"2023-{value}" for value in draw.digits(5)]),
        "Heure appel": Truth(
            [f"{one:%d/%m/%Y %H:%M}" for one in draw.moments("2023-01-01", "2023-12-31")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%d/%m/%Y %H:%M",
        ),
        "Appelant": identifier(
            draw.cells(lambda: "0" + " ".join(f"{draw.randint(10, 99)}" for _ in range(4)) + " 7")
        ),
        "Lieu": note(draw.even(where), ("boulangerie Guérineau", "M. Taillefer", "12 bis impasse du Colombier")),
        "Commune": label(draw.of(["Montargis", "Amilly", "Villemandeur", "Châlette"])),
        "Motif": label(draw.of(["malaise", "chute", "AVP", "douleur thoracique", "TS"]), EITHER),
        "Âge": number(draw.with_missing(draw.whole(0, 99), 0.05, "NC"), missing=("NC",)),
        "Sexe": label(draw.of(["F", "H"], [1, 1])),
        "Délai": number([f"{v} min" for v in draw.around(13, 5, 2, 55)], EITHER, format="13 min"),
        "Équipage": identifier(draw.even(["JK/AM", "SB/TL", "JK/TL", "PD/AM"]), repeats=True),
        "Devenir": label(draw.of(["transporté", "laissé sur place", "décédé"]), EITHER),
        "Gravité": scale(draw.of(["faible", "modérée", "élevée", "très élevée"]), EITHER),
        "Satisfaction": scale(
            draw.of(["pas du tout satisfait", "plutôt pas satisfait", "plutôt satisfait", "tout à fait satisfait"]),
            EITHER,
        ),
    }


@corpus_table(rows=240, separator=";", encoding="utf-8-sig")
def croatian_chess(draw: Draw) -> dict[str, Truth]:
    """Members of a Croatian chess club: names apart, the OIB, ratings, titles."""

    def oib() -> str:
        digits = [draw.randint(0, 9) for _ in range(10)]
        rest = 10
        for one in digits:
            rest = (rest + one) % 10 or 10
            rest = rest * 2 % 11
        return "".join(map(str, digits)) + str((11 - rest) % 10)

    return {
        "Prezime": identifier(draw.even(["Štimac", "Đurđević", "Brkljačić", "Vučemilović", "Žganec"]), repeats=True),
        "Ime": identifier(draw.even(["Krešimir", "Tvrtko", "Ljubica", "Ognjen", "Zdenka", "Božica"]), repeats=True),
        "OIB": identifier(draw.cells(oib)),
        "FIDE ID": identifier([f"145{value}" for value in draw.digits(5)]),
        "God. rođ.": year(draw.whole(1938, 2015)),
        "Spol": label(draw.of(["M", "Ž"], [4, 1])),
        "Rejting": number(draw.around(1750, 260, 1000, 2500)),
        "Titula": label(draw.with_missing(draw.of(["MK", "FM", "IM", "GM"]), 0.8)),
        "Klub": label(draw.of(["Zagreb", "Mladost", "Goranka", "Liburnija"])),
        "Članarina": number(
            [f"{v} €" for v in with_comma(draw.around(50, 20, 10, 120, 2))], EITHER, format="50,00 €"
        ),
        "E-pošta": identifier(
            draw.cells(lambda: f"{draw.choice('abdgkmz')}.{draw.randint(1, 999_999)}@posta.example")
        ),
    }
