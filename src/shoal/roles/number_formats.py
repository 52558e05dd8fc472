"""Finding the format of numbers in a column of texts: decimal sign, thousands, unit or currency.

A format is proposed if it reads every cell as a number and no other format reads different numbers. Only units and
currencies of a fixed list are accepted, because any other word before digits may be part of a code. A column that was
recognized as an identifier stays one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import polars as pl

from shoal.policy.number_format import NumberFormat
from shoal.roles.column_profile import ColumnProfile, profile_column
from shoal.roles.distinct_values import Codes
from shoal.roles.kinds import is_text
from shoal.roles.missing_codes import MissingCodes
from shoal.roles.number_names import MEASURED
from shoal.roles.recognize import says, words
from shoal.roles.unknown_codes import CODE
from shoal.tables.number_text import least_decimals, read_numbers
from shoal.tables.table import Table


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


CURRENCIES = _words(
    """€ $ £ ¥ ₹ ₽ ₴ ₺ ₪ ₫ ₩ ฿ ₱ ₦ ₵ ₸ ₾ ₼ EUR USD GBP CHF JPY SEK NOK DKK ISK PLN CZK HUF RON BGN HRK RSD MKD ALL
    UAH RUB TRY ILS INR PKR BDT LKR NPR CNY RMB KRW TWD HKD SGD MYR IDR VND THB PHP AUD NZD CAD MXN BRL ARS CLP
    COP PEN UYU ZAR KES NGN GHS TZS UGX ETB EGP MAD TND SAR AED QAR KWD IRR KZT GEL AMD AZN kr kr. zł Kč Ft Fr. Fr
    R$ US$ A$ C$ NZ$ S$ HK$ NT$ MX$ S/ S/. Bs Bs. Rs Rs. Rp Rp. RM R KSh Ksh TSh USh lei leu лв лв. дин дин. din
    din. kn руб руб. р. р грн грн. тг TL т.р. ر.س د.إ ج.م د.م. د.ت ש"ח 円 万円 元 万元 원 만원 บาท đ Đ VNĐ €uro
    Euro euro euros"""
)
UNITS = _words(
    """kg g mg µg μg ug ng t lb lbs oz cm mm m km in ft % ‰ mmHg bpm °C °F ° ml mL l L dl cl mg/dl mg/dL g/dl g/dL
    g/l mmol/l mmol/L µmol/l µmol/L µg/l ng/ml IU IE U/l U/L kg/m² kg/m2 m² m2 m³ years year yrs yr y Jahre Jahr
    J. J ans años days day d Tage Tag h hrs hours Std Std. min Min. s sec sek ms kcal kJ kW kWh W V A Hz mSv Gy mi
    miles mph km/h ha ac acres acre sqft pts points Pkt Pkt. Stk szt шт кг г см мм м км лет год года мин ч сек л
    мл 歳 才 岁 세 kg. cm. min. hod. ore óra year(s) pcs x"""
)
UNSURE = (
    "unique code",
    "free text",
    CODE.what,
)  # numbers with units may be taken for these before the units are read
_SHAPE = re.compile(
    r"[(]?[+\-−]?\s*([^\d\s(+\-−.,][^\d(]*?)?(\s*)[+\-−]?([\d.,' \u00a0\u202f’]*\d)(\s*)([^\d)]*?)[)]?"
)
_THREE = re.compile(r"-?[1-9][0-9]{0,2}[.,][0-9]{3}")
_PADDED = re.compile(r"0[0-9]")
_LAKHS = NumberFormat(thousands=",", lakhs=True)
_MARKS = (
    *(NumberFormat(decimal=d, thousands=t) for d, t in product(".,", ("", ".", ",", " ", "'")) if d != t),  # type: ignore[arg-type]
    _LAKHS,
)


def with_number_format(
    column: ColumnProfile, codes: Codes, missing: MissingCodes, table: Table
) -> tuple[ColumnProfile, Codes]:
    """Return the profile and codes of a column, made again from its numbers if its texts have a number format."""
    values = missing.values
    if column.dates is not None or (column.role == "identifier" and column.what not in UNSURE):
        return column, codes
    if is_text(values.dtype) and (column.cuts or (column.prefix and column.what)):
        return column, codes  # codes of a classification or a place that look like numbers, such as 10.2
    if not is_text(values.dtype):
        read = table.texts[values.name] if values.name in table.texts.columns else None
        asked = read is not None and values.dtype.is_float() and _only_three_decimals(read)
        return (replace(column, questions=(*column.questions, _ASKED)) if asked else column), codes
    form, ambiguous = number_format(missing.different.values, _decimal_of(table))
    if form is None:
        return (replace(column, questions=(*column.questions, _ASKED)) if ambiguous else column), codes
    numbers = missing.different.expanded(read_numbers(missing.different.values, form))
    # the unit says what a heading such as `Wt` leaves open: kilograms are no survey weight
    found, codes = profile_column(numbers.alias(f"{values.name} {form.suffix.strip()}".strip()))
    found = replace(found, name=values.name)
    questions = (*found.questions, _TAKEN) if ambiguous else found.questions
    kind = "number" if found.role == "quasi" else found.kind
    return replace(found, kind=kind, number=form, questions=questions), codes


def _decimal_of(table: Table) -> str | None:
    """Return the decimal mark of the file if it is certain; where commas separate cells, it is the point."""
    dialect = table.origin.dialect
    return dialect.decimal if dialect is not None and (dialect.separator == "," or dialect.decimal == ",") else None


_ASKED = (
    "every number has one point or comma with three digits after it: thousands, or decimals? If thousands, write "
    'number = { decimal = ",", thousands = "." } (or the other way round) for this column; if decimals, nothing.'
)
_TAKEN = (
    "every number has one point or comma with three digits after it, which is taken to separate thousands. If it is "
    "the decimal sign, correct `number` for this column."
)


def number_format(values: pl.Series, decimal: str | None = None) -> tuple[NumberFormat | None, bool]:
    """Return the format that reads every text as a number, and whether several formats read different numbers.

    The format is None if no format fits. If several read different numbers, it is the one whose decimal mark is
    `decimal`, that of the file; None if that is not known.
    """
    texts = values.drop_nulls().cast(pl.String).str.strip_chars().unique().sort()
    texts = texts.filter(texts != "")
    if not len(texts) or not _shaped(texts.gather_every(len(texts) // 200 + 1)):
        return None, False
    around = _around(texts)
    if around is None:
        return None, False
    fitting = []
    for marks in _MARKS:
        form = marks.model_copy(update=around)
        if not read_numbers(texts, form).null_count():
            fitting.append(form)
    if not fitting:
        return None, False
    if len(fitting) > 1:
        fitting = [form for form in fitting if not form.lakhs]  # no number is large enough to show pairs of digits
    read = [read_numbers(texts, form).cast(pl.Float64) for form in fitting]
    ambiguous = any(not one.equals(read[0]) for one in read[1:])
    if ambiguous:
        fitting = [form for form in fitting if form.decimal == decimal and form.thousands]
    if len(fitting) != 1 and ambiguous:
        return None, True
    form = fitting[0]
    bare = form.thousands == " " and not (around["prefix"] or around["suffix"] or says(MEASURED, words(texts.name)))
    if bare and not _varied(texts, form) and not texts.str.contains(form.decimal, literal=True).all():
        return None, False  # groups of digits of one length may be telephone or account numbers
    form = form.model_copy(update={"decimals": least_decimals(texts, form)})
    return NumberFormat.model_validate(form.model_dump(exclude_defaults=True)), ambiguous


def _shaped(texts: pl.Series) -> bool:
    """Return whether all texts are digits with points, commas or blanks, and perhaps a currency or unit around them.

    Numbers with leading zeros do not count.
    """
    found = [_SHAPE.fullmatch(text) for text in texts.to_list()]
    return all(one is not None and not _PADDED.match(one[3]) for one in found)


def _around(texts: pl.Series) -> dict[str, str] | None:
    """Return the currency or unit before and after the numbers, with the blank that most texts have there.

    None if there are several different ones, or one that is not in the list.
    """
    prefixes: dict[str, int] = {}
    suffixes: dict[str, int] = {}
    for text in texts.to_list():
        found = _SHAPE.fullmatch(text)
        if found is None or _PADDED.match(found[3]):
            return None
        before, after = (found[1] or "") + (found[2] if found[1] else ""), (found[4] if found[5] else "") + found[5]
        prefixes[before] = prefixes.get(before, 0) + 1
        suffixes[after] = suffixes.get(after, 0) + 1
    chosen = {}
    for part, counts, known in (("prefix", prefixes, CURRENCIES | {"%"}), ("suffix", suffixes, CURRENCIES | UNITS)):
        words = {text.strip() for text in counts} - {""}
        if len(words) > 1 or not words <= known:
            return None
        chosen[part] = max((text for text in counts if text.strip()), key=lambda text: counts[text], default="")
    return chosen


def _varied(texts: pl.Series, form: NumberFormat) -> bool:
    whole = texts.str.replace(rf"\{form.decimal}.*$", "")
    return whole.str.len_chars().n_unique() > 1 and bool(whole.str.contains(r"^[-+]?[0-9]{1,3}$").any())


def _only_three_decimals(texts: pl.Series) -> bool:
    """Return whether every number with a point or comma has one to three digits before it and three after it."""
    for some in (texts.head(1000), texts):  # the first cells show it of most columns
        bare = some.drop_nulls().str.strip_chars()
        bare = bare.filter(bare != "")
        marked = bare.filter(bare.str.contains(r"[.,]"))
        if not marked.str.contains(rf"^(?:{_THREE.pattern})$").all():
            return False
    return len(marked) > 1
