"""Exports as strangers write them, elsewhere: their truth was written down before the first look at a proposal."""

from __future__ import annotations

import uuid

from tests.corpus.draw import Draw, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import (
    EITHER,
    SENSITIVE,
    Truth,
    code,
    coordinate,
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


@corpus_table(rows=300)
def us_medicare_claims(draw: Draw) -> dict[str, Truth]:
    """Claims as Medicare's files have them: short names, codes without points, days without separators."""
    beneficiaries = [f"{draw.getrandbits(64):016X}" for _ in range(140)]
    start = draw.days("2008-01-01", "2010-12-31")
    return {
        "DESYNPUF_ID": identifier(draw.repeated(beneficiaries), repeats=True),
        "CLM_ID": identifier(draw.digits(15)),
        "CLM_FROM_DT": date(written(start, "%Y%m%d"), "%Y%m%d"),
        "PRVDR_NUM": identifier(draw.even([f"{draw.randint(1, 52):02d}00{x}" for x in "ABCDEFGHJ"]), repeats=True),
        "CLM_PMT_AMT": number(draw.around(4000, 3000, 0, 30000), EITHER),
        "AT_PHYSN_NPI": identifier(draw.even(draw.sample(range(1_000_000_000, 1_999_999_999), 30)), repeats=True),
        "ADMTNG_ICD9_DGNS_CD": code(
            draw.of(["4019", "25000", "41401", "4280", "V5789", "78650", "2724", "42731"]), SENSITIVE
        ),
        "HCPCS_CD_1": code(draw.of(["99213", "99214", "36415", "G0008", "85025", "80053"]), EITHER),
        "BENE_SEX_IDENT_CD": label(draw.of([2, 1])),
        "BENE_RACE_CD": label(draw.of([1, 2, 3, 5]), EITHER),
        "SP_STATE_CODE": label(draw.even([5, 10, 33, 36, 39, 45, 54])),
        "CLM_UTLZTN_DAY_CNT": count(draw.whole(1, 24), EITHER),
    }


@corpus_table(rows=400)
def app_events(draw: Draw) -> dict[str, Truth]:
    """Events of a mobile app: moments in milliseconds, pseudonyms, devices, addresses of the network."""
    users = [f"{draw.randint(10**9, 10**10 - 1)}.{draw.randint(10**9, 10**10 - 1)}" for _ in range(90)]
    devices = [str(uuid.UUID(int=draw.getrandbits(128))) for _ in range(90)]
    rows = [draw.randrange(90) for _ in range(draw.n)]
    return {
        "event_timestamp": Truth(
            draw.cells(lambda: draw.randint(1_672_531_200_000, 1_704_067_199_000)),
            frozenset({"number", "date"}),
            frozenset({"identifier", "quasi"}),
        ),
        "event_name": label(draw.of(["screen_view", "session_start", "add_to_cart", "purchase", "login"])),
        "user_pseudo_id": identifier([users[row] for row in rows], repeats=True),
        "advertising_id": identifier([devices[row] for row in rows], repeats=True),
        "ip": identifier(draw.cells(lambda: ".".join(str(draw.randint(1, 254)) for _ in range(4))), repeats=True),
        "device_model": label(draw.of(["iPhone 13", "SM-G991B", "Pixel 6", "Redmi Note 10", "iPhone SE"])),
        "os_version": Truth(
            draw.of(["16.1.2", "13", "12", "15.7.1", "11"]), frozenset({"label", "ordered"}), frozenset({"quasi"})
        ),
        "country": label(draw.of(["DE", "AT", "CH", "FR", "NL"])),
        "page_location": identifier(
            draw.cells(lambda: f"https://shop.example/order/{draw.randint(10**5, 10**6)}?uid={draw.randint(1, 999)}")
        ),
        "engagement_time_msec": number(draw.cells(lambda: int(draw.expovariate(1 / 30_000))), EITHER),
    }


@corpus_table(rows=360)
def bike_trips(draw: Draw) -> dict[str, Truth]:
    """Trips of a bicycle rental: two places each, moments of start and end, stations by name."""
    starts = draw.moments("2023-05-01", "2023-08-31")
    stations = ["W 4 St & 7 Ave S", "Broadway & E 14 St", "1 Ave & E 68 St", "8 Ave & W 33 St", "Pier 40 Dock"]
    ids = [f"{draw.getrandbits(64):016X}" for _ in range(draw.n)]
    return {
        "ride_id": identifier(ids),
        "rideable_type": label(draw.of(["classic_bike", "electric_bike"])),
        "started_at": date([f"{one:%Y-%m-%d %H:%M:%S}" for one in starts], "%Y-%m-%d %H:%M:%S"),
        "start_station_name": label(draw.even(stations)),
        "start_lat": coordinate(draw.around(40.73, 0.03, 40.6, 40.9, 6)),
        "start_lng": coordinate(draw.around(-73.98, 0.02, -74.1, -73.8, 6)),
        "end_lat": coordinate(draw.around(40.74, 0.03, 40.6, 40.9, 6)),
        "end_lng": coordinate(draw.around(-73.97, 0.02, -74.1, -73.8, 6)),
        "member_casual": label(draw.of(["member", "casual"])),
        "trip_km": number(draw.around(2.9, 1.4, 0.2, 15, 2)),
        "birth year": year(draw.whole(1950, 2006)),
    }


@corpus_table(rows=320)
def election_study(draw: Draw) -> dict[str, Truth]:
    """An election study with weights, strata, codes below zero for missing, and open answers word for word."""
    open_answers = [
        "my brother in law Dwayne Pruitt lost his job at the mill",
        "the economy",
        "taxes and health care, mostly",
        "i dont trust any of them, call me at 555-0173",
    ]
    return {
        "V200001": identifier(draw.digits(6)),
        "V200010b_weight": identifier(draw.around(1, 0.5, 0.1, 5, 7)),
        "V200010d_stratum": label(draw.whole(1, 25), ("quasi", "identifier", "other")),
        "age": number(draw.with_missing(draw.whole(18, 80), 0.05, "-9"), missing=("-9",)),
        "sex_r": label(draw.with_missing(draw.of([1, 2], [1, 1]), 0.03, "-9"), missing=("-9",)),
        "party7": scale(draw.with_missing(draw.even(range(1, 8)), 0.06, "-9", "-8"), EITHER, ("-9", "-8")),
        "therm_pres": rating(draw.even([0, 15, 30, 40, 50, 60, 70, 85, 100]), EITHER),
        "hh_income_bracket": Truth(
            draw.with_missing(draw.whole(1, 22), 0.06, "-9"),
            frozenset({"number", "ordered", "label"}),
            frozenset(EITHER),
            ("-9",),
        ),
        "iwr_id": identifier(draw.even(draw.sample(range(1000, 9999), 25)), repeats=True),
        "zip3": code(draw.even(["010", "021", "100", "303", "606", "770", "900"])),
        "mip_verbatim": note(draw.of(open_answers), ("Dwayne Pruitt", "555-0173")),
        "voted": label(draw.of(["Yes", "No"]), EITHER),
    }


@corpus_table(rows=240)
def laboratory_with_limits(draw: Draw) -> dict[str, Truth]:
    """Results of a laboratory in which values below the limit of detection are written as <0.5."""

    def limited(mean: float, spread: float, low: float, high: float, digits: int) -> list[str]:
        cells = draw.around(mean, spread, low - spread, high + spread, digits)
        below, above = f"<{low:.{digits}f}", f">{high:.{digits}f}"
        return [below if float(c) < low else above if float(c) > high else c for c in cells]

    said = ["", "", "", "haemolysed", "phoned to Dr Okonkwo-Baptiste 14:20", "repeat requested"]
    mixed = frozenset({"number", "label", "ordered"})
    return {
        "accession": identifier([f"S-2023/{value}" for value in draw.digits(5)]),
        "mrn": identifier(draw.repeated([f"{v:08d}" for v in draw.sample(range(10**7), 150)]), repeats=True),
        "collected": Truth(
            [f"{one:%d-%b-%Y %H:%M}" for one in draw.moments("2023-01-01", "2023-12-31")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%d-%b-%Y %H:%M",
        ),
        "crp_mg_l": Truth(limited(4, 5, 0.5, 200, 1), mixed, frozenset(EITHER)),
        "troponin_t": Truth(limited(15, 9, 5, 1000, 0), mixed, frozenset(EITHER)),
        "egfr": Truth(limited(80, 18, 10, 90, 0), mixed, frozenset(EITHER)),
        "hb_g_dl": number(draw.around(13.6, 1.6, 6, 19, 1), EITHER),
        "flag": label(draw.with_missing(draw.of(["H", "L"]), 0.7), EITHER),
        "ward": label(draw.of(["ED", "ICU", "7B", "7C", "OPD"])),
        "specimen_note": note(draw.even(said), ("Dr Okonkwo-Baptiste",)),
        "age_y": number(draw.whole(0, 97)),
    }


@corpus_table(rows=400)
def census_extract(draw: Draw) -> dict[str, Truth]:
    """An extract of census microdata: everything is a number, most of them codes, and nines say missing."""
    return {
        "YEAR": year(["2019"] * draw.n, ("quasi", "other", "identifier")),
        "SERIAL": identifier(
            draw.repeated([str(v) for v in sorted(draw.sample(range(10**5, 10**6), 170))]), repeats=True
        ),
        "HHWT": identifier(draw.whole(8, 400)),
        "PERNUM": member(draw.of([1, 2, 3, 4, 5])),
        "PERWT": identifier(draw.whole(8, 400)),
        "STATEFIP": label(draw.even([6, 12, 36, 48, 1, 17])),
        "PUMA": code(draw.even([100, 200, 1301, 3701, 8502, 10100])),
        "RELATE": label(draw.of([1, 2, 3, 11, 12])),
        "SEX": label(draw.of([1, 2], [1, 1])),
        "AGE": number(draw.whole(0, 95)),
        "MARST": label(draw.of([1, 6, 4, 5, 3, 2])),
        "RACE": label(draw.of([1, 2, 6, 7, 4, 8]), EITHER),
        "BPL": code(draw.even([1, 6, 12, 36, 48, 200, 521, 515])),
        "EDUCD": scale(draw.of([63, 101, 71, 114, 26, 81, 30, 116]), EITHER),
        "OCC2010": code(draw.even([9920, 5700, 2310, 4700, 3255, 6230, 430, 4760]), missing=()),
        "INCTOT": number(
            draw.with_missing(draw.around(38000, 20000, 0, 190000), 0.18, "9999999"), EITHER, ("9999999",)
        ),
        "INCWAGE": number(
            draw.with_missing(draw.around(33000, 18000, 0, 190000), 0.18, "999999"), EITHER, ("999999",)
        ),
    }


@corpus_table(rows=220, encoding="utf-8-sig", line_end="\r\n")
def japanese_staff(draw: Draw) -> dict[str, Truth]:
    """Staff of a Japanese company: dates with signs for year and day, pay with commas, names in two scripts."""
    family = [("長谷川", "ハセガワ"), ("五十嵐", "イガラシ"), ("東海林", "ショウジ"), ("勅使河原", "テシガワラ")]
    given = [("翔太", "ショウタ"), ("陽菜", "ヒナ"), ("健一郎", "ケンイチロウ"), ("美咲", "ミサキ"), ("蓮", "レン")]
    people = [(draw.choice(family), draw.choice(given)) for _ in range(draw.n)]
    born, joined = draw.days("1960-01-01", "2001-12-31"), draw.days("1990-04-01", "2023-04-01")
    return {
        "社員番号": identifier(draw.digits(6)),
        "氏名": identifier([f"{one[0]} {other[0]}" for one, other in people], repeats=True),
        "フリガナ": identifier([f"{one[1]} {other[1]}" for one, other in people], repeats=True),
        "生年月日": date([f"{d.year}年{d.month}月{d.day}日" for d in born], "%Y年%-m月%-d日"),
        "性別": label(draw.of(["男", "女"])),
        "部署": label(draw.of(["営業部", "総務部", "開発部", "人事部"])),
        "月給": number(
            [f"{int(v) // 1000 * 1000:,}" for v in draw.around(340000, 90000, 190000, 900000)],
            EITHER,
            format="320,000",
        ),
        "入社年月": month([f"{d.year}年{d.month}月" for d in joined], "%Y年%-m月"),
        "郵便番号": code(draw.cells(lambda: f"{draw.randint(100, 190)}-{draw.randint(0, 99):04d}")),
        "携帯電話": identifier(draw.cells(lambda: f"090-{draw.randint(1000, 9999)}-{draw.randint(1000, 9999)}")),
        "健診判定": scale(draw.of(["A", "B", "C", "D"]), EITHER),
    }


@corpus_table(rows=240)
def indian_beneficiaries(draw: Draw) -> dict[str, Truth]:
    """Beneficiaries of a program in India: lakhs in commas, Aadhaar, ration cards, castes by category."""
    rows = [
        "0123456789",
        "1234067895",
        "2340178956",
        "3401289567",
        "4012395678",
        "5987604321",
        "6598710432",
        "7659821043",
        "8765932104",
        "9876543210",
    ]
    moves = [
        "0123456789",
        "1576283094",
        "5803796142",
        "8916043527",
        "9453126870",
        "4286573901",
        "2793806415",
        "7046913258",
    ]

    def aadhaar() -> str:
        digits = [draw.randint(2, 9), *(draw.randint(0, 9) for _ in range(10))]
        state = 0
        for at, digit in enumerate(reversed(digits)):
            state = int(rows[state][int(moves[(at + 1) % 8][digit])])
        whole = "".join(map(str, digits)) + "0432156789"[state]
        return f"{whole[:4]} {whole[4:8]} {whole[8:]}"

    given = ["Lakshmibai", "Venkatesh", "Parvathi", "Shivappa", "Yellamma", "Basavaraj"]
    family = ["Hiremath", "Kulkarni", "Doddamani", "Talawar", "Madiwalar"]

    def lakhs(value: int) -> str:
        text = str(value)
        head, tail = text[:-3], text[-3:]
        groups = []
        while head:
            groups.insert(0, head[-2:])
            head = head[:-2]
        return ",".join([*groups, tail])

    return {
        "Aadhaar No": identifier(draw.cells(aadhaar)),
        "Beneficiary": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "Father/Husband": identifier(draw.cells(lambda: f"{draw.choice(given)} {draw.choice(family)}"), repeats=True),
        "DOB": date(written(draw.days("1950-01-01", "2004-12-31"), "%d-%b-%Y"), "%d-%b-%Y"),
        "Village": label(draw.of(["Hosur", "Kittur", "Bailhongal", "Saundatti", "Mugali"])),
        "Category": label(draw.of(["OBC", "SC", "ST", "GEN"]), EITHER),
        "Ration Card": identifier([f"RC{value}" for value in draw.digits(10)]),
        "Mobile": identifier(draw.cells(lambda: f"{draw.randint(7_000_000_000, 9_999_999_999)}")),
        "Annual Income": number(
            [lakhs(int(v)) for v in draw.around(180000, 60000, 100000, 480000)], EITHER, format="1,20,000"
        ),
        "Land (acres)": number(draw.around(2.2, 1.1, 0, 9, 2), EITHER),
        "BPL": label(draw.of(["Y", "N"]), EITHER),
    }


@corpus_table(rows=300, separator="|", encoding="latin-1")
def brazilian_school_census(draw: Draw) -> dict[str, Truth]:
    """The Brazilian census of schools: numbers for everything, and the names of columns say which kind."""
    return {
        "ID_MATRICULA": identifier(draw.digits(9)),
        "CO_PESSOA_FISICA": identifier(draw.digits(12)),
        "NU_MES": count(draw.whole(1, 12)),
        "NU_ANO": year(draw.whole(2004, 2016)),
        "TP_SEXO": label(draw.of([1, 2], [1, 1])),
        "TP_COR_RACA": label(draw.of([3, 1, 0, 2, 4, 5]), EITHER),
        "CO_MUNICIPIO": code(draw.even([3550308, 3304557, 2927408, 5300108, 3106200, 4106902])),
        "IN_NECESSIDADE_ESPECIAL": label(draw.of([0, 1], [15, 1]), EITHER),
        "IN_TRANSPORTE_PUBLICO": label(draw.of([0, 1]), EITHER),
        "TP_ETAPA_ENSINO": label(draw.even([14, 15, 16, 17, 18, 25, 26]), EITHER),
        "CO_ENTIDADE": Truth(
            draw.even(draw.sample(range(35_000_000, 35_999_999), 12)),
            frozenset({"label", "hierarchy"}),
            frozenset({"quasi", "identifier", "person"}),
        ),
        "DS_OBSERVACAO": note(
            draw.with_missing(
                draw.of(
                    ["mãe: Jucilene Anunciação, tel (11) 98765-4321", "transferido de outra escola", "laudo TEA"]
                ),
                0.7,
            ),
            ("Jucilene Anunciação", "98765-4321"),
        ),
    }
