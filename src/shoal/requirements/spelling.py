"""Different spellings of one value count as one value for l-diversity and t-closeness.

A file publishes `5`, `5.0` and `5.00` as they were read, and a reader takes them for one number. Counted as three
values they would claim a diversity that does not exist. So numbers are compared by their value and times by their
instant, a date by its midnight; blank texts and NaN are missing, and all other texts are compared as they are.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context

import polars as pl

_NUMBER = r"^[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)$"
_POWER = r"^[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)[eE][+-]?[0-9]{1,9}$"
_DATE = r"(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-[0-9]{2}-[0-9]{2}"  # no year 0
_DAY = rf"^{_DATE}$"
_MOMENT = rf"^{_DATE}[T ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})?$"
_MISSING = r"^$|^(?i:[+-]?nan)$"
_EXACT = Context(prec=100_000, Emax=MAX_EMAX, Emin=MIN_EMIN)
_WRITTEN_OUT = 400  # the most digits with which a power of ten is written out; beyond, it keeps its exponent


def one_spelling(texts: pl.Series) -> pl.Series:
    """Return every text in one canonical spelling of its value; null if it is missing."""
    distinct = texts.unique().drop_nulls()
    bare = distinct.str.strip_chars(" ")
    spelled = pl.select(
        pl.when(bare.str.contains(_MISSING))
        .then(None)
        .when(bare.str.contains(_NUMBER))
        .then(_plain(pl.lit(bare)))
        .when(bare.str.contains(_DAY))
        .then(pl.coalesce(_instant(pl.lit(bare) + "T00:00:00"), pl.lit(distinct)))
        .when(bare.str.contains(_MOMENT))
        .then(pl.coalesce(_instant(pl.lit(bare)), pl.lit(distinct)))
        .otherwise(distinct)
    ).to_series()
    powers = bare.str.contains(_POWER)
    if powers.any():
        numbers = zip(bare.to_list(), powers.to_list(), strict=True)
        written = pl.Series([_written_out(text) if power else None for text, power in numbers], dtype=pl.String)
        spelled = spelled.zip_with(~powers, written)
    return texts.replace_strict(distinct, spelled, default=None, return_dtype=pl.String)


def exact_places(texts: pl.Series, numbers: pl.Series) -> pl.Series:
    """Return the numbers; if their texts distinguish more values, the position of each in their order instead."""
    spelled = pl.select(pl.when(numbers.is_not_null()).then(one_spelling(texts))).to_series()
    distinct = spelled.drop_nulls().unique()
    if len(distinct) == numbers.drop_nulls().n_unique():
        return numbers
    ascending = sorted(distinct.to_list(), key=_EXACT.create_decimal)
    places = spelled.replace_strict(ascending, range(len(ascending)), default=None, return_dtype=pl.Int64)
    return places.alias(numbers.name)


def _plain(number: pl.Expr) -> pl.Expr:
    """Return the number without redundant characters: a plus, leading and trailing zeros, the sign of zero."""
    for pattern, kept in (
        (",", "."),
        (r"^\+", ""),
        (r"^(-?)0+([0-9])", "${1}${2}"),
        (r"^(-?)\.", "${1}0."),
        (r"(\.[0-9]*?)0+$", "${1}"),
        (r"\.$", ""),
        (r"^-0$", "0"),
    ):
        number = number.str.replace(pattern, kept)
    return number


def _written_out(number: str) -> str:
    """Return a number that has an exponent as digits without one."""
    exact = _EXACT.create_decimal(number.replace(",", ".")).normalize(_EXACT)
    text = f"{exact:f}" if abs(exact.adjusted()) < _WRITTEN_OUT else str(exact)
    return str(pl.select(_plain(pl.lit(text))).item())


def _instant(moment: pl.Expr) -> pl.Expr:
    """Return a time in UTC, with its fraction of a second; a time without an offset stays distinct from those with
    one.
    """
    whole = moment.str.replace(" ", "T", literal=True).str.replace(r"^(.{16})(Z|[+-].*|)$", "${1}:00${2}")
    zoned = whole.str.replace("Z$", "+00:00").str.replace(r"\.[0-9]+", "")
    fraction = whole.str.extract(r"(\.[0-9]*[1-9])0*(?:Z|[+-].*|)$").fill_null("")
    form = "%Y-%m-%dT%H:%M:%S"
    own = zoned.str.to_datetime(form, strict=False, time_unit="us").dt.to_string(form)
    utc = zoned.str.to_datetime(form + "%:z", strict=False, time_unit="us").dt.to_string(form)
    return pl.coalesce(own + fraction, utc + fraction + "+00:00")
