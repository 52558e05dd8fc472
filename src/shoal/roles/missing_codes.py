"""Finding codes for missing values in a column, by their spelling (k.A., N/A) or their distance (999, 9999-12-31).

Codes that are sure are proposed as the column's `null_values`; about codes that may as well be values, a question is
asked. A code is sure if the other cells are numbers or dates and the code is not, if it is a text with no other
meaning, or if it is a number or date often used as such a code and lies far outside the range of all other cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import polars as pl

from shoal.roles.column_profile import ColumnProfile
from shoal.roles.distinct_values import DistinctValues
from shoal.roles.kinds import is_text
from shoal.roles.null_values import retyped, without_codes
from shoal.roles.recognize import with_single_blanks
from shoal.tables.infer import infer
from shoal.tables.missing_words import (
    DOUBTFUL,
    EARLY,
    FORMS,
    HIGH,
    LATE,
    LONGEST_WORD,
    LOW,
    MARKS,
    NO_DATES,
    ON_SCALES,
    SHORT,
    WORDS,
    ZEROS,
)
from shoal.tables.table import Table

FEWEST = 10  # fewer other cells do not show their range, so that a question is asked instead of taking a code as sure
SAMPLE = 1_000
MOSTLY = 0.9  # a column is one of numbers or dates if at least this share of its different values are
MOST_STRAYS = 0.2  # at most this share of cells may be other texts in a column that is otherwise numbers
_DATE = r"^\d{1,4}([./-])\d{1,2}[./-]\d{1,4}(?:[ T].*)?$"
_LIMIT = r"^\s*[<>≤≥]=?\s*[0-9]+(?:[.,][0-9]+)?\s*$"
_NUMBER = r"^\s*[+-]?(?:0|[1-9][0-9]*)(?:[.,][0-9]+)*\s*$"


@dataclass(slots=True)
class MissingCodes:
    """A column without its sure codes for missing, and the number of cells with each code.

    `sure` has the codes that were removed from `values`; `asked` has those that may as well be values and remain.
    """

    values: pl.Series
    sure: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    _known: tuple[pl.Series, DistinctValues] | None = field(default=None, repr=False)

    @property
    def different(self) -> DistinctValues:
        """The different values of `values`, computed once and again only if `values` has been replaced."""
        if self._known is None or self._known[0] is not self.values:
            self._known = (self.values, DistinctValues(self.values))
        return self._known[1]

    @property
    def reason(self) -> str:
        """What was taken as missing, for the comment on the column; empty if nothing was."""
        listed = ", ".join(f"{n} {'cell' if n == 1 else 'cells'} {code!r}" for code, n in self.sure.items())
        return f"taken as missing: {listed}" if listed else ""

    @property
    def questions(self) -> tuple[str, ...]:
        """One question for every code that may as well be a value."""
        n_rows = len(self.values)
        return tuple(
            f"{n} of {n_rows} cells are {code!r}: a value, or missing? If they are missing, add it to the column's "
            f"null_values; as it is, it counts as a value."
            for code, n in self.asked.items()
        )


def find_missing(values: pl.Series, table: Table) -> MissingCodes:
    """Return the codes for missing in a column of `table`, and the column without those that are sure."""
    found = MissingCodes(values)
    if is_text(values.dtype):
        _by_spelling(found)
        _by_zeros(found)
        _by_written_date(found)
        if found.sure:
            found.values = _retyped(found.values, table)
    if found.values.dtype.is_numeric():
        _by_number(found)
    elif isinstance(found.values.dtype, pl.Date | pl.Datetime):
        _by_date(found)
    return found


def with_missing(column: ColumnProfile, missing: MissingCodes) -> ColumnProfile:
    """Return the profile of a column with the codes that were taken as missing, and the questions about others.

    Nothing is asked about a column that is not published.
    """
    why = "; ".join(filter(None, (column.reason, missing.reason)))
    column = replace(column, reason=why, null_values=tuple(missing.sure))
    if column.role == "identifier":
        return column
    nines = _nines(missing.values) if column.cuts and not missing.asked else {}
    questions = replace(missing, asked=missing.asked | nines).questions
    of_labels = column.kind == "label" and is_text(missing.values.dtype)  # codes and dates say so themselves
    strays, cells = stray_cells(missing.values) if of_labels else (0, 0)
    limits, of_all = limit_cells(missing.values) if of_labels else (0, 0)
    if limits:
        questions += (
            f"{limits} of {of_all} cells are limits, as laboratories write them (< or > before a number), so the "
            'column is taken as labels: replace each by its number, and write kind = "number".',
        )
    elif strays:
        questions += (
            f"{strays} of {cells} cells are not numbers, all others are, so the column is taken as labels: correct "
            'those cells, or list what they hold in its null_values, and write kind = "number".',
        )
    return replace(column, questions=(*column.questions, *questions))


def stray_cells(values: pl.Series) -> tuple[int, int]:
    """Return, for a text column that is mostly numbers, how many cells are not numbers, and how many cells there are.

    The result is (0, 0) for a column without numbers, with numbers only, with more than `MOST_STRAYS` of other cells,
    or with other cells that consist of digits too, as codes with leading zeros do.
    """
    cells = values.drop_nulls().cast(pl.String)
    head = cells.head(SAMPLE)
    if not len(head) or head.str.contains(_NUMBER).mean() < 0.5:  # type: ignore[operator]
        return 0, 0
    others = cells.filter(~cells.str.contains(_NUMBER))
    strays = 0 if others.str.contains(r"^[0-9]+$").all() else len(others)
    return (strays, len(cells)) if 0 < strays <= MOST_STRAYS * len(cells) else (0, 0)


def _nines(values: pl.Series) -> dict[str, int]:
    """Return how many codes of a classification are nines only, if no other code is in the group 99."""
    texts = values.drop_nulls().cast(pl.String).str.strip_chars()
    longest = texts.str.len_chars().max()
    code = "9" * (longest if isinstance(longest, int) else 0)
    is_code = texts == code
    if len(code) < 3 or not is_code.any() or texts.filter(~is_code).str.starts_with("99").any():
        return {}
    return {code: int(is_code.sum())}


def limit_cells(values: pl.Series) -> tuple[int, int]:
    """Return, for a text column of numbers and of limits such as < or > before a number, how many cells are limits.

    The second number is that of all cells. The result is (0, 0) for a column without limits, or with other cells.
    """
    cells = values.drop_nulls().cast(pl.String)
    is_limit = cells.str.contains(_LIMIT)
    if not is_limit.any() or not (is_limit | cells.str.contains(_NUMBER)).all() or is_limit.all():
        return 0, 0
    return int(is_limit.sum()), len(cells)


def _retyped(values: pl.Series, table: Table) -> pl.Series:
    """Return texts converted to the type that all of them have, both for a CSV file and for a data frame."""
    if table.origin.dialect is not None:
        return retyped(values, table)
    typed = infer(values.cast(pl.String).to_frame(), ";", ".")[0].to_series()
    zoned = isinstance(typed.dtype, pl.Datetime) and typed.dtype.time_zone is not None
    return values if zoned else typed


def _take(found: MissingCodes, codes: dict[str, int]) -> None:
    """Make cells with these codes missing, and record the codes as sure."""
    if codes:
        found.sure |= codes
        found.values = without_codes(found.values, tuple(codes))


def _by_spelling(found: MissingCodes) -> None:
    """Find texts that mean missing."""
    different = found.different.values.cast(pl.String)
    short = different.filter(different.str.len_bytes() <= LONGEST_WORD)
    bare = with_single_blanks(short.str.strip_chars().str.to_lowercase())
    is_word = bare.is_in(list(WORDS))
    if not is_word.any():
        return
    word_of = dict(zip(short.filter(is_word), bare.filter(is_word), strict=True))
    others = different.filter(~different.is_in(list(word_of))).str.strip_chars().sort()
    others = others.gather_every(len(others) // SAMPLE + 1)
    measured = len(others) > 0 and float(others.str.contains(r"\d").mean() or 0) >= MOSTLY  # type: ignore[arg-type]
    counts = _counts(found.values.cast(pl.String), list(word_of))
    sure: dict[str, int] = {}
    for text, n in counts.items():
        word, code = word_of[text], text.strip()
        doubtful = not measured and (
            word in DOUBTFUL
            or (word in SHORT and _among_short_codes(code, others))
            or (word in MARKS and others.is_in(["+", "++", "+++", "+/-"]).any())
        )
        into = found.asked if doubtful else sure
        into[code] = into.get(code, 0) + n
    _take(found, sure)


def _by_zeros(found: MissingCodes) -> None:
    """Find zeros such as 0000 among numbers without leading zeros: sure if those differ in length, else asked."""
    different = found.different.values.cast(pl.String).str.strip_chars()
    is_zeros = different.is_in(ZEROS)
    if not is_zeros.any():
        return
    others = different.filter(~is_zeros)
    if len(others) < FEWEST or not others.str.contains(r"^[1-9][0-9]*(?:[.,][0-9]+)?$").all():
        return
    counts = _counts(found.values.cast(pl.String).str.strip_chars(), different.filter(is_zeros).to_list())
    if others.str.len_chars().n_unique() > 1:
        _take(found, counts)
    else:  # it may be one of the codes
        found.asked |= counts


def _among_short_codes(code: str, others: pl.Series) -> bool:
    """Return whether half of the other values, or more, are as short and in the same case as `code`."""
    bare = code.replace(".", "").replace(" ", "")
    pattern = r"^[\p{Lu}.]{1,3}$" if bare.isupper() else r"^[\p{L}.]{1,3}$"
    return len(others) > 0 and float(others.str.contains(pattern).mean() or 0) >= 0.5  # type: ignore[arg-type]


def _by_written_date(found: MissingCodes) -> None:
    """Find dates that stand for missing among texts that look like dates, such as 31.12.9999 and 00.00.0000."""
    values = found.values.cast(pl.String)
    head = values.drop_nulls().head(SAMPLE)
    if not len(head) or float(head.str.contains(_DATE).mean() or 0) < 0.5:  # type: ignore[arg-type]
        return
    written: dict[str, int] = dict.fromkeys(NO_DATES, 0)
    for day in (*LATE, *EARLY):
        for form in FORMS:
            text = day.strftime(form.replace("%Y", f"{day.year:04}"))
            written |= dict.fromkeys((text, f"{text} 00:00:00", f"{text}T00:00:00", f"{text} 00:00"), day.year)
    counts = _counts(values, list(written))
    if not counts:
        return
    others = values.filter(values.is_not_null() & ~values.is_in(list(counts)))
    years = (
        others.filter(others.str.contains(_DATE)).str.extract(r"(\d{4})").cast(pl.Int32, strict=False).drop_nulls()
    )
    if len(years) < MOSTLY * len(others):
        return
    _apart(found, {text: (n, written[text]) for text, n in counts.items()}, years)


def _by_date(found: MissingCodes) -> None:
    """Find dates that stand for missing in a column of dates."""
    days = found.values.cast(pl.Date)
    if isinstance(found.values.dtype, pl.Datetime):  # only times at midnight are codes
        midnight = found.values.dt.truncate("1d") == found.values
        days = pl.select(pl.when(midnight).then(days)).to_series()
    known = pl.Series([*LATE, *EARLY], dtype=pl.Date)
    is_known = days.is_in(known.implode()).fill_null(False)
    if not is_known.any():
        return
    counts = days.filter(is_known).value_counts()
    years = found.values.filter(~is_known).drop_nulls().dt.year()
    _apart(found, {day.isoformat(): (n, day.year) for day, n in counts.iter_rows()}, years)


def _apart(found: MissingCodes, counts: dict[str, tuple[int, int]], years: pl.Series) -> None:
    """Take dates as missing that are decades away from the `years` of the others.

    `counts` has, for each date, the number of its cells and its year.
    """
    sure: dict[str, int] = {}
    asked: dict[str, int] = {}
    for text, (n, year) in counts.items():
        if year == 0:
            sure[text] = n
            continue
        first, last = _limits(years)
        away = year - last if year > last else first - year
        if len(years) < FEWEST:
            asked[text] = n
        elif away > 50 or (away > 10 and (n > 1 or away > last - first)):
            sure[text] = n
        elif away > 10 or (away > 0 and n > 1):
            asked[text] = n
    _take(found, sure)
    found.asked |= asked


def _by_number(found: MissingCodes) -> None:
    """Find numbers that stand for missing and lie far from all others."""
    numbers = found.values.drop_nulls().cast(pl.Float64)
    known = sorted(HIGH | LOW | ON_SCALES)
    is_known = numbers.is_in(known)
    if not is_known.any():
        return
    counts = dict(numbers.filter(is_known).value_counts().iter_rows())
    others = numbers.filter(~is_known)
    beside = [code for code in counts if len(others) and others.min() <= code <= others.max()]
    scale = _is_scale(others)
    beside += [code for code in counts if code in ON_SCALES and not scale]
    others = others.append(numbers.filter(numbers.is_in(beside))) if beside else others
    sure: dict[str, int] = {}
    asked: dict[str, int] = {}
    for code in sorted(set(counts) - set(beside)):
        n, text = int(counts[code]), f"{code:.0f}" if code == int(code) else repr(code)
        verdict = _verdict(code, n, others)
        if verdict:
            (sure if verdict == "sure" else asked)[text] = n
    _take(found, sure)
    found.asked |= asked


def _is_scale(others: pl.Series) -> bool:
    """Return whether the numbers are whole, begin at 0 or 1 and end at 6 or below, as answers and codes do."""
    low, high = _limits(others)
    return len(others) > 0 and low in (0, 1) and high <= 6 and bool((others % 1 == 0).all())


def _verdict(code: float, n: int, others: pl.Series) -> str:
    """Return "sure" or "ask" if a code for missing, found in `n` cells, lies far from the other numbers; else ""."""
    if not len(others):
        return ""
    low, high = _limits(others)
    span, different = high - low, others.n_unique()
    if low <= code <= high or (code < 0 and low < 0):
        return ""
    away = code - high if code > high else low - code
    enough = len(others) >= FEWEST
    if code in ON_SCALES:
        return "ask" if away >= 2 else ""
    if code < 0:
        whole = bool((others % 1 == 0).all())
        often = n > 1 and whole and (different >= FEWEST or code <= -9)
        return "sure" if enough and (away > span or often) else "ask"
    if enough and (away > 2 * span or (away > span and n > 1)) and (code >= 100 or n > 1):
        return "sure"
    return "ask" if away > span / 2 or (n > 2 and n > 3 * len(others) / different) else ""


def _limits(numbers: pl.Series) -> tuple[float, float]:
    low, high = numbers.min(), numbers.max()
    assert isinstance(low, int | float | None)
    assert isinstance(high, int | float | None)
    return (low or 0, high or 0)


def _counts(values: pl.Series, texts: list[str]) -> dict[str, int]:
    """Return how many cells have each of the texts that occur, sorted by text."""
    found = values.filter(values.is_in(texts).fill_null(False)).value_counts()
    return dict(sorted(found.iter_rows()))
