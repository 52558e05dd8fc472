"""What is true of a generated table: for every column its cells as written, and what a data steward would say of it.

Where a steward could decide either way (a scale of 1 to 5 is ordered, or its values are labels), the truth names all
answers that are right. It is written from the table's side, without a look at what the program answers.
"""

from __future__ import annotations

from dataclasses import dataclass

NAMED = ("identifier",)
"""The roles of a column that names people and stands once per person."""
ROWS_OF = ("identifier", "person")
"""The roles of a column that names people who have several rows."""
KNOWN = ("quasi",)
SENSITIVE = ("sensitive",)
EITHER = ("quasi", "sensitive")
"""The roles of an attribute that others may know and that may also be sensitive: both protect it."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One column: its cells as they stand in the file, and what is right to propose for it."""

    cells: list[str]
    kinds: frozenset[str]
    """The kinds that are right; of an identifier, which is not published, any is."""
    roles: frozenset[str]
    missing: tuple[str, ...] = ()
    """The spellings, besides the empty cell, that mean that a value is missing."""
    format: str = ""
    """Of a date, how it is written; of a number, an example of what surrounds its digits, such as `1.234,56 EUR`."""
    planted: tuple[str, ...] = ()
    """Names, numbers and addresses of people inside longer texts."""
    asks: bool = False
    """Whether the column cannot be decided from the table, so that the profile must ask."""

    @property
    def names_people(self) -> bool:
        """Whether it must never be published: an identifier, or a text that may name people."""
        return self.roles <= {"identifier", "person"}


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """A generated file with the truth about its columns."""

    name: str
    columns: dict[str, Truth]
    separator: str = ","
    encoding: str = "utf-8"
    line_end: str = "\n"

    def data(self) -> bytes:
        """Return the bytes of the file; a cell is quoted where it must be."""
        lines = [list(self.columns), *map(list, zip(*(truth.cells for truth in self.columns.values()), strict=True))]
        text = self.line_end.join(self.separator.join(map(self._quoted, line)) for line in lines) + self.line_end
        return text.encode(self.encoding)

    def _quoted(self, cell: str) -> str:
        if any(mark in cell for mark in (self.separator, '"', "\n", "\r")):
            return '"' + cell.replace('"', '""') + '"'
        return cell


def identifier(cells: list[str], *, repeats: bool = False) -> Truth:
    """A column that names or numbers people (`repeats`: who have several rows)."""
    return Truth(cells, frozenset(), frozenset(ROWS_OF if repeats else NAMED))


def note(cells: list[str], planted: tuple[str, ...] = (), missing: tuple[str, ...] = ()) -> Truth:
    """Free text, in which people may be named; of those planted, the ones of empty cells do not count."""
    whole = "\n".join(cells)
    return Truth(cells, frozenset(), frozenset(NAMED), missing, planted=tuple(one for one in planted if one in whole))


def label(cells: list[str], roles: tuple[str, ...] = KNOWN, missing: tuple[str, ...] = ()) -> Truth:
    """Values without an order: to average or to range over them is wrong."""
    return Truth(cells, frozenset({"label"}), frozenset(roles), missing)


def code(cells: list[str], roles: tuple[str, ...] = KNOWN, missing: tuple[str, ...] = ()) -> Truth:
    """Codes whose first characters name the larger unit: masked from the right, or labels, or a hierarchy."""
    return Truth(cells, frozenset({"hierarchy", "label"}), frozenset(roles), missing)


def scale(cells: list[str], roles: tuple[str, ...] = KNOWN, missing: tuple[str, ...] = ()) -> Truth:
    """Steps with an order: grades, agreement, levels of schooling. Their values are also labels."""
    return Truth(cells, frozenset({"ordered", "label"}), frozenset(roles), missing)


def rating(cells: list[str], roles: tuple[str, ...] = EITHER, missing: tuple[str, ...] = ()) -> Truth:
    """A long scale, such as 0 to 10, or doses and shares of few steps: ordered, labels, or nearly a number."""
    return Truth(cells, frozenset({"ordered", "label", "number"}), frozenset(roles), missing)


def member(cells: list[str]) -> Truth:
    """The number of a person in their household: it says little, and nothing at all without the household."""
    return Truth(cells, frozenset({"number", "ordered", "label"}), frozenset({"quasi", "identifier", "other"}))


def year(cells: list[str], roles: tuple[str, ...] = KNOWN) -> Truth:
    """A year of four digits: a number, or a date without month and day."""
    return Truth(cells, frozenset({"number", "date", "year"}), frozenset(roles))


def count(cells: list[str], roles: tuple[str, ...] = KNOWN, missing: tuple[str, ...] = ()) -> Truth:
    """Small whole numbers that count something: a number, or an ordered scale."""
    return Truth(cells, frozenset({"number", "ordered"}), frozenset(roles), missing)


def number(
    cells: list[str], roles: tuple[str, ...] = KNOWN, missing: tuple[str, ...] = (), *, format: str = ""
) -> Truth:
    """A measurement: ranges and means of it make sense."""
    return Truth(cells, frozenset({"number"}), frozenset(roles), missing, format)


def date(
    cells: list[str], format: str = "%Y-%m-%d", roles: tuple[str, ...] = KNOWN, missing: tuple[str, ...] = ()
) -> Truth:
    """A day, or a time of a day."""
    return Truth(cells, frozenset({"date"}), frozenset(roles), missing, format)


def month(cells: list[str], format: str, roles: tuple[str, ...] = KNOWN, missing: tuple[str, ...] = ()) -> Truth:
    """A month of a year, without a day."""
    return Truth(cells, frozenset({"month", "date"}), frozenset(roles), missing, format)


def quarter(cells: list[str], roles: tuple[str, ...] = KNOWN) -> Truth:
    """A quarter of a year: in order, or each a label."""
    return Truth(cells, frozenset({"quarter", "date", "ordered", "label"}), frozenset(roles))


def coordinate(cells: list[str], missing: tuple[str, ...] = ()) -> Truth:
    """A latitude or a longitude: with its other half a place."""
    return Truth(cells, frozenset({"place"}), frozenset(KNOWN), missing)


def empty(cells: list[str], missing: tuple[str, ...] = ()) -> Truth:
    """A column in which nothing is said: nothing can go wrong with it, and whether it is kept is of no account."""
    kinds = frozenset({"label", "number", "date", "ordered", "hierarchy"})
    return Truth(cells, kinds, frozenset({"quasi", "other", "identifier"}), missing)
