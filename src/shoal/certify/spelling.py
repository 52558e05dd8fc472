"""Recognize different spellings of one value, such as 1, 1.0 and 1e0, or one instant in two time zones.

Without this, a table could pass for l-diverse because it spells a single value in several ways.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

import polars as pl

_NUMBER = r"^([+-]?)([0-9]*)(?:[.,]([0-9]*))?$"
_POWER = re.compile(r"([+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+))[eE]([+-]?[0-9]{1,9})")
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)


def meanings(texts: pl.Series) -> pl.DataFrame:
    """Return a frame with one row per text and four columns.

    `bare` is the text without surrounding blanks. `missing` is whether it is blank or NaN. `number` is its value as a
    float, or null, for order and bins. `key` is a text that is equal for texts with the same meaning: for the same
    number, for the same instant, and otherwise only for identical texts.
    """
    bare = texts.str.strip_chars(" ")
    parts = bare.str.extract_groups(_NUMBER).struct.unnest()
    parts.columns = ["sign", "whole", "part"]
    whole, part = (pl.col(name).fill_null("") for name in ("whole", "part"))
    digits = whole.str.strip_chars_start("0") + "." + part.str.strip_chars_end("0")
    zero = digits == "."
    key = pl.when(~zero & (pl.col("sign") == "-")).then(pl.lit("-")).otherwise(pl.lit("")) + digits
    is_number = pl.col("whole").is_not_null() & (whole + part != "")
    keys = parts.select(pl.when(is_number).then(key)).to_series()
    rest = pl.select(pl.when(keys.is_null()).then(texts)).to_series().to_list()
    other = pl.Series([None if text is None else _other(text) for text in rest], dtype=pl.String)
    with_point = bare.str.replace(",", ".", literal=True)
    return pl.DataFrame(
        {
            "bare": bare,
            "missing": bare.str.contains(r"^$|^(?i:[+-]?nan)$"),
            "number": with_point.cast(pl.Float64, strict=False),
            "key": pl.select(pl.coalesce(keys, other)).to_series(),
        }
    )


def _other(text: str) -> str:
    """Return the key of a text that is not a number in plain digits.

    A number with an exponent has the key of the same number in plain digits, a date with a time has that of its
    instant in UTC, a date alone has that of its midnight, and any other text has itself and a blank.
    """
    bare = text.strip(" ")
    power, moment = _POWER.fullmatch(bare), _MOMENT.fullmatch(bare)
    if power:
        sign, digits, exponent = Decimal(power[1].replace(",", ".")).as_tuple()
        significant = "".join(map(str, digits)).lstrip("0")
        tail = len(significant) - len(significant.rstrip("0"))
        significant, shift = significant.rstrip("0"), int(exponent) + int(power[2]) + tail
        if not significant:
            return "."
        if abs(shift) > 500:
            return f"{'-' if sign else ''}{significant}e{shift}"
        padded = significant + "0" * max(shift, 0)
        places = max(-shift, 0)
        padded = padded.rjust(places + 1, "0") if places else padded
        whole, part = (padded[:-places], padded[-places:]) if places else (padded, "")
        return f"{'-' if sign else ''}{whole.lstrip('0')}.{part}"
    if moment:
        day, minute, second, fraction, offset = moment.groups()
        zone = "+00:00" if offset in (None, "Z") else offset
        try:
            instant = datetime.datetime.fromisoformat(f"{day}T{minute or '00:00'}:{second or '00'}{zone}")
            utc = instant.astimezone(datetime.UTC).replace(tzinfo=None).isoformat()
        except (ValueError, OverflowError):
            return f"{text} "
        return f"{utc}.{(fraction or '').rstrip('0')}{'Z' if offset else ''}"
    return f"{text} "  # the blank keeps the key of a text apart from the key of a number
