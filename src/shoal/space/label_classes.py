"""A column of labels recoded as a whole: every label belongs to one class, and only classes are published."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal._repr import brief
from shoal.tables.text import text_of

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """`class_of[i]` is the class of `labels[i]` (None: missing); classes are numbered by their first label.

    `people[c]` hold a label of class c, at least `least` each; no classes of so many have a largest one below
    `lower_bound`.
    """

    column: str
    labels: tuple[str | None, ...]
    class_of: Ints
    people: Ints
    least: int
    lower_bound: float
    ratio_proved: Fraction | None
    theorem: str | None

    def __repr__(self) -> str:
        return brief(self, f"of {self.column!r}: {len(self.labels)} labels in {len(self.people)} classes")

    def classes(self, values: pl.Series) -> pl.Series:
        """The number of each cell's class."""
        known = pl.DataFrame({"v": pl.Series(self.labels, dtype=pl.String), "class": self.class_of})
        cells = pl.DataFrame({"v": text_of(values)})
        found = cells.join(known, on="v", how="left", nulls_equal=True, maintain_order="left")["class"]
        return found.alias(values.name)
