"""Reading and writing dates in the format that a policy states.

Guarantee   What `write_dates` writes, `read_dates` reads as the same date, if the date is as coarse as the format.
            A cell that is no date in the format is read as missing, never as another date.
"""

from __future__ import annotations

import re

import polars as pl

from shoal.policy.date_format import DateFormat, FormatPart, Resolution
from shoal.policy.month_names import LONG, SHORT, numbers_of_months, plain

_EPOCH = -25_569  # the day 0 of spreadsheets, 30 December 1899, in days since 1970
_SERIAL = r"^[+]?([0-9]{1,7})(?:\.0*)?$"
_TRUNCATED: dict[Resolution, str] = {
    "year": "1y",
    "quarter": "1q",
    "month": "1mo",
    "day": "1d",
    "hour": "1h",
    "minute": "1m",
    "second": "1s",
    "millisecond": "1ms",
    "microsecond": "1us",
}


def read_dates(cells: pl.Series, form: DateFormat) -> pl.Series:
    """Return texts or whole numbers as dates, or as times if the format has a time; missing where a cell is no date.

    Dates and times themselves are returned if the format can write them, and as missing otherwise. Times with a zone
    are those of UTC.
    """
    if cells.dtype.is_temporal():
        return _as_coarse(cells, form)
    texts = _texts(cells, form)
    distinct = texts.unique().drop_nulls()
    found = (_serials if form.is_serial else _parsed)(distinct.rename("text"), form)
    table = pl.DataFrame({"text": distinct, "date": found})
    read = texts.rename("text").to_frame().join(table, on="text", how="left", maintain_order="left")["date"]
    return read.alias(cells.name)


def write_dates(dates: pl.Series, form: DateFormat) -> pl.Series:
    """Return dates or times as text in the format, or as whole numbers if the format has nothing but digits."""
    if form.is_serial:
        return (dates.cast(pl.Date).to_physical().cast(pl.Int64) - _EPOCH).alias(dates.name)
    moments = pl.lit(dates.cast(pl.Datetime("us")) if dates.dtype == pl.Date else dates)
    written = pl.select(pl.concat_str([_written(part, moments, form) for part in form.parts])).to_series()
    return written.alias(dates.name)


def truncated(dates: pl.Series, form: DateFormat | None) -> pl.Series:
    """Return dates as coarse as the format: the beginning of the month where it has no day."""
    if form is None or (dates.dtype == pl.Date and form.resolution not in ("year", "quarter", "month")):
        return dates
    return dates.dt.truncate(_TRUNCATED[form.resolution])


def _as_coarse(dates: pl.Series, form: DateFormat) -> pl.Series:
    """Return the dates that the format can write, midnights as dates; all others become missing.

    Times of a zone are those of UTC if the format has a zone, and else those of the zone's clocks.
    """
    if isinstance(dates.dtype, pl.Datetime):
        zoned, dates = "z" in form.directives, dates.dt.cast_time_unit("us")
        if zoned and getattr(dates.dtype, "time_zone", None) is not None:
            dates = dates.dt.convert_time_zone("UTC")
        else:
            dates = dates.dt.replace_time_zone("UTC" if zoned else None)
    exact = pl.select(pl.when(dates == truncated(dates, form)).then(dates)).to_series()
    if form.first_year is not None:
        inside = exact.dt.year().is_between(form.first_year, form.first_year + 99)
        exact = pl.select(pl.when(inside).then(exact)).to_series()
    return (exact if form.has_time or exact.dtype == pl.Date else exact.dt.date()).alias(dates.name)


def _texts(cells: pl.Series, form: DateFormat) -> pl.Series:
    """Return the cells as text; whole numbers with as many digits as the format has."""
    if not cells.dtype.is_numeric():
        return cells.cast(pl.String).str.strip_chars()
    whole = cells if cells.dtype.is_integer() else pl.select(pl.when(cells % 1 == 0).then(cells)).to_series()
    texts = whole.cast(pl.Int64, strict=False).cast(pl.String)
    return texts if form.digits is None else texts.str.zfill(form.digits)


def _serials(texts: pl.Series, form: DateFormat) -> pl.Series:
    """Return the days of a spreadsheet as dates, to the end of the year 9999."""
    days = texts.str.extract(_SERIAL).cast(pl.Int32)
    return pl.select(pl.when(days.is_between(1, 2_958_465)).then(days + _EPOCH).cast(pl.Date)).to_series()


def _parsed(texts: pl.Series, form: DateFormat) -> pl.Series:
    """Return texts as dates or times, by way of ISO 8601."""
    pattern = "^" + "".join(_regex(part, after) for part, after in _with_before(form.parts)) + "$"
    fields = texts.str.extract_groups(pattern).struct.unnest()
    have = form.directives
    whole = {
        name: fields[name].cast(pl.Int32) for name in fields.columns if name not in ("name", "half", "zone", "f")
    }
    year = whole["Y"] if "Y" in have else _of_two_digits(whole["y"], form.first_year or 0)
    iso = _digits(year, 4) + "-" + _digits(_month(fields, whole, form), 2) + "-"
    iso = iso + _digits(whole["d"], 2) if "d" in have else iso + "01"
    in_range = year >= 1
    if not form.has_time:
        return _where(in_range, iso.str.to_date("%Y-%m-%d", strict=False))
    iso = iso + "T" + _digits(_hour(fields, whole), 2)
    for part in ("M", "S"):
        iso = iso + ":" + _digits(whole[part], 2) if part in have else iso + ":00"
    if not have.isdisjoint({"f", "3f"}):
        iso = iso + "." + fields["f"].str.pad_end(6, "0")
    stamp = "%Y-%m-%dT%H:%M:%S%.f"
    if "z" in have:
        iso = iso + fields["zone"].str.to_uppercase().replace("Z", "+00:00").str.replace(
            r"(\d\d):?(\d\d)$", "${1}:${2}"
        )
        stamp += "%:z"
    return _where(in_range, iso.str.to_datetime(stamp, strict=False, time_unit="us"))


