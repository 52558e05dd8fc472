"""Payrolls, banks, loans and insurance: amounts with currency, account numbers, dates of hire."""

from __future__ import annotations

from tests.corpus import numbers, people
from tests.corpus.draw import Draw, in_german, written
from tests.corpus.registry import corpus_table
from tests.corpus.truth import EITHER, Truth, code, count, date, identifier, label, note, number, rating, scale


@corpus_table(rows=200)
def hr_payroll(draw: Draw) -> dict[str, Truth]:
    """Employees of a company with salaries in dollars."""
    return {
        "employee_id": identifier(draw.digits(6, "E")),
        "full_name": identifier(draw.cells(lambda: people.full(draw, "en"))),
        "email": identifier(draw.cells(lambda: people.email(draw, "en", "company.example"))),
        "department": label(draw.of(["Engineering", "Sales", "Finance", "Legal", "Support"])),
        "job_title": label(draw.of(["Engineer", "Analyst", "Manager", "Director", "Assistant", "Counsel"])),
        "hire_date": date(written(draw.days("1998-01-01", "2023-12-31"), "%b %d, %Y"), "%b %d, %Y"),
        "salary": number([f"${100 * draw.randint(380, 2100):,}" for _ in range(draw.n)], EITHER, format="$72,300"),
        "bonus_pct": number([f"{cell}%" for cell in draw.around(8, 4, 0, 25, 1)], EITHER, format="8.1%"),
        "manager_id": identifier(draw.repeated(draw.digits(6, "E")[:20]), repeats=True),
        "performance": scale(draw.of(["Meets", "Exceeds", "Below", "Outstanding"]), EITHER),
        "union_member": label(draw.of(["no", "yes"]), EITHER),
    }


@corpus_table(rows=200, separator=";", encoding="cp1252", line_end="\r\n")
def german_payroll(draw: Draw) -> dict[str, Truth]:
    """A German payroll: amounts as 1.234,56 €, tax numbers, denominations."""
    return {
        "Personalnummer": identifier(draw.digits(5)),
        "Mitarbeiter": identifier(draw.cells(lambda: people.full(draw, "de"))),
        "Steuer-Identnummer": identifier(draw.cells(lambda: numbers.german_tax(draw))),
        "IBAN": identifier(draw.cells(lambda: numbers.iban(draw))),
        "Eintritt": date(written(draw.days("1995-01-01", "2023-12-31"), "%d.%m.%Y"), "%d.%m.%Y"),
        "Steuerklasse": label(draw.of([1, 3, 4, 5, 2, 6])),
        "Konfession": label(draw.of(["ev", "rk", "keine", "jd"], [4, 4, 4, 1]), EITHER),
        "Brutto": number(
            [f"{in_german(draw.gauss(3900, 900))} €" for _ in range(draw.n)], EITHER, format="3.900,10 €"
        ),
        "Urlaubstage": number(draw.whole(20, 36)),
        "Arbeitszeit": rating([f"{cell} %" for cell in draw.of([100, 50, 75, 60, 80])]),
        "Schwerbehindert": label(draw.of(["nein", "ja"], [12, 1]), EITHER),
    }


@corpus_table(rows=240, separator=";")
def bank_customers(draw: Draw) -> dict[str, Truth]:
    """Accounts of a bank, with amounts in cents."""
    return {
        "customer_no": identifier(draw.digits(9)),
        "iban": identifier(draw.cells(lambda: numbers.iban(draw))),
        "holder": identifier(draw.cells(lambda: people.full(draw, "de"))),
        "card_number": identifier(draw.cells(lambda: numbers.payment_card(draw))),
        "opened": date(written(draw.days("2001-01-01", "2023-12-31"), "%Y-%m-%d")),
        "balance_cents": number(draw.cells(lambda: round(draw.gauss(310_000, 220_000))), EITHER),
        "rating": scale(draw.of(["A", "AA", "B", "BB", "C"]), EITHER),
        "branch": code(draw.cells(lambda: f"0{draw.randint(11, 28)}")),
        "products": count(draw.whole(1, 6)),
        "mobile": identifier(draw.cells(lambda: numbers.telephone(draw, "+49 151 ########"))),
    }


