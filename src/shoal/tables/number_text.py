"""Reading and writing whole columns of numbers in the format of their column.

Guarantee   `read_numbers` of what `write_numbers` wrote gives the same numbers.

Reading is lenient where a number can only mean one thing: the unit, the separators of thousands and blanks may be
absent, a plus may stand before a number, and a negative one may stand in parentheses. Writing has one form.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from shoal.policy.number_format import NumberFormat

_BLANKS = " \u00a0\u202f"
_THOUSANDS = {"": "", ".": r"\.", ",": ",", " ": f"[{_BLANKS}]", "'": "['’]"}


def read_numbers(texts: pl.Series, form: NumberFormat) -> pl.Series:
    """Return texts as numbers, whole ones if none has decimals; null for missing cells and those that are none."""
    point = rf"\{form.decimal}"
    mark = _THOUSANDS[form.thousands]
    whole = rf"[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+|[0-9]+" if mark else "[0-9]+"
    if form.lakhs:
        whole = rf"[0-9]{{1,2}}(?:{mark}[0-9]{{2}})*{mark}[0-9]{{3}}|[0-9]+"
    number = rf"((?:{whole})(?:{point}[0-9]*)?|{point}[0-9]+)"
    blank = rf"[{_BLANKS}]*"
    before, after = (rf"(?:{_escaped(part.strip())}{blank})?" for part in (form.prefix, form.suffix))
    signed = rf"^([(+\-−]?){blank}{before}([+\-−]?){number}{blank}{after}(\)?)$"
    parts = texts.cast(pl.String).str.strip_chars().str.extract_groups(signed).struct.unnest()
    parts.columns = ["sign", "inner", "digits", "closed"]
    paired = (pl.col("sign") == "(") == (pl.col("closed") == ")")
    one_sign = (pl.col("sign") == "") | (pl.col("inner") == "")
    negative = pl.col("sign").is_in(["(", "-", "−"]) | pl.col("inner").is_in(["-", "−"])
    digits = pl.col("digits")
    bare = digits.str.replace_all(mark, "") if mark else digits
    plain = pl.when(negative).then(pl.lit("-")).otherwise(pl.lit("")) + bare.str.replace(
        form.decimal, ".", literal=True
    )
    found = parts.select(pl.when(paired & one_sign).then(plain).alias(texts.name)).to_series()
    if found.str.contains(".", literal=True).any():
        numbers = found.cast(pl.Float64, strict=False)
        return numbers.set(numbers == 0, 0.0)
    integers = found.cast(pl.Int64, strict=False)
    return integers if integers.null_count() == found.null_count() else found.cast(pl.Float64, strict=False)


def write_numbers(numbers: pl.Series, form: NumberFormat) -> pl.Series:
    """Return numbers as text in the format; every different number is written once."""
    distinct = numbers.unique().drop_nulls()
    texts = pl.Series([write_number(one, form) for one in distinct.to_list()], dtype=pl.String)
    return numbers.replace_strict(distinct, texts, default=None, return_dtype=pl.String).alias(numbers.name)


def write_number(number: float | str, form: NumberFormat) -> str:
    """Return one number, or the text of one, with all of its digits and at least the decimals of the format."""
    exact = Decimal(number if isinstance(number, str) else repr(number))
    whole, _, part = f"{abs(exact):f}".partition(".")
    part = part.rstrip("0").ljust(form.decimals, "0")
    grouped = in_lakhs(whole, form.thousands) if form.lakhs else f"{int(whole):,}".replace(",", form.thousands)
    sign = "-" if exact < 0 else ""
    return f"{sign}{form.prefix}{grouped}{form.decimal + part if part else ''}{form.suffix}"


def in_lakhs(digits: str, mark: str) -> str:
    """Return digits with a mark before the last three and before every two above them: 12,34,567."""
    above, thousands = str(int(digits))[:-3], str(int(digits))[-3:]
    pairs = [above[max(end - 2, 0) : end] for end in range(len(above), 0, -2)][::-1]
    return mark.join([*pairs, thousands])


def decimals_of(texts: pl.Series, form: NumberFormat) -> int:
    """Return the largest number of decimals with which a cell is written."""
    parts = texts.cast(pl.String).str.extract(rf"\{form.decimal}([0-9]+)[^0-9]*$").str.len_chars()
    most = parts.max()
    return min(int(most), 12) if isinstance(most, int) else 0


def least_decimals(texts: pl.Series, form: NumberFormat) -> int:
    """Return the number of decimals if all numbers have as many; 0 otherwise. Blank cells do not count."""
    there = texts.cast(pl.String).drop_nulls()
    there = there.filter(there.str.strip_chars() != "")
    ends = there.str.extract(rf"\{form.decimal}([0-9]+)[^0-9]*$").str.len_chars()
    return decimals_of(there, form) if not ends.null_count() and ends.n_unique() == 1 else 0


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in ".$/" else character for character in text)
