"""A third round of strangers' tables, of machines and forms: truth first, then the proposal."""

from __future__ import annotations

import base64
import hashlib
import json

from tests.corpus.draw import Draw, written
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
    member,
    note,
    number,
    rating,
    scale,
    year,
)

SOMEHOW = frozenset({"label", "number", "ordered", "hierarchy", "date"})


@corpus_table(rows=320)
def vehicle_telemetry(draw: Draw) -> dict[str, Truth]:
    """Telemetry of rental cars: devices, modems, drivers by a key, where and how fast."""
    fleet = [
        (
            ":".join(f"{draw.randrange(256):02x}" for _ in range(6)),
            f"35{draw.randint(10**12, 10**13 - 1)}",
            f"WVWZZZ1K{draw.choice('ABCDE')}W{draw.randint(100_000, 999_999)}",
        )
        for _ in range(40)
    ]
    rows = [draw.choice(fleet) for _ in range(draw.n)]
    return {
        "dev": identifier([one[0] for one in rows], repeats=True),
        "imei": identifier([one[1] for one in rows], repeats=True),
        "vin": identifier([one[2] for one in rows], repeats=True),
        "ts": Truth(
            draw.cells(lambda: draw.randint(1_690_000_000, 1_700_000_000)),
            frozenset({"number", "date"}),
            frozenset({"quasi", "identifier"}),
        ),
        "gps": Truth(
            draw.cells(lambda: f"{draw.uniform(48.0, 48.3):.5f},{draw.uniform(11.4, 11.7):.5f}"),
            frozenset(),
            frozenset({"identifier"}),
        ),
        "spd": number(draw.around(54, 25, 0, 190)),
        "batt_v": number(draw.around(12.4, 0.3, 10.5, 14.6, 2)),
        "rssi": number(draw.around(-81, 9, -113, -51)),
        "driver_key": identifier(draw.cells(lambda: f"{draw.getrandbits(32):08X}"), repeats=True),
        "fw": label(draw.of(["2.4.1", "2.4.0", "2.3.9"]), ("quasi", "other")),
        "fuel_pct": number([f"{v}%" for v in draw.whole(3, 100)], format="57%"),
        "trip_purpose": label(draw.of(["private", "commute", "business"]), EITHER),
    }


@corpus_table(rows=260)
def survey_platform(draw: Draw) -> dict[str, Truth]:
    """An export of a survey platform: response ids, addresses of the network, open answers, bands of age."""
    open_answers = [
        "My manager Priyanka keeps changing my shifts",
        "n/a",
        "More bike racks please",
        "ask Big Dave in receiving, he knows",
        "Nothing really, the canteen is fine. My extension is 4471 if you want details",
    ]
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return {
        "ResponseId": identifier(draw.cells(lambda: "R_" + "".join(draw.choice(letters) for _ in range(15)))),
        "StartDate": date(
            [f"{one:%Y-%m-%d %H:%M:%S}" for one in draw.moments("2024-02-01", "2024-02-28")], "%Y-%m-%d %H:%M:%S"
        ),
        "IPAddress": identifier(draw.cells(lambda: ".".join(str(draw.randint(1, 254)) for _ in range(4)))),
        "Progress": Truth(
            draw.of([100, 64, 12], [20, 1, 1]), SOMEHOW, frozenset({"quasi", "other", "sensitive", "identifier"})
        ),
        "Duration (in seconds)": number(draw.around(420, 200, 60, 3000), ("quasi", "sensitive", "other")),
        "LocationLatitude": coordinate(draw.around(52.48, 0.1, 52.0, 53.0, 4)),
        "LocationLongitude": coordinate(draw.around(-1.89, 0.1, -2.4, -1.4, 4)),
        "Q1_1": scale(draw.even([1, 2, 3, 4, 5]), EITHER),
        "Q1_2": scale(draw.with_missing(draw.even([1, 2, 3, 4, 5]), 0.04, "-99"), EITHER, ("-99",)),
        "Q2": scale(draw.of(["25-34", "35-44", "18-24", "45-54", "55+"])),
        "Q3": label(draw.of(["Female", "Male", "Non-binary / third gender"]), EITHER),
        "Q4_TEXT": note(draw.even(open_answers), ("manager Priyanka", "Big Dave"), ("n/a",)),
        "Q5": rating(draw.whole(0, 10), EITHER),
    }