@corpus_table(rows=400)
def loan_table(draw: Draw) -> dict[str, Truth]:
    """Loans as they are published for studies of risk."""
    return {
        "id": identifier(draw.digits(8)),
        "loan_amnt": number(draw.cells(lambda: 25 * draw.randint(40, 1400)), EITHER),
        "term": rating(draw.of([" 36 months", " 60 months"])),
        "int_rate": number([f"{cell}%" for cell in draw.around(12.6, 4, 5.3, 28.9, 2)], EITHER, format="12.60%"),
        "grade": scale(draw.of(["B", "C", "A", "D", "E", "F", "G"]), EITHER),
        "emp_title": Truth(
            draw.with_missing(draw.of(["Teacher", "Nurse", "Driver", "Manager", "Owner"]), 0.06, "n/a"),
            frozenset({"label"}),
            frozenset({"quasi", "identifier", "sensitive"}),
            ("n/a",),
        ),
        "annual_inc": number(draw.cells(lambda: 500 * draw.randint(40, 380)), EITHER),
        "issue_d": Truth(
            written(draw.days("2014-01-01", "2018-12-28"), "%b-%Y"),
            frozenset({"month", "date"}),
            frozenset({"quasi", "sensitive"}),
            format="%b-%Y",
        ),
        "zip_code": code(draw.cells(lambda: f"{draw.randint(100, 130)}xx")),
        "addr_state": label(draw.of(["CA", "NY", "TX", "FL", "IL"])),
        "dti": number(draw.around(18, 8, 0, 39, 2), EITHER),
        "loan_status": label(draw.of(["Fully Paid", "Current", "Charged Off", "Late"]), EITHER),
    }


@corpus_table(rows=220)
def insurance_claims(draw: Draw) -> dict[str, Truth]:
    """Claims of car owners, with what the clerks wrote."""
    phrases = (
        "Insured NAME states the other driver ran the light",
        "Called witness NAME at PHONE, statement to follow",
        "Photos received, repair shop confirms the estimate",
        "Claimant disputes the amount; letter sent last week",
    )
    texts, planted = people.notes(draw, phrases, "en", "555-###-####")
    plates = draw.cells(lambda: f"{''.join(draw.choices('ABCDEFGHKLMN', k=3))}-{draw.randint(1000, 9999)}")
    return {
        "claim_number": identifier(draw.digits(9, "CLM")),
        "policy_number": identifier(draw.digits(8, "P")),
        "license_plate": identifier(plates),
        "loss_date": date(written(draw.days("2021-01-01", "2023-12-31"), "%m/%d/%Y"), "%m/%d/%Y"),
        "reported": date(
            [m.strftime("%m/%d/%Y %I:%M %p") for m in draw.moments("2021-01-01", "2023-12-31")], "%m/%d/%Y %I:%M %p"
        ),
        "driver_age": number(draw.whole(17, 86)),
        "vehicle_make": label(draw.of(["Ford", "Toyota", "Honda", "Volvo", "Tesla"])),
        "claim_amount": number(
            [f"{draw.lognormvariate(8, 0.7):,.2f}" for _ in range(draw.n)], EITHER, format="2,980.96"
        ),
        "injury": label(draw.of(["no", "yes"]), EITHER),
        "adjuster_notes": note(texts, planted),
    }


@corpus_table(rows=240)
def card_payments(draw: Draw) -> dict[str, Truth]:
    """Payments by card: each card in many rows, times by the second."""
    cards = draw.cells(lambda: numbers.payment_card(draw))[:50]
    return {
        "pan": identifier(draw.repeated(cards), repeats=True),
        "ts": date(
            [moment.isoformat() + "Z" for moment in draw.moments("2024-02-01", "2024-02-29")], "%Y-%m-%dT%H:%M:%SZ"
        ),
        "amount": number(draw.cells(lambda: f"{draw.lognormvariate(3, 0.9):.2f}"), EITHER),
        "currency": label(draw.of(["EUR", "USD", "GBP"])),
        "merchant": label(draw.of(["grocery", "fuel", "pharmacy", "restaurant", "travel"]), EITHER),
        "mcc": code(draw.of(["5411", "5541", "5912", "5812", "4511", "5311", "5999", "7230"]), EITHER),
        "lat": Truth(draw.around(52.52, 0.06, 52.3, 52.7, 5), frozenset({"place"}), frozenset({"quasi"})),
        "lon": Truth(draw.around(13.40, 0.09, 13.1, 13.7, 5), frozenset({"place"}), frozenset({"quasi"})),
    }
