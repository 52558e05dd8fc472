"""A fourth round of strangers' tables, written when the third was right, to see whether its rules hold for others."""

from __future__ import annotations

from tests.corpus.draw import Draw, with_comma, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, Truth, code, count, date, identifier, label, note, number, rating, scale, year

SOMEHOW = frozenset({"label", "number", "ordered", "hierarchy", "date"})


@corpus_table(rows=240, separator=";", encoding="cp1254")
def turkish_insurance(draw: Draw) -> dict[str, Truth]:
    """Claims of a Turkish motor insurer: insured, experts, plates, sums in lira, what happened in a few words."""
    given = ["Gülşen", "Orhan", "Nurcan", "Tolga", "Şükran", "İlker"]
    family = ["Karadağ", "Özbilgin", "Yalçınkaya", "Uçar", "Tunçer"]
    return {
        "Dosya No": identifier([f"HSR-{value}" for value in draw.digits(7)]),
        "Sigortalı": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "T.C. Kimlik": identifier(draw.digits(11)),
        "Plaka": identifier(
            draw.cells(
                lambda: (
                    f"{draw.randint(1, 81):02d} {draw.choice('ABCDEFG')}{draw.choice('HKL')} {draw.randint(100, 999)}"
                )
            )
        ),
        "Hasar Tarihi": date(written(draw.days("2022-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Eksper": identifier(draw.even(["Tolga U.", "Nurcan K.", "Orhan Y."]), repeats=True),
        "Hasar Tutarı": number(
            [
                f"{float(v):,.2f} TL".translate(str.maketrans(",.", ".,"))
                for v in draw.around(14_000, 9000, 800, 90_000, 2)
            ],
            EITHER,
            format="14.000,00 TL",
        ),
        "İl": label(draw.of(["Konya", "Kayseri", "Niğde", "Aksaray"])),
        "Kusur": number([f"%{v}" for v in draw.even([0, 25, 50, 75, 100])], EITHER, format="%50"),
        "Olay": note(
            draw.of(
                [
                    "kavşakta çarpma, karşı araç Uçar Nakliyat",
                    "park halinde",
                    "kuzeni Tolga kullanıyordu",
                    "cam kırıldı",
                ]
            ),
            ("kuzeni Tolga",),
        ),
        "Yaş": number(draw.whole(18, 84)),
    }


@corpus_table(rows=220, separator=";")
def finnish_youth_house(draw: Draw) -> dict[str, Truth]:
    """Visits to a Finnish youth house: nicknames, guardians, who was on duty, worries in words."""
    return {
        "Jäsennumero": identifier(draw.even([f"NT{v}" for v in draw.sample(range(1000, 9999), 80)]), repeats=True),
        "Kutsumanimi": identifier(
            draw.even(["Nipa", "Eve", "Jartsa", "Pinja", "Ode", "Mikki", "Tuuli"]), repeats=True
        ),
        "Huoltajan puhelin": identifier(
            draw.cells(lambda: f"040 {draw.randint(100, 999)} {draw.randint(1000, 9999)}")
        ),
        "Syntymävuosi": year(draw.whole(2005, 2014)),
        "Sukupuoli": label(draw.of(["tyttö", "poika", "muu"], [10, 10, 1]), EITHER),
        "Käyntipäivä": date(written(draw.days("2023-08-01", "2023-12-20"), "%-d.%-m.%Y"), "%-d.%-m.%Y"),
        "Saapui": Truth(
            draw.cells(lambda: f"{draw.randint(13, 19)}.{draw.randint(0, 5)}{draw.choice('05')}"),
            SOMEHOW,
            frozenset({"quasi", "sensitive"}),
        ),
        "Vuorossa": identifier(draw.even(["Sari", "Jouni", "Kaisu-Leena"]), repeats=True),
        "Toiminta": label(draw.of(["biljardi", "bändi", "keittiö", "läksyt"])),
        "Huoli": note(
            draw.with_missing(
                draw.of(["riita Pinjan kanssa", "ei syönyt mitään", "kertoi isästä, soitettu äidille Sirpa"]), 0.7
            ),
            ("riita Pinjan kanssa", "äidille Sirpa"),
        ),
        "Koulu": label(draw.of(["Hatanpää", "Tammela", "Kaukajärvi"])),
    }


@corpus_table(rows=240)
def hotel_guests(draw: Draw) -> dict[str, Truth]:
    """Stays of a hotel: guests in capital letters, companies, rooms, keys, wishes, who paid."""
    family = ["ABARCA", "LINDEGREN", "MOREAU", "OKONJO", "PETROVA", "STEINWENDER"]
    given = ["A", "BJORN", "CELINE", "D", "E M", "FELIX"]
    return {
        "conf": identifier(draw.cells(lambda: f"{draw.randint(10**8, 10**9 - 1)}-{draw.randint(1, 3)}")),
        "guest": identifier(draw.cells(lambda: f"{draw.choice(family)} {draw.choice(given)}"), repeats=True),
        "company": label(draw.with_missing(draw.of(["Siemens", "Nestlé SA", "WHO"]), 0.6)),
        "room": label(draw.even([101, 102, 205, 206, 310, 411]), ("quasi", "identifier", "person")),
        "in": date(written(draw.days("2024-01-01", "2024-03-31"), "%d%b%Y"), "%d%b%Y"),
        "nts": count(draw.of([1, 2, 3, 4, 7])),
        "rate": number(draw.around(142, 35, 79, 320, 2), EITHER),
        "nat": label(draw.of(["ES", "SE", "FR", "NG", "RU"])),
        "id_doc": identifier(
            draw.cells(lambda: f"{draw.choice('ABEX')}{draw.choice('ABEX')}{draw.randint(10**6, 10**7 - 1)}")
        ),
        "prefs": note(
            draw.with_missing(
                draw.of(
                    [
                        "high floor; allergic to feathers",
                        "same room as Mrs P. Moreau",
                        "crib",
                        "late c/o, call +33 6 12 34 56 78",
                    ]
                ),
                0.5,
            ),
            ("Mrs P. Moreau", "+33 6 12 34 56 78"),
        ),
        "cc4": identifier(draw.cells(lambda: f"x{draw.randint(1000, 9999)}"), repeats=True),
        "desk": identifier(draw.even(["mf", "jo", "tkp"]), repeats=True),
    }


@corpus_table(rows=220, separator="\t")
def persian_school(draw: Draw) -> dict[str, Truth]:
    """Pupils of a school in Persian: names, national numbers, fathers' jobs, marks of 20."""
    return {
        "نام": identifier(draw.even(["آرش", "پریسا", "کیان", "نگار", "سپهر"]), repeats=True),
        "نام خانوادگی": identifier(draw.even(["کاظمی", "رستگار", "موسوی", "فرهمند"]), repeats=True),
        "کد ملی": identifier(draw.cells(lambda: f"00{draw.randint(10**7, 10**8 - 1)}")),
        "نام پدر": identifier(draw.even(["بهرام", "یوسف", "منصور"]), repeats=True),
        "شغل پدر": label(draw.of(["کارمند", "کشاورز", "راننده", "پزشک"]), EITHER),
        "جنسیت": label(draw.of(["دختر", "پسر"], [1, 1])),
        "معدل": number(draw.around(16.2, 2, 8, 20, 2), EITHER),
        "پایه": scale(draw.of([7, 8, 9])),
        "معلم": identifier(draw.even(["خانم رستگار", "آقای کاظمی"]), repeats=True),
        "تلفن همراه": identifier(draw.cells(lambda: f"0912{draw.randint(10**6, 10**7 - 1)}")),
        "توضیحات": note(
            draw.with_missing(draw.of(["با مادرش نگار زندگی می کند", "غیبت زیاد", "مشروط"]), 0.5), ("مادرش نگار",)
        ),
    }


@corpus_table(rows=260)
def charity_donors(draw: Draw) -> dict[str, Truth]:
    """Gifts to a charity: donors by salutation, in whose memory, dedications, tax marks."""
    people = [
        "The Hon. A. Whitcombe",
        "Jo & Sam",
        "Anon",
        "Mrs E Pargeter",
        "Bluebell Nursery class 2",
        "C. O'Hanlon",
    ]
    return {
        "urn": identifier([f"{value}" for value in draw.digits(6)]),
        "salutation": identifier(draw.even(people), repeats=True),
        "gift_dt": date(written(draw.days("2022-01-01", "2023-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "gift_amt": number([f"£{v}" for v in draw.even(["5.00", "10.00", "25.00", "50.00", "250.00"])], EITHER),
        "in_memory_of": identifier(
            draw.with_missing(draw.even(["Grandad Stan", "Noreen P.", "our Molly", "Uncle Des"]), 0.6), repeats=True
        ),
        "dedication": note(
            draw.with_missing(
                draw.of(
                    [
                        "Miss you always Stan, love from all at no. 14",
                        "for the nurses on Ward 6",
                        "Happy 70th Noreen!",
                    ]
                ),
                0.5,
            ),
            ("Stan, love from all", "70th Noreen"),
        ),
        "giftaid": label(draw.of(["Y", "N"])),
        "channel": label(draw.of(["web", "post", "street", "legacy"])),
        "area": code(draw.even(["TA1", "TA20", "EX14", "DT9", "BA22"])),
        "fundraiser": identifier(draw.with_missing(draw.even(["Kaz", "Lou-Lou", "Trev B"]), 0.4), repeats=True),
        "age_band": scale(draw.of(["55-64", "65-74", "75+", "45-54", "<45"])),
    }


@corpus_table(rows=240)
def parking_fines(draw: Draw) -> dict[str, Truth]:
    """Fines for parking: notices, plates of several countries, wardens, places in three words or by a geohash."""
    words = ["table", "lamp", "spoon", "daring", "lions", "races", "index", "home", "raft", "filled", "count", "soap"]
    letters = "0123456789bcdefghjkmnpqrstuvwxyz"
    return {
        "pcn": identifier(
            draw.cells(
                lambda: f"{draw.choice(['WK', 'LM'])}{draw.randint(10**7, 10**8 - 1)}{draw.choice('0123456789A')}"
            )
        ),
        "vrm": identifier(
            draw.cells(
                lambda: (
                    f"{draw.choice('ABDEFGK')}{draw.choice('ABDEFG')}{draw.randint(51, 74)}"
                    f"{draw.choice('XYZ')}{draw.choice('LMN')}{draw.choice('PRS')}"
                )
            )
        ),
        "issued": Truth(
            [f"{one:%Y-%m-%d %H:%M}" for one in draw.moments("2023-04-01", "2024-03-31")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%Y-%m-%d %H:%M",
        ),
        "ceo_no": identifier(draw.even([f"{v}" for v in draw.sample(range(300, 600), 14)]), repeats=True),
        "w3w": identifier(draw.cells(lambda: ".".join(draw.choice(words) for _ in range(3)))),
        "geohash": Truth(
            draw.cells(lambda: "gcpv" + "".join(draw.choice(letters) for _ in range(5))),
            frozenset({"label", "hierarchy"}),
            frozenset({"identifier", "quasi"}),
        ),
        "contravention": label(draw.even(["01", "12r", "30", "62", "40"]), EITHER),
        "charge": number(draw.even([50, 70, 80, 130]), EITHER),
        "stage": scale(draw.of(["issued", "notice", "charge certificate", "warrant"]), EITHER),
        "appeal_text": note(
            draw.with_missing(
                draw.even(
                    ["I was dropping my mother Agnieszka at dialysis", "machine broken", "blue badge displayed"]
                ),
                0.7,
            ),
            ("mother Agnieszka",),
        ),
        "keeper": identifier(
            draw.even(["MR J TREMBATH", "MISS R ADEYEMI", "LEX AUTOLEASE", "MS K-L SOONG"]), repeats=True
        ),
    }


@corpus_table(rows=220, separator=";", encoding="cp1257")
def lithuanian_clinic(draw: Draw) -> dict[str, Truth]:
    """A Lithuanian clinic: card numbers, personal codes, family doctors by surname, diagnoses."""
    women = ["Kazlauskienė", "Jankauskaitė", "Žukauskienė", "Petrauskaitė"]
    men = ["Stankevičius", "Butkus", "Urbonas", "Kavaliauskas"]
    return {
        "Kortelės Nr.": identifier([f"K-{value}" for value in draw.digits(5)]),
        "Pavardė": identifier(draw.even([*women, *men]), repeats=True),
        "Asmens kodas": identifier(
            draw.cells(
                lambda: (
                    f"{draw.choice('3456')}{draw.randint(40, 99)}{draw.randint(1, 12):02d}"
                    f"{draw.randint(1, 28):02d}{draw.randint(1000, 9999)}"
                )
            )
        ),
        "Lytis": label(draw.of(["mot.", "vyr."], [1, 1])),
        "Gimimo data": date(written(draw.days("1940-01-01", "2015-12-31"), "%Y-%m-%d")),
        "Šeimos gydytojas": identifier(draw.even(["Butkus", "Urbonas", "Žukauskienė"]), repeats=True),
        "TLK": code(draw.of(["I10", "E11.9", "J06.9", "M54.5"]), EITHER),
        "Svoris": number([f"{v} kg" for v in with_comma(draw.around(76, 15, 40, 150, 1))], EITHER, format="76,5 kg"),
        "Savivaldybė": label(draw.of(["Kauno m.", "Kauno r.", "Jonavos r."])),
        "Pastabos": note(
            draw.with_missing(draw.of(["atvyko su dukra Rasa", "alergija penicilinui", "nedarbingumas"]), 0.4),
            ("dukra Rasa",),
        ),
        "Kaina": number([f"{v} €" for v in with_comma(draw.around(24, 12, 5, 90, 2))], EITHER, format="24,00 €"),
    }


@corpus_table(rows=240)
def podcast_backers(draw: Draw) -> dict[str, Truth]:
    """Backers of a podcast: slugs, short digests, invite codes, levels, what they ask the hosts."""
    slugs = ["mara-delgado", "bigtunafan", "quietkoala", "prof-oak", "j-w-hobbs", "siljevik", "dadbod84"]
    letters = "ABCDEFGHJKMNPQRSTVWXYZ0123456789"
    return {
        "ulid": identifier(draw.cells(lambda: "01H" + "".join(draw.choice(letters) for _ in range(23)))),
        "profile_slug": identifier(draw.even(slugs), repeats=True),
        "email_local": identifier(
            draw.cells(lambda: f"{draw.choice(['mdelgado', 'hobbs.jw', 'silje_v', 'tuna'])}{draw.randint(1, 99)}"),
            repeats=True,
        ),
        "ref": identifier(draw.cells(lambda: f"{draw.getrandbits(28):07x}")),
        "tier": scale(draw.of(["bronze", "silver", "gold"])),
        "pledge": number(draw.even(["3.00", "5.00", "12.50", "25.00"]), EITHER),
        "since": date(written(draw.days("2019-01-01", "2023-12-31"), "%m/%d/%Y"), "%m/%d/%Y"),
        "tz": label(draw.of(["America/Denver", "Europe/Oslo", "Asia/Manila"])),
        "ask_the_hosts": note(
            draw.with_missing(
                draw.even(
                    ["Do you remember me, Silje from Bergen?", "best pizza?", "Is my ex Rowan also a backer lol"]
                ),
                0.5,
            ),
            ("Silje from Bergen", "my ex Rowan"),
        ),
        "nps": rating(draw.whole(0, 10)),
        "ship_to": identifier(
            draw.cells(
                lambda: (
                    f"{draw.randint(1, 99)}/{draw.randint(1, 9)} Bayanihan St, Brgy. {draw.choice(['Uno', 'Dos'])}"
                )
            )
        ),
    }


@corpus_table(rows=220)
def filipino_barangay(draw: Draw) -> dict[str, Truth]:
    """Residents of a barangay: names with suffixes, precincts, vaccines, blotters."""
    return {
        "Apelyido": identifier(
            draw.even(["Macaraeg", "Dimaculangan", "Bautista", "Salonga", "Tolentino"]), repeats=True
        ),
        "Pangalan": identifier(draw.even(["Jejomar", "Luzviminda", "Rodel Jr.", "Maricel", "Boyet"]), repeats=True),
        "Purok": label(draw.of([1, 2, 3, 4, 5])),
        "Kapanganakan": date(written(draw.days("1945-01-01", "2010-12-31"), "%B %d, %Y"), "%B %d, %Y"),
        "Kasarian": label(draw.of(["L", "B"], [1, 1])),
        "PhilSys": identifier(draw.cells(lambda: "-".join(f"{draw.randint(1000, 9999)}" for _ in range(4)))),
        "Hanapbuhay": label(draw.of(["tricycle driver", "vendor", "OFW", "wala"]), EITHER),
        "4Ps": label(draw.of(["oo", "hindi"]), EITHER),
        "Buwanang kita": number(
            [f"₱{int(float(v)):,}" for v in draw.around(14_000, 5000, 2000, 60_000)], EITHER, format="₱14,000"
        ),
        "Blotter": note(
            draw.with_missing(
                draw.of(["inireklamo ni Aling Nena", "away sa kapitbahay", "utang kay Boyet Salonga"]), 0.7
            ),
            ("Aling Nena", "Boyet Salonga"),
        ),
        "Kagawad": identifier(draw.even(["Kap. Tolentino", "Kag. Macaraeg"]), repeats=True),
    }


@corpus_table(rows=240, separator=";", encoding="cp1252")
def swiss_music_school(draw: Draw) -> dict[str, Truth]:
    """Lessons of a Swiss music school: pupils, teachers by first name, invoices, instruments, who drives."""
    return {
        "Rg-Nr": identifier([f"23.{value}" for value in draw.digits(5)]),
        "Kind": identifier(draw.even(["Lenja", "Maurin", "Seraina", "Gian-Andri", "Flurina"]), repeats=True),
        "Lehrperson": identifier(draw.even(["Ursin", "Annamengia", "Reto C."]), repeats=True),
        "Instrument": label(draw.of(["Hackbrett", "Geige", "Alphorn", "Klavier"])),
        "Lektion": count(draw.of([20, 30, 40, 50]), EITHER),
        "Tarif": number(
            [f"CHF {float(v):,.2f}".replace(",", "'") for v in draw.around(820, 300, 200, 2400, 2)],
            EITHER,
            format="CHF 1'240.00",
        ),
        "Jg.": year(draw.whole(2006, 2017)),
        "Fahrdienst": identifier(
            draw.with_missing(draw.even(["Mami Seraina", "Oma Trudi", "Fam. Caduff"]), 0.4), repeats=True
        ),
        "Ermässigung": number(
            draw.with_missing([f"{v} %" for v in draw.even([10, 20, 50])], 0.6), EITHER, format="20 %"
        ),
        "Gde": label(draw.of(["Ilanz", "Trin", "Flims", "Vals"])),
        "Absenz": label(draw.with_missing(draw.of(["krank", "Ferien", "unentsch."]), 0.7), EITHER),
    }
