"""What a cell of a released column means, in words and made-up examples.

The examples are constants, written in the format of their column; none of them is taken from a table. Every word here
is part of format 1 of the codebook, because the verifier writes the codebook again and compares it. To change a word,
add a new format, and keep this one for releases that were made with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

import polars as pl

from shoal.certify.codebook.kinds import Stated
from shoal.certify.codebook.parts import Part
from shoal.certify.codebook.perturbation import NOT_TRUE
from shoal.policy import Column, Policy
from shoal.tables.date_text import write_dates
from shoal.tables.number_text import write_number

ROLES: Mapping[str, str] = {
    "quasi": "It could identify a person together with other columns, and was made coarser for that reason.",
    "sensitive": "It is sensitive: what must not be learned about a person. Published as it was.",
    "weight": "How many people of the population the row stands for.",
    "other": "Published as it was.",
    "person": "Tells which rows of a group are of the same person.",
    "people": "How many people a group has.",
    "radius": "How far from its center the people of a group are at most.",
}
NODES = "A value, or a node of a hierarchy above the values of the whole group."


class Cell(NamedTuple):
    """A made-up example of a cell, and what it means."""

    example: str
    means: str


class Words(NamedTuple):
    """What a column holds, in one sentence or two, and what its cells look like."""

    sentence: str
    cells: tuple[Cell, ...]


def words_of(part: Part, policy: Policy, form: str, stated: Stated | None) -> Words:
    """Return the description of one released column."""
    column = policy.columns.get(part.column)
    if part.role == "people":
        return Words("The number of people in the group that the row stands for.", (Cell("7", "seven people"),))
    if part.role == "radius":
        return Words("The radius of the group, rounded up; all of its people are at most so far from the center.", ())
    if part.role == "person" and column is not None and column.pseudonym:
        return Words(
            "A pseudonym for each person. All rows with it are of one person, here and in other tables that were "
            "made with the same secret.",
            (Cell("0f3a...", "the rows with it are of one person"),),
        )
    if part.role == "person" and column is not None and column.consistent:
        return Words(
            "A number for each person of this table. All rows with it are of one person.",
            (Cell("1", "all rows with 1 are of one person"),),
        )
    if part.role == "person":
        return Words(
            "A number for each person of a group. It means nothing beyond the group: 1 in another group is another "
            "person.",
            (Cell("1", "the rows of this group with 1 are of one person"),),
        )
    if part.role in ("sensitive", "weight", "other") and form == "centers":
        return Words(
            "The values of the people in the group, each with the number of people who have it.",
            (Cell("a: 3; b: 2", "three people have a, two have b"), Cell("null: 1", "of one person it is missing")),
        )
    if part.role in ("sensitive", "other") and column is not None and column.perturb is not None:
        return Words(f"{NOT_TRUE} An empty cell: the value is missing.", ())
    if part.role in ("sensitive", "weight", "other") and column is not None and column.is_recoded:
        return Words("A value, recoded as stated. An empty cell: the value is missing.", _limits(column, policy))
    if part.role in ("sensitive", "weight", "other"):
        return Words("A value as it was in the original table. An empty cell: the value is missing.", ())
    assert column is not None
    assert stated is not None
    if stated.kind == "set":
        return _set(policy, column)
    if part.place != "value":
        return _beside(part, column, form, stated)
    if form in ("aggregate", "centers"):
        return _aggregate(form, stated)
    if form == "suppress":
        return Words(
            "A value that the whole group shares, or * where the group has several.",
            (Cell("*", "any value; it is hidden"), _empty("the value of the whole group is missing")),
        )
    return _generalized(part, policy, column, stated)


def _set(policy: Policy, column: Column) -> Words:
    """Return the description of a column of sets."""
    two = column.separator.join(("a", "b"))
    known = "an item" if policy.known_items == 1 else f"a combination of up to {policy.known_items} items"
    return Words(
        f"A set of items, separated by {column.separator} and sorted. In a group, {known} that occurs is shared by "
        f"at least {policy.k} people. An item may be published as a coarser one that contains it, or be left out, in "
        "all rows of a group alike: that an item is not in a cell does not say that the person does not have it.",
        (
            Cell("a", "the item a, and perhaps others that were left out"),
            Cell(two, "the items a and b, and perhaps others that were left out"),
            _empty("no item is published: there was none, or all were left out"),
        ),
    )


def _empty(means: str) -> Cell:
    return Cell("", f"(an empty cell) {means}")


def _beside(part: Part, column: Column, form: str, stated: Stated) -> Words:
    """Return the description of a column that complements another one, such as an end of a range or a count."""
    if part.place == "radius":
        what = (
            "The radius in meters of the circle in which the place lies, around the published latitude and longitude."
        )
        return Words(what, (Cell("850", "within 850 meters"), Cell("*", "anywhere")))
    if part.place == "missing" and form in ("aggregate", "centers"):
        return Words(
            f"How many values of {part.column} are missing in the group; the mean is that of the others.",
            (Cell("2", "two of the group have no value"),),
        )
    if part.place == "missing":
        return Words(
            f"Whether a value of {part.column} may be missing.",
            (
                Cell("false", "everybody in the group has a value"),
                Cell("true", "some values are missing; all of them where both ends are empty"),
            ),
        )
    low, high = _ends(column, stated)
    what, end = ("smallest", low) if part.place == "min" else ("largest", high)
    if stated.kind == "date":
        what = "earliest" if part.place == "min" else "latest"
    lower = part.place == "min"
    means = f"nobody in the group is {'below' if lower else 'above'} it"
    if (column.bottom if lower else column.top) is not None:
        means += f", unless it is the {'bottom' if lower else 'top'}, which stands for all beyond it"
    return Words(
        f"The {what} value of {part.column} that someone in the group may have, which is included.",
        (Cell(end, means), _empty("all are missing")),
    )


def _aggregate(form: str, stated: Stated) -> Words:
    """Return the description of a mean, median or most frequent value."""
    center = "center or " if form == "centers" else ""
    if stated.kind in ("number", "date", "place"):
        what = f"The {center}mean, median or most frequent value of the group, the same for everyone in it; nobody "
        return Words(f"{what}need have it.", (_empty("all values of the group are missing"),))
    what = (
        f"The {center}most frequent or middle value of the group, the same for everyone in it; some may have another."
    )
    return Words(what, (_empty("mostly, the value is missing"),))


def _generalized(part: Part, policy: Policy, column: Column, stated: Stated) -> Words:
    """Return the description of ranges, sets, nodes and areas."""
    low, high = _ends(column, stated)
    both = f"{low}, {high}" if column.number is None else f"{low}{column.number.between_ends}{high}"
    missing = "the same, and of some of the group the value is missing"
    empty, hidden = _empty("the value of the whole group is missing"), Cell("*", "any value")
    if stated.kind == "place":
        return _place(part, policy)
    if stated.kind == "number" and stated.levels is not None:
        return Words(
            "A number, or the interval of a fixed grid in which the numbers of the whole group lie.",
            (Cell(low, f"exactly {low}"), Cell(f"[{both})", f"from {low} up to, but not including, {high}"),
             Cell(f"{low} or missing", missing), hidden, empty),
        )  # fmt: skip
    if stated.kind == "date" and stated.levels is not None:
        return Words(
            "A date, or the period in which the dates of the whole group lie.",
            (Cell(low, f"exactly {low}"), Cell("1984-03", "in March 1984"), Cell("1984-Q1", "January to March 1984"),
             Cell("1984-W07", "week 7 of 1984, from Monday on"), Cell("1984", "in 1984"),
             Cell("1980s", "from 1980 to 1989"), Cell("1984 or missing", missing), hidden, empty),
        )  # fmt: skip
    if stated.kind in ("number", "date"):
        what = "number" if stated.kind == "number" else "date"
        return Words(
            f"A {what}, or a range in which the {what}s of the whole group lie.",
            (Cell(low, f"exactly {low}"), Cell(f"[{both}]", f"from {low} to {high}, both included"),
             Cell(f"[{both}] or missing", missing), *_limits(column, policy), empty),
        )  # fmt: skip
    if stated.kind == "hierarchy":
        return Words(NODES, (Cell("node", "anything below this node of the hierarchy"),
                             Cell("12***", "a code that begins with 12, the rest is hidden"),
                             Cell("node or missing", missing), hidden, empty))  # fmt: skip
    if stated.kind == "ordered":
        return Words(
            "A value of an order, or a range of it in which the values of the whole group lie.",
            (Cell("low", "exactly low"), Cell("[low, high]", "low, high, or anything between"),
             Cell("{low} or missing", "low; of some of the group the value is missing"), empty),
        )  # fmt: skip
    if stated.kind == "region":
        return Words(
            "A region, or a connected set of regions in one of which everybody of the group is.",
            (Cell("north", "in the north"), Cell("{east, north}", "in the east or in the north"),
             Cell("*", "anywhere on the map"), empty),
        )  # fmt: skip
    if column.classes is not None:
        return Words(
            "A label, or a class of labels; legend.json lists the labels of every class.",
            (Cell("ash +2", "ash, or one of two other labels of its class"), Cell("{ash +2, oak}", "one of both"),
             Cell("{ash} or missing", "ash; of some of the group the value is missing"), hidden, empty),
        )  # fmt: skip
    return Words(
        "A label, or the set of all labels of the group.",
        (Cell("ash", "exactly ash"), Cell("{ash, oak}", "ash or oak"),
         Cell("{ash, oak} or missing", "ash or oak; of some of the group the value is missing"), empty),
    )  # fmt: skip


def _limits(column: Column, policy: Policy) -> tuple[Cell, ...]:
    """Return examples of cells at a top and a bottom; none if the policy publishes plain numbers in columns."""
    if policy.ranges == "columns":
        return ()
    found = []
    if column.top is not None:
        found.append(Cell(">=…", "this or more, also as the upper end of a range: [a, >=b]"))
    if column.bottom is not None:
        found.append(Cell("<=…", "this or less, also as the lower end of a range: [<=a, b]"))
    return tuple(found)


def _place(part: Part, policy: Policy) -> Words:
    """Return the description of a coordinate: of a rectangle, or of the center of a circle."""
    latitude = policy.columns[part.column].longitude is not None
    home = part.column if latitude else _latitude_of(part.column, policy)
    what = "latitude" if latitude else "longitude"
    empty, hidden = _empty("the place is missing"), Cell("*", "anywhere")
    if home is not None and policy.columns[home].shape == "circle":
        return Words(f"The {what}, in degrees, of the center of a circle in which the place lies.", (hidden, empty))
    sides = "from south to north" if latitude else "from west to east, across the date line if the first is larger"
    low, high = ("48.1", "48.3") if latitude else ("11.4", "11.7")
    return Words(
        f"The {what} in degrees: an exact one, or a side of the rectangle in which the place lies.",
        (Cell(low, f"exactly {low}"), Cell(f"[{low}, {high}]", sides), hidden, empty),
    )


def _latitude_of(longitude: str, policy: Policy) -> str | None:
    """Return the column of latitudes that belongs to one of longitudes."""
    return next((name for name, column in policy.columns.items() if column.longitude == longitude), None)


def _ends(column: Column, stated: Stated) -> tuple[str, str]:
    """Return two made-up values, the second one larger, as the column writes its values."""
    if stated.kind != "date":
        form = column.number
        return ("30", "40") if form is None else (write_number("30", form), write_number("40", form))
    form_of_dates = column.date_format
    if form_of_dates is None:
        return "1984-03-05", "1986-11-20"
    days = pl.Series([date(1984, 3, 5), date(1986, 11, 20)])
    low, high = write_dates(days, form_of_dates).cast(pl.String).to_list()
    return _end(low), _end(high)


def _end(text: str) -> str:
    """Return an end of a range; as a JSON string if it has a comma, because commas separate the ends."""
    return json.dumps(text, ensure_ascii=False) if re.search(r'[,\[\]"]', text) else text
