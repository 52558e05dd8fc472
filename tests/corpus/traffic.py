"""Calls, web logs, movements, devices and help desks."""

from __future__ import annotations

import uuid

from tests.corpus import numbers, people
from tests.corpus.draw import Draw, with_comma
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, Truth, code, coordinate, count, date, identifier, label, note, number, scale

AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/1##.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_# like Mac OS X) AppleWebKit/605.1.15 Version/17.# Mobile/15E148",
    "Mozilla/5.0 (X11; Linux x86_64; rv:1##.0) Gecko/20100101 Firefox/1##.0",
)


@corpus_table(rows=260, separator=";")
def telecom_calls(draw: Draw) -> dict[str, Truth]:
    """Records of calls: who called whom, when and through which mast."""
    callers = draw.repeated(draw.cells(lambda: numbers.telephone(draw, "+4917########"))[: draw.n // 5])
    return {
        "a_number": identifier(callers, repeats=True),
        "b_number": identifier(draw.cells(lambda: numbers.telephone(draw, "+4916########"))),
        "imei": identifier(draw.cells(lambda: numbers.imei(draw))),
        "start": date(
            [moment.strftime("%d.%m.%Y %H:%M:%S") for moment in draw.moments("2024-03-01", "2024-03-14")],
            "%d.%m.%Y %H:%M:%S",
        ),
        "duration_s": number(draw.cells(lambda: int(draw.expovariate(1 / 140)) + 1), EITHER),
        "cell_id": code(draw.cells(lambda: f"26202-{draw.randint(1001, 1020)}")),
        "type": label(draw.of(["voice", "sms", "data"])),
        "cost": number(
            [f"{cell} €".replace(".", ",") for cell in draw.around(0.21, 0.1, 0, 0.9, 2)], EITHER, format="0,21 €"
        ),
    }


@corpus_table(rows=260)
def web_log(draw: Draw) -> dict[str, Truth]:
    """Requests to a portal for patients: addresses, pages with names in them, browsers."""
    pages = [f"/patients/{people.family(draw, 'en').lower()}-{draw.randint(100, 999)}/results" for _ in range(draw.n)]
    agents = [numbers.telephone(draw, draw.choice(AGENTS)) for _ in range(draw.n)]
    return {
        "remote_addr": identifier(draw.cells(lambda: f"203.0.{draw.randint(0, 255)}.{draw.randint(1, 254)}")),
        "session": identifier(draw.cells(lambda: uuid.UUID(int=draw.getrandbits(128), version=4))),
        "time_local": date(
            [m.strftime("%d/%b/%Y:%H:%M:%S +0000") for m in draw.moments("2024-05-01", "2024-05-07")],
            "%d/%b/%Y:%H:%M:%S %z",
        ),
        "method": label(draw.of(["GET", "POST"])),
        "url": identifier([f"https://portal.example{page}" for page in pages]),
        "path": identifier(pages),
        "status": label(draw.of([200, 304, 404, 500])),
        "bytes": number(draw.cells(lambda: int(draw.lognormvariate(8, 1)) + 200)),
        "user_agent": Truth(agents, frozenset({"label"}), frozenset({"identifier"})),
    }


@corpus_table(rows=300)
def gps_tracks(draw: Draw) -> dict[str, Truth]:
    """Where the phones of volunteers were, by the minute."""
    who = draw.repeated([f"vol{number}" for number in range(101, 101 + draw.n // 10)])
    return {
        "user": identifier(who, repeats=True),
        "latitude": coordinate(draw.around(48.137, 0.05, 48.0, 48.3, 6)),
        "longitude": coordinate(draw.around(11.575, 0.08, 11.3, 11.8, 6)),
        "recorded": date(
            [m.strftime("%Y-%m-%dT%H:%M:%S") for m in draw.moments("2024-06-03", "2024-06-09")], "%Y-%m-%dT%H:%M:%S"
        ),
        "speed_kmh": number(draw.around(21, 14, 0, 96, 1), EITHER),
        "mode": label(draw.of(["walk", "bike", "car", "tram"])),
    }


@corpus_table(rows=200, separator=";", encoding="cp1252")
def clinic_places(draw: Draw) -> dict[str, Truth]:
    """Homes of patients as coordinates with decimal commas."""
    return {
        "PatNr": identifier(draw.digits(6)),
        "Breitengrad": coordinate(with_comma(draw.around(51.05, 0.05, 50.9, 51.2, 5))),
        "Längengrad": coordinate(with_comma(draw.around(13.74, 0.07, 13.5, 13.9, 5))),
        "Alter": number(draw.whole(1, 95)),
        "Diagnosegruppe": label(draw.of(["Herz", "Lunge", "Magen", "Psyche"]), EITHER),
    }


@corpus_table(rows=220)
def call_center(draw: Draw) -> dict[str, Truth]:
    """Tickets of a help line: names, numbers and orders inside what was written."""
    phrases = (
        "Customer NAME wants a refund, call back on PHONE",
        "Spoke to NAME: order still not delivered",
        "Password reset done",
        "Caller hung up before verification was complete",
        "NAME asked for a supervisor and will write an e-mail",
    )
    texts, planted = people.notes(draw, phrases, "en", "+44 20 7### ####")
    subjects, more = people.notes(draw, ("Refund NAME", "Late order", "Login", "Complaint by NAME"), "en", "#")
    return {
        "ticket": identifier(draw.digits(7, "T-")),
        "agent": identifier(draw.repeated([people.full(draw, "en") for _ in range(12)]), repeats=True),
        "opened": date(
            [m.strftime("%Y-%m-%d %H:%M") for m in draw.moments("2024-01-01", "2024-03-31")], "%Y-%m-%d %H:%M"
        ),
        "subject": note(subjects, more),
        "wait_min": number(draw.around(6, 3, 0, 31, 1), EITHER),
        "channel": label(draw.of(["phone", "chat", "e-mail"])),
        "satisfaction": scale(draw.with_missing(draw.whole(1, 5), 0.2, "-"), EITHER, ("-",)),
        "text": note(texts, planted),
    }


@corpus_table(rows=200)
def wearable_devices(draw: Draw) -> dict[str, Truth]:
    """Daily numbers of wearable devices, by the device's address."""
    macs = [":".join(f"{draw.randint(0, 255):02x}" for _ in range(6)) for _ in range(draw.n // 8)]
    return {
        "device_mac": identifier(draw.repeated(macs), repeats=True),
        "day": date([f"{day:%d-%b-%y}" for day in draw.days("2024-01-01", "2024-02-15")], "%d-%b-%y"),
        "steps": number(draw.cells(lambda: int(draw.lognormvariate(8.8, 0.4))), EITHER),
        "resting_hr": number(draw.around(63, 7, 44, 92), EITHER),
        "sleep": number([f"{cell} h" for cell in draw.around(7.1, 0.9, 3.2, 10.4, 1)], EITHER, format="7.1 h"),
        "battery": number([f"{cell}%" for cell in draw.whole(4, 100)], format="81%"),
        "floors": count(draw.whole(0, 12), EITHER),
        "firmware": label(draw.of(["1.4.2", "1.4.3", "1.5.0"])),
    }
