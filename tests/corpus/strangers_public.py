"""Tables in the form of well-known public files, with invented people: their truth was written down first."""

from __future__ import annotations

from datetime import timedelta

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
    note,
    number,
    rating,
    scale,
)

GIVEN = ["Thaddeus", "Ignatz", "Euphemia", "Wilhelmina", "Lavinia", "Cornell", "Beauregard", "Philomena", "Zebulon"]
FAMILY = ["Fotheringay", "Vandersloot", "Przybylski", "Okoroafor", "Delacroix-Hume", "MacGillivray", "Quackenbush"]


@corpus_table(rows=240)
def shipwreck(draw: Draw) -> dict[str, Truth]:
    """The passengers of a ship: names with titles in the middle, tickets and cabins."""
    titles = ["Mr.", "Mrs.", "Miss.", "Master."]
    cabins = draw.with_missing(draw.cells(lambda: f"{draw.choice('ABCDE')}{draw.randint(2, 120)}"), 0.7)
    return {
        "PassengerId": identifier([str(row + 1) for row in range(draw.n)]),
        "Survived": label(draw.of([0, 1]), EITHER),
        "Pclass": scale(draw.of([3, 1, 2])),
        "Name": identifier(draw.cells(lambda: f"{draw.choice(FAMILY)}, {draw.choice(titles)} {draw.choice(GIVEN)}")),
        "Sex": label(draw.of(["male", "female"])),
        "Age": number(draw.with_missing(draw.around(29, 14, 0, 80), 0.2)),
        "SibSp": count(draw.of([0, 1, 2, 3, 4])),
        "Parch": count(draw.of([0, 1, 2, 5])),
        "Ticket": identifier(
            draw.cells(lambda: draw.choice(["", "A/5 ", "PC ", "STON/O2. "]) + str(draw.randint(2600, 3_999_999)))
        ),
        "Fare": number(draw.around(32, 20, 0, 260, 4), EITHER),
        "Cabin": Truth(cabins, frozenset({"label", "hierarchy"}), frozenset({"quasi", "identifier"})),
        "Embarked": label(draw.of(["S", "C", "Q"])),
    }


@corpus_table(rows=300)
def recidivism_scores(draw: Draw) -> dict[str, Truth]:
    """People who were scored before a trial: names in parts, numbers of cases, days in jail, charges in words."""
    people = [(draw.choice(GIVEN).lower(), draw.choice(FAMILY).lower()) for _ in range(draw.n)]
    into = draw.moments("2013-01-01", "2014-12-31")
    cases = draw.digits(8)
    return {
        "id": identifier([str(row + 1) for row in range(draw.n)]),
        "name": identifier([f"{one} {other}" for one, other in people], repeats=True),
        "first": identifier([one for one, _ in people], repeats=True),
        "last": identifier([other for _, other in people], repeats=True),
        "sex": label(draw.of(["Male", "Female"])),
        "dob": date(written(draw.days("1950-01-01", "1996-12-31"), "%Y-%m-%d")),
        "age_cat": scale(draw.of(["25 - 45", "Greater than 45", "Less than 25"])),
        "race": label(draw.of(["African-American", "Caucasian", "Hispanic", "Other", "Asian"]), EITHER),
        "juv_fel_count": count(draw.of([0, 1, 2, 3], [20, 3, 1, 1]), EITHER),
        "decile_score": rating(draw.whole(1, 10), EITHER),
        "priors_count": count(draw.cells(lambda: int(draw.expovariate(0.3))), EITHER),
        "c_jail_in": date([f"{one:%Y-%m-%d %H:%M:%S}" for one in into], "%Y-%m-%d %H:%M:%S"),
        "c_jail_out": date(
            [f"{one + timedelta(hours=draw.randint(5, 900)):%Y-%m-%d %H:%M:%S}" for one in into],
            "%Y-%m-%d %H:%M:%S",
        ),
        "c_case_number": identifier([f"{one}CF10A" for one in cases]),
        "c_charge_degree": label(draw.of(["(F3)", "(M1)", "(F2)", "(M2)"]), EITHER),
        "c_charge_desc": label(
            draw.of(["Battery", "Grand Theft in the 3rd Degree", "Driving While License Revoked", "Poss Cannabis"]),
            EITHER,
        ),
        "is_recid": label(draw.of([0, 1]), EITHER),
    }