@corpus_table(rows=260)
def concert_tickets(draw: Draw) -> dict[str, Truth]:
    """Orders of concert tickets: buyers by name, e-mail only as a digest, seats, codes for a discount."""
    given = ["Ottilie", "Kwabena", "Dorota", "Ezequiel", "Imogen", "Nikhil"]
    family = ["Fairclough", "Asante-Boateng", "Wróbel", "Larrañaga", "Thwaite", "Deshmukh"]
    return {
        "order": identifier([f"#{value}" for value in draw.digits(7)]),
        "barcode": identifier(draw.digits(12)),
        "first": identifier(draw.even(given), repeats=True),
        "last": identifier(draw.even(family), repeats=True),
        "email_md5": identifier(draw.cells(lambda: hashlib.md5(str(draw.random()).encode()).hexdigest())),
        "block": label(draw.of(["A", "B", "C", "FOH"])),
        "seat": Truth(
            draw.cells(lambda: f"{draw.choice('ABCDEFGHJK')}{draw.randint(1, 40)}"),
            frozenset({"label", "hierarchy"}),
            frozenset({"quasi", "identifier"}),
        ),
        "price": number([f"{v} GBP" for v in draw.even(["45.00", "62.50", "89.00", "110.00", "24.75"])], EITHER),
        "bought": Truth(
            [f"{one:%d %b %Y, %H:%M}" for one in draw.moments("2024-01-01", "2024-04-30")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%d %b %Y, %H:%M",
        ),
        "promo": label(draw.with_missing(draw.of(["EARLYBIRD", "FRIEND10", "STAFF"]), 0.6)),
        "access_req": label(draw.with_missing(draw.of(["wheelchair", "BSL", "companion"]), 0.9), EITHER),
        "billing_zip": code(draw.cells(lambda: f"{draw.choice(['LS', 'BD', 'HG'])}{draw.randint(1, 29)}")),
    }


@corpus_table(rows=360)
def taxi_trips(draw: Draw) -> dict[str, Truth]:
    """Trips of taxis: medallions and licenses as digests, zones, fares, places as text."""
    cabs = [hashlib.md5(f"{v}".encode()).hexdigest().upper() for v in range(60)]
    drivers = [hashlib.md5(f"d{v}".encode()).hexdigest().upper() for v in range(90)]
    starts = draw.moments("2013-01-01", "2013-03-31")
    return {
        "medallion": identifier(draw.even(cabs), repeats=True),
        "hack_license": identifier(draw.even(drivers), repeats=True),
        "pickup_datetime": date([f"{one:%Y-%m-%d %H:%M:%S}" for one in starts], "%Y-%m-%d %H:%M:%S"),
        "passenger_count": count(draw.of([1, 2, 3, 5, 6])),
        "trip_distance": number(draw.around(2.9, 2, 0.1, 22, 2)),
        "PULocationID": label(draw.whole(1, 263)),
        "DOLocationID": label(draw.whole(1, 263)),
        "payment_type": label(draw.of(["CRD", "CSH", "NOC", "DIS"]), EITHER),
        "fare_amount": number(draw.around(12.5, 7, 2.5, 75, 1), EITHER),
        "tip_amount": number(draw.around(1.8, 1.3, 0, 15, 2), EITHER),
        "pickup_point": Truth(
            draw.cells(lambda: f"POINT ({draw.uniform(-74.02, -73.93):.6f} {draw.uniform(40.7, 40.82):.6f})"),
            frozenset(),
            frozenset({"identifier"}),
        ),
        "store_and_fwd_flag": label(draw.of(["N", "Y"], [40, 1]), ("quasi", "other", "sensitive")),
    }


@corpus_table(rows=200)
def care_home_sensors(draw: Draw) -> dict[str, Truth]:
    """A wide table of a care home: residents by name, and two dozen sensors per night."""
    residents = [
        "Mrs. Abernathy",
        "Mr. Okafor",
        "Miss Dalgleish",
        "Mr. Vance-Tull",
        "Mrs. Ferreira",
        "Sister Benedicta",
    ]
    sensors = {f"s{at:02d}": number(draw.around(20 + at, 4, 0, 90, 2), ("quasi", "sensitive")) for at in range(1, 25)}
    return {
        "night": date(written(draw.days("2023-10-01", "2023-12-31"), "%Y-%m-%d")),
        "resident": identifier(draw.even(residents), repeats=True),
        "room": label(draw.even(["G01", "G02", "104", "105", "211"]), ("quasi", "identifier", "person")),
        **sensors,
        "falls": count(draw.of([0, 1, 2], [20, 3, 1]), EITHER),
        "carer_initials": identifier(draw.even(["ab", "tk", "zo"]), repeats=True),
    }


@corpus_table(rows=200)
def letters_as_headers(draw: Draw) -> dict[str, Truth]:
    """A sheet whose columns have only letters for names: all that can be known stands in the cells."""
    given = ["Tatiana", "Bartek", "Sigrún", "Abdoulaye", "Marisol", "Giorgos", "Anouk"]
    family = ["Petrescu", "Halvorsen", "Diallo", "Castellanos", "Papadakis", "Vermeulen"]
    return {
        "A": identifier([str(row + 1) for row in range(draw.n)]),
        "B": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "C": label(draw.of(["F", "M"], [1, 1])),
        "D": date(written(draw.days("1950-01-01", "2005-12-31"), "%d/%m/%Y"), "%d/%m/%Y"),
        "E": label(draw.of(["Lisboa", "Porto", "Braga", "Faro"])),
        "F": identifier(
            draw.cells(lambda: f"+351 9{draw.randint(10, 39)} {draw.randint(100, 999)} {draw.randint(100, 999)}")
        ),
        "G": number(draw.around(1450.5, 400, 760, 5200, 2), EITHER),
        "H": code(draw.of(["E11.9", "I10", "J45.0", "M54.5"]), EITHER),
        "I": identifier([f"{draw.choice(family)}, {draw.choice(given)[0]}." for _ in range(draw.n)], repeats=True),
    }


@corpus_table(rows=220)
def all_in_one_cell(draw: Draw) -> dict[str, Truth]:
    """A list in which one cell holds name, day of birth and town, as pasted from a form."""
    given = ["Thị Hạnh", "Văn Dũng", "Thu Trang", "Quốc Bảo"]
    family = ["Nguyễn", "Trần", "Phạm", "Võ"]
    born = draw.days("1950-01-01", "2005-12-31")
    towns = ["Huế", "Đà Nẵng", "Cần Thơ"]
    return {
        "stt": identifier([str(row + 1) for row in range(draw.n)]),
        "thong_tin": identifier(
            [f"{draw.choice(family)} {draw.choice(given)}; {one:%d/%m/%Y}; {draw.choice(towns)}" for one in born]
        ),
        "nguoi_than": identifier(
            draw.with_missing(draw.cells(lambda: f"{draw.choice(family)} {draw.choice(given)} (mẹ)"), 0.3),
            repeats=True,
        ),
        "gioi_tinh": label(draw.of(["Nữ", "Nam"], [1, 1])),
        "cccd": identifier(draw.cells(lambda: f"0{draw.randint(10**10, 10**11 - 1)}")),
        "can_nang": number(draw.around(57, 9, 35, 110, 1), EITHER),
        "chan_doan": label(draw.of(["viêm phổi", "tăng huyết áp", "tiểu đường"]), EITHER),
        "bhyt": identifier(draw.cells(lambda: f"HC4{draw.randint(10**11, 10**12 - 1)}")),
    }


@corpus_table(rows=220)
def service_events(draw: Draw) -> dict[str, Truth]:
    """Events of a service as its queue wrote them: JSON in cells, lists, handles, tokens."""
    handles = ["mossy_kettle", "xXdarko99Xx", "nadia.b", "the_real_piet", "kaz-o", "lumen44", "soup.enjoyer"]
    given = ["Nadezhda", "Pieter", "Kazimierz", "Oluwaseun"]

    def payload() -> str:
        who = draw.choice(given)
        return json.dumps({"user": {"name": who, "mail": f"{who.lower()}@box.example"}, "n": draw.randint(1, 9)})

    return {
        "event_id": identifier(draw.cells(lambda: f"evt_{draw.getrandbits(60):015x}")),
        "at": Truth(
            [f"{one:%Y-%m-%dT%H:%M:%S}Z" for one in draw.moments("2024-03-01", "2024-03-31")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%Y-%m-%dT%H:%M:%SZ",
        ),
        "handle": identifier(draw.even(handles), repeats=True),
        "payload": identifier(draw.cells(payload)),
        "tags": Truth(
            draw.of(['["billing"]', '["billing","vip"]', '["abuse"]', "[]"]),
            frozenset({"label"}),
            frozenset({"quasi", "sensitive", "identifier"}),
        ),
        "token": identifier(draw.cells(lambda: base64.b64encode(draw.randbytes(18)).decode())),
        "plan": label(draw.of(["free", "pro", "team"])),
        "seats": count(draw.of([1, 2, 3, 5, 10])),
        "ua": label(
            draw.of(["Firefox 124 / Windows 11", "Safari 17 / macOS 14", "Chrome 123 / Android 14"]),
            ("quasi", "identifier"),
        ),
        "severity": scale(draw.of(["low", "medium", "high", "critical"]), EITHER),
    }


@corpus_table(rows=240)
def coin_exchange(draw: Draw) -> dict[str, Truth]:
    """Withdrawals of a coin exchange: wallets, usernames, initials, hashed documents."""
    letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    users = [f"{draw.choice(['zed', 'mila', 'octo', 'hodl', 'ren'])}{draw.randint(1, 999)}" for _ in range(70)]
    wallets = ["0x" + f"{draw.getrandbits(160):040x}" for _ in range(70)]
    rows = [draw.randrange(70) for _ in range(draw.n)]
    return {
        "username": identifier([users[row] for row in rows], repeats=True),
        "kyc_initials": identifier(draw.even(["T.O.", "M.v.H.", "J.R.", "P.Q."]), repeats=True),
        "eth_address": identifier([wallets[row] for row in rows], repeats=True),
        "btc_dest": identifier(draw.cells(lambda: "1" + "".join(draw.choice(letters) for _ in range(32)))),
        "doc_sha256": identifier(draw.cells(lambda: hashlib.sha256(str(draw.random()).encode()).hexdigest())),
        "amount_eth": number(draw.around(0.8, 0.5, 0.01, 9, 6), EITHER),
        "fee_gwei": number(draw.around(31, 12, 5, 140, 2), ("quasi", "sensitive", "other")),
        "risk_score": number(draw.around(38, 17, 0, 100), EITHER),
        "country": label(draw.of(["EE", "LT", "MT", "CY"])),
        "pep": label(draw.of(["no", "yes"], [60, 1]), EITHER),
        "created": date(written(draw.days("2020-01-01", "2023-12-31"), "%Y-%m-%d")),
        "tx": identifier(draw.cells(lambda: "0x" + f"{draw.getrandbits(256):064x}")),
    }


@corpus_table(rows=260, separator=";", encoding="cp1250")
def slovak_vehicles(draw: Draw) -> dict[str, Truth]:
    """A Slovak register of vehicles: chassis and plates, the keeper's birth number, cylinders, mileage."""
    kinds = "ABCDEFGHJKLMNPRSTUVWXYZ"
    return {
        "EČV": identifier(
            draw.cells(
                lambda: (
                    f"{draw.choice(['NR', 'BA', 'KE', 'ZA'])}-{draw.randint(100, 999)}"
                    f"{draw.choice(kinds)}{draw.choice(kinds)}"
                )
            )
        ),
        "VIN": identifier(
            draw.cells(
                lambda: (
                    "TMB"
                    + "".join(draw.choice(kinds + "0123456789") for _ in range(6))
                    + f"{draw.randint(10**7, 10**8 - 1)}"
                )
            )
        ),
        "Držiteľ": identifier(
            draw.cells(
                lambda: (
                    f"{draw.choice(['Ľudmila', 'Vratislav', 'Oľga', 'Žigmund'])} "
                    f"{draw.choice(['Hrušovská', 'Kováčik', 'Ďurica', 'Šefčíková'])}"
                )
            ),
            repeats=True,
        ),
        "RČ": identifier(
            draw.cells(
                lambda: (
                    f"{draw.randint(50, 99)}{draw.randint(1, 12):02d}{draw.randint(1, 28):02d}/"
                    f"{draw.randint(1000, 9999)}"
                )
            )
        ),
        "Značka": label(draw.of(["Škoda", "Volkswagen", "Kia", "Dacia"])),
        "Model": label(draw.of(["Octavia", "Golf", "Ceed", "Duster", "Fabia"])),
        "Farba": label(draw.of(["biela", "sivá", "červená", "modrá"])),
        "Objem": label(draw.of([999, 1197, 1598, 1968]), ("quasi",)),
        "Prvá evidencia": date(written(draw.days("2001-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Najazdené km": number(
            [f"{int(float(v)):,}".replace(",", " ") for v in draw.around(130_000, 60_000, 1000, 400_000)],
            format="130 000",
        ),
        "Č. poistky": identifier(draw.digits(10)),
        "Okres": label(draw.of(["Nitra", "Levice", "Komárno", "Šaľa"])),
    }


@corpus_table(rows=200)
def researchers(draw: Draw) -> dict[str, Truth]:
    """Researchers of a university: ORCID, papers by DOI, grants, how often they are cited."""

    def orcid() -> str:
        digits = f"0000000{draw.randint(10**7, 10**8 - 1)}"
        total = 0
        for one in digits:
            total = (total + int(one)) * 2
        rest = (12 - total % 11) % 11
        whole = digits + ("X" if rest == 10 else str(rest))
        return "-".join(whole[at : at + 4] for at in range(0, 16, 4))

    return {
        "orcid": identifier(draw.cells(orcid)),
        "display_name": identifier(
            draw.cells(
                lambda: f"{draw.choice(['Ø. Rystad', 'Mariam K. Lortki', 'B. F. Tshabalala', 'Yifat Ben-Ami'])}"
            ),
            repeats=True,
        ),
        "best_paper": identifier(
            draw.cells(lambda: f"10.{draw.randint(1000, 9999)}/j.{draw.randint(10**5, 10**6)}.{draw.randint(1, 99)}")
        ),
        "department": label(draw.of(["Physics", "History", "Law", "Dentistry"])),
        "rank": scale(draw.of(["lecturer", "senior lecturer", "professor"])),
        "h_index": number(draw.around(19, 11, 1, 90)),
        "citations": number(draw.cells(lambda: int(draw.expovariate(1 / 2400))), EITHER),
        "gender": label(draw.of(["m", "f", "x"], [10, 8, 0.5])),
        "phd_year": year(draw.whole(1975, 2021)),
        "grant_no": identifier(
            draw.with_missing(draw.cells(lambda: f"EP/{draw.choice('KLMN')}{draw.randint(100_000, 999_999)}/1"), 0.3)
        ),
        "homepage": identifier(
            draw.cells(lambda: f"https://uni.example/~{draw.choice('abcdefgh')}{draw.randint(10, 9999)}")
        ),
        "salary_band": scale(draw.of(["G7", "G8", "G9", "G10"]), EITHER),
    }


@corpus_table(rows=240)
def airline_manifest(draw: Draw) -> dict[str, Truth]:
    """Passengers of a flight: names as NGUYEN/HANH MRS, bookings, passports, meals and wheelchairs."""
    family = ["NGUYEN", "OYELARAN", "DA COSTA", "SIMEONOV", "AL HARBI", "KOWALCZYK"]
    given = ["HANH MRS", "TUNDE MR", "INES MS", "BOYAN MR", "REEM MISS", "OLA MSTR"]
    letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    return {
        "PNR": identifier(draw.cells(lambda: "".join(draw.choice(letters) for _ in range(6))), repeats=True),
        "PAX": identifier(draw.cells(lambda: f"{draw.choice(family)}/{draw.choice(given)}"), repeats=True),
        "PPT": identifier(draw.cells(lambda: f"{draw.choice('CGXZ')}{draw.randint(10**7, 10**8 - 1)}")),
        "NAT": label(draw.of(["VNM", "NGA", "PRT", "BGR", "SAU"])),
        "BORN": Truth(
            [f"{one:%d%b%y}".upper() for one in draw.days("1950-01-01", "1999-12-31")],
            frozenset({"date", "label", "hierarchy"}),
            frozenset({"quasi", "identifier"}),
        ),
        "CLS": label(draw.of(["Y", "M", "C"])),
        "SEAT": Truth(
            draw.cells(lambda: f"{draw.randint(1, 40)}{draw.choice('ABCDEF')}"),
            frozenset({"label", "hierarchy"}),
            frozenset({"quasi", "identifier"}),
        ),
        "MEAL": label(draw.with_missing(draw.of(["VGML", "MOML", "DBML", "KSML"]), 0.7), EITHER),
        "SSR": label(draw.with_missing(draw.of(["WCHR", "BLND", "DEAF"]), 0.9), EITHER),
        "FQTV": identifier(draw.with_missing([f"TK{value}" for value in draw.digits(9)], 0.5)),
        "BAGKG": number(draw.around(19, 6, 0, 46, 1)),
        "ETKT": identifier([f"235-{value}" for value in draw.digits(10)]),
    }


@corpus_table(rows=260)
def game_players(draw: Draw) -> dict[str, Truth]:
    """Players of an online game: tags, handles with numbers, hours and money spent."""
    first = ["Turbo", "silent", "Frosty", "ninja", "Lady", "potato"]
    last = ["Badger", "fox", "Moth", "waffle", "Banshee", "knight"]
    return {
        "gamertag": identifier(draw.cells(lambda: f"{draw.choice(first)}{draw.choice(last)}{draw.randint(1, 9999)}")),
        "discord": identifier(draw.cells(lambda: f"{draw.choice(last)}#{draw.randint(1000, 9999)}")),
        "steam64": identifier([f"7656119{value}" for value in draw.digits(10)]),
        "region": label(draw.of(["EUW", "NA", "KR", "BR"])),
        "lvl": number(draw.around(140, 80, 1, 600)),
        "hours": number(draw.cells(lambda: int(draw.expovariate(1 / 700))), EITHER),
        "kd": number(draw.around(1.1, 0.35, 0.1, 4, 2), EITHER),
        "spent_usd": number([f"${v}" for v in draw.around(55, 40, 0, 900, 2)], EITHER, format="$55.00"),
        "last_seen": Truth(
            [f"{one:%b %-d, %Y}" for one in draw.days("2024-01-01", "2024-05-31")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%b %-d, %Y",
        ),
        "birth_yr": year(draw.whole(1970, 2010)),
        "clan": label(draw.with_missing(draw.of(["[RAGE]", "[OWL]", "[NOOB]", "[7TH]"]), 0.5)),
        "reports": count(draw.of([0, 1, 2, 3], [20, 5, 2, 1]), EITHER),
    }


@corpus_table(rows=201, separator=";", encoding="cp1252")
def gym_with_totals(draw: Draw) -> dict[str, Truth]:
    """Members of a gym as a sheet with a line of totals at its end."""
    family = ["Aldershaw", "Brzycki", "Castellano", "Dubinsky", "Eberhardt", "Fitzgibbon"]
    given = ["Marlene", "Tobias", "Yolanda", "Hector", "Ingeborg", "Rufus"]

    def total(cells: list[str], last: str) -> list[str]:
        return [*cells[:-1], last]

    return {
        "Member": identifier(
            total(
                draw.cells(lambda: f"{draw.choice(family).upper()}, {draw.choice(given)} {draw.choice('ABJT')}."),
                "TOTAL",
            ),
            repeats=True,
        ),
        "No.": identifier(total([str(2001 + row) for row in range(draw.n)], "200 members")),
        "Emergency contact": identifier(
            total(draw.cells(lambda: f"{draw.choice(given)} {draw.randint(200, 999)}-{draw.randint(1000, 9999)}"), "")
        ),
        "Tier": label(total(draw.of(["Basic", "Plus", "Black"]), "")),
        "DOB": date(total(written(draw.days("1950-01-01", "2006-12-31"), "%m/%d/%Y"), ""), "%m/%d/%Y"),
        "Check-ins": number(total(draw.cells(lambda: int(draw.expovariate(1 / 60))), ""), EITHER),
        "Weight": number([*(f"{v} lb" for v in draw.around(176, 30, 95, 330)[:-1]), ""], EITHER, format="176 lb"),
        "BMI": number(total(draw.around(26, 4, 16, 48, 1), ""), EITHER),
        "Locker": Truth(total(draw.whole(1, 300), ""), SOMEHOW, frozenset({"quasi", "identifier", "person"})),
        "Dues": number(total([f"${v}" for v in draw.even(["29.00", "49.00", "99.00"])], "$9,482.00"), EITHER),
        "Injuries": label(total(draw.with_missing(draw.of(["knee", "back", "shoulder"]), 0.7), ""), EITHER),
    }


@corpus_table(rows=240)
def household_interviews(draw: Draw) -> dict[str, Truth]:
    """Interviews at home, half in Spanish and half in English: people by their relation, answers in both."""
    families = [f"H{v}" for v in draw.sample(range(1000, 9999), 80)]
    return {
        "hogar/household": identifier(draw.repeated(families), repeats=True),
        "persona #": member(draw.of([1, 2, 3, 4])),
        "parentesco": label(draw.of(["jefe/a", "spouse", "hijo/a", "grandchild"])),
        "edad": number(draw.with_missing(draw.whole(0, 93), 0.03, "NS/NR"), missing=("NS/NR",)),
        "sex/sexo": label(draw.of(["M", "F"], [1, 1])),
        "idioma": label(draw.of(["español", "english", "both"]), EITHER),
        "income last month": number(
            draw.with_missing([f"{float(v):,.0f}" for v in draw.around(2300, 900, 0, 9000)], 0.1, "refused"),
            EITHER,
            ("refused",),
            format="2,300",
        ),
        "status_mig": label(draw.of(["citizen", "LPR", "undoc", "DACA"]), EITHER),
        "nickname/apodo": identifier(draw.even(["Chuy", "La Güera", "Beto", "Nena", "Flaco", "Titi"]), repeats=True),
        "cross streets": Truth(
            draw.even(["Soto & 4th", "Lorena / Whittier", "Indiana y 3ra", "Evergreen & 1st"]),
            frozenset({"label"}),
            frozenset({"quasi", "identifier"}),
        ),
        "comments": note(
            draw.with_missing(
                draw.of(["vive con su comadre Eduviges", "ok", "dog bites!", "call Beto 323-555-0148"]), 0.4
            ),
            ("comadre Eduviges", "323-555-0148"),
        ),
        "phone type": label(draw.of(["prepaid", "contract", "none"])),
    }
