"""National numbers of people, recognized by their form and their check digit, whatever the column is called.

To recognize another country's number, add its form here and its check, if it has one, to `check_digits`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from shoal.roles import check_digits as checksums
from shoal.roles.recognize import Recognizer

_SEPARATORS = re.compile(r"[\s.+\-/]")
_MONTH_DAY = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_DAY_MONTH = r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])"


def bare(check: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return a check that removes the separators from a value before it applies `check`."""
    return lambda value: check(_SEPARATORS.sub("", value))


def _national(what: str, values: str, check: Callable[[str], bool]) -> Recognizer:
    """Return a recognizer by form and check digit alone: 90% of ten or more different values must pass."""
    return Recognizer(what, "R", values=values, alone=0.9, least=10, check=bare(check), person=True)


NATIONAL_NUMBERS: tuple[Recognizer, ...] = (
    _national("NHS number", r"\d{3}[ -]?\d{3}[ -]?\d{4}", checksums.nhs_number),
    _national("Dutch citizen number", r"\d{9}", checksums.dutch_bsn),
    _national("Canadian insurance number", r"\d{3}[ -]?\d{3}[ -]?\d{3}", checksums.luhn),
    _national("Swedish personal number", r"(?:19|20)?\d{2}(?:0\d|1[0-2])[0-3]\d[-+]?\d{4}", checksums.swedish_number),
    _national("Norwegian birth number", r"[0-7]\d[0-5]\d{3} ?\d{5}", checksums.norwegian_number),
    _national("Polish PESEL", r"\d{4}[0-3]\d{6}", checksums.polish_pesel),
    _national("German tax number", r"[1-9]\d \d{3} \d{3} \d{3}|[1-9]\d{10}", checksums.german_tax),
    _national("Belgian national number", r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}", checksums.belgian_national),
    _national("Brazilian CPF", r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}", checksums.brazilian_cpf),
    _national("Finnish identity code", r"\d{6}[-+A-FU-Y]\d{3}[\dA-Y]", checksums.finnish_hetu),
    _national("Spanish identity number", r"[XYZ\d]\d{7}-?[A-Z]", checksums.spanish_dni),
    _national("French security number", r"[12] ?\d{2} ?\d{2} ?\d[\dAB] ?\d{3} ?\d{3} ?\d{2}", checksums.french_nir),
    _national("Italian tax code", r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", str.isalnum),
    _national("Swiss insurance number", r"756\.?\d{4}\.?\d{4}\.?\d{2}", checksums.swiss_ahv),
    _national("Indian Aadhaar number", r"[2-9]\d{3} ?\d{4} ?\d{4}", checksums.verhoeff),
    _national("Chinese identity number", r"\d{6}(?:19|20)\d{9}[\dX]", checksums.chinese_number),
    _national("German health insurance number", r"[A-Z]\d{9}", checksums.german_insured),
    _national("German pension number", rf"\d{{2}} ?{_DAY_MONTH}\d{{2}} ?[A-Z] ?\d{{3}}", checksums.german_pension),
    _national("UK insurance number", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]( ?\d{2}){3} ?[A-D]", str.isalnum),
    _national("Danish CPR number", rf"{_DAY_MONTH}\d{{2}}-\d{{4}}", str.isdigit),
    _national("Czech or Slovak birth number", r"\d{2}[0-8]\d[0-3]\d/?\d{4}", checksums.czech_birth),
    _national("Korean resident number", rf"\d{{2}}{_MONTH_DAY}-[1-8]\d{{6}}", str.isdigit),
    _national("Turkish identity number", r"[1-9]\d{10}", checksums.turkish_identity),
    _national("Austrian insurance number", rf"[1-9]\d{{3}} ?{_DAY_MONTH}\d{{2}}", checksums.austrian_insured),
    _national("Portuguese tax number", r"[1-35]\d{2} ?\d{3} ?\d{3}", checksums.portuguese_tax),
    _national("Romanian CNP", rf"[1-8]\d{{2}}{_MONTH_DAY}\d{{6}}", checksums.romanian_cnp),
    _national("South African identity number", rf"\d{{2}}{_MONTH_DAY} ?\d{{4}} ?\d{{3}}", checksums.luhn),
    _national("Singapore identity number", r"[STFG]\d{7}[A-Z]", checksums.singapore_nric),
    _national("Mexican CURP", rf"[A-Z]{{4}}\d{{2}}{_MONTH_DAY}[HMX][A-Z]{{5}}[A-Z\d]\d", str.isalnum),
)