@corpus_table(rows=260)
def holiday_lets(draw: Draw) -> dict[str, Truth]:
    """Rooms to let: titles that guests read, hosts by first name, reviews, prices in dollars."""
    hosts = draw.sample(range(2000, 9_000_000), 130)
    rows = [draw.randrange(130) for _ in range(draw.n)]
    firsts = [draw.choice(GIVEN) for _ in range(130)]
    titles = [
        "Sunny loft near Mauerpark",
        "Cosy room, {} host",
        "BrightRoom with sunny greenview!",
        "Apartment in Berlin with {} beds",
        "Quiet studio * {} min to Alex",
    ]
    return {
        "id": identifier([str(value) for value in draw.sample(range(10_000, 9_999_999), draw.n)]),
        "name": identifier(draw.cells(lambda: draw.choice(titles).format(draw.randint(1, 90)))),
        "host_id": identifier([str(hosts[row]) for row in rows], repeats=True),
        "host_name": identifier([firsts[row] for row in rows], repeats=True),
        "neighbourhood": label(
            draw.of(["Brunnenstr. Süd", "Helmholtzplatz", "Tempelhofer Vorstadt", "Reuterstraße"])
        ),
        "latitude": coordinate(draw.around(52.51, 0.03, 52.35, 52.65, 5)),
        "longitude": coordinate(draw.around(13.4, 0.06, 13.1, 13.7, 5)),
        "room_type": label(draw.of(["Private room", "Entire home/apt", "Shared room"])),
        "price": number([f"${int(v)}.00" for v in draw.around(68, 30, 15, 400)], EITHER, format="$68.00"),
        "minimum_nights": count(draw.whole(1, 30)),
        "last_review": date(draw.with_missing(written(draw.days("2015-01-01", "2018-11-30"), "%Y-%m-%d"), 0.2)),
        "reviews_per_month": number(draw.around(1.3, 0.9, 0.01, 9, 2), EITHER),
    }


@corpus_table(rows=300)
def peer_loans(draw: Draw) -> dict[str, Truth]:
    """Loans between people: titles of jobs as typed, purposes in words, shortened postal codes, rates in percent."""
    jobs = ["Ryder", "AIR RESOURCES BOARD", "Veolia Transportaton", "USAF", "MKC Accounting", "Starbucks", "RN"]
    told = [
        "  Borrower added on 12/22/11 > I need to upgrade my business technologies.<br>",
        "  Borrower added on 01/03/12 > to pay for property tax, ask for Philomena at 415 555 0199<br>",
        "",
    ]
    return {
        "member_id": identifier(draw.digits(7)),
        "loan_amnt": number(draw.cells(lambda: draw.randint(40, 1400) * 25), EITHER),
        "term": label(draw.of([" 36 months", " 60 months"]), EITHER),
        "int_rate": number([f"{v}%" for v in draw.around(13, 4, 5.3, 26, 2)], EITHER, format="13.56%"),
        "grade": scale(draw.of(["B", "C", "A", "D", "E", "F", "G"]), EITHER),
        "emp_title": Truth(
            draw.with_missing(draw.cells(lambda: f"{draw.choice(jobs)}"), 0.1),
            frozenset({"label"}),
            frozenset({"quasi", "identifier"}),
        ),
        "emp_length": Truth(
            draw.with_missing(draw.of(["10+ years", "< 1 year", "2 years", "3 years", "5 years"]), 0.05, "n/a"),
            frozenset({"label", "ordered"}),
            frozenset(EITHER),
            ("n/a",),
        ),
        "home_ownership": label(draw.of(["RENT", "MORTGAGE", "OWN"])),
        "annual_inc": number(draw.cells(lambda: f"{draw.randint(20, 180) * 1000}.0"), EITHER),
        "issue_d": Truth(
            written(draw.days("2011-01-01", "2012-12-31"), "%b-%Y"),
            frozenset({"month", "date"}),
            frozenset({"quasi"}),
            format="%b-%Y",
        ),
        "desc": note(draw.even(told), ("415 555 0199",)),
        "zip_code": code(draw.cells(lambda: f"{draw.choice([860, 309, 606, 917, 972])}xx")),
        "addr_state": label(draw.of(["CA", "NY", "TX", "GA", "IL"])),
        "url": identifier(
            draw.cells(lambda: f"https://loans.example/browse/loanDetail.action?loan_id={draw.randint(10**6, 10**7)}")
        ),
    }


