"""Checks of identification numbers that have a check digit or another built-in test.

Each function takes digits and upper-case letters without separators, in the form that its recognizer's pattern
ensures, and returns whether the check digit is right. A random number passes one time in ten or less, so a column in
which nearly all values pass holds such numbers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence

Check = Callable[[str], bool]

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_HETU_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY"
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", [*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)], strict=True))
_VERHOEFF_TURN = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def weighted(weights: Sequence[int], modulus: int, rest: int = 0) -> Check:
    """Return a check that the weighted sum of the digits leaves the remainder `rest`; a final X stands for ten."""

    def fits(text: str) -> bool:
        digits = [10 if character == "X" else int(character) for character in text]
        return sum(w * d for w, d in zip(weights, digits, strict=True)) % modulus == rest

    return fits


def luhn(text: str) -> bool:
    """The Luhn check, used by payment cards, IMEI and Canadian insurance numbers."""
    doubled = [int(d) * (2 if at % 2 else 1) for at, d in enumerate(reversed(text))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def swedish_number(text: str) -> bool:
    """The Luhn check on the last ten digits; the century in front, if there is one, is not part of it."""
    return luhn(text[-10:])


def us_ssn(text: str) -> bool:
    """Return whether the number can have been assigned: it has no check digit, but some ranges are never used."""
    area, group, serial = text[:3], text[3:5], text[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def iban(text: str) -> bool:
    moved = text[4:] + text[:4]
    return int("".join(str(int(character, 36)) for character in moved)) % 97 == 1


def french_nir(text: str) -> bool:
    """The check of the French social security number; Corsica's departments 2A and 2B count as 19 and 18."""
    digits = text.replace("2A", "19").replace("2B", "18")
    return digits.isdigit() and int(digits[:13]) % 97 == 97 - int(digits[13:])


def belgian_national(text: str) -> bool:
    """The check of the Belgian national number; for births in 2000 or later it is computed with a 2 in front."""
    return any(97 - int(lead + text[:9]) % 97 == int(text[9:]) for lead in ("", "2"))


def spanish_dni(text: str) -> bool:
    """The last letter is the check; a foreigner's number begins with X, Y or Z, which stand for 0, 1 or 2."""
    digits = text[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(digits) % 23] == text[-1]


def finnish_hetu(text: str) -> bool:
    """The last character is the check; the character for the century, after the date, is not part of it."""
    return _HETU_LETTERS[int(text[:6] + text[-4:-1]) % 31] == text[-1]


def norwegian_number(text: str) -> bool:
    first = weighted((3, 7, 6, 1, 8, 9, 4, 5, 2, 1), 11)
    second = weighted((5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11)
    return first(text[:10]) and second(text)


def brazilian_cpf(text: str) -> bool:
    def check_digit(digits: str) -> int:
        total = sum(int(d) * w for d, w in zip(digits, range(len(digits) + 1, 1, -1), strict=True))
        return total * 10 % 11 % 10

    return len(set(text)) > 1 and all(check_digit(text[:at]) == int(text[at]) for at in (9, 10))


def german_tax(text: str) -> bool:
    """The check of ISO 7064, modulus 11, 10."""
    product = 10
    for digit in text[:-1]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(text[-1])


def german_insured(text: str) -> bool:
    """The number on a health insurance card; its letter counts as two digits."""
    digits = f"{ord(text[0]) - 64:02}{text[1:9]}"
    return _digit_sum(digits, (1, 2) * 5) % 10 == int(text[9])


def german_pension(text: str) -> bool:
    digits = f"{text[:8]}{ord(text[8]) - 64:02}{text[9:11]}"
    return _digit_sum(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)) % 10 == int(text[11])


def _digit_sum(digits: str, weights: Sequence[int]) -> int:
    """Multiply each digit by its weight, and return the sum of the digits of all the products."""
    return sum(sum(divmod(int(d) * w, 10)) for d, w in zip(digits, weights, strict=True))


def czech_birth(text: str) -> bool:
    """The check of Czech birth numbers with ten digits; a remainder of ten was written as zero until 1985."""
    return int(text) % 11 == 0 or (int(text[:9]) % 11 == 10 and text[9] == "0")


def turkish_identity(text: str) -> bool:
    digits = [int(d) for d in text]
    tenth = (7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10
    return digits[9] == tenth and digits[10] == sum(digits[:10]) % 10


def portuguese_tax(text: str) -> bool:
    rest = 11 - sum(int(d) * w for d, w in zip(text, range(9, 1, -1), strict=False)) % 11
    return int(text[8]) == (rest if rest < 10 else 0)


def romanian_cnp(text: str) -> bool:
    rest = sum(int(d) * int(w) for d, w in zip(text, "279146358279", strict=False)) % 11
    return int(text[12]) == (rest if rest < 10 else 1)


def singapore_nric(text: str) -> bool:
    total = sum(int(d) * w for d, w in zip(text[1:8], (2, 7, 6, 5, 4, 3, 2), strict=True)) + 4 * (text[0] in "TG")
    return text[8] == ("JZIHGFEDCBA" if text[0] in "ST" else "XWUTRQPNMLK")[total % 11]


def verhoeff(text: str) -> bool:
    """The Verhoeff check, used by Aadhaar numbers; it computes in the dihedral group of ten elements."""
    check = 0
    for at, character in enumerate(reversed(text)):
        digit = int(character)
        for _ in range(at % 8):
            digit = _VERHOEFF_TURN[digit]
        check = _dihedral(check, digit)
    return check == 0


def _dihedral(a: int, b: int) -> int:
    """Return the product of two symmetries of a pentagon: 0 to 4 are rotations, 5 to 9 are reflections."""
    turned = (a + b) % 5 if a < 5 else (a - b) % 5
    return turned + 5 * ((a >= 5) != (b >= 5))


def vehicle(text: str) -> bool:
    values = [int(character) if character.isdigit() else _VIN_VALUES[character] for character in text]
    rest = sum(w * v for w, v in zip(_VIN_WEIGHTS, values, strict=True)) % 11
    return text[8] == ("X" if rest == 10 else str(rest))


def ip_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


nhs_number = weighted((10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11)
dutch_bsn = weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), 11)
polish_pesel = weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10)
austrian_insured = weighted((3, 7, 9, -1, 5, 8, 4, 2, 1, 6), 11)
swiss_ahv = weighted((1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1), 10)
chinese_number = weighted((7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2, 1), 11, rest=1)
