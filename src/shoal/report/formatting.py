"""Formatting numbers and names for people: three significant digits, separators, percentages.

Rounding never makes a result look better: a share below 1 is never shown as 100%, one above 0 never as 0%, `at_most`
rounds up and `at_least` rounds down, so that "at most 1.31 times" is true of the exact number.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from shoal._escape import shown

Number = int | float | Fraction

NOTHING = "–"
"""What is shown for a missing or undefined number."""
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(value: int) -> str:
    """Return a whole number with thousands separators."""
    return f"{value:,}"


def plural(value: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun, such as `1 group` or `2 groups`."""
    return f"{count(value)} {one if value == 1 else many or one + 's'}"


def significant(value: Number | None, digits: int = 3) -> str:
    """Return the number with `digits` significant digits; whole numbers below ten million keep all their digits."""
    return _shown(value, digits, ROUND_HALF_EVEN)


def at_most(value: Number | None, digits: int = 3) -> str:
    """Return the number like `significant`, but rounded up."""
    return _shown(value, digits, ROUND_CEILING)


def at_least(value: Number | None, digits: int = 3) -> str:
    """Return the number like `significant`, but rounded down."""
    return _shown(value, digits, ROUND_FLOOR)


def _shown(value: Number | None, digits: int, rounding: str) -> str:
    """Return a number with `digits` significant digits, rounded in the given way."""
    if value is None or math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    exact = Decimal(value.numerator) / Decimal(value.denominator) if isinstance(value, Fraction) else Decimal(value)
    if exact == 0:
        return "0"
    power = exact.adjusted()
    if exact == exact.to_integral_value() and abs(exact) < 10_000_000:
        return f"{int(exact):,}"
    places = digits - 1 - power
    if power >= digits and abs(exact) < 10_000_000:
        places = 0  # 12,346 rather than 12,300: digits before the point are kept
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=rounding)
    if 10_000_000 > abs(rounded) >= Decimal("0.001"):
        text = f"{rounded:,f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    power = rounded.adjusted()
    mantissa = f"{rounded.scaleb(-power):f}".rstrip("0").rstrip(".")
    return f"{mantissa} × 10{str(power).translate(_SUPERSCRIPT)}"


def percent(share: Number | None) -> str:
    """Return a share as a percentage; 0% and 100% are shown only for exactly 0 and 1."""
    if share is None or math.isnan(share):
        return NOTHING
    hundred = float(share) * 100
    if 0 < hundred < 0.01:
        return "<0.01%"
    if 99.95 <= hundred < 100:
        return ">99.9%"
    if hundred and abs(hundred) < 10:
        return f"{significant(hundred, 2 if abs(hundred) < 1 else 3)}%"
    return f"{hundred:,.1f}".removesuffix(".0") + "%"


def chance(probability: float) -> str:
    """Return a probability as `1 in 5` if it is one in a whole number, `certain` for 1, otherwise as a percentage."""
    if probability >= 1:
        return "certain"
    if probability <= 0:
        return "never"
    one_in = 1 / probability
    return f"1 in {count(round(one_in))}" if abs(one_in - round(one_in)) < 1e-6 else percent(probability)


def seconds(value: float) -> str:
    """Return a duration such as `3 ms`, `1.25 s` or `2 min 5 s`."""
    if value < 1:
        return f"{max(1, round(value * 1000))} ms" if value > 0 else "0 ms"
    if value < 60:
        return f"{significant(value)} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class Verbatim(str):
    """A text of the table itself, such as a label or a published cell, which stays as it is in every language."""


def name(text: object) -> str:
    """Return foreign text without control characters and characters that reverse the writing direction."""
    return Verbatim(shown(text)) if isinstance(text, Verbatim) else shown(text)


def verbatim(text: object) -> Verbatim:
    """Return a text of the table, safe to show, that no report translates."""
    return Verbatim(shown(text))


def shortened(text: str, width: int) -> str:
    """Return at most `width` characters of a text, with an ellipsis for the rest."""
    return text if len(text) <= width else text[: max(1, width - 1)].rstrip() + "…"


def sentence(text: str) -> str:
    """Return a text with a capital letter (but `k-anonymity` unchanged) and without its final period."""
    return (text if text[1:2] == "-" else text[:1].upper() + text[1:]).removesuffix(".")


def listed(items: list[str], limit: int = 8) -> str:
    """Return items as `a, b and c`; beyond `limit`, how many more there are."""
    if len(items) > limit:
        return f"{', '.join(items[:limit])} and {len(items) - limit} more"
    return " and ".join(part for part in (", ".join(items[:-1]), items[-1]) if part) if items else ""


def listed_names(columns: list[str]) -> str:
    """Return the names of columns in one line, with replacements for control characters."""
    return listed([name(column) for column in columns])
