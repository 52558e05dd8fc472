"""Cells of every type that a table may have, as plain values that compare exactly, and as the text that shows them.

A value is an int, a float, a Decimal, a bool, a str or None; dates are days since 1970; moments, durations and times
of day are nanoseconds, so that nothing is lost in any unit. Shares no code with Shoal.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal, InvalidOperation
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pyarrow as pa

Value = Any
"""int, float, Decimal, bool, str or None."""

BITS = {f"{sign}{size}": (sign, size) for sign in "iu" for size in (8, 16, 32, 64)}
UNITS = {"ms": 1_000_000, "us": 1_000, "ns": 1}
ZONES = ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns")
NUMBERS = (*BITS, "f32", "f64", "dec2", "dec0")
DAYS = ("date", *(f"dt:{unit}" for unit in UNITS), *(f"dt:{unit}:{zone}" for unit in UNITS for zone in ZONES))
TEXTS = ("str", "cat", "enum", "bool")
BESIDE = ("time", *(f"dur:{unit}" for unit in UNITS))
"""Types on which no distance is taken; they are published as they are."""
DAYS_ON_EARTH = 10_000_000
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
WORDS = (
    "", "a", "b, c", "null", "*", "{x}", "[1, 2]", 'say "hi"', "x: 2; y", "two\nlines", "'q'", " pad ", "tab\there",
    "Zürich", "e\u0301cole", "\u00e9cole", "日本", "\u202eright to left", "emoji 👩‍👩‍👧", "zero\u200bwidth", "ﬁne",
    "İstanbul", "NaN", "inf", "None", "true-ish", "=1+1", "@cmd", "-dash", "semi;colon", "pipe|d", "back\\slash",
    "cr\rhere", "Ω",
)  # fmt: skip
PLAIN = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath")
_MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?")
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?")
_SPAN = re.compile(r"(-?)P(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+)(?:\.(\d{1,9}))?S)?)?")


def draw(rng: Random, kind: str) -> Value:
    """One value of a type, sometimes at its limits."""
    if kind in BITS:
        sign, size = BITS[kind]
        low, high = (0, 2**size - 1) if sign == "u" else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)
        near = [rng.randint(max(low, -9), 99), rng.randint(20, 90), high - rng.randint(0, 3), low + rng.randint(0, 3)]
        return rng.choice(near[: rng.choice([2, 2, 2, 4])])
    if kind in ("f32", "f64"):
        value = rng.choice(
            [rng.uniform(-5, 5), round(rng.uniform(0, 99), 1), 0.0, -0.0, 0.1, 1e-9, 1e9, 123456.789, 2.5]
        )
        return float(np.float32(value)) if kind == "f32" else value
    if kind == "dec2":
        return Decimal(rng.randint(-500, 99_999)).scaleb(-2)
    if kind == "dec0":
        return Decimal(rng.choice([rng.randint(0, 99), 10**17 + rng.randint(0, 9)]))
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "date":
        return rng.choice([rng.randint(18_000, 19_800), rng.randint(-10_000, 20_000), rng.randint(19_700, 19_720)])
    if kind.startswith("dt:"):
        step = UNITS[kind.split(":")[1]]
        second = rng.choice(
            [rng.randint(1_600_000_000, 1_700_000_000), rng.randint(0, 9_999), 1_729_987_200 + rng.randint(0, 7200)]
        )
        fine = rng.choice([0, 0, rng.randrange(0, 1_000_000_000, step), step])
        return second * 1_000_000_000 + fine
    if kind == "time":
        return rng.randrange(86_400) * 1_000_000_000 + rng.choice([0, 1_000_000, 1_000])
    if kind.startswith("dur:"):
        step = UNITS[kind.split(":")[1]]
        return rng.choice([0, step, -step, 86_400_000_000_000, rng.randint(-10_000, 10_000) * 1_000_000_000])
    return rng.choice(WORDS if kind == "str" and rng.random() < 0.5 else PLAIN)


def series(name: str, kind: str, values: list[Value]) -> pl.Series:
    """The values as a polars column of their type."""
    if kind in BITS:
        return pl.Series(name, values, dtype=getattr(pl, ("Int" if kind[0] == "i" else "UInt") + kind[1:]))
    if kind in ("f32", "f64"):
        return pl.Series(name, values, dtype=pl.Float32 if kind == "f32" else pl.Float64)
    if kind.startswith("dec"):
        return pl.Series(name, values, dtype=pl.Decimal(20, int(kind[3:])))
    if kind == "date":
        return pl.Series(name, values, dtype=pl.Int32).cast(pl.Date)
    if kind == "time":
        return pl.Series(name, values, dtype=pl.Int64).cast(pl.Time)
    if kind.startswith(("dt:", "dur:")):
        _, unit, *zone = kind.split(":")
        whole = pl.Series(name, [None if v is None else v // UNITS[unit] for v in values], dtype=pl.Int64)
        if kind.startswith("dur:"):
            return whole.cast(pl.Duration(unit))
        moments = whole.cast(pl.Datetime(unit))
        return moments.dt.replace_time_zone("UTC").dt.convert_time_zone(zone[0]) if zone else moments
    dtypes: dict[str, Any] = {"bool": pl.Boolean, "str": pl.String, "cat": pl.Categorical, "null": pl.Null}
    if kind == "enum":
        dtypes["enum"] = pl.Enum(list(PLAIN))
    return pl.Series(name, values, dtype=dtypes[kind])


def shown(value: Value, kind: str) -> str:
    """A value as text: ISO 8601, shortest digits, `true` and `false`."""
    if isinstance(value, bool):
        return str(value).lower()
    if kind == "f32":
        return str(np.float32(value))
    if kind == "date":
        return (EPOCH.date() + dt.timedelta(days=value)).isoformat()
    if kind.startswith("dt:"):
        zone = kind.split(":")[2:]
        moment = (EPOCH + dt.timedelta(microseconds=value // 1000)).astimezone(ZoneInfo(zone[0]) if zone else dt.UTC)
        offset = moment.strftime("%z")
        return f"{moment:%Y-%m-%dT%H:%M:%S}{_fraction(value)}" + (f"{offset[:3]}:{offset[3:]}" if zone else "")
    if kind == "time":
        seconds = value // 1_000_000_000
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{_fraction(value)}"
    if kind.startswith("dur:"):
        return ("-" if value < 0 else "") + f"PT{abs(value) // 1_000_000_000}{_fraction(abs(value))}S"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _fraction(nanoseconds: int) -> str:
    rest = nanoseconds % 1_000_000_000
    return f".{rest:09}".rstrip("0") if rest else ""


class UnreadableError(ValueError):
    """A cell that is no value of its column's type."""


