"""Who shares whose published quasi-identifiers, and who holds which sensitive value: counted once, in people."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.certify.findings import Failure
from shoal.certify.multiset import parse
from shoal.certify.released_columns import PEOPLE, Columns

Ints = npt.NDArray[np.int64]

_COUNT = pl.len().cast(pl.Int64)
_WHOLE = r"^[1-9][0-9]{0,14}$"
"""A number of people as it is written: 1, never 01, +1 or 1.0, or one person could count as several."""
_LENGTH = r"^[0-9]{1,300}(?:[.,][0-9]{1,300})?(?:e[+-]?[0-9]{1,3})?$"


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """`people` has a row per class: class, people, records. `texts` has what its people hold, per sensitive column:
    class, text and held; or class, person and text where people are numbered.
    """

    people: pl.DataFrame
    texts: dict[str, pl.DataFrame] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()

    def records(self, classes: pl.Series) -> int:
        """Records in some of the classes."""
        return int(self.people.join(classes.to_frame("class"), on="class", how="semi")["records"].sum())

    def pairs(self, name: str, values: pl.DataFrame) -> pl.DataFrame:
        """How many people of a class hold each value; one with two texts of one value (a bin) counts once."""
        found = self.texts[name].join(values, on="text", how="left", nulls_equal=True)
        if "person" in found.columns:
            return found.select("class", "person", "value").unique().group_by("class", "value").agg(held=_COUNT)
        return found.group_by("class", "value").agg(pl.col("held").sum())


def classes_of_rows(frame: pl.DataFrame, columns: Columns) -> Classes:
    """Rows with equal published quasi-identifiers are a class; null equals only null."""
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
    classes = Classes(people, texts)
    bad = _not_numbered(rows)
    if not len(bad):
        return classes
    message = f"column {columns.person} does not number the people of each group from 1: an identifier may be left in"
    touched = classes.records(bad)
    failure = Failure(check="person", column=columns.person, message=message, groups=len(bad), records=touched)
    return Classes(people, texts, (failure,))


def class_ids(quasi: pl.DataFrame, height: int) -> Ints:
    """0, 1, ... for the distinct rows of `quasi`, by first occurrence."""
    if not quasi.width:
        return np.zeros(height, dtype=np.int64)
    codes = quasi.select(
        pl.col(name).cast(pl.Categorical).to_physical().alias(f"q{i}") for i, name in enumerate(quasi.columns)
    )
    first = codes.with_row_index("row").select(pl.col("row").first().over(codes.columns)).to_series().to_numpy()
    ids: Ints = (np.cumsum(first == np.arange(height)) - 1)[first]
    return ids


def _not_numbered(rows: pl.DataFrame) -> pl.Series:
    """Classes whose people are not 1 .. m: any other number could be followed from class to class."""
    number = whole(pl.col("person"))
    numbered = rows.group_by("class").agg(
        good=number.is_not_null().all() & (number.min() == 1) & (number.max() == number.n_unique())
    )
    return numbered.filter(~pl.col("good").fill_null(False))["class"]


def whole(text: pl.Expr) -> pl.Expr:
    """Numbers of people from 1, null where a text is none."""
    return pl.when(text.cast(pl.String).str.contains(_WHOLE)).then(text).cast(pl.Int64, strict=False)


def classes_of_centers(frame: pl.DataFrame, columns: Columns, *, persons: bool) -> Classes:
    """One row per class: its people, and per sensitive column how many of them hold each value.

    Where one person may stand in several rows of the original (`persons`), one may hold several values.
    """
    failures = []
    given = PEOPLE in frame.columns
    cells = frame[PEOPLE] if given else pl.Series([None] * frame.height, dtype=pl.String)
    number = pl.select(whole(pl.lit(cells))).to_series()
    if given and (n_bad := number.null_count()):
        message = f"column {PEOPLE} is no number of people in {n_bad} rows"
        failures.append(Failure(check="people", column=PEOPLE, message=message, groups=n_bad, records=n_bad))
    number = number.fill_null(0)
    if columns.radius is not None:
        n_bad = frame.height - int(_lengths(frame[columns.radius]).sum())
        if n_bad:
            message = f"column {columns.radius} is no length in {n_bad} rows"
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
    """Where a cell is a length: a finite number, not below 0."""
    number = cells.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False)
    return (cells.str.contains(_LENGTH) & number.is_finite()).fill_null(False)


def _multisets(cells: pl.Series, people: pl.Series, *, persons: bool) -> tuple[pl.DataFrame, list[int]]:
    """What all rows hold, and the rows whose cell is no multiset or does not add up to their people."""
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
