"""Identifiers inside text: a telephone number in a sentence, an e-mail address among labels.

Every different value is searched, not a sample, because one cell is enough to name a person. The patterns are those
of Rust's regex library, which polars uses: no look-around, and time linear in the length of the text. A form that
may occur by chance counts only if its check digit is right. A long number that fills a whole cell counts only if most
other values are words: a column of codes has such numbers in every cell, and is recognized by `known_identifiers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from shoal.roles import check_digits as checksums
from shoal.roles.distinct_values import some_of
from shoal.roles.national_numbers import bare
from shoal.roles.person_names import name_inside
from shoal.roles.recognize import share, with_single_blanks

FAR_ABOVE_CHANCE = 0.5
"""A form counts if the check digit is right in at least this share of its numbers; by chance it is in one of ten."""
PROBE = 1_000
"""How many values are searched first. If they hold identifiers, only the first kind is counted in all values."""
MOSTLY_WORDS = 0.8
"""A long number that fills a cell is an identifier if at least this share of the values are words without one."""


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of identifier as it is written inside text."""

    what: str
    safe_harbor: str
    pattern: str
    needs: str = ""
    """A pattern that is quicker to search and matches every text with such an identifier; others are not searched."""
    check: Callable[[str], bool] | None = None
    without: str = ""
    """A pattern of what is removed from a text before `pattern` is searched."""


@dataclass(frozen=True, slots=True)
class Inside:
    """One kind of identifier that was found, with the number of different values and of cells that hold one."""

    what: str
    safe_harbor: str
    n_values: int
    n_cells: int