def read(cell: Any, kind: str) -> Value:
    """A released cell (text, or what a Parquet or Arrow file holds) as a value of its column's type."""
    if cell is None:
        return None
    try:
        return _read_text(cell, kind) if isinstance(cell, str) else _read_object(cell, kind)
    except (ValueError, InvalidOperation, OverflowError, TypeError) as wrong:
        raise UnreadableError(f"{cell!r} is no {kind}: {wrong}") from None


def _read_text(cell: str, kind: str) -> Value:
    if kind in BITS:
        number = Decimal(cell)
        return int(number) if number == int(number) else number  # a mean may have decimals
    if kind in ("f32", "f64"):
        return as_float(float(cell), kind)
    if kind.startswith("dec"):
        return Decimal(cell)
    if kind == "bool":
        return {"true": True, "false": False}[cell.lower()] if cell.lower() in ("true", "false") else _fail(cell)
    if kind == "date" or kind.startswith("dt:"):
        return _moment(cell, kind)
    if kind == "time":
        found = _TIME.fullmatch(cell) or _fail(cell)
        hour, minute, second, fraction = found.groups()
        return (int(hour) * 3600 + int(minute) * 60 + int(second)) * 10**9 + int((fraction or "0").ljust(9, "0"))
    if kind.startswith("dur:"):
        found = _SPAN.fullmatch(cell) or _fail(cell)
        sign, day, hour, minute, second, fraction = found.groups()
        whole = ((int(day or 0) * 24 + int(hour or 0)) * 60 + int(minute or 0)) * 60 + int(second or 0)
        negative = any(part is not None and part.startswith("-") for part in found.groups()[1:5])
        rest = int((fraction or "0").ljust(9, "0"))
        return (-1 if sign else 1) * (whole * 10**9 + (-rest if negative else rest))
    return cell


def _read_object(cell: Any, kind: str) -> Value:
    if kind in ("f32", "f64"):
        return as_float(float(cell), kind)
    if kind in BITS and isinstance(cell, float):
        return int(cell) if cell == int(cell) else Decimal(repr(cell))
    if kind.startswith("dec"):
        return cell if isinstance(cell, Decimal) else Decimal(repr(cell))
    if kind == "date" and abs(cell) > DAYS_ON_EARTH:
        return _fail(str(cell))  # a moment
    return cell


def as_float(number: float, kind: str) -> float:
    """With one zero only, and rounded as the type rounds."""
    if math.isinf(number) or math.isnan(number):
        raise UnreadableError("not finite")
    return float(np.float32(number)) + 0.0 if kind == "f32" else number + 0.0


def _moment(cell: str, kind: str) -> int:
    found = _MOMENT.fullmatch(cell) or _fail(cell)
    year, month, day, hour, minute, second, fraction, offset = found.groups()
    days = (dt.date(int(year), int(month), int(day)) - dt.date(1970, 1, 1)).days
    if kind == "date":
        return days if hour is None else _fail(cell)
    seconds = days * 86_400 + int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    if offset not in (None, "Z"):
        sign = 1 if offset[0] == "+" else -1
        seconds -= sign * (int(offset[1:3]) * 3600 + int(offset[-2:]) * 60)
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0"))


def _fail(cell: str) -> Any:
    raise UnreadableError(repr(cell))


def from_arrow(column: Any) -> list[Any]:
    """Cells of an Arrow column as plain values: dates in days, all other times in nanoseconds."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        found: list[Any] = []
        for chunk in column.chunks:
            known = from_arrow(pa.chunked_array([chunk.dictionary]))
            found += [None if code is None else known[code] for code in chunk.indices.to_pylist()]
        return found
    if pa.types.is_date(kind):
        return (
            list(column.cast(pa.int32()).to_pylist()) if pa.types.is_date32(kind) else _scaled(column, 1, 86_400_000)
        )
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time(kind):
        factor = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[kind.unit]
        whole = column.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        return [None if value is None else value * factor for value in whole.to_pylist()]
    return list(column.to_pylist())


def _scaled(column: Any, factor: int, divisor: int) -> list[Any]:
    whole = column.cast(pa.int64()).to_pylist()
    return [None if value is None else value * factor // divisor for value in whole]
