"""Made-up numbers of people with the right check digits, of more than twelve countries.

Written from the rules of each country by itself: what recognizes these numbers is not used to make them.
"""

from __future__ import annotations

from datetime import date

from tests.corpus.draw import Draw


def _digits(draw: Draw, count: int) -> str:
    return "".join(draw.choices("0123456789", k=count))


def _day(draw: Draw) -> date:
    return date(draw.randint(1935, 2004), draw.randint(1, 12), draw.randint(1, 28))


def _luhn_digit(text: str) -> str:
    total = 0
    for at, digit in enumerate(reversed(text)):
        doubled = int(digit) * (1 if at % 2 else 2)
        total += doubled // 10 + doubled % 10
    return str(-total % 10)


def ssn(draw: Draw) -> str:
    """United States: no check digit."""
    return f"{draw.randint(1, 665):03d}-{draw.randint(1, 99):02d}-{draw.randint(1, 9999):04d}"


def nhs(draw: Draw) -> str:
    """England: the tenth digit makes the weighted sum a multiple of 11."""
    while True:
        body = "4" + _digits(draw, 8)
        check = -sum(int(digit) * (10 - at) for at, digit in enumerate(body)) % 11
        if check < 10:
            return f"{body[:3]} {body[3:6]} {body[6:]}{check}"


def iban(draw: Draw, country: str = "DE", length: int = 18) -> str:
    """International bank account number: modulo 97."""
    account = _digits(draw, length)
    moved = account + "".join(str(int(letter, 36)) for letter in country) + "00"
    return f"{country}{98 - int(moved) % 97:02d}{account}"


def german_insurance(draw: Draw) -> str:
    """Germany, Krankenversichertennummer: a letter, eight digits and a check digit."""
    letter, body = draw.choice("ABCDEFGHJKLMNPRSTUVWXYZ"), _digits(draw, 8)
    spelled = f"{ord(letter) - 64:02d}{body}"
    total = sum(sum(map(int, str(int(digit) * (1 + at % 2)))) for at, digit in enumerate(spelled))
    return f"{letter}{body}{total % 10}"


def german_tax(draw: Draw) -> str:
    """Germany, Steuer-Identifikationsnummer: ISO 7064, modulus 11, 10."""
    body, product = draw.choice("123456789") + _digits(draw, 9), 10
    for digit in body:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return f"{body}{(11 - product) % 10}"


def french_security(draw: Draw) -> str:
    """France, numéro de sécurité sociale: a key modulo 97."""
    day = _day(draw)
    commune, order = draw.randint(1, 450), draw.randint(1, 400)
    body = f"{draw.randint(1, 2)}{day:%y%m}{draw.randint(1, 95):02d}{commune:03d}{order:03d}"
    return f"{body}{97 - int(body) % 97:02d}"


def spanish_dni(draw: Draw) -> str:
    """Spain: eight digits and the letter of their rest modulo 23."""
    body = f"{draw.randint(10_000_000, 79_999_999)}"
    return body + "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23]


_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        [*[1, 0, 5, 7, 9, 13, 15, 17, 19, 21] * 2, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23],
        strict=True,
    )
)


def italian_code(draw: Draw) -> str:
    """Italy, codice fiscale: letters of the names, year, month, day, place and a check letter."""
    consonants, day = "BCDFGLMNPRSTVZ", _day(draw)
    names = "".join(draw.choices(consonants, k=6))
    number = day.day + 40 * draw.randint(0, 1)
    place = f"{draw.choice('ABCDEFGHIL')}{draw.randint(1, 999):03d}"
    body = f"{names}{day:%y}{'ABCDEHLMPRST'[day.month - 1]}{number:02d}{place}"
    even = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    total = sum(
        _ODD[letter] if at % 2 == 0 else even.index(letter) % 36 - 10 * letter.isalpha()
        for at, letter in enumerate(body)
    )
    return body + chr(65 + total % 26)


def polish_pesel(draw: Draw) -> str:
    """Poland: the birth date, an order number and a check digit."""
    day = _day(draw)
    month = day.month + (20 if day.year >= 2000 else 0)
    body = f"{day:%y}{month:02d}{day:%d}{_digits(draw, 4)}"
    return body + str(-sum(int(d) * w for d, w in zip(body, (1, 3, 7, 9) * 3, strict=False)) % 10)