@corpus_table(rows=320)
def city_crimes(draw: Draw) -> dict[str, Truth]:
    """Crimes reported in a city: case numbers, blocks of streets with hidden house numbers, both forms of a place."""
    streets = ["S SAWYER AVE", "W WASHINGTON BLVD", "N CLARK ST", "E 63RD ST", "S COTTAGE GROVE AVE"]
    return {
        "ID": identifier(draw.digits(8)),
        "Case Number": identifier([f"HZ{value}" for value in draw.digits(6)]),
        "Date": Truth(
            [f"{one:%m/%d/%Y %I:%M:%S %p}" for one in draw.moments("2016-01-01", "2016-12-31")],
            frozenset({"date"}),
            frozenset({"quasi"}),
            format="%m/%d/%Y %I:%M:%S %p",
        ),
        "Block": Truth(
            draw.cells(lambda: f"{draw.randint(1, 110):03d}XX {draw.choice(streets)}"),
            frozenset({"label"}),
            frozenset({"quasi", "identifier"}),
        ),
        "IUCR": code(draw.even(["0486", "0460", "0820", "1320", "051A", "2027"])),
        "Primary Type": label(draw.of(["THEFT", "BATTERY", "CRIMINAL DAMAGE", "NARCOTICS", "ASSAULT"]), EITHER),
        "Location Description": label(draw.of(["STREET", "RESIDENCE", "APARTMENT", "SIDEWALK", "ALLEY"])),
        "Arrest": label(draw.of(["false", "true"]), EITHER),
        "Beat": code(draw.even([1022, 313, 1524, 1532, 1523, 631])),
        "Community Area": label(draw.whole(1, 77)),
        "X Coordinate": Truth(draw.whole(1_150_000, 1_200_000), frozenset({"number"}), frozenset({"quasi"})),
        "Latitude": coordinate(draw.around(41.85, 0.08, 41.6, 42.02, 9)),
        "Longitude": coordinate(draw.around(-87.67, 0.05, -87.9, -87.5, 9)),
    }


