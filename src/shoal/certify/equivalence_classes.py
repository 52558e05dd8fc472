"""Equivalence classes of a released table, and how many people of each class hold which sensitive value.

All counts are of people where the policy names a person column, and of rows otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.findings import Failure
from shoal.certify.multiset import parse
from shoal.certify.released_columns import PEOPLE, Columns

Ints = npt.NDArray[np.int64]

_COUNT = pl.len().cast(pl.Int64)
_WHOLE = r"^[1-9][0-9]{0,14}$"
"""A positive whole number as Shoal writes it: 1, never 01, +1 or 1.0.

With two spellings of one number, a forged table could make one person count as two.
"""
_PSEUDONYM = r"^[0-9a-f]{20}$"
_LENGTH = r"^[0-9]{1,300}(?:[.,][0-9]{1,300})?(?:e[+-]?[0-9]{1,3})?$"


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The equivalence classes of a released table.

    `people` has one row per class, with the columns class, people and records. `texts` has one frame per sensitive
    column, with the columns class, text and held (how many people of the class hold the text), or with class, person
    and text where people are numbered within their class.
    """

    people: pl.DataFrame
    texts: dict[str, pl.DataFrame] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    spread: pl.DataFrame | None = None
    """Per class, the largest number of classes that one of its people is in; None if they are numbered in classes."""

    def records(self, classes: pl.Series) -> int:
        """Return the number of records in the given classes."""
        return int(self.people.join(classes.to_frame("class"), on="class", how="semi")["records"].sum())

    def pairs(self, name: str, values: pl.DataFrame) -> pl.DataFrame:
        """Return how many people of each class hold each value of a sensitive column: class, value and held.

        A numbered person with two texts that mean the same value, such as two numbers in one bin, counts once.
        """
        found = self.texts[name].join(values, on="text", how="left", nulls_equal=True)
        if "person" in found.columns:
            return found.select("class", "person", "value").unique().group_by("class", "value").agg(held=_COUNT)
        return found.group_by("class", "value").agg(pl.col("held").sum())


def classes_of_rows(frame: pl.DataFrame, columns: Columns) -> Classes:
    """Return the equivalence classes of a table that has one row per record; null equals only null.

    With a person column there is a failure for classes whose people are not numbered from 1.
    """
    rows = pl.DataFrame({"class": class_ids(frame.select(columns.quasi), frame.height)})
    people = rows.group_by("class").agg(records=_COUNT)
    if columns.person is None:
        texts = {
            name: rows.with_columns(text=frame[name]).group_by("class", "text").agg(held=_COUNT)
            for name in columns.sensitive
        }
        return Classes(people.with_columns(people="records"), texts)
    rows = rows.with_columns(person=frame[columns.person])
    people = people.join(rows.unique().group_by("class").agg(people=_COUNT), on="class")
    texts = {name: rows.with_columns(text=frame[name]).unique() for name in columns.sensitive}
    return with_people(Classes(people, texts), rows, columns)


def with_people(classes: Classes, rows: pl.DataFrame, columns: Columns) -> Classes:
    """Return classes with a failure if the people in the columns class and person of `rows` are not named as stated.

    Where one person is one number or pseudonym in the whole table, `spread` has for every class the largest number of
    classes that one of its people is in.
    """
    bad = _not_numbered(rows) if columns.numbered == "in classes" else _not_named(rows, columns.numbered)
    spread = None
    if columns.numbered != "in classes":
        pairs = rows.select("class", "person").unique()
        within = pairs.group_by("person").agg(measure=pl.len().cast(pl.Float64))
        joined = pairs.join(within, on="person", nulls_equal=True)
        spread = joined.group_by("class").agg(pl.col("measure").max())
    if not len(bad):
        return replace(classes, spread=spread)
    what = {
        "in classes": "number the people of each group from 1",
        "in all": "number the people of the release from 1",
        "pseudonyms": "hold pseudonyms",
    }[columns.numbered]
    message = f"column {columns.person} does not {what}: an identifier may be left in"
    touched = classes.records(bad)
    failure = Failure(check="person", column=columns.person, message=message, groups=len(bad), records=touched)
    return Classes(classes.people, classes.texts, (failure,), spread)


def _not_named(rows: pl.DataFrame, numbered: str) -> pl.Series:
    """Return the classes with people who have no pseudonym, or all if their numbers are not 1 to m over the table."""
    if numbered == "pseudonyms":
        good = pl.col("person").cast(pl.String).str.contains(_PSEUDONYM).fill_null(False)
        return rows.filter(~good)["class"].unique()
    numbers = rows.select(number=whole(pl.col("person")))["number"]
    right = not numbers.null_count() and numbers.min() == 1 and numbers.max() == numbers.n_unique()
    return rows["class"].clear() if right else rows["class"].unique()