def dutch_bsn(draw: Draw) -> str:
    """The Netherlands: the test of eleven."""
    while True:
        body = draw.choice("12") + _digits(draw, 7)
        check = sum(int(digit) * (9 - at) for at, digit in enumerate(body)) % 11
        if check < 10:
            return f"{body}{check}"


def swedish_number(draw: Draw) -> str:
    """Sweden, personnummer: the birth date, an order number and a Luhn digit."""
    day, order = _day(draw), _digits(draw, 3)
    return f"{day:%Y%m%d}-{order}{_luhn_digit(f'{day:%y%m%d}{order}')}"


def finnish_hetu(draw: Draw) -> str:
    """Finland: the birth date, a sign of the century, an order number and a check character."""
    day, order = _day(draw), draw.randint(2, 899)
    sign = "A" if day.year >= 2000 else "-"
    return f"{day:%d%m%y}{sign}{order:03d}" + "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(f"{day:%d%m%y}{order:03d}") % 31]


def norwegian_number(draw: Draw) -> str:
    """Norway: the birth date, an order number and two check digits."""
    while True:
        body = f"{_day(draw):%d%m%y}{draw.randint(0, 499):03d}"
        first = -sum(int(d) * w for d, w in zip(body, (3, 7, 6, 1, 8, 9, 4, 5, 2), strict=True)) % 11
        both = f"{body}{first}"
        if first < 10:
            second = -sum(int(d) * w for d, w in zip(both, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2), strict=True)) % 11
            if second < 10:
                return f"{both}{second}"


def brazilian_cpf(draw: Draw) -> str:
    """Brazil: nine digits and two check digits."""
    body = _digits(draw, 9)
    for _ in range(2):
        total = sum(int(digit) * weight for digit, weight in zip(body, range(len(body) + 1, 1, -1), strict=True))
        body += str(total * 10 % 11 % 10)
    return f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"


def chinese_number(draw: Draw) -> str:
    """China: region, birth date, order number and a check character modulo 11."""
    region = draw.choice(["110101", "310104", "440305", "510107", "320106"])
    body = f"{region}{_day(draw):%Y%m%d}{_digits(draw, 3)}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(int(d) * w for d, w in zip(body, weights, strict=True)) % 11]


def japanese_number(draw: Draw) -> str:
    """Japan, My Number: eleven digits and a check digit."""
    body = draw.choice("123456789") + _digits(draw, 10)
    weights = [*range(2, 8), *range(2, 7)]
    rest = sum(int(digit) * weight for digit, weight in zip(reversed(body), weights, strict=True)) % 11
    return f"{body}{0 if rest <= 1 else 11 - rest}"


def swiss_number(draw: Draw) -> str:
    """Switzerland, AHV number: as a bar code, with 756 in front."""
    body = "756" + _digits(draw, 9)
    check = -sum(int(digit) * (1 + 2 * (at % 2)) for at, digit in enumerate(body)) % 10
    return f"{body[:3]}.{body[3:7]}.{body[7:11]}.{body[11:]}{check}"


def belgian_number(draw: Draw) -> str:
    """Belgium: the birth date, an order number and a key modulo 97."""
    day, order = _day(draw), draw.randint(1, 997)
    body = f"{day:%y%m%d}{order:03d}"
    key = 97 - int(("2" if day.year >= 2000 else "") + body) % 97
    return f"{day:%y.%m.%d}-{order:03d}.{key:02d}"


def canadian_number(draw: Draw) -> str:
    """Canada, social insurance number: a Luhn digit."""
    body = draw.choice("1234567") + _digits(draw, 7)
    whole = body + _luhn_digit(body)
    return f"{whole[:3]} {whole[3:6]} {whole[6:]}"


def payment_card(draw: Draw) -> str:
    body = "4" + _digits(draw, 14)
    whole = body + _luhn_digit(body)
    return " ".join(whole[at : at + 4] for at in range(0, 16, 4))


def imei(draw: Draw) -> str:
    body = "35" + _digits(draw, 12)
    return body + _luhn_digit(body)


def telephone(draw: Draw, form: str) -> str:
    """Return the form with every # as a digit."""
    return "".join(draw.choice("0123456789") if letter == "#" else letter for letter in form)