@corpus_table(rows=300)
def inpatient_discharges(draw: Draw) -> dict[str, Truth]:
    """Discharges of the hospitals of a state: facilities, groups of ages, codes with words, money with commas."""
    diagnoses = [
        ("122", "PNEUMONIA"),
        ("660", "ALCOHOL-RELATED DISORDERS"),
        ("218", "LIVEBORN"),
        ("657", "MOOD DISORDERS"),
    ]
    chosen = [draw.choice(diagnoses) for _ in range(draw.n)]
    return {
        "Hospital County": label(draw.of(["Allegany", "Kings", "Bronx", "Erie"])),
        "Facility Id": label(draw.even([37, 1175, 1178, 207, 1301]), ("quasi", "identifier")),
        "Facility Name": label(draw.of(["Cuba Memorial Hospital Inc", "Lutheran Medical Center", "Mercy Hospital"])),
        "Age Group": scale(draw.of(["70 or Older", "50 to 69", "30 to 49", "18 to 29", "0 to 17"])),
        "Zip Code - 3 digits": code(draw.even(["147", "112", "104", "142"])),
        "Gender": label(draw.of(["F", "M"])),
        "Length of Stay": Truth(
            draw.with_missing(draw.whole(1, 40), 0.02, "120 +"), frozenset({"number", "label"}), frozenset(EITHER)
        ),
        "Patient Disposition": label(draw.of(["Home or Self Care", "Skilled Nursing Home", "Expired"]), EITHER),
        "CCS Diagnosis Code": code([one for one, _ in chosen], SENSITIVE),
        "CCS Diagnosis Description": label([other for _, other in chosen], SENSITIVE),
        "APR Severity of Illness Code": scale(draw.of([2, 1, 3, 4]), EITHER),
        "Attending Provider License Number": identifier(
            draw.even(draw.sample(range(90_000, 399_999), 40)), repeats=True
        ),
        "Birth Weight": number(
            draw.with_missing(draw.cells(lambda: draw.randint(7, 45) * 100), 0.7, "0000"), missing=("0000",)
        ),
        "Total Charges": number(
            [f"{float(v):,.2f}" for v in draw.around(21000, 9000, 900, 90000, 2)], EITHER, format="21,000.00"
        ),
    }


@corpus_table(rows=260)
def marathon_results(draw: Draw) -> dict[str, Truth]:
    """Runners of a marathon: numbers on shirts, places, paces as minutes and seconds."""

    def clock(low: int, high: int) -> str:
        seconds = draw.randint(low, high)
        return f"{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}"

    any_time = frozenset({"number", "label", "date", "ordered", "duration"})
    return {
        "Bib": identifier([str(value) for value in draw.sample(range(1, 30_000), draw.n)]),
        "Name": identifier(draw.cells(lambda: f"{draw.choice(FAMILY)}, {draw.choice(GIVEN)} {draw.choice('ABC')}.")),
        "Age": number(draw.whole(18, 79)),
        "M/F": label(draw.of(["M", "F"])),
        "City": label(draw.of(["Addis Ababa", "Nairobi", "Portland", "Mammoth Lakes", "Boulder"])),
        "Country": label(draw.of(["USA", "KEN", "ETH", "CAN", "JPN"])),
        "Half": Truth(draw.cells(lambda: clock(3800, 9000)), any_time, frozenset({"quasi", "identifier"})),
        "Official Time": Truth(draw.cells(lambda: clock(7800, 20000)), any_time, frozenset({"quasi", "identifier"})),
        "Overall": Truth(
            [str(value) for value in draw.sample(range(1, 27_000), draw.n)],
            frozenset({"number"}),
            frozenset({"quasi", "identifier"}),
        ),
    }


@corpus_table(rows=280)
def city_salaries(draw: Draw) -> dict[str, Truth]:
    """What a city pays its staff, by name."""
    return {
        "Id": identifier([str(row + 1) for row in range(draw.n)]),
        "EmployeeName": identifier(
            draw.cells(lambda: f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}".upper()), repeats=True
        ),
        "JobTitle": label(
            draw.of(["Transit Operator", "Special Nurse", "Police Officer 3", "Custodian", "Deputy Sheriff"])
        ),
        "BasePay": number(draw.around(66000, 22000, 900, 250000, 2), EITHER),
        "OvertimePay": number(draw.around(5000, 4000, 0, 90000, 2), EITHER),
        "Benefits": number(
            draw.with_missing(draw.around(25000, 9000, 0, 80000, 2), 0.1, "Not Provided"), EITHER, ("Not Provided",)
        ),
        "Year": Truth(
            draw.even([2011, 2012, 2013, 2014]), frozenset({"number", "date", "year", "label"}), frozenset({"quasi"})
        ),
        "Agency": label(["San Francisco"] * draw.n, ("quasi", "other", "identifier")),
        "Status": label(draw.with_missing(draw.of(["FT", "PT"]), 0.3)),
    }