_DIGITS = r"(?:\d\D{0,3}){6}"
_BEFORE, _AFTER = r"(?:^|[^0-9A-Za-z.,])", r"(?:$|[^0-9A-Za-z])"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_DAY, _MONTH = r"(?:0[1-9]|[12]\d|3[01])", r"(?:0[1-9]|1[0-2])"
_DAY_MONTH, _MONTH_DAY = _DAY + _MONTH, _MONTH + _DAY
_DATES = (  # a date such as 01-02-1990 has the form of some telephone numbers
    r"\b\d{1,2}[./\-]\d{1,2}[./\-](?:\d{4}|\d{2})\b|\b\d{4}[./\-]\d{1,2}[./\-]\d{1,2}\b|"
    r"\b(?:19|20)\d{2} ?[-–/] ?(?:19|20)\d{2}\b"
)
_CALL = (
    r"\b(?:tel|phones?|ph|call|called|cell|mobile?|mob|fax|ring|dial|reach|contact|whatsapp|sms|text|handy|handynr|"
    r"anruf\w*|rückruf\w*|telefon\w*|telefoon|rufnummer|tél|téléphone|appel|appeler|rappeler|portable|móvil|movil|"
    r"llamar|llame|teléfono|telf|chiamare|cellulare|telefonare|bellen|ligar|telemóvel|celular|zadzwo\w+|gsm|puh)\b"
    r"|тел|звон|моб|电话|手机|联系|電話|携帯|전화|휴대폰|연락|هاتف|جوال|اتصل|טלפון|נייד"
)
_PHONE = "|".join(
    (
        r"\+\d{1,3}[ ().\-/]{0,3}\d(?:[ ().\-/]{0,3}\d){6,13}",  # +49 30 1234567
        _BEFORE + r"00[1-9]\d[ \-/.]{0,3}\d{1,5}[ \-/.]{0,3}\d{2,}[ \-]?\d{2,}",  # 0049 30 1234567
        _BEFORE + r"(?:1[-. ])?[2-9]\d{2}[-. ]\d{3}[-. ]\d{4}" + _AFTER,  # 415-555-1234
        r"\(\d{2,5}\) ?\d{2,5}[-. ]?\d{2,5}",  # (415) 555-1234, (11) 91234-5678
        _BEFORE + r"0[1-9]\d{0,3}[ ]?[/\- ][ ]?\d{5,8}" + _AFTER,  # 030 1234567, 089/123456
        _BEFORE + r"0[1-9]\d{1,3}[ /\-]\d{2,4}[ \-]\d{2,4}(?:[ \-]\d{2,4})?" + _AFTER,  # 020 7946 0958
        _BEFORE + r"0[1-9][ \-]\d{3,4}[ \-](?:\d{4}|\d{2,3} \d{2,3})" + _AFTER,  # 03-1234-5678, 08-123 456 78
        _BEFORE + r"8[ \-]?\(?\d{3}\)?[ \-]?\d{3}-\d{2}-\d{2}" + _AFTER,  # 8 (916) 123-45-67
        rf"(?i:{_CALL})[^0-9\n]{{0,40}}\d(?:[ ./\-]?\d){{5,}}",  # call 555-1234
        r"\pL\W{1,3}[2-9]\d(?: \d{2}){3}" + _AFTER,  # Inger, 20 12 34 56
    )
)
_PHONE_IN_PAIRS = _BEFORE + r"0[1-9](?:[ .\-]\d{2}){4}" + _AFTER  # 06.12.34.56.78, of which a part looks like a date
_STREETS = (
    r"\pL+(?:straße|strasse|str\.|gasse|allee|straat|gracht|laan|gatan|vägen|veien|gade|katu)\s*\d+",
    r"\b(?:straße|strasse|str\.|gasse|allee)\s+(?:\pL+[ .]*){1,4}\d+",
    r"\b\d{1,4}(?: ?bis| ?ter)?,?\s+(?:rue|avenue|boulevard|bd|chemin|impasse|allée|quai)\s+\pL",
    r"\b(?:calle|c/|avenida|avda\.?|plaza|paseo|rua|travessa|praça|via|viale|piazza|corso|vicolo)\s+"
    r"(?:\pL[\pL.'’]*[ ,]+){1,5}(?:n[.º°o]*\s*)?\d+",
    r"\b(?:ul|al|os)\.\s*(?:\pL[\pL.]*\s+){1,4}\d+",
    r"(?:ул\.|улица|просп\.|проспект|пер\.|переулок)\s*(?:\pL[\pL.\-]*[ ,]+){1,4}(?:д\.?\s*)?\d+",
    r"\pL+\s+(?:cad|sok|mah|sokak|caddesi)\.?\s+(?:no[:.]?\s*)?\d+",
)
_STREET = "|".join(
    (
        rf"(?i:{'|'.join(_STREETS)})",
        r"\b\d{1,5}[A-Za-z]?,?\s+(?:\p{Lu}[\pL.'’]+\s+){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd)\b",
        r"\b\d{2,5}[A-Za-z]?,?\s+(?:\p{Lu}[\pL.'’]+\s+){1,3}(?:Lane|Ln|Drive|Dr|Court|Ct|Way|Terrace|Crescent|Close|"
        r"Place|Square|Highway|Hwy|Parkway|Pkwy)\b",
        r"\p{Han}{2,}[路街道巷]\d+[号號弄]|\p{Han}+[市区町村]\p{Han}*\d+(?:丁目|番地|-\d+)|\p{Hangul}+(?:로|길) ?\d+",
    )
)
_NATIONAL: tuple[tuple[str, str, Callable[[str], bool] | None], ...] = (
    ("UK insurance number", r"\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b", None),
    ("Brazilian CPF", r"\b\d{3}\.\d{3}\.\d{3}-\d{2}\b", None),
    ("Belgian national number", r"\b\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}\b", None),
    ("Swiss insurance number", r"\b756\.\d{4}\.\d{4}\.\d{2}\b", None),
    ("Korean resident number", rf"\b\d{{2}}{_MONTH_DAY}-[1-8]\d{{6}}\b", None),
    ("Danish CPR number", rf"\b{_DAY_MONTH}\d{{2}}-\d{{4}}\b", None),
    ("Italian tax code", r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b", None),
    ("Mexican CURP", rf"\b[A-Z]{{4}}\d{{2}}{_MONTH_DAY}[HMX][A-Z]{{5}}[A-Z\d]\d\b", None),
    ("Chinese identity number", r"[1-9]\d{5}(?:19|20)\d{9}[\dXx]", None),
    ("Swedish personal number", rf"\b\d{{2}}{_MONTH_DAY}[-+]\d{{4}}\b", checksums.swedish_number),
    ("Finnish identity code", rf"\b{_DAY_MONTH}\d{{2}}[-+A-FU-Y]\d{{3}}[\dA-Y]\b", checksums.finnish_hetu),
    ("Spanish identity number", r"\b(?:[XYZ]-?\d{7}|\d{8})-?[A-Z]\b", checksums.spanish_dni),
    ("Czech or Slovak birth number", r"\b\d{2}[0-8]\d[0-3]\d/\d{4}\b", checksums.czech_birth),
    ("German health insurance number", r"\b[A-Z]\d{9}\b", checksums.german_insured),
    ("German pension number", rf"\b\d{{2}} ?{_DAY_MONTH}\d{{2}} ?[A-Z] ?\d{{3}}\b", checksums.german_pension),
    ("German tax number", r"\b[1-9]\d \d{3} \d{3} \d{3}\b", checksums.german_tax),
    ("French security number", r"\b[12] \d{2} \d{2} \d[\dAB] \d{3} \d{3} \d{2}\b", checksums.french_nir),
    ("Indian Aadhaar number", r"\b[2-9]\d{3}[ -]\d{4}[ -]\d{4}\b", checksums.verhoeff),
    ("NHS number", r"\b\d{3}[ -]\d{3}[ -]\d{4}\b", checksums.nhs_number),
    ("Canadian insurance number", r"\b\d{3}[ -]\d{3}[ -]\d{3}\b", checksums.luhn),
    ("Singapore identity number", r"\b[STFG]\d{7}[A-Z]\b", checksums.singapore_nric),
)
_WEB = r"(?i)(?:https?|ftp)://\S|\bwww\.\S+\.\pL|\b[\w\-]+\.(?:com|org|net|de|fr|io)/\w"
_IP = rf"(?:^|[^\d.])(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]\d)(?:\.{_OCTET}){{3}}(?:$|[^\d.]|\.\D)"
_IPV6 = r"(?i)\b(?:[\da-f]{1,4}:){2,6}(?::[\da-f]{1,4}){1,6}|(?:[\da-f]{1,4}:){7}[\da-f]{1,4}"
_MAC = r"(?i)\b[\da-f]{2}(?::[\da-f]{2}){5}\b|\b[\da-f]{2}(?:-[\da-f]{2}){5}\b"
_IBAN = r"\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b"
_CARD = r"\b[3-6]\d{3}(?:[ -]\d{4}){3}\b|\b3[47]\d{2}[ -]\d{6}[ -]\d{5}\b"
_RECORD = (
    r"(?i)\b(?:mrn|pid|pat(?:ient)?|fall|akte|case|chart|kv|vers|versicherten|insurance|member|account|konto)"
    r"(?:[ \-]?(?:id|nr|no|num|number|nummer))?[.:# \-]{0,3}\d{6,}"
)
_PLATE = (
    r"(?i:\b(?:plate|kennzeichen|kfz|immatriculation|matr[ií]cula|targa|kenteken|reg\.? ?no)\b\W{0,3})[A-Z]{1,3}"
    r"[ \-]?[A-Z\d]{1,4}[ \-]?\d{1,4}|\b[A-Z]{2}-\d{3}-[A-Z]{2}\b"
)
FORMS: tuple[Form, ...] = (
    Form("e-mail address", "F", r"[\pL\pN.+%'_\-]@[\pL\pN\-]+(?:\.[\pL\pN\-]+)*\.\pL{2,}", "@"),
    Form("e-mail address", "F", r"(?i)\pL ?[\[(](?:at|ät|arroba)[\])] ?\pL", r"[\[(]"),
    Form("user name", "R", r"(?:^|[\s(,;:/])@[A-Za-z_]\w{2,}", "@"),
    Form("web address", "N", _WEB, r"[./]"),
    Form("IP address", "O", _IP, r"\d\.\d"),
    Form("IP address", "O", _IPV6, "[0-9A-Fa-f]:"),
    Form("device address (MAC)", "M", _MAC, r"[0-9A-Fa-f][:-]"),
    Form("US social security number", "G", r"\b\d{3}-\d{2}-\d{4}\b", r"\d-\d", bare(checksums.us_ssn)),
    Form("bank account (IBAN)", "J", _IBAN, r"[A-Z]\d{2}", bare(checksums.iban)),
    Form("payment card number", "J", _CARD, r"\d{4}[ -]", bare(checksums.luhn)),
    *(Form(what, "R", pattern, _DIGITS, check and bare(check)) for what, pattern, check in _NATIONAL),
    Form("telephone number", "D", _PHONE, _DIGITS, without=_DATES),
    Form("telephone number", "D", _PHONE_IN_PAIRS, _DIGITS),
    Form("street address", "B", _STREET, r"\d"),
    Form("record number", "H", _RECORD, r"\d{6}"),
    Form("vehicle identifier or plate", "L", _PLATE, r"\d"),
)
_LONG = r"(?:^|[^0-9.,])\d{9,}(?:$|[^0-9])"
_WORD = r"\pL{3}|\p{Han}{2}|[\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]{2}"


def identifiers_inside(values: pl.Series, counts: pl.Series) -> list[Inside]:
    """Return the kinds of identifiers inside the different `values`; `counts` has the number of cells with each.

    The numbers of the first kind are exact. Those of the others are 0 if they were not counted.
    """
    some = some_of(values, PROBE) if len(values) > 2 * PROBE else values.clear()
    values = with_single_blanks(values)
    likely = _forms_in(with_single_blanks(some)) if len(some) else []
    for at, form in enumerate(likely):
        # the column is an identifier in any case: one kind is counted, and the others need not be
        if (first := _searched(form, values, counts)) is not None:
            return [first, *(Inside(other.what, other.safe_harbor, 0, 0) for other in likely[at + 1 :])]
    found = [one for form in FORMS if (one := _searched(form, values, counts)) is not None]
    named = name_inside(values)
    if named.any():
        found.append(Inside("name of a person", "A", int(named.sum()), int(counts.filter(named).sum())))
    return found or _long_numbers(values, counts)


def _forms_in(values: pl.Series) -> list[Form]:
    """Return the forms that are found in some of the values."""
    ones = pl.repeat(1, len(values), eager=True)
    return [form for form in FORMS if _searched(form, values, ones) is not None]


def _searched(form: Form, values: pl.Series, counts: pl.Series) -> Inside | None:
    """Return how often a form is found; None if it is not found, or its check digits are right only by chance."""
    near = values.str.contains(form.needs) if form.needs else values.is_not_null()
    if not near.any():
        return None
    texts, cells = values.filter(near), counts.filter(near)
    if form.without:
        texts = texts.str.replace_all(form.without, " ")
    hit = texts.str.contains(form.pattern)
    if not hit.any():
        return None
    if form.check is not None:
        check, candidates = form.check, texts.filter(hit).str.extract_all(form.pattern)
        right = pl.Series([any(map(check, found)) for found in candidates.to_list()], dtype=pl.Boolean)
        if share(right) < FAR_ABOVE_CHANCE:
            return None
        return Inside(form.what, form.safe_harbor, int(right.sum()), int(cells.filter(hit).filter(right).sum()))
    return Inside(form.what, form.safe_harbor, int(hit.sum()), int(cells.filter(hit).sum()))


def _long_numbers(values: pl.Series, counts: pl.Series) -> list[Inside]:
    """Return the count of numbers with nine digits or more that are beside words, or alone in a column of words."""
    long = values.str.contains(_LONG)
    if not long.any():
        return []
    stands_out = share(~long) >= MOSTLY_WORDS and share(values.filter(~long).str.contains(r"\pL")) >= MOSTLY_WORDS
    hit = long if stands_out else long & values.str.contains(_WORD)
    if not hit.any():
        return []
    return [Inside("long number", "R", int(hit.sum()), int(counts.filter(hit).sum()))]
