"""Check every line of a preset on the cells of a released table.

What counts is what a reader of the released file sees. The policy in the certificate is used only to read dates that
are written in a format of their own, and to know which numbers are classes without a mark: a top, a bottom, and dates
that are rounded to years, all of which the verifier checks by itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

import polars as pl

from shoal.certify.preset.dates_and_ages import (
    COMPACT,
    DATE_LIKE,
    date_reader,
    is_beginning_of_year,
    shows_old_age,
    shows_old_year,
    year_of,
)
from shoal.certify.preset.result import Found, LineFound, found, line_found
from shoal.certify.preset.tally import Tally
from shoal.certify.preset.values import Value, values_of
from shoal.certify.preset.zip_codes import census_year, zip_fault
from shoal.policy import Column, Policy
from shoal.policy.preset import Line, Preset

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PART = re.compile(r"(.+)_(min|max|radius_m|missing)")
FEW = 20
"""In a table with fewer rows, cells that all differ do not show that a column is a code."""
HARDLY_REPEATS = 0.9
WORDS = 5
"""From so many words on a cell counts as free text."""


def check_preset(
    tally: Tally, n_rows: int, preset: Preset, policy: Policy | None, form: str, year: int
) -> list[LineFound]:
    """Return what was found on every line of a preset; `year` is the one in which ages are counted."""
    seen = [_Seen(name, cells, policy, form) for name, cells in tally.items()]
    return [_line(line, seen, n_rows, year) for line in preset.lines]


class _Seen:
    """A released column: its heading in words, its different cells, and what the policy says about it."""

    def __init__(self, name: str, cells: pl.DataFrame, policy: Policy | None, form: str) -> None:
        self.name, self.cells, self.form = name, cells, form
        self.column: Column | None = None
        self.origin = name
        if policy is not None:
            part = _PART.fullmatch(name)
            if name not in policy.columns and part is not None and part[1] in policy.columns:
                self.origin = part[1]
            self.column = policy.columns.get(self.origin)
        self.heading = _heading(self.origin)
        self.n_cells = int(cells["n"].sum())
        self.is_person = self.column is not None and self.column.role == "person"
        self.is_derived = self.is_person and self.containing([r"^[0-9]+$"]) < self.n_cells

    @property
    def is_counted(self) -> bool:
        """Whether the cells are not of people but numbers of a group: its size, or how many values are missing."""
        part = _PART.fullmatch(self.name)
        made = part is not None and part[2] in ("missing", "radius_m") and self.origin != self.name
        return made or (self.column is None and self.form == "centers" and self.name == "people")

    def of(self, headings: Sequence[str]) -> bool:
        return any(re.fullmatch(pattern, self.heading) for pattern in headings)

    def containing(self, patterns: Sequence[str]) -> int:
        """Return how many cells contain one of the patterns."""
        if not patterns:
            return 0
        hit = pl.any_horizontal(pl.col("cell").str.contains(pattern) for pattern in patterns)
        return int(self.cells.filter(hit)["n"].sum())

    def counted(self, faulty: Callable[[Value], bool]) -> int:
        """Return how many cells have a value for which the test is true."""
        group = self.column is None or self.column.role != "quasi"
        return sum(
            times
            for cell, times in self.cells.iter_rows()
            if any(faulty(value) for value in values_of(cell, self.form, group=group))
        )


def _line(line: Line, seen: Sequence[_Seen], n_rows: int, year: int) -> LineFound:
    seen_here: list[Found] = []
    for column in seen:
        if column.is_counted or not column.n_cells:
            continue
        if column.is_person:
            if line.codes:
                seen_here.append(_person(column))
            continue
        one = _zip(line, column) or _age(line, column) or _year(line, column, year) or _date(line, column, year)
        one = one or _plain(line, column)
        if one is None and line.names:
            one = _names(column)
        if one is None and line.codes:
            one = _code(column, n_rows)
        if one is None and line.text:
            one = _text(column)
        if one is not None:
            seen_here.append(one)
    return line_found(line.id, line.title, seen_here, line.judge)


def _person(column: _Seen) -> Found:
    """Return whether people have numbers that were made for the release, or codes that come from an identifier."""
    if column.is_derived:
        what = "{n} with pseudonyms, derived from an identifier (45 CFR 164.514(c) asks for codes that are not)"
        return found(column.name, column.n_cells, what, "breach")
    what = "{n} with numbers that were made for this release (45 CFR 164.514(c) allows them)"
    return found(column.name, column.n_cells, what, "clear")


def _plain(line: Line, column: _Seen) -> Found | None:
    """Return what a column has that must not be there, by its heading or by the form of its cells."""
    if column.of(line.headings) and (shown := column.counted(lambda value: True)):
        return found(column.name, shown, "{n} with values under a heading of this kind", "breach")
    if hits := column.containing(line.cells):
        return found(column.name, hits, "{n} in the form of this kind", "breach")
    return None


def _zip(line: Line, column: _Seen) -> Found | None:
    if not column.of(line.zips):
        return _like_zips(column) if line.zips else None
    if digits := column.counted(lambda value: zip_fault(value) == "digits"):
        whole = column.counted(lambda value: len(re.sub(r"\D", "", value.text)) >= 5)
        what = f"{{n}} with more than three digits of a ZIP code, {whole:,} of them all five"
        return found(column.name, digits, what, "breach")
    if small := column.counted(lambda value: zip_fault(value) == "area"):
        what = f"{{n}} with an area in which 20,000 people or fewer live (census of {census_year()})"
        return found(column.name, small, what, "breach")
    what = f"{{n}} with at most three digits, of areas above 20,000 people (census of {census_year()})"
    return found(column.name, column.n_cells, what, "clear")


def _like_zips(column: _Seen) -> Found | None:
    """Return a column under another heading whose cells are mostly five digits, for a person to judge."""
    if column.containing([r"(?:^|\D)\d{5}-\d{4}(?:$|\D)"]):
        hits = column.containing([r"(?:^|\D)\d{5}-\d{4}(?:$|\D)"])
        return found(column.name, hits, "{n} in the form of a ZIP code of nine digits", "breach")
    five = column.containing([r"^\d{5}$"])
    if five < HARDLY_REPEATS * column.n_cells:
        return None
    return found(column.name, five, "{n} of five digits, as a ZIP code has", "judge")


def _names(column: _Seen) -> Found | None:
    """Return a column of which most cells are two or three words with capital letters, and often differ."""
    hits = column.containing([r"^\p{Lu}[\p{L}'’.-]+,? \p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]+)?$"])
    if hits < 0.5 * column.n_cells or column.cells.height < 0.5 * column.n_cells or hits < 2:
        return None
    return found(column.name, hits, "{n} in the form of names of people", "judge")


def _age(line: Line, column: _Seen) -> Found | None:
    if line.oldest is None or not column.of(line.ages):
        return None
    oldest, stated = line.oldest, column.column.top if column.column is not None else None
    top = stated if isinstance(stated, float) else None
    if old := column.counted(lambda value: shows_old_age(value, oldest, top)):
        return found(column.name, old, f"{{n}} with ages over {oldest}", "breach")
    return found(column.name, column.n_cells, f"no cell shows an age over {oldest}", "clear")


def _year(line: Line, column: _Seen, year: int) -> Found | None:
    """Return whether a column of years has years that show an age above the oldest."""
    if line.oldest is None or not column.of(line.years) or column.containing(DATE_LIKE):
        return None
    last, read = year - line.oldest - 1, date_reader(column.column)
    stated = column.column.bottom if column.column is not None else None
    bottom = stated if isinstance(stated, float) and stated == last else None

    def is_old(value: Value) -> bool:
        at_limit = bottom is not None and value.text.removesuffix(".0") == f"{bottom:g}"
        return shows_old_year(value, read, last) and not at_limit

    if old := column.counted(is_old):
        return found(column.name, old, f"{{n}} with years up to {last}, an age over {line.oldest}", "breach")
    return found(column.name, column.n_cells, f"no cell shows a year up to {last}", "clear")


def _date(line: Line, column: _Seen, year: int) -> Found | None:
    """Return whether a column shows more of dates than their years."""
    if not line.dates:
        return None
    written = column.column is not None and column.column.date_format is not None
    hits = column.containing(DATE_LIKE)
    if not hits and not written:
        compact = column.containing([COMPACT])
        if compact < HARDLY_REPEATS * column.n_cells:
            return None
        return found(column.name, compact, "{n} with more of a date than its year", "breach")
    read = date_reader(column.column)
    rounded = column.column is not None and column.column.round in ("year", "decade")

    def is_finer(value: Value) -> bool:
        iso = read(value.text)
        if iso is None:
            return _looks_dated(value.text) or (
                written and year_of(value.text, read) is None and _has_digit(value.text)
            )
        return not is_beginning_of_year(iso, excluded=value.excluded)

    if finer := column.counted(is_finer):
        return found(column.name, finer, "{n} with more of a date than its year", "breach")
    last = year - line.oldest - 1 if line.oldest is not None else None
    if last is not None:
        limit = column.column.bottom if column.column is not None else None
        stated = limit is not None and str(limit)[:4] == str(last)

        def is_old(value: Value) -> bool:
            iso = read(value.text)
            at_limit = stated and iso is not None and iso[:4] == str(last) and column.form in ("aggregate", "centers")
            return shows_old_year(value, read, last) and not at_limit

        if old := column.counted(is_old):
            what = f"{{n}} with years up to {last}, an age over {line.oldest}"
            return found(column.name, old, what, "breach")
    if not hits and not column.counted(lambda value: read(value.text) is not None):
        return None
    if rounded:
        return found(column.name, column.n_cells, "{n} with years, written as the first of January", "clear")
    what = "{n} with dates that all begin or end a year; no policy says that they stand for years"
    return found(column.name, column.n_cells, what, "judge")


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _looks_dated(text: str) -> bool:
    return any(re.search(pattern, text) for pattern in DATE_LIKE)


def _code(column: _Seen, n_rows: int) -> Found | None:
    """Return a column of codes of which hardly any repeats, for a person to judge; measures have a decimal point."""
    once = int(column.cells.filter(pl.col("n") == 1)["n"].sum())
    if n_rows < FEW or once < HARDLY_REPEATS * column.n_cells:
        return None
    codes = column.cells.filter(
        pl.col("cell").str.contains(r"^[\w./#:-]*\d[\w./#:-]*$") & ~pl.col("cell").str.contains(r"^-?\d+\.\d+$")
    )
    if int(codes["n"].sum()) < HARDLY_REPEATS * column.n_cells:
        return None
    return found(column.name, once, "{n} unlike all others, as codes are", "judge")


def _text(column: _Seen) -> Found | None:
    """Return a column of free text, which nobody but a person can read."""
    group = column.cells["cell"].str.contains(r"^[\[{]")
    worded = column.cells.filter(
        ~group & pl.col("cell").str.contains(rf"(?:\S*[^\W\d_]{{2,}}\S*[\s,;.]+){{{WORDS - 1}}}\S")
    )
    n_worded = int(worded["n"].sum())
    if not n_worded or worded.height <= max(2, 0.02 * column.n_cells):
        return None
    return found(column.name, n_worded, "{n} of several words: somebody must read them", "judge")


def _heading(name: str) -> str:
    """Return a heading as words in lower case without accents: `patientZip_code` becomes `patient zip code`."""
    plain = unicodedata.normalize("NFKD", _CAMEL.sub(" ", name))
    kept = "".join(one for one in plain if not unicodedata.combining(one))
    return " ".join(re.findall(r"[^\W_]+", kept.casefold()))