def _with_before(parts: tuple[FormatPart, ...]) -> list[tuple[FormatPart, str]]:
    """Return every part with the directive before it."""
    return list(zip(parts, ["", *(part.directive for part in parts)], strict=False))


def _regex(part: FormatPart, before: str) -> str:
    """Return the expression for one part; a dot after a month's name may be left out, as it is after full names."""
    if part.text:
        dot = before in ("b", "B") and part.text.startswith(".")
        return r"\.?" + re.escape(part.text[1:]) if dot else re.escape(part.text)
    if part.directive in ("b", "B"):
        return r"(?<name>\p{L}+)" + r"\.?"
    fixed = {
        "Y": r"(?<Y>[0-9]{4})",
        "y": r"(?<y>[0-9]{2})",
        "q": r"(?<q>[1-4])",
        "f": r"(?<f>[0-9]{1,6})0{0,3}",
        "3f": r"(?<f>[0-9]{1,3})0{0,6}",
        "p": r"(?i:(?<half>[ap])\.?m\.?)",
        "P": r"(?i:(?<half>[ap])\.?m\.?)",
        "z": r"(?<zone>[zZ]|[+-][0-9]{2}:?[0-9]{2})",
    }
    one = part.directive
    if one in fixed and not (part.packed and one in ("f", "3f")):
        return fixed[one]
    if one in ("f", "3f"):
        return rf"(?<f>[0-9]{{{3 if one == '3f' else 6}}})"
    return rf"(?<{one}>[0-9]{{2}})" if part.packed or one in "MS" else rf"(?<{one}>[0-9]{{1,2}})"


def _of_two_digits(year: pl.Series, first: int) -> pl.Series:
    """Return the year of the hundred years from `first` on that ends with these digits."""
    return (year - first) % 100 + first


def _month(fields: pl.DataFrame, whole: dict[str, pl.Series], form: DateFormat) -> pl.Series:
    """Return the number of the month; the first one of a quarter, and of a year."""
    if "m" in whole:
        return whole["m"]
    if "q" in whole:
        return whole["q"] * 3 - 2
    if "name" not in fields.columns:
        return fields.to_series(0).is_not_null().cast(pl.Int32)
    names = fields["name"].unique().drop_nulls().to_list()
    known = numbers_of_months(form.language)
    number = {name: known.get(plain(name)) for name in names}
    return fields["name"].replace_strict(number, default=None, return_dtype=pl.Int32)


def _hour(fields: pl.DataFrame, whole: dict[str, pl.Series]) -> pl.Series:
    """Return the hour from 0 to 23; 12 in the morning is 0."""
    if "H" in whole:
        return whole["H"]
    late = fields["half"].str.to_lowercase() == "p"
    return _where(whole["I"].is_between(1, 12), whole["I"] % 12 + late.cast(pl.Int32) * 12)


def _where(fits: pl.Series, values: pl.Series) -> pl.Series:
    return pl.select(pl.when(fits).then(values)).to_series()


def _digits(numbers: pl.Series, length: int) -> pl.Series:
    return numbers.cast(pl.String).str.zfill(length)


def _written(part: FormatPart, moments: pl.Expr, form: DateFormat) -> pl.Expr:
    """Return the expression that writes one part."""
    one = part.directive
    if not one:
        return pl.lit(part.text)
    if one in ("b", "B"):
        names = (SHORT if one == "b" else LONG)[form.language]
        shown = [name.upper() for name in names] if part.flag == "^" else list(names)
        return moments.dt.month().cast(pl.Int32).replace_strict(list(range(1, 13)), shown, return_dtype=pl.String)
    if one in ("p", "P"):
        late, early = ("PM", "AM") if one == "p" else ("pm", "am")
        return pl.when(moments.dt.hour() >= 12).then(pl.lit(late)).otherwise(pl.lit(early))
    if one == "z":
        return pl.lit("+00:00")
    number, length = {
        "Y": (moments.dt.year(), 4),
        "y": (moments.dt.year() % 100, 2),
        "q": (moments.dt.quarter(), 1),
        "m": (moments.dt.month(), 2),
        "d": (moments.dt.day(), 2),
        "H": (moments.dt.hour(), 2),
        "I": ((moments.dt.hour().cast(pl.Int32) + 11) % 12 + 1, 2),
        "M": (moments.dt.minute(), 2),
        "S": (moments.dt.second(), 2),
        "f": (moments.dt.microsecond(), 6),
        "3f": (moments.dt.microsecond() // 1000, 3),
    }[one]
    text = number.cast(pl.String)
    return text if part.flag == "-" else text.str.zfill(length)
