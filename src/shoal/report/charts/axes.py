"""Scales and round tick marks of the charts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta

_EPOCH = date(1970, 1, 1)
_LEAST = 1e-300  # a smaller range has too few digits left to be divided
_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200)


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps data from `low` to `high` onto pixels from `start` to `end`, linearly or logarithmically."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return about as many round numbers (1, 2, 2.5 or 5 times a power of ten) within [low, high] as `about` says."""
    if not high - low > _LEAST:
        return [low]
    rough = (high - low) / max(1, about)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def rounded_up(high: float, about: int = 5) -> float:
    """Return the end of an axis that starts at zero: the first round tick at or above `high`."""
    if high <= _LEAST:
        return 1.0
    marks = ticks(0, high, about)
    step = marks[1] - marks[0] if len(marks) > 1 else high
    return float(f"{math.ceil(high / step - 1e-9) * step:.12g}")


def whole_ticks(low: int, high: int, about: int = 6) -> list[int]:
    """Return ticks like `ticks`, but whole numbers only; the ends of the axis may have no tick."""
    return sorted({int(t) for t in ticks(low, high, about) if t == int(t)}) or [low]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 of each decade within [low, high]; powers of ten alone if there are many decades."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    marks = [float(f"{m}e{power}") for power in range(first, last + 1) for m in steps]
    return [m for m in marks if low * 0.999 <= m <= high * 1.001]


def date_ticks(low: float, high: float, about: int = 5) -> list[tuple[float, str]]:
    """Return round dates within [low, high], in days since 1970, with their labels."""
    span = high - low
    if span < 45:
        step = next((s for s in (1, 2, 7, 14) if span / s <= about + 1), 14)
        days = range(math.ceil(low), math.floor(high) + 1, step)
        return [(float(d), f"{_day(d).day} {_MONTH_NAMES[_day(d).month - 1]}") for d in days]
    step = next((m for m in _MONTHS if span / (m * 30.44) <= about + 1), _MONTHS[-1])
    start, marks = _day(low), []
    month = (start.year * 12 + start.month - 1) // step * step
    while True:
        year, index = divmod(month, 12)
        month += step
        if year < 1:
            continue
        if year > 9999:
            break
        day = (date(year, index + 1, 1) - _EPOCH).days
        if day > high:
            break
        if day >= low:
            marks.append((float(day), f"{year}" if step >= 12 else f"{_MONTH_NAMES[index]} {year}"))
    return marks


def day_label(days: float) -> str:
    """Return a date given in days since 1970 as ISO text."""
    return _day(days).isoformat()


def _day(days: float) -> date:
    whole = min(max(round(days), (date.min - _EPOCH).days), (date.max - _EPOCH).days)
    return _EPOCH + timedelta(days=whole)