def class_ids(quasi: pl.DataFrame, height: int) -> Ints:
    """Return the equivalence class of every row: 0, 1, ... in the order of first occurrence, 0 without columns."""
    if not quasi.width:
        return np.zeros(height, dtype=np.int64)
    codes = quasi.select(
        pl.col(name).cast(pl.Categorical).to_physical().alias(f"q{i}") for i, name in enumerate(quasi.columns)
    )
    first = codes.with_row_index("row").select(pl.col("row").first().over(codes.columns)).to_series().to_numpy()
    ids: Ints = (np.cumsum(first == np.arange(height)) - 1)[first]
    return ids


def _not_numbered(rows: pl.DataFrame) -> pl.Series:
    """Return the classes whose m people are not numbered 1 to m.

    Any other numbering could be an identifier, and would link the records of one person across classes.
    """
    number = whole(pl.col("person"))
    numbered = rows.group_by("class").agg(
        good=number.is_not_null().all() & (number.min() == 1) & (number.max() == number.n_unique())
    )
    return numbered.filter(~pl.col("good").fill_null(False))["class"]


def whole(text: pl.Expr) -> pl.Expr:
    """Return an expression for texts as positive whole numbers, null where a text is not one."""
    return pl.when(text.cast(pl.String).str.contains(_WHOLE)).then(text).cast(pl.Int64, strict=False)


def classes_of_centers(frame: pl.DataFrame, columns: Columns, *, persons: bool) -> Classes:
    """Return the equivalence classes of a release in the form `centers`, which has one row per class.

    A row states the number of people and, per sensitive column, how many of them hold each value. There is a failure
    where the number of people or the radius is malformed, or where the values do not add up to the number of people.
    With `persons`, one person may have several original rows and so hold several values.
    """
    failures = []
    given = PEOPLE in frame.columns
    cells = frame[PEOPLE] if given else pl.Series([None] * frame.height, dtype=pl.String)
    number = pl.select(whole(pl.lit(cells))).to_series()
    if given and (n_bad := number.null_count()):
        message = f"column {PEOPLE} is not a number of people in {n_bad} rows"
        failures.append(Failure(check="people", column=PEOPLE, message=message, groups=n_bad, records=n_bad))
    number = number.fill_null(0)
    if columns.radius is not None:
        n_bad = frame.height - int(_lengths(frame[columns.radius]).sum())
        if n_bad:
            message = f"column {columns.radius} is not a length in {n_bad} rows"
            failures.append(
                Failure(check="people", column=columns.radius, message=message, groups=n_bad, records=n_bad)
            )
    people = pl.DataFrame({"class": np.arange(frame.height), "people": number, "records": number})
    texts = {}
    for name in columns.sensitive:
        texts[name], broken = _multisets(frame[name], number, persons=persons)
        if broken:
            message = f"column {name} does not add up to the people of a row in {len(broken)} rows"
            touched = int(number.gather(broken).sum())
            failures.append(
                Failure(check="people", column=name, message=message, groups=len(broken), records=touched)
            )
    return Classes(people, texts, tuple(failures))


def _lengths(cells: pl.Series) -> pl.Series:
    """Return for every cell whether it is a length, that is a finite number that is not negative."""
    number = cells.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    return (cells.str.contains(_LENGTH) & number.is_finite()).fill_null(False)


def _multisets(cells: pl.Series, people: pl.Series, *, persons: bool) -> tuple[pl.DataFrame, list[int]]:
    """Return the values held in all rows (class, text, held), and the numbers of the rows that are wrong.

    A row is wrong if its cell is not a multiset, or if its counts do not fit the number of people: without `persons`
    they must add up to it; with `persons` they may add up to more, but no single count may exceed it. This stops a
    row that claims more people, or more diversity, than its values can have.
    """
    classes: list[int] = []
    texts: list[str | None] = []
    held: list[int] = []
    broken = []
    for row, (cell, n_people) in enumerate(zip(cells.to_list(), people.to_list(), strict=True)):
        found = parse(cell) or {}
        total, most = sum(found.values()), max(found.values(), default=0)
        if not found or total < n_people or (most if persons else total) > n_people:
            broken.append(row)
        classes += [row] * len(found)
        texts += found.keys()
        held += found.values()
    schema = {"class": pl.Int64, "text": pl.String, "held": pl.Int64}
    return pl.DataFrame({"class": classes, "text": texts, "held": held}, schema=schema), broken
